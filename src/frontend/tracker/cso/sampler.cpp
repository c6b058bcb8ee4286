// SPDX-License-Identifier: MIT
// Sampler CSOs of the share group: made canonical, found by content.
#include "tracker/texture_storage.h"

#include <algorithm>

namespace st {

static uint8_t wrap(GLenum w) {
    switch (w) {
    case GL_CLAMP_TO_EDGE: return PIPE_TEX_WRAP_CLAMP_TO_EDGE;
    case GL_CLAMP_TO_BORDER: return PIPE_TEX_WRAP_CLAMP_TO_BORDER;
    case GL_MIRRORED_REPEAT: return PIPE_TEX_WRAP_MIRROR_REPEAT;
    case GL_MIRROR_CLAMP_TO_EDGE: return PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE;
    }
    return PIPE_TEX_WRAP_REPEAT;
}

static uint8_t mip_filter(GLenum f) {
    switch (f) {
    case GL_NEAREST_MIPMAP_NEAREST:
    case GL_LINEAR_MIPMAP_NEAREST: return PIPE_TEX_MIP_NEAREST;
    case GL_NEAREST_MIPMAP_LINEAR:
    case GL_LINEAR_MIPMAP_LINEAR: return PIPE_TEX_MIP_LINEAR;
    }
    return PIPE_TEX_MIP_NONE;
}

static uint8_t min_filter(GLenum f) {
    return f == GL_LINEAR || f == GL_LINEAR_MIPMAP_NEAREST || f == GL_LINEAR_MIPMAP_LINEAR
               ? PIPE_TEX_FILTER_LINEAR
               : PIPE_TEX_FILTER_NEAREST;
}

static pipe_sampler_state state_of(const gl::SamplerParams &p, bool seamless) {
    pipe_sampler_state s{};
    s.wrap_s = wrap(p.wrap_s);
    s.wrap_t = wrap(p.wrap_t);
    s.wrap_r = wrap(p.wrap_r);
    s.min_filter = min_filter(p.min_filter);
    s.mag_filter = p.mag_filter == GL_LINEAR ? PIPE_TEX_FILTER_LINEAR : PIPE_TEX_FILTER_NEAREST;
    s.mip_filter = mip_filter(p.min_filter);
    s.compare_enable = p.compare_mode == GL_COMPARE_REF_TO_TEXTURE;
    s.compare_func =
        s.compare_enable ? uint8_t(p.compare_func - GL_NEVER) : uint8_t(PIPE_COMPARE_NEVER);
    s.srgb_decode = p.srgb_decode != GL_SKIP_DECODE_EXT;
    s.seamless_cube = seamless || p.seamless;
    s.lod_bias = p.lod_bias;
    s.min_lod = p.min_lod;
    s.max_lod = p.max_lod;
    s.max_anisotropy = std::max(p.max_anisotropy, 1.0f);
    const bool border = s.wrap_s == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
                        s.wrap_t == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
                        s.wrap_r == PIPE_TEX_WRAP_CLAMP_TO_BORDER;
    if (border) { // a border colour that no wrap mode shows makes no new sampler
        s.border_class = p.border_type == gl::SamplerParams::border_int    ? PIPE_VALUE_SINT
                         : p.border_type == gl::SamplerParams::border_uint ? PIPE_VALUE_UINT
                                                                           : PIPE_VALUE_FLOAT;
        std::memcpy(s.border_color, p.border.u, sizeof(s.border_color));
    }
    return s;
}

SamplerCache::Entry *sampler_entry(Tracker &t, const gl::SamplerParams &p, bool global_seamless) {
    Group &g = t.group;
    const pipe_sampler_state key = state_of(p, global_seamless);
    const uint64_t hash = SamplerCache::hash(key);
    std::lock_guard lock(g.mutex);
    if (auto *e = t.find_cso ? g.sampler_cache.find(key, hash) : nullptr)
        return e;
    pipe_create_sampler_state c{};
    c.sampler = to_pipe(g.samplers.mint());
    c.state = key;
    t.lane.emit<&pipe_screen::create_sampler_state>(&c);
    stat_cso_creates.add();
    const uint64_t over = g.sampler_cache.over_capacity();
    auto *e = g.sampler_cache.insert(
        key, hash, c.sampler, [&g](pipe_handle h) { kill_handle(g, PIPE_HANDLE_SAMPLER, h); });
    stat_cso_over_capacity.add(g.sampler_cache.over_capacity() - over);
    return e;
}

void release_sampler(Group &g, SamplerCache::Entry *e) {
    if (!e)
        return;
    std::lock_guard lock(g.mutex);
    g.sampler_cache.unref(e);
}

void release_own_sampler(Group &g, TextureData &d) {
    release_sampler(g, d.sampler);
    d.sampler = nullptr;
}

void sampler_destroy(gl::Sampler &s) {
    auto *d = static_cast<SamplerData *>(s.tracker);
    if (d && d->group)
        release_sampler(*d->group, d->entry);
    delete d;
    s.tracker = nullptr;
}

} // namespace st
