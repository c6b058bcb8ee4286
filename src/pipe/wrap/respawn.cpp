// SPDX-License-Identifier: MIT
// The respawning screen; see respawn_screen.h. The journal is as old as the log is long: a new
// server gets the journal, then the calls of the log, and is where the old one was.
#include "respawn_screen.h"

#include "util/env.h"
#include "util/log.h"
#include "util/stats.h"

#include <chrono>
#include <cstring>
#include <unistd.h>

namespace wrap {
namespace {

util::Counter count_respawns("respawn.servers", "servers started in place of dead ones");
util::Counter count_objects("respawn.objects", "objects made again");
util::Counter count_replayed("respawn.calls", "calls of the last frames carried out again");
util::Counter count_lost("respawn.gpu_only", "objects whose contents only the GPU had");

// A log above one of these grows no longer: what a frame has beyond it is not replayed.
constexpr uint64_t most_bytes = 64ull << 20;
constexpr uint64_t most_calls = 1 << 16;
constexpr size_t most_frames = 32; // of all surfaces

// A server that lives shorter and ends fewer frames died at once; so many in a row are the end.
constexpr uint64_t short_life_ns = 1'000'000'000;
constexpr unsigned short_life_frames = 2;
constexpr unsigned most_early_deaths = 8;
constexpr unsigned attempts = 3;

uint64_t now_ns() {
    return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

} // namespace

// --- life ----------------------------------------------------------------------------------------

RespawnScreen::RespawnScreen(const RespawnSource &source, const pipe_screen_config &config)
    : pipe_screen{}, source_(source), config_(config), pid_(getpid()), journal_(source.forget) {
    if (config.callbacks)
        callbacks_ = *config.callbacks;
    data_ = config.data;
    fill_callbacks();
    options_ = config.options ? config.options : "";
    display_name_ = config.display_name ? config.display_name : "";
    config_.callbacks = &inner_callbacks_;
    config_.options = config.options ? options_.c_str() : nullptr;
    config_.display_name = config.display_name ? display_name_.c_str() : nullptr;
}

pipe_screen *RespawnScreen::make_inner(std::unique_ptr<InnerTag> &tag) {
    tag.reset(new InnerTag{*this}); // clang 14 has no parentheses for aggregates
    config_.data = tag.get();
    tag->screen = source_.create(&config_);
    return tag->screen;
}

RespawnScreen::Rebuilt::~Rebuilt() {
    for (pipe_context *lane : lanes) {
        const pipe_lane_destroy p{lane->lane};
        lane->lane_destroy(lane, &p);
    }
    if (screen)
        screen->destroy(screen);
}

RespawnScreen::~RespawnScreen() {
    graves_.clear();
    if (inner_)
        inner_->destroy(inner_);
}

// --- the log -------------------------------------------------------------------------------------

void RespawnScreen::fold_until(uint64_t position) {
    while (log_.begin() < position && log_.oldest()) {
        journal_.fold(log_.oldest());
        log_.drop_oldest();
    }
    while (!frames_.empty() && frames_.front().end <= log_.begin())
        frames_.pop_front();
}

void RespawnScreen::fold_bounded() {
    if (log_.bytes() <= most_bytes && log_.calls() <= most_calls)
        return;
    while (log_.bytes() > most_bytes / 2 || log_.calls() > most_calls / 2) {
        journal_.fold(log_.oldest());
        log_.drop_oldest();
    }
    fold_until(log_.begin());
}

void RespawnScreen::note(uint32_t lane, const CallView &v) {
    if (dead_.load(std::memory_order_relaxed))
        return;
    if (!is_replayed(v.op)) {
        const bool frame =
            v.op == PIPE_OP_FLUSH &&
            (static_cast<const pipe_flush *>(v.payload)->flags & PIPE_FLUSH_END_OF_FRAME);
        std::lock_guard lock(journal_mutex_);
        if (frame) // of what is not presented
            frame_ends({lane, UINT32_MAX});
        return;
    }
    std::lock_guard lock(journal_mutex_);
    log_.append(v, lane);
    if (v.op == PIPE_OP_PRESENT)
        frame_ends(static_cast<const pipe_present *>(v.payload)->surface);
    fold_bounded();
}

// As many frames stay as may be under way, and the one that begins. Of each surface, so that none
// waits for another.
void RespawnScreen::frame_ends(pipe_handle surface) {
    const size_t keep =
        size_t(source_.credit ? source_.credit(inner_) : util::env_int(util::Env::CREDIT)) + 1;
    frames_.push_back({surface, log_.end()});
    frames_lived_++;
    uint64_t fold = UINT64_MAX;
    for (const Frame &of : frames_) {
        size_t later = 0;
        uint64_t oldest = log_.begin();
        for (auto f = frames_.rbegin(); f != frames_.rend(); ++f)
            if (pipe_handle_equal(f->surface, of.surface) && later++ == keep)
                oldest = f->end;
        fold = std::min(fold, oldest);
    }
    // A surface that is shown no more holds the others' frames for a while only.
    if (frames_.size() > most_frames)
        fold = std::max(fold, frames_[frames_.size() - most_frames].end);
    fold_until(fold);
}

// As if the client had written what it read.
void RespawnScreen::note_answer(uint32_t lane, const CallView &v) {
    CallView written{};
    pipe_resource_subdata p{};
    pipe_region region{};
    const pipe_host_span data = pipe_span(v.dst->ptr, v.dst->size);
    if (v.op == PIPE_OP_RESOURCE_READBACK) {
        const auto &read = *static_cast<const pipe_resource_readback *>(v.payload);
        p.resource = read.resource;
        p.offset = read.offset;
        p.size = read.size;
    } else if (v.op == PIPE_OP_GET_TEXTURE_IMAGE) {
        const auto &read = *static_cast<const pipe_get_texture_image *>(v.payload);
        std::lock_guard lock(journal_mutex_);
        if (read.aspect != PIPE_ASPECT_COLOR || !journal_.has_format(read.texture, read.format))
            return;
        p.resource = read.texture;
        p.level = read.level;
        p.num_regions = 1;
        p.aspect = read.aspect;
        region = {read.box, 0, read.row_stride, read.slice_stride};
    } else {
        return;
    }
    written.op = PIPE_OP_RESOURCE_SUBDATA;
    written.payload = &p;
    written.tails[0] = {&region, p.num_regions, sizeof region};
    written.num_tails = 1;
    written.spans[0] = &data;
    written.num_spans = 1;
    note(lane, written);
}

// --- a new server --------------------------------------------------------------------------------

bool RespawnScreen::respawn(uint64_t generation) {
    std::lock_guard lock(respawn_mutex_);
    return respawn_locked(generation);
}

void RespawnScreen::give_up(const char *why) {
    log_error("respawn", "%s: the loss stands", why);
    loss_reason_ = why;
    dead_.store(true);
    loss_pending_.store(true, std::memory_order_release);
}

// A forked child's contexts are lost; the parent's server is not its own.
bool RespawnScreen::may_respawn() const {
    return !dead_.load() && getpid() == pid_;
}

bool RespawnScreen::respawn_locked(uint64_t generation) {
    if (!may_respawn())
        return false;
    if (generation_.load() != generation || !lost())
        return true;
    std::vector<std::unique_lock<std::mutex>> locks;
    for (RespawnLane *lane : lanes_)
        locks.emplace_back(lane->mutex_);
    locks.emplace_back(root_mutex_);
    locks.emplace_back(journal_mutex_);
    const uint64_t began = now_ns();
    const bool early = began - born_ns_ < short_life_ns && frames_lived_ < short_life_frames;
    early_deaths_ = early ? early_deaths_ + 1 : 0;
    if (early_deaths_ >= most_early_deaths) {
        give_up("servers die at once");
        return false;
    }
    const uint32_t old = source_.server(inner_);
    for (unsigned attempt = 0; attempt < attempts; attempt++) {
        if (attempt == attempts - 1) // whatever killed them may be in the log
            fold_until(log_.end());
        Rebuilt built;
        built.screen = make_inner(built.tag);
        if (!built.screen)
            continue;
        if (memcmp(&built.screen->caps, &inner_->caps, sizeof caps) != 0) {
            give_up("the new server has other capabilities");
            return false;
        }
        uint64_t lost_objects = 0;
        const uint64_t replayed = log_.calls();
        const std::string losses = journal_.losses(&lost_objects);
        if (!rebuild(built))
            continue;
        log_warning("respawn",
                    "server %u is gone, server %u took over: %llu objects made again, %llu calls "
                    "replayed, %llu ms; only the GPU had, before them: %s",
                    old, source_.server(built.screen), (unsigned long long)journal_.objects(),
                    (unsigned long long)replayed,
                    (unsigned long long)((now_ns() - began) / 1'000'000),
                    losses.empty() ? "nothing" : losses.c_str());
        count_respawns.add();
        count_objects.add(journal_.objects());
        count_replayed.add(replayed);
        count_lost.add(lost_objects);
        adopt(built);
        return true;
    }
    give_up("no new server that lives");
    return false;
}

// False: the new server is gone too, or refuses.
bool RespawnScreen::rebuild(Rebuilt &built) {
    if (!journal_.restore_surfaces(built.screen))
        return false;
    for (RespawnLane *lane : lanes_) {
        pipe_context *ctx =
            built.screen->lane_create(built.screen, &journal_.lane_create(lane->id_));
        if (!ctx)
            return false;
        built.lanes.push_back(ctx);
    }
    replay(built);
    if (source_.lost(built.screen))
        return false;
    if (built.screen->drain_events)
        built.screen->drain_events(built.screen); // told before, or asked for again
    return !source_.lost(built.screen);
}

// The lanes of a new server, in the order of the journal and of the log.
struct Lanes {
    struct One {
        uint32_t id;
        pipe_context *ctx;
        std::unordered_set<uint64_t> orphans;
        bool current;
    };
    std::vector<One> all;
    One *last = nullptr;

    // What comes now on this lane comes after everything before.
    One *enter(uint32_t id) {
        One *one = nullptr;
        for (One &o : all)
            if (o.id == id)
                one = &o;
        if (last && one && one != last) {
            const pipe_flush flush{};
            last->ctx->flush(last->ctx, &flush);
            const pipe_lane_wait wait{last->ctx->lane, last->ctx->ordinal};
            if (one->ctx->lane_wait)
                one->ctx->lane_wait(one->ctx, &wait);
        }
        last = one ? one : last;
        return one;
    }
};

void RespawnScreen::replay(Rebuilt &built) {
    Lanes lanes;
    for (size_t i = 0; i < lanes_.size(); i++)
        lanes.all.push_back(
            {lanes_[i]->id_, built.lanes[i], journal_.orphans(lanes_[i]->id_), true});
    group_pending_ = lanes_.empty();
    if (group_pending_)
        return;
    const uint32_t first = journal_.first_lane();
    pipe_context *group = lanes.enter(first)->ctx;
    journal_.restore_current(first, group);
    journal_.restore_group(group);
    for (Lanes::One &one : lanes.all) {
        lanes.enter(one.id);
        if (one.id != first)
            journal_.restore_current(one.id, one.ctx);
        one.current = journal_.restore_lane(one.id, one.ctx);
    }
    // What was presented is shown; the last one may not have been.
    std::unordered_map<uint64_t, const uint8_t *> last_present;
    log_.each([&](const uint8_t *stored) {
        Recalled r;
        recall(r, stored);
        if (r.view.op == PIPE_OP_PRESENT)
            last_present[pipe_handle_key(
                static_cast<const pipe_present *>(r.view.payload)->surface)] = stored;
    });
    log_.each([&](const uint8_t *stored) {
        Recalled r;
        recall(r, stored);
        Lanes::One *one = lanes.enter(r.lane);
        if (!one)
            return;
        const void *p = r.view.payload;
        if (r.view.op == PIPE_OP_PRESENT &&
            last_present[pipe_handle_key(static_cast<const pipe_present *>(p)->surface)] != stored)
            return;
        if (r.view.op == PIPE_OP_LANE_CURRENT)
            one->current = !static_cast<const pipe_lane_current *>(p)->release;
        if (!one->orphans.empty() && call_of_orphan(one->orphans, r.view, one->ctx))
            return;
        carry_out(one->ctx, r);
    });
    for (size_t i = 0; i < lanes.all.size(); i++) {
        Lanes::One &one = lanes.all[i];
        const pipe_finish finish{};
        if (one.current && one.ctx->finish)
            one.ctx->finish(one.ctx, &finish);
        built.orphans.push_back(std::move(one.orphans));
    }
}

void RespawnScreen::adopt(Rebuilt &built) {
    auto old = std::make_unique<Rebuilt>();
    old->tag = std::move(tag_);
    old->screen = inner_;
    for (size_t i = 0; i < lanes_.size(); i++) {
        RespawnLane &lane = *lanes_[i];
        old->lanes.push_back(lane.inner_);
        lane.inner_ = built.lanes[i];
        lane.settled_ = lane.ordinal;
        lane.base_ = lane.ordinal - lane.inner_->ordinal;
        lane.orphans_ = std::move(built.orphans[i]);
    }
    built.lanes.clear();
    built.screen = nullptr;
    tag_ = std::move(built.tag);
    tag_->silent.store(false);
    inner_ = tag_->screen;
    born_ns_ = now_ns();
    frames_lived_ = 0;
    generation_.fetch_add(1);
    if (draining_)
        graves_.push_back(std::move(old));
}

// --- lanes ---------------------------------------------------------------------------------------

RespawnLane::RespawnLane(RespawnScreen &screen, pipe_context *inner, uint32_t id)
    : pipe_context{}, screen_(screen), inner_(inner), id_(id) {
    pipe_context::screen = &screen;
    lane = inner->lane;
    ordinal = inner->ordinal;
    fill_table();
    lane_destroy = [](pipe_context *ctx, const pipe_lane_destroy *p) {
        RespawnLane *lane = &of(ctx);
        lane->screen_.end_lane(lane, p);
    };
    if (inner->lane_wait)
        lane_wait = [](pipe_context *ctx, const pipe_lane_wait *p) { of(ctx).wait_for(p); };
}

void RespawnLane::after(std::unique_lock<std::mutex> &lock) {
    ordinal = inner_->ordinal + base_;
    if (!screen_.lost()) [[likely]]
        return;
    const uint64_t generation = screen_.generation();
    lock.unlock();
    screen_.respawn(generation); // the log has the call
}

void RespawnLane::wait_for(const pipe_lane_wait *p) {
    uint64_t generation;
    pipe_lane_wait inner = *p;
    inner.ordinal = screen_.inner_ordinal(p->lane, p->ordinal, &generation);
    std::unique_lock lock(mutex_);
    // A new server has everything from before it.
    if (inner.ordinal && screen_.generation() == generation)
        inner_->lane_wait(inner_, &inner);
    after(lock);
}

uint64_t RespawnScreen::inner_ordinal(pipe_handle handle, uint64_t ordinal, uint64_t *generation) {
    std::lock_guard lock(respawn_mutex_);
    *generation = generation_.load();
    for (const RespawnLane *lane : lanes_)
        if (pipe_handle_equal(lane->lane, handle))
            return ordinal > lane->settled_ ? ordinal - lane->base_ : 0;
    return 0;
}

// Errors of the calls that make the objects are not the program's.
void RespawnScreen::restore_group_late(uint32_t lane, pipe_context *inner) {
    tag_->silent.store(true);
    journal_.restore_current(lane, inner);
    journal_.restore_group(inner);
    const pipe_finish finish{};
    if (inner->finish)
        inner->finish(inner, &finish);
    if (inner_->drain_events)
        inner_->drain_events(inner_);
    tag_->silent.store(false);
}

pipe_context *RespawnScreen::make_lane(const pipe_lane_create *p) {
    std::lock_guard lock(respawn_mutex_);
    for (;;) {
        pipe_context *inner = inner_->lane_create(inner_, p);
        if (lost() && may_respawn()) {
            const pipe_lane_destroy end{p->lane};
            if (inner) // it may not outlive its screen
                inner->lane_destroy(inner, &end);
            respawn_locked(generation_.load());
            continue;
        }
        if (!inner)
            return nullptr;
        auto *lane = new RespawnLane(*this, inner, next_lane_++);
        lanes_.push_back(lane);
        std::lock_guard journal(journal_mutex_);
        journal_.add_lane(lane->id_, *p);
        if (group_pending_ && !dead_) {
            group_pending_ = false;
            restore_group_late(lane->id_, inner);
            lane->ordinal = inner->ordinal;
        }
        return lane;
    }
}

// Its calls are folded: a lane that is no more can replay none.
void RespawnScreen::end_lane(RespawnLane *lane, const pipe_lane_destroy *p) {
    std::lock_guard lock(respawn_mutex_); // a respawn would end the inner lane's screen
    {
        std::lock_guard journal(journal_mutex_);
        fold_until(log_.end());
        journal_.remove_lane(lane->id_);
        std::erase(lanes_, lane);
    }
    lane->inner_->lane_destroy(lane->inner_, p);
    delete lane;
}

// --- root calls ----------------------------------------------------------------------------------

template <typename Call, typename Done> enum pipe_status RespawnScreen::root(Call call, Done done) {
    for (;;) {
        uint64_t generation;
        enum pipe_status status;
        {
            std::lock_guard lock(root_mutex_);
            generation = generation_.load();
            status = call(inner_);
            if (!lost()) {
                std::lock_guard journal(journal_mutex_);
                if (status == PIPE_OK)
                    done(journal_);
                return status;
            }
        }
        if (!respawn(generation))
            return status;
    }
}

struct RootCalls {
    static enum pipe_status get_caps(pipe_screen *screen, const pipe_get_caps *,
                                     pipe_get_caps_reply *out) {
        out->caps = screen->caps;
        return PIPE_OK;
    }
    // Ordinary memory, which no server takes along.
    static enum pipe_status stage_alloc(pipe_screen *, const pipe_stage_alloc *,
                                        pipe_stage_alloc_reply *out) {
        *out = {};
        return PIPE_OK;
    }
    static enum pipe_status memory_info(pipe_screen *screen, const pipe_memory_info *p,
                                        pipe_memory_info_reply *out) {
        return RespawnScreen::of(screen).root(
            [&](pipe_screen *inner) { return inner->memory_info(inner, p, out); },
            [](Journal &) {});
    }
    static enum pipe_status surface_create(pipe_screen *screen, const pipe_surface_create *p,
                                           pipe_surface_create_reply *out) {
        return RespawnScreen::of(screen).root(
            [&](pipe_screen *inner) { return inner->surface_create(inner, p, out); },
            [&](Journal &journal) { journal.add_surface(*p); });
    }
    static enum pipe_status surface_resize(pipe_screen *screen, const pipe_surface_resize *p) {
        return RespawnScreen::of(screen).root(
            [&](pipe_screen *inner) { return inner->surface_resize(inner, p); },
            [&](Journal &journal) { journal.resize_surface(*p); });
    }
    // No call that is replayed may name it.
    static enum pipe_status surface_destroy(pipe_screen *screen, const pipe_surface_destroy *p) {
        RespawnScreen &outer = RespawnScreen::of(screen);
        {
            std::lock_guard journal(outer.journal_mutex_);
            outer.fold_until(outer.log_.end());
            outer.journal_.remove_surface(p->surface);
        }
        return outer.root([&](pipe_screen *inner) { return inner->surface_destroy(inner, p); },
                          [](Journal &) {});
    }
    static pipe_context *lane_create(pipe_screen *screen, const pipe_lane_create *p) {
        return RespawnScreen::of(screen).make_lane(p);
    }
    static void destroy(pipe_screen *screen) { delete &RespawnScreen::of(screen); }
    static void drain_events(pipe_screen *screen) { RespawnScreen::of(screen).drain(); }
};

// The callbacks run without a lock; a screen that is drained stays until that is over.
void RespawnScreen::drain() {
    pipe_screen *inner;
    {
        std::lock_guard lock(root_mutex_);
        inner = inner_;
        draining_++;
    }
    if (inner->drain_events)
        inner->drain_events(inner);
    std::vector<std::unique_ptr<Rebuilt>> over;
    {
        std::lock_guard lock(root_mutex_);
        if (--draining_ == 0)
            over.swap(graves_);
    }
    if (!loss_pending_.exchange(false, std::memory_order_acquire) || !callbacks_.on_device_lost)
        return;
    pipe_on_device_lost p{};
    p.status = PIPE_RESET_UNKNOWN;
    const pipe_host_span reason = pipe_span(loss_reason_.data(), loss_reason_.size());
    callbacks_.on_device_lost(data_, &p, &reason);
}

// A server that died is our business; one that lost its device is not.
void RespawnScreen::tell_device_lost(void *data, const pipe_on_device_lost *p,
                                     const pipe_host_span *reason) {
    auto &tag = *static_cast<InnerTag *>(data);
    RespawnScreen &outer = tag.outer;
    if (!outer.server_lost(tag) && outer.callbacks_.on_device_lost)
        outer.callbacks_.on_device_lost(outer.data_, p, reason);
}

bool RespawnScreen::open() {
    inner_ = make_inner(tag_);
    if (!inner_)
        return false;
    tag_->silent.store(false);
    born_ns_ = 0; // the first one may die at any time
    caps = inner_->caps;
    fill_table();
    get_caps = RootCalls::get_caps;
    stage_alloc = RootCalls::stage_alloc;
    memory_info = inner_->memory_info ? RootCalls::memory_info : nullptr;
    surface_create = inner_->surface_create ? RootCalls::surface_create : nullptr;
    surface_resize = inner_->surface_resize ? RootCalls::surface_resize : nullptr;
    surface_destroy = inner_->surface_destroy ? RootCalls::surface_destroy : nullptr;
    lane_create = RootCalls::lane_create;
    pipe_screen::destroy = RootCalls::destroy;
    drain_events = RootCalls::drain_events; // also tells of the loss that stands
    return true;
}

pipe_screen *respawn_screen(const RespawnSource &source, const pipe_screen_config *config) {
    auto screen = std::make_unique<RespawnScreen>(source, config ? *config : pipe_screen_config{});
    return screen->open() ? screen.release() : nullptr;
}

} // namespace wrap
