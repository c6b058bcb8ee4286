// SPDX-License-Identifier: MIT
#include "espryt_logic.h"

#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "espryt_provoking.h"
#include "util/log.h"

namespace espryt {

struct target_copies {
    struct copy {
        host_name name;
        GLenum internal = 0;
        uint32_t width = 0, height = 0;
    } rows[8];
    const framebuffer *fb = nullptr; // of the scope that is open
    unsigned first_unit = 0;
    const std::vector<uint8_t> *locations = nullptr;
};

namespace {

bool reads_target(uint8_t op) {
    return op != PIPE_LOGIC_OP_CLEAR && op != PIPE_LOGIC_OP_COPY &&
           op != PIPE_LOGIC_OP_COPY_INVERTED && op != PIPE_LOGIC_OP_SET;
}

// Bits of each component that the operation works on, 0: none; negative: signed normalised.
bool target_bits(context *ctx, uint32_t format, GLint bits[4]) {
    const pipe_format_desc *d = pipe_format_describe(format);
    std::fill(bits, bits + 4, 0);
    if (format == PIPE_FORMAT_NONE || d->is_float ||
        (d->is_srgb && ctx->rs->state.raster.framebuffer_srgb))
        return false;
    for (int i = 0; i < 4; i++) {
        const int at = d->channel_of[i];
        if (at < 0)
            continue;
        const pipe_format_channel &c = d->channel[at];
        bits[i] = c.type == PIPE_CHANNEL_SNORM   ? -GLint(c.bits)
                  : c.type == PIPE_CHANNEL_FLOAT ? 0
                                                 : GLint(c.bits);
    }
    return true;
}

// Whether the shader sees what an sRGB target stores decoded: hosts without the control decode.
bool sees_decoded(context *ctx, uint32_t format) {
    const bool fetch = ctx->has(feature::framebuffer_fetch) && !ctx->forced(emulation::logic_copy);
    return pipe_format_describe(format)->is_srgb &&
           !ctx->has(fetch ? feature::srgb_write_control : feature::srgb_decode);
}

bool reads_primitive_id(const program *p) {
    for (const pipe_archive_stage &s : p->archive.stages)
        for (const pipe_archive_io &io : s.inputs)
            if (s.stage == PIPE_SHADER_FRAGMENT && io.builtin == spv::BuiltInPrimitiveId)
                return true;
    return false;
}

// The part of the targets that the draw can touch.
void touched(context *ctx, const framebuffer *fb, int box[4]) {
    const pipe_viewport &v = ctx->dyn->viewport.viewport;
    const pipe_scissor_state &s = ctx->dyn->scissor;
    float x0 = v.x, y0 = v.y, x1 = v.x + v.width, y1 = v.y + v.height;
    // Wide points and lines reach beyond the viewport.
    const float most = std::max(ctx->host->info.limits.point_size[1], 64.0f);
    x0 -= most, y0 -= most, x1 += most, y1 += most;
    if (ctx->scr->caps.max_viewports > 1)
        x0 = y0 = 0, x1 = float(fb->width), y1 = float(fb->height);
    else if (s.enable_mask & 1) {
        x0 = std::max(x0, float(s.scissor.x));
        y0 = std::max(y0, float(s.scissor.y));
        x1 = std::min(x1, float(s.scissor.x) + float(s.scissor.width));
        y1 = std::min(y1, float(s.scissor.y) + float(s.scissor.height));
    }
    box[0] = static_cast<int>(std::max(0.0f, x0));
    box[1] = static_cast<int>(std::max(0.0f, y0));
    box[2] = static_cast<int>(std::min(x1 + 1, float(fb->width)));
    box[3] = static_cast<int>(std::min(y1 + 1, float(fb->height)));
}

bool make_copy(context *ctx, target_copies::copy &c, uint32_t format, uint32_t width,
               uint32_t height) {
    const gles *gl = ctx->gl;
    const GLenum internal = format_of(format).internal;
    if (c.name.name && c.internal == internal && c.width >= width && c.height >= height)
        return true;
    if (c.name.name) {
        ctx->sh.forget_texture(c.name);
        gl->DeleteTextures(1, &c.name.name);
    }
    c = {{0, next_serial()}, internal, width, height};
    gl->GenTextures(1, &c.name.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, c.name)) {
        gl->TexStorage2D(GL_TEXTURE_2D, 1, internal, static_cast<GLsizei>(width),
                         static_cast<GLsizei>(height));
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        if (pipe_format_describe(format)->is_srgb && ctx->has(feature::srgb_decode))
            gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_SRGB_DECODE_EXT, GL_SKIP_DECODE_EXT);
    }
    if (!host_failed(ctx, "copy of a target"))
        return true;
    c.width = c.height = 0; // made anew next time
    return false;
}

} // namespace

bool logic_variant(context *ctx, const framebuffer *fb, unsigned *bits) {
    const pipe_blend_state &b = ctx->rs->state.blend;
    if (!b.logicop_enable || b.logicop == PIPE_LOGIC_OP_COPY) [[likely]]
        return true;
    bool any = false, layered = false;
    for (unsigned i = 0; i < 8; i++) {
        GLint n[4];
        if (!target_bits(ctx, fb->output_format[i], n))
            continue;
        any = true;
        layered = layered || fb->state->color[fb->state->draw_buffer[i]].layered;
    }
    if (!any)
        return true;
    if (ctx->has(feature::framebuffer_fetch) && !ctx->forced(emulation::logic_copy)) {
        emulated(emulation::logic_fetch);
        *bits |= variant_logic_fetch;
        return true;
    }
    if (reads_target(b.logicop) && (layered || fb->samples > 1)) {
        report_error(ctx, GL_INVALID_OPERATION,
                     "a logic operation on a layered or multisample target: the host has no "
                     "framebuffer fetch");
        return false;
    }
    emulated(emulation::logic_copy);
    *bits |= variant_logic_copy;
    return true;
}

void apply_logic(context *ctx, const framebuffer *fb, host_program *v) {
    if (v->logic < 0) [[likely]]
        return;
    std::array<GLint, 36> want{};
    for (unsigned i = 0; i < 8; i++)
        if (target_bits(ctx, fb->output_format[i], &want[i * 4]) &&
            sees_decoded(ctx, fb->output_format[i]))
            want[33] |= 1 << i;
    want[32] = ctx->rs->state.blend.logicop;
    if (want == v->logic_value)
        return;
    v->logic_value = want;
    ctx->gl->Uniform4iv(v->logic, 9, want.data());
}

logic_scope::logic_scope(context *c, const program *p, const host_program *v) : ctx(c) {
    if (!(v->bits & variant_logic_copy) || !reads_target(c->rs->state.blend.logicop)) [[likely]]
        return;
    if (!c->copies)
        c->copies = new target_copies;
    c->copies->fb = find_framebuffer(c, c->draw_fb);
    c->copies->first_unit = p->archive.num_sampler_slots;
    c->copies->locations = &v->logic_locations;
}

logic_scope::~logic_scope() {
    if (ctx->copies)
        ctx->copies->fb = nullptr;
}

void copy_targets(context *ctx) {
    if (!ctx->copies || !ctx->copies->fb) [[likely]]
        return;
    const gles *gl = ctx->gl;
    target_copies &all = *ctx->copies;
    const framebuffer *fb = all.fb;
    int box[4];
    touched(ctx, fb, box);
    if (box[0] >= box[2] || box[1] >= box[3])
        return;
    ctx->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, fb->draw);
    unsigned unit = all.first_unit;
    for (uint8_t i : *all.locations) {
        const unsigned at = unit++;
        GLint bits[4];
        if (!target_bits(ctx, fb->output_format[i], bits) ||
            !make_copy(ctx, all.rows[i], fb->output_format[i], fb->width, fb->height) ||
            !ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, all.rows[i].name))
            continue;
        gl->ReadBuffer(GL_COLOR_ATTACHMENT0 + i);
        gl->CopyTexSubImage2D(GL_TEXTURE_2D, 0, box[0], box[1], box[0], box[1], box[2] - box[0],
                              box[3] - box[1]);
        ctx->sh.bind_texture(at, GL_TEXTURE_2D, all.rows[i].name);
        ctx->sh.bind_sampler(at, {});
    }
    gl->ReadBuffer(fb->read_point);
    if (host_failed(ctx, "copy of a target") && !ctx->host_oom)
        log_warning_once("espryt", "a target of a logic operation cannot be copied on this host");
}

bool needs_cut(context *ctx, const program *p, const host_program *v, const pipe_draw_vbo *d) {
    if (!ctx->copies || !ctx->copies->fb) [[likely]]
        return false;
    const bool can = list_size(d->mode) && d->instance_count == 1 && v->draw_id < 0 &&
                     !reads_primitive_id(p) &&
                     !(d->flags & (PIPE_DRAW_INDIRECT | PIPE_DRAW_SO_COUNT));
    if (!can)
        log_warning_once("espryt", "primitives of one draw that overlap see the target as it was "
                                   "before the draw: the host has no framebuffer fetch");
    return can;
}

void target_copies_destroy(context *ctx) {
    if (!ctx->copies)
        return;
    for (target_copies::copy &c : ctx->copies->rows) {
        if (!c.name.name)
            continue;
        ctx->sh.forget_texture(c.name);
        ctx->gl->DeleteTextures(1, &c.name.name);
    }
    delete ctx->copies;
    ctx->copies = nullptr;
}

} // namespace espryt
