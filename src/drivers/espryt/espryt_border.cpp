// SPDX-License-Identifier: MIT
#include "espryt_border.h"

#include <algorithm>
#include <cstring>

#include "espryt_resource.h"
#include "espryt_state.h"

namespace espryt {

namespace {

bool has_border(const pipe_sampler_state &s) {
    return s.wrap_s == PIPE_TEX_WRAP_CLAMP_TO_BORDER || s.wrap_t == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
           s.wrap_r == PIPE_TEX_WRAP_CLAMP_TO_BORDER;
}

// What a slot reads; null sampler: nothing that could have a border.
const sampler *sampler_of(context *ctx, const program *p, unsigned slot, const sampler_view **v) {
    const unsigned unit = p->unit_of[PIPE_SLOT_SAMPLER][slot];
    *v = unit < PIPE_MAX_TEXTURE_UNITS ? ctx->scr->views.find(ctx->views[unit].view) : nullptr;
    return *v && (*v)->texture ? bound_sampler(ctx, (*v)->texture, unit) : nullptr;
}

// The border as a texel of the format, before the swizzle: what the format lacks is 0, 0 and 1.
void texel_of(const sampler_view *v, const pipe_sampler_state &s, uint32_t out[4]) {
    const pipe_format_desc *d = pipe_format_describe(v->desc.format);
    const bool stencil = view_state(v).stencil || (d->is_stencil && !d->is_depth);
    const bool integer = stencil || (d->is_integer && !d->is_depth);
    for (int i = 0; i < 4; i++) {
        const bool there =
            d->is_depth || stencil ? i == 0 : d->is_compressed || d->channel_of[i] >= 0;
        const float f = i == 3 ? 1 : 0;
        uint32_t word = i == 3;
        if (there)
            word = s.border_color[i];
        else if (!integer)
            memcpy(&word, &f, sizeof(word));
        if (there && !integer && !d->is_float) {
            float x;
            memcpy(&x, &word, sizeof(x));
            x = std::clamp(x, d->is_snorm ? -1.0f : 0.0f, 1.0f);
            memcpy(&word, &x, sizeof(word));
        }
        out[i] = word;
    }
}

void border_of(const sampler_view *v, const pipe_sampler_state &s, GLint out[8]) {
    const pipe_format_desc *d = pipe_format_describe(v->desc.format);
    const bool integer = d->is_integer && !d->is_depth;
    uint32_t texel[4];
    texel_of(v, s, texel);
    out[0] = s.wrap_s == PIPE_TEX_WRAP_CLAMP_TO_BORDER;
    out[1] = s.wrap_t == PIPE_TEX_WRAP_CLAMP_TO_BORDER;
    out[2] = s.wrap_r == PIPE_TEX_WRAP_CLAMP_TO_BORDER;
    out[3] = (s.mag_filter == PIPE_TEX_FILTER_LINEAR && !integer ? 1 : 0) | s.compare_func << 1;
    const texture_object_state state = view_state(v);
    const float one = 1;
    for (int i = 0; i < 4; i++) {
        uint32_t word = 0;
        if (state.swizzle[i] <= PIPE_SWIZZLE_ALPHA)
            word = texel[state.swizzle[i]];
        else if (state.swizzle[i] == PIPE_SWIZZLE_ONE && (integer || state.stencil))
            word = 1;
        else if (state.swizzle[i] == PIPE_SWIZZLE_ONE)
            memcpy(&word, &one, sizeof(word));
        memcpy(&out[4 + i], &word, sizeof(word));
    }
}

} // namespace

bool emulates_borders(const context *ctx) {
    return !ctx->has(feature::border_clamp) || ctx->forced(emulation::border_color);
}

bool reads_borders(context *ctx, const program *p) {
    for (const sampler_slot &s : p->samplers) {
        const sampler_view *v = nullptr;
        const sampler *x = sampler_of(ctx, p, s.slot, &v);
        if (x && has_border(x->state))
            return true;
    }
    return false;
}

void apply_borders(context *ctx, const program *p, host_program *v) {
    if (v->border < 0) [[likely]]
        return;
    emulated(emulation::border_color);
    bool changed = false;
    for (const sampler_slot &s : p->samplers) {
        GLint want[8] = {};
        const sampler_view *view = nullptr;
        const sampler *x = sampler_of(ctx, p, s.slot, &view);
        if (x && has_border(x->state))
            border_of(view, x->state, want);
        GLint *have = &v->border_value[size_t(s.slot) * 8];
        changed = changed || memcmp(have, want, sizeof(want)) != 0;
        memcpy(have, want, sizeof(want));
    }
    if (changed)
        ctx->gl->Uniform4iv(v->border, static_cast<GLsizei>(v->border_value.size() / 4),
                            v->border_value.data());
}

} // namespace espryt
