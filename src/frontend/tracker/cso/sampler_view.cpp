// SPDX-License-Identifier: MIT
// Sampler views of the share group, and what belongs to a texture rather than to a view
// (set_texture_params).
#include "tracker/texture_storage.h"

#include <algorithm>

namespace st {

static uint8_t component(GLenum s) {
    switch (s) {
    case GL_RED: return PIPE_SWIZZLE_RED;
    case GL_GREEN: return PIPE_SWIZZLE_GREEN;
    case GL_BLUE: return PIPE_SWIZZLE_BLUE;
    case GL_ALPHA: return PIPE_SWIZZLE_ALPHA;
    case GL_ONE: return PIPE_SWIZZLE_ONE;
    }
    return PIPE_SWIZZLE_ZERO;
}

// Where the components of a base format lie; storage may have more of them than GL asked for.
static void base_swizzle(GLenum base, uint8_t out[4]) {
    const uint8_t r = PIPE_SWIZZLE_RED, g = PIPE_SWIZZLE_GREEN, b = PIPE_SWIZZLE_BLUE,
                  a = PIPE_SWIZZLE_ALPHA, zero = PIPE_SWIZZLE_ZERO, one = PIPE_SWIZZLE_ONE;
    auto set = [out](uint8_t x, uint8_t y, uint8_t z, uint8_t w) {
        out[0] = x, out[1] = y, out[2] = z, out[3] = w;
    };
    switch (base) {
    case GL_RG: set(r, g, zero, one); break;
    case GL_RGB: set(r, g, b, one); break;
    case GL_RGBA: set(r, g, b, a); break;
    default: set(r, zero, zero, one); break; // red, depth, stencil
    }
}

void set_swizzle(const gl::Texture &tex, const gl::FormatInfo &f, uint8_t out[4],
                 bool with_texture) {
    uint8_t base[4];
    base_swizzle(f.base, base);
    for (int i = 0; i < 4; i++) {
        const uint8_t c = with_texture ? component(tex.swizzle[size_t(i)]) : uint8_t(i);
        out[i] = c <= PIPE_SWIZZLE_ALPHA ? base[c] : c;
    }
}

static const gl::FormatInfo *format_of(const gl::Texture &tex) {
    if (tex.index == gl::TEX_BUFFER)
        return tex.buffer_format;
    return tex.base().format ? tex.base().format : tex.image[0][0].format;
}

static bool is_stencil_view(const gl::Texture &tex, const gl::FormatInfo &f) {
    return f.stencil() && (!f.depth() || tex.depth_stencil_mode == GL_STENCIL_INDEX);
}

// Levels that are sampled, in the main resource's own count.
struct LevelRange {
    unsigned first = 0, count = 1;
};
static LevelRange sampled_levels(const gl::Texture &tex, const TextureData &d) {
    LevelRange r;
    if (d.desc.levels <= 1)
        return r;
    const unsigned top = d.desc.levels - 1u;
    const unsigned base = unsigned(std::max(tex.base_level, 0));
    r.first = std::min(base > d.first_level ? base - d.first_level : 0, top);
    const unsigned last = gl::texture_last_level(tex);
    const unsigned end = std::min(last > d.first_level ? last - d.first_level : 0, top);
    r.count = std::max(end, r.first) - r.first + 1;
    return r;
}

void resolve_params(Tracker &t, gl::Texture &tex) {
    TextureData &d = data_of(tex);
    const bool seamless =
        *t.c.seamless_cube && (tex.index == gl::TEX_CUBE || tex.index == gl::TEX_CUBE_ARRAY);
    const bool known =
        d.params_sent && d.params_version == tex.version && d.params_seamless == seamless;
    if (pipe_handle_is_null(tex.handle) || (known && !t.deriving))
        return;
    auto *own = sampler_entry(t, tex.sampler, seamless);
    release_own_sampler(t.group, d);
    d.sampler = own;
    pipe_texture_params p{};
    p.texture = tex.handle;
    p.sampler = own->handle;
    const LevelRange r = sampled_levels(tex, d);
    p.base_level = uint16_t(r.first);
    p.max_level = uint16_t(r.first + r.count - 1);
    for (int i = 0; i < 4; i++)
        p.swizzle[i] = component(tex.swizzle[size_t(i)]);
    const gl::FormatInfo *f = format_of(tex);
    p.stencil_mode = f && is_stencil_view(tex, *f);
    const bool first = !d.params_sent;
    d.params_version = tex.version;
    d.params_seamless = seamless;
    d.params_sent = true;
    if (!changed(t, d.params, p) && !first)
        return;
    d.params = p;
    pipe_set_texture_params rec{p};
    t.lane.emit<&pipe_context::set_texture_params>(&rec);
    note_write(t, d.write);
}

static ViewKey view_key(const gl::Texture &tex, const TextureData &d, const gl::FormatInfo &f) {
    ViewKey k{};
    k.texture = tex.handle;
    k.format = d.desc.format;
    k.target = d.desc.target;
    const LevelRange r = sampled_levels(tex, d);
    k.first_level = uint16_t(r.first);
    k.num_levels = uint16_t(r.count);
    k.num_layers = uint16_t(std::min(d.desc.layers, 0xffffu));
    set_swizzle(tex, f, k.swizzle, true);
    k.aspect = f.color()                 ? PIPE_ASPECT_COLOR
               : is_stencil_view(tex, f) ? PIPE_ASPECT_STENCIL
                                         : PIPE_ASPECT_DEPTH;
    return k;
}

static ViewCache::Entry *make_view(Tracker &t, const ViewKey &k, uint64_t hash, TextureData &d) {
    Group &g = t.group;
    pipe_create_sampler_view v{};
    v.view = to_pipe(g.views.mint());
    v.texture = k.texture;
    v.format = uint16_t(k.format);
    v.target = uint8_t(k.target);
    v.aspect = uint8_t(k.aspect);
    std::memcpy(v.swizzle, k.swizzle, 4);
    v.first_level = k.first_level;
    v.num_levels = k.num_levels;
    v.first_layer = k.first_layer;
    v.num_layers = k.num_layers;
    t.lane.emit<&pipe_screen::create_sampler_view>(&v);
    stat_cso_creates.add();
    d.views_made++;
    const uint64_t over = g.view_cache.over_capacity();
    auto *e = g.view_cache.insert(
        k, hash, v.view, [&g](pipe_handle h) { kill_handle(g, PIPE_HANDLE_SAMPLER_VIEW, h); });
    stat_cso_over_capacity.add(g.view_cache.over_capacity() - over);
    return e;
}

ViewCache::Entry *resolve_view(Tracker &t, gl::Texture &tex) {
    TextureData &d = data_of(tex);
    const gl::FormatInfo *f = format_of(tex);
    if (!f || pipe_handle_is_null(tex.handle))
        return nullptr;
    Group &g = t.group;
    std::lock_guard lock(g.mutex);
    if (d.view && d.view_version == tex.version && d.view->key.texture == tex.handle &&
        !t.deriving) {
        g.view_cache.ref(d.view);
        return d.view;
    }
    const ViewKey key = view_key(tex, d, *f);
    const uint64_t hash = ViewCache::hash(key);
    auto *e = t.find_cso ? g.view_cache.find(key, hash) : nullptr;
    if (!e)
        e = make_view(t, key, hash, d);
    if (d.view)
        g.view_cache.unref(d.view);
    d.view = e;
    d.view_version = tex.version;
    g.view_cache.ref(e);
    return e;
}

void release_view(Group &g, ViewCache::Entry *e) {
    if (!e)
        return;
    std::lock_guard lock(g.mutex);
    g.view_cache.unref(e);
}

void forget_views(Group &g, gl::Texture &tex, TextureData &d) {
    if (!d.views_made)
        return;
    std::lock_guard lock(g.mutex);
    std::vector<ViewCache::Entry *> mine;
    if (d.view && d.views_made == 1) {
        mine.push_back(d.view);
    } else {
        g.view_cache.for_each([&](ViewCache::Entry *e) {
            if (e->key.texture == tex.handle)
                mine.push_back(e);
        });
    }
    for (ViewCache::Entry *e : mine)
        if (!e->forgotten)
            g.view_cache.forget(
                e, [&g](pipe_handle h) { kill_handle(g, PIPE_HANDLE_SAMPLER_VIEW, h); });
    if (d.view)
        g.view_cache.unref(d.view);
    d.view = nullptr;
    d.views_made = 0;
}

} // namespace st
