// SPDX-License-Identifier: MIT
#include "espryt_fixed.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "util/log.h"

namespace espryt {

bool clamps_depth(const context *ctx) {
    const pipe_raster_state &s = ctx->rs->state.raster;
    return (s.depth_clamp_near || s.depth_clamp_far) &&
           (!ctx->has(feature::depth_clamp) || ctx->forced(emulation::depth_clamp));
}

bool replaces_alpha(const context *ctx, const framebuffer *fb) {
    const pipe_multisample_state &s = ctx->rs->state.multisample;
    if (!s.alpha_to_one || !s.enable || fb->samples <= 1 ||
        (ctx->has(feature::multisample_compat) && !ctx->forced(emulation::alpha_to_one)))
        return false;
    if (s.alpha_to_coverage && !ctx->has(feature::sample_variables)) {
        log_warning_once("espryt", "alpha is not replaced by one where it is coverage, too: the "
                                   "host's shaders write no sample masks");
        return false;
    }
    return true;
}

bool covers_by_alpha(const context *ctx, const framebuffer *fb) {
    return ctx->rs->state.multisample.alpha_to_coverage && replaces_alpha(ctx, fb);
}

float smallest_depth_step(uint32_t format) {
    switch (format) {
    case PIPE_FORMAT_Z16_UNORM: return std::ldexp(1.0f, -16);
    case PIPE_FORMAT_Z24X8_UNORM:
    case PIPE_FORMAT_Z24_UNORM_S8_UINT: return std::ldexp(1.0f, -24);
    default: return 0;
    }
}

unsigned fixed_variant(context *ctx, const framebuffer *fb) {
    unsigned bits = 0;
    if (clamps_depth(ctx)) {
        emulated(emulation::depth_clamp);
        bits |= variant_depth_clamp;
    }
    if (replaces_alpha(ctx, fb)) {
        emulated(emulation::alpha_to_one);
        bits |= variant_alpha_one;
        if (covers_by_alpha(ctx, fb))
            bits |= variant_alpha_cover;
    }
    return bits;
}

void apply_depth_clamp(context *ctx, const framebuffer *fb, host_program *v, bool polygons) {
    if (v->depth_range < 0) [[likely]]
        return;
    const pipe_raster_state &s = ctx->rs->state.raster;
    const pipe_viewport &p = ctx->dyn->viewport.viewport;
    const float n = p.near_depth, f = p.far_depth;
    float want[8] = {s.clip_halfz ? f - n : (f - n) / 2, s.clip_halfz ? n : (f + n) / 2,
                     std::min(n, f), std::max(n, f)};
    if (polygons && s.offset_fill) {
        const pipe_polygon_offset &o = ctx->dyn->polygon_offset;
        want[4] = o.scale;
        want[5] = o.units;
        want[6] = smallest_depth_step(fb->depth_format);
        want[7] = o.clamp;
    }
    if (!memcmp(want, v->depth_value, sizeof(want)))
        return;
    memcpy(v->depth_value, want, sizeof(want));
    ctx->gl->Uniform4f(v->depth_range, want[0], want[1], want[2], want[3]);
    if (v->depth_offset >= 0)
        ctx->gl->Uniform4f(v->depth_offset, want[4], want[5], want[6], want[7]);
}

} // namespace espryt
