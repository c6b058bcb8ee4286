// SPDX-License-Identifier: MIT
// Objects and pushed state in the journal; see the header. respawn_marks.cpp has the contents,
// respawn_restore.cpp the way back.
#include "respawn_journal.h"

#include <algorithm>
#include <cstring>

namespace wrap {

// --- lanes and surfaces --------------------------------------------------------------------------

void Journal::add_lane(uint32_t id, const pipe_lane_create &create) {
    Lane &lane = lanes_[id];
    lane.create = create;
    lane.plain.resize(num_plain);
    lane.windows.resize(num_windows);
}

void Journal::remove_lane(uint32_t id) {
    lanes_.erase(id);
}

void Journal::add_surface(const pipe_surface_create &create) {
    surfaces_[pipe_handle_key(create.surface)].create = create;
}

void Journal::resize_surface(const pipe_surface_resize &resize) {
    auto at = surfaces_.find(pipe_handle_key(resize.surface));
    if (at == surfaces_.end())
        return;
    at->second.create.width = resize.width;
    at->second.create.height = resize.height;
    at->second.drawn = false;
}

void Journal::remove_surface(pipe_handle surface) {
    surfaces_.erase(pipe_handle_key(surface));
}

// --- folding -------------------------------------------------------------------------------------

// What draws write to may be another afterwards.
static bool moves_targets(const CallView &v) {
    switch (v.op) {
    case PIPE_OP_SET_FRAMEBUFFER_STATE:
    case PIPE_OP_BIND_FRAMEBUFFERS:
    case PIPE_OP_LANE_CURRENT:
    case PIPE_OP_SET_DRAW_PROGRAM:
    case PIPE_OP_CREATE_SHADER_STATE:
    case PIPE_OP_SET_SHADER_IMAGES: return true;
    case PIPE_OP_SET_SHADER_BUFFERS:
        return static_cast<const pipe_set_shader_buffers *>(v.payload)->cls !=
               PIPE_BUFFER_CLASS_UNIFORM;
    default: return false;
    }
}

void Journal::fold(const uint8_t *stored) {
    Recalled r;
    recall(r, stored);
    auto at = lanes_.find(r.lane);
    if (at == lanes_.end())
        return;
    Lane &lane = at->second;
    if (moves_targets(r.view))
        lane.marked = 0;
    const bool state = fold_state(lane, r, stored);
    if (fold_object(lane, r, stored) || state) // a framebuffer's state makes it
        return;
    fold_progress(lane, r);
    fold_contents(lane, r, stored);
}

void Journal::Window::put(uint32_t start, uint32_t count, const void *elements, uint32_t element) {
    const uint64_t end = uint64_t(start) + count;
    if (set.size() < end) {
        set.resize(end);
        bytes.resize(end * element);
    }
    if (!count)
        return;
    memcpy(bytes.data() + uint64_t(start) * element, elements, uint64_t(count) * element);
    std::fill_n(set.begin() + start, count, uint8_t(1));
}

Journal::Objects &Journal::table(Lane &lane, uint32_t kind) {
    const bool group = kind == PIPE_HANDLE_SAMPLER || kind == PIPE_HANDLE_SAMPLER_VIEW ||
                       kind == PIPE_HANDLE_SHADER || kind == PIPE_HANDLE_FENCE;
    return (group ? group_ : lane.objects)[kind];
}

void Journal::made(Lane &lane, uint32_t kind, pipe_handle h, const Recalled &r,
                   const uint8_t *stored) {
    if (r.view.op == PIPE_OP_RESOURCE_CREATE)
        return make_resource(*static_cast<const pipe_resource_create *>(r.view.payload));
    if (r.view.op == PIPE_OP_RESOURCE_RESPECIFY)
        return respecify(*static_cast<const pipe_resource_respecify *>(r.view.payload));
    if (r.view.op == PIPE_OP_CREATE_RENDER_STATE)
        return make_render_state(lane, r);
    Object &o = table(lane, kind)[pipe_handle_key(h)];
    if (!o.turn)
        o.turn = ++turn_;
    o.call.keep(r, stored);
    if (kind != PIPE_HANDLE_SHADER)
        return;
    o.constants.clear(); // a relink starts from nothing
    o.state.clear();
    pipe_shader_archive archive;
    o.writes_memory = pipe_shader_archive_decode(archive, r.archive, r.archive_size) &&
                      std::any_of(archive.stages.begin(), archive.stages.end(),
                                  [](const auto &s) { return s.writes_memory != 0; });
}

void Journal::ended(Lane &lane, uint32_t kind, pipe_handle h) {
    if (kind == PIPE_HANDLE_RESOURCE)
        end_resource(h);
    else if (kind == PIPE_HANDLE_RENDER_STATE)
        lane.render_states.erase(pipe_handle_key(h));
    else
        table(lane, kind).erase(pipe_handle_key(h));
}

void Journal::keep_for(Lane &lane, uint32_t kind, pipe_handle h, const Recalled &r,
                       const uint8_t *stored) {
    if (kind == PIPE_HANDLE_RESOURCE) {
        if (Resource *resource = find(h))
            resource->params.keep(r, stored);
        return;
    }
    Objects &objects = table(lane, kind);
    auto at = objects.find(pipe_handle_key(h));
    if (at != objects.end())
        at->second.state[r.view.op].keep(r, stored);
}

// No default block is larger; what claims to be is not kept.
constexpr uint64_t most_constants = 1 << 20;

void Journal::keep_constants(const pipe_set_global_constants &p, const Recalled &r) {
    auto &shaders = group_[PIPE_HANDLE_SHADER];
    auto at = shaders.find(pipe_handle_key(p.shader));
    const uint64_t size = r.spans[0].size, end = p.offset + size;
    if (at == shaders.end() || end > most_constants || !size)
        return;
    std::vector<uint8_t> &all = at->second.constants;
    if (all.size() < end)
        all.resize(end);
    memcpy(all.data() + p.offset, r.spans[0].ptr, size);
}

// --- resources -----------------------------------------------------------------------------------

Journal::Resource *Journal::find(pipe_handle h) {
    auto at = resources_.find(pipe_handle_key(h));
    return at == resources_.end() ? nullptr : &at->second;
}

void Journal::make_resource(const pipe_resource_create &p) {
    Resource &r = resources_[pipe_handle_key(p.desc.resource)];
    r.turn = ++turn_;
    r.create = p;
    r.contents.describe(p.desc);
    if (p.desc.flags & PIPE_RESOURCE_VIEW)
        if (Resource *owner = find(p.desc.view_of))
            owner->views++;
}

void Journal::respecify(const pipe_resource_respecify &p) {
    Resource *r = find(p.desc.resource);
    if (!r)
        return make_resource({p.desc, 0, {}});
    r->create.desc = p.desc;
    r->contents.describe_again(p.desc, p.keep_levels);
    epoch_++;
}

// Views keep the storage of their owner.
void Journal::end_resource(pipe_handle h) {
    auto at = resources_.find(pipe_handle_key(h));
    if (at == resources_.end())
        return;
    if (at->second.views) {
        at->second.destroyed = true;
        return;
    }
    const pipe_resource_desc desc = at->second.create.desc;
    resources_.erase(at);
    if (!(desc.flags & PIPE_RESOURCE_VIEW))
        return;
    Resource *owner = find(desc.view_of);
    if (owner && owner->views && --owner->views == 0 && owner->destroyed)
        end_resource(desc.view_of);
}

void Journal::make_render_state(Lane &lane, const Recalled &r) {
    const auto &p = *static_cast<const pipe_create_render_state *>(r.view.payload);
    RenderState s{};
    if (auto base = lane.render_states.find(pipe_handle_key(p.base));
        base != lane.render_states.end())
        s = base->second;
    s.turn = ++turn_;
    if (pipe_render_state_unpack(&s.state, p.chunk_mask, r.spans[0].ptr, r.spans[0].size))
        lane.render_states[pipe_handle_key(p.cso)] = s;
}

// --- what is under way ---------------------------------------------------------------------------

void Journal::fold_progress(Lane &lane, const Recalled &r) {
    auto object = [&lane](uint32_t kind, pipe_handle h) -> Object * {
        Objects &all = lane.objects[kind];
        auto at = all.find(pipe_handle_key(h));
        return at == all.end() ? nullptr : &at->second;
    };
    auto begun = [&](uint32_t kind, pipe_handle h, bool begun) {
        if (Object *o = object(kind, h)) {
            o->begun = begun;
            o->paused = false;
        }
    };
    auto paused = [&](pipe_handle h, bool now) {
        if (Object *o = object(PIPE_HANDLE_STREAM_OUTPUT, h))
            o->paused = now;
    };
    const void *payload = r.view.payload;
    switch (r.view.op) {
    case PIPE_OP_LANE_CURRENT:
        lane.current = *static_cast<const pipe_lane_current *>(payload);
        lane.was_current = true;
        break;
    case PIPE_OP_SET_SWAP_INTERVAL: {
        const auto &p = *static_cast<const pipe_set_swap_interval *>(payload);
        lane.intervals[pipe_handle_key(p.surface)] = p;
        break;
    }
    case PIPE_OP_QUERY_BEGIN:
        begun(PIPE_HANDLE_QUERY, static_cast<const pipe_query_begin *>(payload)->query, true);
        break;
    case PIPE_OP_QUERY_END:
        begun(PIPE_HANDLE_QUERY, static_cast<const pipe_query_end *>(payload)->query, false);
        break;
    case PIPE_OP_BEGIN_STREAM_OUTPUT: {
        const auto &p = *static_cast<const pipe_begin_stream_output *>(payload);
        begun(PIPE_HANDLE_STREAM_OUTPUT, p.so, true);
        if (Object *o = object(PIPE_HANDLE_STREAM_OUTPUT, p.so))
            o->mode = static_cast<enum pipe_prim>(p.mode);
        break;
    }
    case PIPE_OP_END_STREAM_OUTPUT:
        begun(PIPE_HANDLE_STREAM_OUTPUT, static_cast<const pipe_end_stream_output *>(payload)->so,
              false);
        break;
    case PIPE_OP_PAUSE_STREAM_OUTPUT:
        paused(static_cast<const pipe_pause_stream_output *>(payload)->so, true);
        break;
    case PIPE_OP_RESUME_STREAM_OUTPUT:
        paused(static_cast<const pipe_resume_stream_output *>(payload)->so, false);
        break;
    }
}

} // namespace wrap
