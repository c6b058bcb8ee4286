// SPDX-License-Identifier: MIT
// Render-state CSOs: content-addressed by the hashes of their chunks, made against the bound one;
// and the dynamic subset, which is compared chunk by chunk with what was sent.
#include "tracker/render_state.h"

namespace st {

static uint64_t mix(const uint64_t (&chunk)[PIPE_RS_CHUNK_COUNT]) {
    uint64_t h = 0;
    for (uint64_t c : chunk)
        h = util::hash_mix(h, c);
    return h;
}

static RenderStateCache::Entry *make(Tracker &t, const RenderStateKey &key, uint64_t hash) {
    pipe_create_render_state p{};
    p.cso = to_pipe(t.render_states.mint());
    const RenderStateCache::Entry *base = t.rs_bound;
    p.base = base ? base->handle : pipe_null_handle();
    p.chunk_mask = base ? pipe_render_state_diff(&key.state, &base->key.state)
                        : (1u << PIPE_RS_CHUNK_COUNT) - 1;
    uint8_t bytes[sizeof(pipe_render_state)];
    const pipe_host_span span =
        pipe_span(bytes, pipe_render_state_pack(&key.state, p.chunk_mask, bytes));
    t.lane.emit<&pipe_context::create_render_state>(&p, &span);
    stat_cso_creates.add();
    const uint64_t over = t.render_state_cache.over_capacity();
    auto *entry = t.render_state_cache.insert(key, hash, p.cso, [&t](pipe_handle h) {
        pipe_delete_render_state d{h};
        t.lane.emit<&pipe_context::delete_render_state>(&d);
        t.render_states.release(to_slot(h));
    });
    stat_cso_over_capacity.add(t.render_state_cache.over_capacity() - over);
    return entry;
}

void commit_render_state(Tracker &t) {
    if (!t.rs_changed && t.rs_bound)
        return;
    for (unsigned i : util::bits(t.rs_changed & ((1u << PIPE_RS_CHUNK_COUNT) - 1)))
        t.rs_hash[i] = pipe_rs_chunk_hash(&t.rs, i);
    t.rs_changed = 0;
    RenderStateKey key{};
    key.state = t.rs;
    const uint64_t hash = mix(t.rs_hash);
    auto *entry = t.find_cso ? t.render_state_cache.find(key, hash) : nullptr;
    if (!entry)
        entry = make(t, key, hash);
    const bool same = entry == t.rs_bound;
    if (t.rs_bound)
        t.render_state_cache.unref(t.rs_bound);
    t.rs_bound = entry;
    if (same && t.suppress) {
        stat_sets_suppressed.add();
        return;
    }
    pipe_bind_render_state p{entry->handle};
    t.lane.emit<&pipe_context::bind_render_state>(&p);
    stat_cso_binds.add();
}

void commit_dynamic_state(Tracker &t) {
    const uint32_t all = (1u << PIPE_DS_CHUNK_COUNT) - 1;
    uint32_t mask = 0;
    for (unsigned i : util::bits(t.ds_changed & all)) {
        // A value set and set back is not sent: compare with what the driver has.
        const pipe_chunk_span &c = pipe_ds_chunk_spans[i];
        const auto *now = reinterpret_cast<const uint8_t *>(&t.ds) + c.offset;
        auto *sent = reinterpret_cast<uint8_t *>(&t.sent.dynamic) + c.offset;
        if ((t.sent.dynamic_valid >> i & 1) && t.suppress && std::memcmp(now, sent, c.size) == 0) {
            stat_sets_suppressed.add();
            continue;
        }
        std::memcpy(sent, now, c.size);
        mask |= 1u << i;
    }
    t.ds_changed = 0;
    if (!mask)
        return;
    uint8_t bytes[sizeof(pipe_dynamic_state)];
    pipe_set_dynamic_state p{};
    p.chunk_mask = mask;
    const pipe_host_span span = pipe_span(bytes, pipe_dynamic_state_pack(&t.ds, mask, bytes));
    t.lane.emit<&pipe_context::set_dynamic_state>(&p, &span);
    t.sent.dynamic_valid |= mask;
    stat_sets_sent.add();
}

} // namespace st
