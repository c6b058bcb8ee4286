// SPDX-License-Identifier: MIT
// Texture units in the merged unit space: the view of each unit that the program reads, and its
// sampler. Only dirty units are resolved again; only the span that differs from what was sent goes
// out.
#include "tracker/atoms.h"
#include "tracker/texture_storage.h"

#include <algorithm>

namespace st {

namespace {

// Span of changed entries.
struct Span {
    unsigned first = ~0u, last = 0;
    void add(unsigned i) {
        first = std::min(first, i);
        last = std::max(last, i);
    }
    bool any() const { return first != ~0u; }
    unsigned count() const { return last - first + 1; }
};

// The sampler object's CSO; looked up again when its parameters moved.
SamplerCache::Entry *object_sampler(Tracker &t, gl::Sampler &s, bool seamless) {
    if (!s.tracker)
        s.tracker = new SamplerData;
    auto &d = *static_cast<SamplerData *>(s.tracker);
    if (d.entry && d.version == s.version && d.seamless == seamless && !t.deriving)
        return d.entry;
    auto *e = sampler_entry(t, s.params, seamless);
    release_sampler(t.group, d.entry);
    d.group = &t.group;
    d.entry = e;
    d.version = s.version;
    d.seamless = seamless;
    return e;
}

// The view of a unit with one reference, or null: an incomplete texture reads zeros with alpha 1.
ViewCache::Entry *unit_view(Tracker &t, gl::Texture &tex, const gl::SamplerParams &params) {
    if (tex.index == gl::TEX_BUFFER)
        resolve_buffer_texture(t, tex);
    if (!gl::texture_complete(tex, params) || !texture_finalize(t, tex))
        return nullptr;
    TextureData &d = data_of(tex);
    wait_for(t, d.write);
    if (tex.origin)
        wait_for(t, data_of(*tex.origin).write);
    resolve_params(t, tex);
    return resolve_view(t, tex);
}

struct Changes {
    Span views, samplers;
};

void resolve_unit(Tracker &t, unsigned u, const gl::TextureUnit &unit, gl::Sampler *object,
                  uint8_t target, bool seamless, Changes &out) {
    gl::Texture &tex = *unit.tex[target];
    const gl::SamplerParams &params = object ? object->params : tex.sampler;
    ViewCache::Entry *view = unit_view(t, tex, params);
    SentState &sent = t.sent;
    pipe_texture_slot slot{};
    if (view)
        slot = pipe_texture_slot{view->handle, view->key.texture};
    release_view(t.group, sent.view[u]);
    sent.view[u] = view;
    if (!t.suppress || std::memcmp(&slot, &sent.texture[u], sizeof(slot)) != 0) {
        sent.texture[u] = slot;
        out.views.add(u);
    }
    SamplerCache::Entry *s = object ? object_sampler(t, *object, seamless) : nullptr;
    const pipe_handle handle = s ? s->handle : pipe_null_handle();
    if (!t.suppress || sent.sampler[u] != handle) {
        sent.sampler[u] = handle;
        out.samplers.add(u);
    }
    if (s != sent.sampler_ref[u]) {
        std::lock_guard lock(t.group.mutex);
        if (s)
            t.group.sampler_cache.ref(s);
        if (sent.sampler_ref[u])
            t.group.sampler_cache.unref(sent.sampler_ref[u]);
        sent.sampler_ref[u] = s;
    }
}

} // namespace

void textures_atom::update(in view, Tracker &t) {
    const BoundProgram &b = t.verb == Verb::dispatch ? t.dispatch : t.draw;
    if (!b.linked || !b.used.textures.any())
        return;
    const gl::TextureState &units = view.get<&gl::Context::textures>();
    const gl::SamplerState &samplers = view.get<&gl::Context::samplers>();
    const bool seamless = view.get<&gl::Context::seamless_cube>();
    gl::SlotDirty &dirty = t.c.slots;
    if (seamless != t.seamless) {
        t.seamless = seamless;
        dirty.textures.set_all();
        dirty.samplers.set_all();
    }
    Changes changes;
    b.used.textures.for_each([&](unsigned u) {
        const uint8_t target = b.used.target[u];
        if (!dirty.textures.test(u) && !dirty.samplers.test(u) && t.unit_target[u] == target)
            return;
        dirty.textures.clear(u);
        dirty.samplers.clear(u);
        t.unit_target[u] = target;
        resolve_unit(t, u, units.unit[u], samplers.unit[u].get(), target, seamless, changes);
    });
    if (changes.views.any()) {
        pipe_set_sampler_views p{changes.views.first, changes.views.count()};
        t.lane.emit<&pipe_context::set_sampler_views>(&p, t.sent.texture + p.start);
        stat_sets_sent.add();
    } else {
        stat_sets_suppressed.add();
    }
    if (changes.samplers.any()) {
        pipe_bind_sampler_states p{changes.samplers.first, changes.samplers.count()};
        t.lane.emit<&pipe_context::bind_sampler_states>(&p, t.sent.sampler + p.start);
        stat_sets_sent.add();
    } else {
        stat_sets_suppressed.add();
    }
}

} // namespace st
