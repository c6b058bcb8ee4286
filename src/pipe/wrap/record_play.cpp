// SPDX-License-Identifier: MIT
// The player: proves each call of a recording and makes it; see pipe_wrap/record.h.
#include "pipe_wrap/record.h"

#include "record_encoder.h"
#include "record_file.h"
#include "record_formats.h"
#include "record_lane.h"
#include "record_layout.h"
#include "record_translate.h"

#include "pipe/pipe.h"
#include "pipe_wire/wire.h"

#include "util/hash.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

namespace wrap {
namespace {

constexpr uint64_t max_content = 4ull << 30;

template <typename P> const P &payload_of(std::span<const uint8_t> record) {
    return *reinterpret_cast<const P *>(record.data() + sizeof(wire::Header));
}

struct ReplayScreen {
    explicit ReplayScreen(pipe_screen *made) : screen(made), formats(made->caps) {}
    pipe_screen *const screen;
    WiderFormats formats;
    wire::Applier root;
    wire::Generations generations;
    ReplayMemory memory;
    std::atomic<bool> several_lanes{true};
    std::map<uint32_t, std::unique_ptr<ReplayLane>> lanes;
    std::map<uint64_t, ReplaySurface> surfaces;
    ReplayLane *last = nullptr;               // that made a call
    std::vector<pipe_resource_desc> imported; // and not made yet
};

class Player {
  public:
    Player(const ReplayOptions &options, ReplayListener &listener, ReplayCounts &counts)
        : o_(options), listener_(listener), n_(counts) {
        callbacks_.on_gl_error = [](void *data, const pipe_on_gl_error *p,
                                    const pipe_host_span *m) {
            static_cast<Player *>(data)->gl_error(*p, m);
        };
        callbacks_.on_device_lost = [](void *data, const pipe_on_device_lost *,
                                       const pipe_host_span *) {
            static_cast<Player *>(data)->lost_ = true;
        };
    }

    bool run() {
        std::string why;
        if (!reader_.open(o_.file, why))
            return stop(why);
        const auto begin = std::chrono::steady_clock::now();
        // `ready_`: a lane has read the entry that ended its turn.
        while ((std::exchange(ready_, false) || next()) && entry())
            ;
        finish();
        n_.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        sum_up();
        return good_;
    }

  private:
    // --- entries ---------------------------------------------------------------------------------

    bool next() {
        switch (reader_.next(head_)) {
        case RecordReader::Result::entry: return true;
        case RecordReader::Result::end: return false;
        case RecordReader::Result::cut:
            listener_.say("the recording was cut off; this is what it has");
            return false;
        case RecordReader::Result::bad: return stop(reader_.problem());
        }
        return false;
    }

    std::span<const uint8_t> bytes() const { return {reader_.data(), head_.size}; }

    // False: nothing more is played.
    bool entry() {
        switch (static_cast<Entry>(head_.kind)) {
        case Entry::layout: return layout();
        case Entry::program: return true;
        case Entry::open: return open_screen();
        case Entry::close:
            if (screens_.count(head_.screen))
                close_screen(head_.screen);
            return true;
        case Entry::content:
        case Entry::call:
        case Entry::answer: return head_.lane ? lane_entries() : root_entry();
        default: return stop_at("is of an unknown kind");
        }
    }

    bool layout() {
        const std::string_view text(reinterpret_cast<const char *>(reader_.data()), head_.size);
        std::string why;
        if (has_layout_)
            return stop_at("is a second layout");
        has_layout_ = true;
        if (text == record_layout_text)
            return true;
        if (!recorded_.parse(text, why))
            return stop(why);
        translator_.emplace(recorded_, Layout::own());
        return n_.translated = true;
    }

    bool open_screen() {
        if (!has_layout_)
            return stop_at("comes before the layout");
        if (screens_.count(head_.screen))
            return stop_at("opens a screen again");
        std::vector<uint8_t> caps(bytes().begin(), bytes().end());
        if (translator_ && !translator_->translate_caps(bytes(), caps))
            return stop_at("has capabilities that cannot be read");
        if (caps.size() != sizeof(pipe_caps))
            return stop_at("has capabilities of another size");
        const pipe_screen_config config{&callbacks_,        this,    nullptr, 0,
                                        PIPE_PLATFORM_NONE, nullptr, 0};
        pipe_screen *screen = o_.create_screen(&config);
        if (!screen)
            return stop("no driver plays it");
        auto s = std::make_unique<ReplayScreen>(screen);
        s->root.screen = screen;
        s->root.memory = &s->memory;
        s->root.root = true;
        pipe_caps recorded;
        memcpy(&recorded, caps.data(), sizeof recorded);
        compare_caps(recorded, screen->caps);
        screens_.emplace(head_.screen, std::move(s));
        return true;
    }

    void compare_caps(pipe_caps recorded, const pipe_caps &ours) {
        if (!screens_.empty())
            return;
        recorded.driver_name[sizeof recorded.driver_name - 1] = 0;
        const std::string from = reinterpret_cast<const char *>(recorded.driver_name);
        const std::string to = reinterpret_cast<const char *>(ours.driver_name);
        if (o_.caps)
            listener_.say("capabilities of " + from + " (recorded) and " + to + ":\n" +
                          caps_difference(recorded, ours));
        pipe_caps both = recorded;
        caps_meet(both, ours);
        const std::string less = caps_difference(recorded, both);
        if (!o_.caps && from != to && !less.empty())
            listener_.say("recorded on " + from + "; " + to + " has less of " +
                          std::to_string(std::count(less.begin(), less.end(), '\n')) +
                          " capabilities (--caps lists them)");
    }

    ReplayScreen *screen_of_entry() {
        const auto found = screens_.find(head_.screen);
        return found == screens_.end() ? nullptr : found->second.get();
    }

    // --- root calls ------------------------------------------------------------------------------

    bool root_entry() {
        ReplayScreen *s = screen_of_entry();
        if (!s || head_.kind != uint16_t(Entry::call))
            return stop_at("belongs to no screen");
        std::span<const uint8_t> record;
        switch (prepare(s->memory.content, record)) {
        case Prepared::dropped: return true;
        case Prepared::bad: return false;
        case Prepared::ready: break;
        }
        const uint16_t op = reinterpret_cast<const wire::Header *>(record.data())->op;
        if (op == PIPE_OP_LANE_CREATE)
            return create_lane(*s, payload_of<pipe_lane_create>(record));
        if (op == PIPE_OP_RESOURCE_IMPORT) {
            say_once("what other programs shared with the recorded one is black here");
            s->imported.push_back(payload_of<pipe_resource_import>(record).desc);
            return true;
        }
        if (op == PIPE_OP_RESOURCE_EXPORT) { // nobody looks into it here
            s->imported.push_back(payload_of<pipe_resource_export>(record).desc);
            return true;
        }
        if (op == PIPE_OP_DMABUF_FORMATS)
            return true;
        std::vector<uint64_t> own((record.size() + 7) / 8);
        memcpy(own.data(), record.data(), record.size());
        uint8_t *p = reinterpret_cast<uint8_t *>(own.data());
        if (op == PIPE_OP_SURFACE_CREATE)
            note_surface(*s, *reinterpret_cast<pipe_surface_create *>(p + sizeof(wire::Header)));
        if (op == PIPE_OP_SURFACE_RESIZE) {
            const auto &r = payload_of<pipe_surface_resize>(record);
            ReplaySurface &known = s->surfaces[pipe_handle_key(r.surface)];
            known.width = r.width;
            known.height = r.height;
        }
        return apply(s->root, {p, record.size()});
    }

    // Windows become pbuffers.
    static void note_surface(ReplayScreen &s, pipe_surface_create &c) {
        c.kind = PIPE_SURFACE_KIND_PBUFFER;
        c.platform = PIPE_PLATFORM_NONE;
        c.native = 0;
        s.surfaces[pipe_handle_key(c.surface)] = {c.width, c.height, c.color_format, c.samples};
    }

    bool create_lane(ReplayScreen &s, const pipe_lane_create &p) {
        if (!p.lane.slot || p.lane.slot > max_lanes || s.lanes.count(p.lane.slot))
            return stop_at("makes a lane that cannot be");
        auto lane = std::make_unique<ReplayLane>();
        lane->worker.run([&] { lane->ctx = s.screen->lane_create(s.screen, &p); });
        if (!lane->ctx)
            return stop("the driver made no lane");
        wire::Applier &a = lane->applier;
        a.screen = s.screen;
        a.ctx = lane->ctx;
        a.memory = &lane->memory;
        a.group_generations = &s.generations;
        a.lane_generations = &lane->generations;
        a.several_lanes = &s.several_lanes;
        s.lanes.emplace(p.lane.slot, std::move(lane));
        return true;
    }

    // --- calls of a lane -------------------------------------------------------------------------

    // This entry and those behind it that belong to the same lane, on the lane's thread.
    bool lane_entries() {
        ReplayScreen *s = screen_of_entry();
        const auto found = s ? s->lanes.find(head_.lane) : decltype(s->lanes.end()){};
        if (!s || found == s->lanes.end())
            return stop_at("belongs to no lane");
        ReplayLane &lane = *found->second;
        const uint16_t screen = head_.screen;
        const uint32_t slot = head_.lane;
        bool more = true;
        if (s->last && s->last != &lane)
            order(*s, lane);
        s->last = &lane;
        lane.worker.run([&] {
            do
                more = lane_entry(*s, lane);
            while (more && lane.ctx && (more = next()) && head_.screen == screen &&
                   head_.lane == slot && head_.kind >= uint16_t(Entry::content) &&
                   head_.kind <= uint16_t(Entry::answer));
        });
        if (!lane.ctx) {
            s->lanes.erase(slot);
            s->last = nullptr;
            return more;
        }
        return ready_ = more;
    }

    // Lanes keep the order of the file, whatever the program's own waits were.
    static void order(ReplayScreen &s, ReplayLane &lane) {
        ReplayLane &before = *s.last;
        before.worker.run([&] {
            const pipe_flush p{};
            if (before.ctx->flush)
                before.ctx->flush(before.ctx, &p);
        });
        const pipe_lane_wait p{before.ctx->lane, before.ctx->ordinal};
        lane.worker.run([&] {
            if (lane.ctx->lane_wait)
                lane.ctx->lane_wait(lane.ctx, &p);
        });
    }

    bool lane_entry(ReplayScreen &s, ReplayLane &lane) {
        switch (static_cast<Entry>(head_.kind)) {
        case Entry::content: {
            std::vector<uint8_t> &content = lane.memory.content;
            if (content.size() + head_.size > max_content)
                return stop_at("is too much content for one call");
            content.insert(content.end(), bytes().begin(), bytes().end());
            return true;
        }
        case Entry::answer: return check_answer(lane);
        default: break;
        }
        std::span<const uint8_t> record;
        const Prepared how = prepare(lane.memory.content, record);
        const bool more = how == Prepared::ready ? play(s, lane, record) : how == Prepared::dropped;
        lane.memory.content.clear();
        return more && !(lost_ && stop("the device was lost"));
    }

    enum class Prepared { ready, dropped, bad };

    // The record in this build's definition, long enough for its payload.
    Prepared prepare(std::vector<uint8_t> &content, std::span<const uint8_t> &record) {
        record = bytes();
        n_.calls++;
        n_.bytes += record.size() + content.size();
        if (translator_) {
            switch (translator_->translate(record, content)) {
            case Translator::Result::done: break;
            case Translator::Result::dropped:
                n_.missing++;
                say_notes();
                return Prepared::dropped;
            case Translator::Result::bad:
                stop_at(("does not translate: " + translator_->problem()).c_str());
                return Prepared::bad;
            }
            say_notes();
            record = translator_->record();
        }
        const auto *h = reinterpret_cast<const wire::Header *>(record.data());
        if (record.size() < sizeof *h || h->op == 0 || h->op >= PIPE_OP_COUNT ||
            record.size() < sizeof *h + wire::call_info[h->op].payload_size) {
            stop_at("is no call");
            return Prepared::bad;
        }
        by_op_[h->op]++;
        return Prepared::ready;
    }

    void say_notes() {
        for (const std::string &note : translator_->take_notes())
            listener_.say(note);
    }

    bool play(ReplayScreen &s, ReplayLane &lane, std::span<const uint8_t> record) {
        const uint16_t op = reinterpret_cast<const wire::Header *>(record.data())->op;
        if (!make_imported(s, lane))
            return false;
        switch (op) {
        // The player orders lanes itself; nothing is shown, shared or handed out.
        case PIPE_OP_LANE_WAIT:
        case PIPE_OP_SET_SWAP_INTERVAL:
        case PIPE_OP_RESOURCE_EXPORT:
        case PIPE_OP_FENCE_EXPORT_FD:
        case PIPE_OP_MAP_PERSISTENT:
        case PIPE_OP_UNMAP_PERSISTENT:
        case PIPE_OP_RESOURCE_FLUSH_RANGE: return true;
        case PIPE_OP_PRESENT: return end_frame(s, lane) && flush_frame(lane);
        case PIPE_OP_FLUSH:
            if (payload_of<pipe_flush>(record).flags & PIPE_FLUSH_END_OF_FRAME &&
                !end_frame(s, lane))
                return false;
            break;
        case PIPE_OP_LANE_DESTROY:
            if (lane.drawn && !end_frame(s, lane))
                return false;
            break;
        case PIPE_OP_FENCE_IMPORT_FD:
            return make_instead<pipe_fence_create>(
                lane, PIPE_OP_FENCE_CREATE, {payload_of<pipe_fence_import_fd>(record).fence});
        default: break;
        }
        if (!s.formats.fit(record, lane.memory.content))
            return stop(s.formats.why());
        for (const std::string &note : s.formats.take_notes())
            listener_.say(note);
        if (!apply(lane.applier, record))
            return false;
        note_state(lane, op, record);
        if (wire::call_info[op].reply_bytes)
            note_answer(lane, op);
        if (s.screen->drain_events && op != PIPE_OP_LANE_DESTROY && ++undrained_ % 64 == 0)
            s.screen->drain_events(s.screen);
        return true;
    }

    // On the first lane that may name them: creation is a call of lanes.
    bool make_imported(ReplayScreen &s, ReplayLane &lane) {
        std::vector<pipe_resource_desc> made;
        made.swap(s.imported);
        for (const pipe_resource_desc &desc : made)
            if (!make_instead<pipe_resource_create>(lane, PIPE_OP_RESOURCE_CREATE, {.desc = desc}))
                return false;
        return true;
    }

    template <typename P> bool make_instead(ReplayLane &lane, uint16_t op, const P &p) {
        CallParts parts;
        parts.op = op;
        parts.payload = &p;
        parts.payload_size = sizeof p;
        return apply(lane.applier, encoder_.encode(parts));
    }

    bool apply(wire::Applier &a, std::span<const uint8_t> record) {
        const uint64_t missing = a.missing;
        const uint16_t op = reinterpret_cast<const wire::Header *>(record.data())->op;
        const enum pipe_fault fault = wire::apply(a, record.data(), record.size());
        if (fault != PIPE_FAULT_NONE)
            return stop_at(
                (std::string("is refused: ") + wire::fault_name(fault) + ", " + a.detail).c_str());
        if (a.missing != missing) {
            n_.missing++;
            say_once(std::string(wire::call_info[op].name) + ": this driver has no such call");
        }
        return true;
    }

    // Proven by apply().
    void note_state(ReplayLane &lane, uint16_t op, std::span<const uint8_t> record) {
        switch (op) {
        case PIPE_OP_LANE_CURRENT: {
            const auto &p = payload_of<pipe_lane_current>(record);
            if (!p.release)
                lane.surface = p.draw;
            break;
        }
        case PIPE_OP_LANE_DESTROY: lane.ctx = nullptr; break;
        case PIPE_OP_SET_FRAMEBUFFER_STATE: {
            const auto &p = payload_of<pipe_set_framebuffer_state>(record);
            lane.framebuffers[pipe_handle_key(p.framebuffer)] = p;
            break;
        }
        case PIPE_OP_BIND_FRAMEBUFFERS:
            lane.draw_fb = payload_of<pipe_bind_framebuffers>(record).draw;
            break;
        case PIPE_OP_DRAW_VBO: draws(lane, lane.draw_fb); break;
        case PIPE_OP_CLEAR: draws(lane, payload_of<pipe_clear>(record).framebuffer); break;
        case PIPE_OP_BLIT: draws(lane, payload_of<pipe_blit>(record).dst); break;
        default: break;
        }
    }

    static void draws(ReplayLane &lane, pipe_handle fb) {
        lane.drawn = true;
        lane.drawn_fb = fb;
    }

    // --- answers ---------------------------------------------------------------------------------

    void note_answer(ReplayLane &lane, uint16_t op) {
        const uint64_t before =
            wire::align_up(wire::call_info[op].reply_size, wire::reply_alignment);
        lane.answered = lane.applier.status == PIPE_OK && lane.memory.answer_size >= before;
        if (lane.answered && o_.check)
            lane.answer_hash =
                util::hash64(reinterpret_cast<const uint8_t *>(lane.memory.answer.data()) + before,
                             lane.memory.answer_size - before);
    }

    bool check_answer(ReplayLane &lane) {
        if (head_.size != sizeof(RecordAnswer))
            return stop_at("is no answer");
        if (!o_.check)
            return true;
        RecordAnswer a;
        memcpy(&a, reader_.data(), sizeof a);
        n_.checked++;
        if (lane.answered && lane.answer_hash == a.hash)
            return true;
        n_.different++;
        if (n_.different <= 5)
            listener_.say("entry " + std::to_string(reader_.number()) +
                          ": the answer differs from " + "the recorded one (frame " +
                          std::to_string(n_.frames + 1) + ")");
        return true;
    }

    // --- frames ----------------------------------------------------------------------------------

    bool end_frame(ReplayScreen &s, ReplayLane &lane) {
        n_.frames++;
        lane.drawn = false;
        const uint32_t frame = uint32_t(std::min<uint64_t>(n_.frames, UINT32_MAX));
        if (s.screen->drain_events)
            s.screen->drain_events(s.screen);
        if (o_.pictures && frame >= o_.first && frame <= o_.last &&
            (frame - o_.first) % o_.every == 0 && !show(s, lane, frame))
            return false;
        return frame < o_.last;
    }

    bool show(ReplayScreen &s, ReplayLane &lane, uint32_t frame) {
        Picture picture;
        picture.frame = frame;
        std::string why;
        picture.rgba = read_picture(lane, s.surfaces, o_.fbo, &picture.width, &picture.height, why);
        if (picture.rgba.empty()) {
            say_once("no picture of frame " + std::to_string(frame) + ": " + why);
            return true;
        }
        n_.pictures++;
        return listener_.picture(picture);
    }

    bool flush_frame(ReplayLane &lane) {
        const pipe_flush p{PIPE_FLUSH_END_OF_FRAME, 0};
        if (lane.ctx->flush)
            lane.ctx->flush(lane.ctx, &p);
        return true;
    }

    // --- ends ------------------------------------------------------------------------------------

    // What was left open: the program went down or the player stopped.
    void finish() {
        while (!screens_.empty())
            close_screen(screens_.begin()->first);
    }

    void close_screen(uint16_t number) {
        ReplayScreen &s = *screens_[number];
        for (auto &[slot, lane] : s.lanes)
            lane->worker.run([&, l = lane.get()] {
                if (good_ && l->drawn && n_.frames < o_.last)
                    end_frame(s, *l);
                const pipe_lane_destroy p{l->ctx->lane};
                l->ctx->lane_destroy(l->ctx, &p);
            });
        s.lanes.clear();
        s.screen->destroy(s.screen);
        screens_.erase(number);
    }

    void sum_up() {
        for (const auto &[op, count] : by_op_)
            n_.by_call.emplace_back(wire::call_info[op].name, count);
        std::stable_sort(n_.by_call.begin(), n_.by_call.end(),
                         [](const auto &a, const auto &b) { return a.second > b.second; });
    }

    // --- messages --------------------------------------------------------------------------------

    bool stop(const std::string &line) {
        if (good_)
            listener_.say(line);
        return good_ = false;
    }

    bool stop_at(const char *what) {
        return stop("entry " + std::to_string(reader_.number()) + " " + what);
    }

    void say_once(const std::string &line) {
        std::lock_guard lock(said_mutex_);
        if (said_.insert(line).second)
            listener_.say(line);
    }

    void gl_error(const pipe_on_gl_error &p, const pipe_host_span *m) {
        char code[16];
        snprintf(code, sizeof code, "0x%04x", p.error);
        std::string text;
        if (m && m->ptr)
            text.assign(static_cast<const char *>(m->ptr), m->size);
        say_once(std::string("the driver raised GL error ") + code + ": " + text.c_str());
    }

    static constexpr uint32_t max_lanes = 4096;

    const ReplayOptions &o_;
    ReplayListener &listener_;
    ReplayCounts &n_;
    pipe_callbacks callbacks_{};
    RecordReader reader_;
    EntryHead head_{};
    Layout recorded_;
    std::optional<Translator> translator_;
    RecordEncoder encoder_;
    std::map<uint16_t, std::unique_ptr<ReplayScreen>> screens_;
    std::map<uint16_t, uint64_t> by_op_;
    std::set<std::string> said_;
    std::mutex said_mutex_;
    uint64_t undrained_ = 0;
    bool has_layout_ = false, ready_ = false, good_ = true;
    std::atomic<bool> lost_{false};
};

} // namespace

bool replay(const ReplayOptions &options, ReplayListener &listener, ReplayCounts &counts) {
    return Player(options, listener, counts).run();
}

} // namespace wrap
