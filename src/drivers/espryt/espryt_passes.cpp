// SPDX-License-Identifier: MIT
// One draw as several.
#include "espryt_passes.h"

#include <cstring>

#include "espryt_draw.h"
#include "espryt_query.h"
#include "util/log.h"

namespace espryt {

namespace {

// The aspects that the draws write.
GLbitfield written_aspects(context *ctx, const framebuffer *fb) {
    const pipe_depth_stencil_state &s = ctx->rs->state.depth_stencil;
    GLbitfield bits = 0;
    if (fb->depth_format && s.depth_enable && s.depth_write)
        bits |= GL_DEPTH_BUFFER_BIT;
    auto writes = [](const pipe_stencil_face &f) {
        return f.writemask &&
               (f.fail_op != PIPE_STENCIL_OP_KEEP || f.zfail_op != PIPE_STENCIL_OP_KEEP ||
                f.zpass_op != PIPE_STENCIL_OP_KEEP);
    };
    if (fb->stencil_format && s.stencil_enable && (writes(s.front) || writes(s.back)))
        bits |= GL_STENCIL_BUFFER_BIT;
    return bits;
}

} // namespace

bool blends_alike(context *ctx) {
    return !ctx->has(feature::draw_buffers_indexed) || ctx->forced(emulation::target_passes);
}

void split_targets(context *ctx, const framebuffer *fb, const pipe_blend_state &want) {
    unsigned n = 0;
    for (unsigned i = 0; fb && i < 8; i++) {
        if (!fb->output_format[i])
            continue;
        unsigned k = 0;
        while (k < n && memcmp(&ctx->passes[k].blend, &want.rt[i], sizeof(want.rt[i])))
            k++;
        if (k == n)
            ctx->passes[n++] = {0, want.rt[i]};
        ctx->passes[k].outputs |= static_cast<uint8_t>(1u << i);
    }
    if (!n)
        ctx->passes[n++] = {0xff, want.rt[0]};
    ctx->num_passes = n;
}

target_passes::target_passes(context *ctx, framebuffer *fb) : ctx_(ctx), fb_(fb) {
    const gles *gl = ctx->gl;
    emulated(emulation::target_passes);
    const program *p = find_program(ctx, ctx->draw_program);
    if (p && (!p->stores.empty() || !p->images.empty() || !p->atomics.empty()))
        log_warning_once("espryt", "a draw whose targets blend differently writes its buffers and "
                                   "images once per target: the host has no indexed blending");
    aspects_ = written_aspects(ctx, fb);
    const uint32_t format = fb->depth_format ? fb->depth_format : fb->stencil_format;
    const bool split =
        fb->depth_format && fb->stencil_format && fb->depth_format != fb->stencil_format;
    if (!aspects_)
        return;
    if (fb->samples > 1 || split) {
        log_warning_once("espryt", "depth and stencil of several samples are written once per "
                                   "target: the host has no indexed blending");
        return;
    }
    saved_ = {0, next_serial()};
    saved_fbo_ = {0, next_serial()};
    gl->GenTextures(1, &saved_.name);
    if (ctx->sh.bind_scratch_texture(GL_TEXTURE_2D, saved_))
        gl->TexStorage2D(GL_TEXTURE_2D, 1, format_of(format).internal,
                         static_cast<GLsizei>(fb->width), static_cast<GLsizei>(fb->height));
    gl->GenFramebuffers(1, &saved_fbo_.name);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, saved_fbo_);
    gl->FramebufferTexture2D(GL_DRAW_FRAMEBUFFER, depth_stencil_point(format), GL_TEXTURE_2D,
                             saved_.name, 0);
    copy_depth_stencil(fb->draw, saved_fbo_);
    ctx->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, fb->draw);
}

void target_passes::copy_depth_stencil(host_name from, host_name to) {
    const auto w = static_cast<GLint>(fb_->width), h = static_cast<GLint>(fb_->height);
    ctx_->sh.bind_framebuffer(GL_READ_FRAMEBUFFER, from);
    ctx_->sh.bind_framebuffer(GL_DRAW_FRAMEBUFFER, to);
    ctx_->sh.enable(GL_SCISSOR_TEST, false);
    ctx_->gl->BlitFramebuffer(0, 0, w, h, 0, 0, w, h, aspects_, GL_NEAREST);
    ctx_->sh.enable(GL_SCISSOR_TEST, ctx_->dyn->scissor.enable_mask & 1);
    if (host_failed(ctx_, "depth and stencil of a pass") && !ctx_->host_oom)
        log_warning_once("espryt", "depth and stencil are written once per target");
}

void target_passes::select(uint8_t outputs) {
    GLenum bufs[8];
    GLsizei n = 0;
    for (unsigned i = 0; i < 8; i++) {
        const bool there = fb_->output_format[i] && (outputs >> i & 1);
        bufs[i] = there ? GL_COLOR_ATTACHMENT0 + i : GL_NONE;
        if (fb_->output_format[i])
            n = static_cast<GLsizei>(i + 1);
    }
    ctx_->gl->DrawBuffers(n, bufs);
}

void target_passes::begin(unsigned n) {
    if (n && saved_.name)
        copy_depth_stencil(saved_fbo_, fb_->draw);
    if (n == 1) {
        stream_output_pause_internal(ctx_, true);
        queries_pause(ctx_);
        if (ctx_->counting) { // the shaders go on counting
            const GLuint zero = 0;
            ctx_->gl->GenBuffers(1, &spare_counter_);
            ctx_->gl->BindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, spare_counter_);
            ctx_->gl->BufferData(GL_ATOMIC_COUNTER_BUFFER, sizeof(zero), &zero, GL_DYNAMIC_READ);
        }
    }
    select(ctx_->passes[n].outputs);
    set_all_targets(ctx_, ctx_->passes[n].blend);
}

target_passes::~target_passes() {
    const gles *gl = ctx_->gl;
    select(0xff);
    if (spare_counter_) {
        gl->BindBufferBase(GL_ATOMIC_COUNTER_BUFFER, 0, ctx_->counting->counter.name);
        gl->DeleteBuffers(1, &spare_counter_);
    }
    queries_resume(ctx_);
    if (saved_.name) {
        ctx_->sh.forget_framebuffer(saved_fbo_);
        gl->DeleteFramebuffers(1, &saved_fbo_.name);
        ctx_->sh.forget_texture(saved_);
        gl->DeleteTextures(1, &saved_.name);
    }
    ctx_->dirty |= dirty_framebuffer | dirty_render_state;
}

} // namespace espryt
