// SPDX-License-Identifier: MIT
// The way back: objects and state of the journal on a new screen; see respawn_journal.h. What a
// later object names comes first.
#include "respawn_journal.h"

#include <algorithm>

namespace wrap {

std::vector<const Journal::Object *> Journal::in_order(const Objects &objects) {
    std::vector<const Object *> all;
    for (const auto &[key, o] : objects)
        all.push_back(&o);
    std::sort(all.begin(), all.end(), [](auto *a, auto *b) { return a->turn < b->turn; });
    return all;
}

bool Journal::restore_surfaces(pipe_screen *screen) const {
    for (const auto &[key, s] : surfaces_) {
        pipe_surface_create_reply reply{};
        if (forgets(PIPE_HANDLE_SURFACE))
            continue;
        if (!screen->surface_create || screen->surface_create(screen, &s.create, &reply) != PIPE_OK)
            return false;
    }
    return true;
}

uint32_t Journal::first_lane() const {
    for (const auto &[id, lane] : lanes_)
        if (lane.was_current)
            return id;
    return lanes_.empty() ? 0 : lanes_.begin()->first;
}

// Released lanes too: their objects are made on them.
void Journal::restore_current(uint32_t id, pipe_context *ctx) const {
    pipe_lane_current p = lanes_.at(id).current;
    p.release = 0;
    if (!surfaces_.count(pipe_handle_key(p.draw)))
        p.draw = pipe_null_handle();
    if (!surfaces_.count(pipe_handle_key(p.read)))
        p.read = pipe_null_handle();
    ctx->lane_current(ctx, &p);
}

// --- the share group -----------------------------------------------------------------------------

void Journal::restore_resource(const Resource &r, pipe_context *ctx) {
    pipe_resource_create p = r.create;
    p.want_ack = 0;
    ctx->screen->resource_create(ctx, &p);
    Recalled params;
    if (!r.params.empty()) {
        r.params.recalled(params);
        carry_out(ctx, params);
    }
    r.contents.restore(ctx);
}

void Journal::restore_group(pipe_context *ctx) {
    auto objects = [&](uint32_t kind) {
        if (forgets(kind))
            return;
        for (const Object *o : in_order(group_[kind])) {
            Recalled r;
            o->call.recalled(r);
            carry_out(ctx, r);
        }
    };
    objects(PIPE_HANDLE_SAMPLER); // parameters of textures name them
    std::vector<const Resource *> all;
    for (const auto &[key, r] : resources_)
        if (!forgets(PIPE_HANDLE_RESOURCE))
            all.push_back(&r);
    // Owners that live on in their views come first and go again, before their slots have new
    // owners; texture buffers come after the buffers.
    auto rank = [this](const Resource *r) {
        if (r->destroyed)
            return 0;
        if (r->create.desc.flags & PIPE_RESOURCE_VIEW) {
            const Resource *owner = find(r->create.desc.view_of);
            return owner && owner->destroyed ? 1 : 3;
        }
        return pipe_handle_is_null(r->create.desc.buffer) ? 2 : 4;
    };
    std::sort(all.begin(), all.end(), [&](auto *a, auto *b) {
        const int x = rank(a), y = rank(b);
        return x != y ? x < y : a->turn < b->turn;
    });
    auto living = std::find_if(all.begin(), all.end(), [&](auto *r) { return rank(r) > 1; });
    for (auto it = all.begin(); it != living; ++it)
        restore_resource(**it, ctx);
    for (const Resource *r : all)
        if (r->destroyed) {
            const pipe_resource_destroy p{r->create.desc.resource};
            ctx->screen->resource_destroy(ctx, &p);
        }
    for (auto it = living; it != all.end(); ++it)
        restore_resource(**it, ctx);
    objects(PIPE_HANDLE_SAMPLER_VIEW);
    objects(PIPE_HANDLE_SHADER);
    if (!forgets(PIPE_HANDLE_SHADER))
        for (const Object *o : in_order(group_[PIPE_HANDLE_SHADER])) {
            Recalled made;
            o->call.recalled(made);
            for (const auto &[op, call] : o->state) {
                Recalled r;
                call.recalled(r);
                carry_out(ctx, r);
            }
            if (o->constants.empty() || !ctx->set_global_constants)
                continue;
            pipe_set_global_constants p{};
            p.shader = static_cast<const pipe_create_shader_state *>(made.view.payload)->shader;
            p.size = uint32_t(o->constants.size());
            const pipe_host_span data = pipe_span(o->constants.data(), o->constants.size());
            ctx->set_global_constants(ctx, &p, &data);
        }
    objects(PIPE_HANDLE_FENCE);
}

// --- one lane ------------------------------------------------------------------------------------

bool Journal::restore_lane(uint32_t id, pipe_context *ctx) const {
    const Lane &lane = lanes_.at(id);
    std::vector<std::pair<pipe_handle, const RenderState *>> states;
    for (const auto &[key, s] : lane.render_states)
        states.push_back({{uint32_t(key), uint32_t(key >> 32)}, &s});
    std::sort(states.begin(), states.end(),
              [](auto &a, auto &b) { return a.second->turn < b.second->turn; });
    for (const auto &[cso, s] : states) {
        if (forgets(PIPE_HANDLE_RENDER_STATE))
            break;
        uint8_t bytes[sizeof(pipe_render_state)];
        pipe_create_render_state p{};
        p.cso = cso;
        p.chunk_mask = (1u << PIPE_RS_CHUNK_COUNT) - 1;
        const pipe_host_span chunks =
            pipe_span(bytes, pipe_render_state_pack(&s->state, p.chunk_mask, bytes));
        ctx->create_render_state(ctx, &p, &chunks);
    }
    for (const auto &[kind, objects] : lane.objects) {
        if (forgets(kind))
            continue;
        for (const Object *o : in_order(objects)) {
            Recalled r;
            o->call.recalled(r);
            carry_out(ctx, r);
        }
    }
    restore_state(lane, ctx);
    for (const auto &[key, p] : lane.intervals)
        if (surfaces_.count(key) && ctx->set_swap_interval)
            ctx->set_swap_interval(ctx, &p);
    for (const auto &[kind, objects] : lane.objects)
        for (const auto &[key, o] : objects) {
            const pipe_handle h{uint32_t(key), uint32_t(key >> 32)};
            if (!o.begun || forgets(kind))
                continue;
            if (kind == PIPE_HANDLE_QUERY) {
                const pipe_query_begin p{h};
                ctx->query_begin(ctx, &p);
            } else if (kind == PIPE_HANDLE_STREAM_OUTPUT) {
                pipe_begin_stream_output p{};
                p.so = h;
                p.mode = static_cast<uint8_t>(o.mode);
                ctx->begin_stream_output(ctx, &p);
                const pipe_pause_stream_output pause{h};
                if (o.paused && ctx->pause_stream_output)
                    ctx->pause_stream_output(ctx, &pause);
            }
        }
    if (!lane.was_current || !lane.current.release)
        return true;
    ctx->lane_current(ctx, &lane.current);
    return false;
}

std::unordered_set<uint64_t> Journal::orphans(uint32_t id) const {
    std::unordered_set<uint64_t> all;
    const auto &objects = lanes_.at(id).objects;
    if (auto queries = objects.find(PIPE_HANDLE_QUERY); queries != objects.end())
        for (const auto &[key, o] : queries->second)
            if (!o.begun)
                all.insert(key);
    return all;
}

// --- what is there -------------------------------------------------------------------------------

bool Journal::has_format(pipe_handle resource, uint32_t format) {
    const Resource *r = find(resource);
    return r && r->create.desc.format == format && r->create.desc.samples <= 1;
}

uint64_t Journal::objects() const {
    uint64_t n = resources_.size() + surfaces_.size() + lanes_.size();
    for (const auto &[kind, objects] : group_)
        n += objects.size();
    for (const auto &[id, lane] : lanes_) {
        n += lane.render_states.size();
        for (const auto &[kind, objects] : lane.objects)
            n += objects.size();
    }
    return n;
}

std::string Journal::losses(uint64_t *count) const {
    uint64_t textures = 0, renderbuffers = 0, buffers = 0, surfaces = 0, queries = 0;
    for (const auto &[key, r] : resources_)
        if (r.contents.loses())
            (r.contents.buffer()                         ? buffers
             : r.create.desc.target == PIPE_RENDERBUFFER ? renderbuffers
                                                         : textures)++;
    for (const auto &[key, s] : surfaces_)
        surfaces += s.drawn;
    for (const auto &[id, lane] : lanes_)
        if (auto all = lane.objects.find(PIPE_HANDLE_QUERY); all != lane.objects.end())
            queries += uint64_t(std::count_if(all->second.begin(), all->second.end(),
                                              [](const auto &o) { return o.second.begun; }));
    std::string text;
    *count = 0;
    auto name = [&](uint64_t n, const char *one, const char *more) {
        *count += n;
        if (n)
            text += (text.empty() ? "" : ", ") + std::to_string(n) + ' ' + (n > 1 ? more : one);
    };
    name(textures, "texture", "textures");
    name(renderbuffers, "renderbuffer", "renderbuffers");
    name(buffers, "buffer", "buffers");
    name(surfaces, "surface", "surfaces");
    name(queries, "query", "queries"); // under way: they count anew
    return text;
}

} // namespace wrap
