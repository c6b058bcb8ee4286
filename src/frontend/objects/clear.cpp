// SPDX-License-Identifier: MIT
// Clear values and clears of every kind (GL 4.6 section 17.4.3).
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace gl {
namespace {

bool complete(Context &ctx, Framebuffer &fb, const char *func) {
    if (ctx.lost.load(std::memory_order_relaxed))
        return false;
    if (framebuffer_status(ctx, fb) == GL_FRAMEBUFFER_COMPLETE)
        return true;
    error(ctx, GL_INVALID_FRAMEBUFFER_OPERATION, "%s(the framebuffer is incomplete)", func);
    return false;
}

// The colour of all of the draw framebuffer is about to be cleared: the last moment of a frame at
// which new buffers of a window that has another extent lose nothing.
void fit_cleared_surface(Context &ctx) {
    const SurfaceInfo &s = ctx.draw_surface;
    if (s.ops && ctx.draw_fb->fb->is_default && !(ctx.scissor->enabled & 1))
        s.ops->fit(s.owner, false);
}

// Checks of glClearBuffer{iv,uiv,fv}; on success `type` says what is cleared. Values that exist
// nowhere clear nothing.
bool check_buffer(Context &ctx, GLenum buffer, GLint index, st::ClearType color,
                  st::ClearType &type, const char *func) {
    bool ok_enum = buffer == GL_COLOR || (buffer == GL_DEPTH && color == st::ClearType::float_) ||
                   (buffer == GL_STENCIL && color == st::ClearType::int_);
    if (!ok_enum) {
        error(ctx, GL_INVALID_ENUM, "%s(buffer %s)", func, enum_name(buffer));
        return false;
    }
    GLint limit = buffer == GL_COLOR ? ctx.limits().draw_buffers : 1;
    if (index < 0 || index >= limit) {
        error(ctx, GL_INVALID_VALUE, "%s(drawbuffer %d)", func, index);
        return false;
    }
    type = buffer == GL_COLOR   ? color
           : buffer == GL_DEPTH ? st::ClearType::depth
                                : st::ClearType::stencil;
    return true;
}

void clear_one(Context &ctx, Framebuffer *fb, GLenum buffer, GLint index, st::ClearType color,
               const void *value, const char *func) {
    st::ClearType type;
    if (!fb || !check_buffer(ctx, buffer, index, color, type, func) || !complete(ctx, *fb, func))
        return;
    if (ctx.raster->discard || ctx.condition->skip)
        return;
    st::ClearValue v{};
    switch (type) {
    case st::ClearType::depth: v.ds.depth = double(*static_cast<const GLfloat *>(value)); break;
    case st::ClearType::stencil: v.ds.stencil = *static_cast<const GLint *>(value); break;
    default: memcpy(v.u, value, sizeof v.u);
    }
    if (type == st::ClearType::depth && fb->depth.format() && fb->depth.format()->type != GL_FLOAT)
        v.ds.depth = std::clamp(v.ds.depth, 0.0, 1.0);
    bool present = type == st::ClearType::depth     ? fb->depth.kind != Attachment::none
                   : type == st::ClearType::stencil ? fb->stencil.kind != Attachment::none
                                                    : fb->draw_index[unsigned(index)] >= 0;
    if (present && buffer == GL_COLOR && fb == ctx.draw_fb->fb.get())
        fit_cleared_surface(ctx);
    if (present)
        st::clear_buffer(ctx, *fb, type, unsigned(index), v);
}

void clear_depth_stencil(Context &ctx, Framebuffer *fb, GLenum buffer, GLint index, GLfloat depth,
                         GLint stencil, const char *func) {
    if (!fb)
        return;
    if (buffer != GL_DEPTH_STENCIL)
        return error(ctx, GL_INVALID_ENUM, "%s(buffer %s)", func, enum_name(buffer));
    if (index != 0)
        return error(ctx, GL_INVALID_VALUE, "%s(drawbuffer %d)", func, index);
    if (!complete(ctx, *fb, func) || ctx.raster->discard || ctx.condition->skip)
        return;
    bool has_depth = fb->depth.kind != Attachment::none,
         has_stencil = fb->stencil.kind != Attachment::none;
    st::ClearValue v{};
    v.ds.depth = double(depth);
    v.ds.stencil = stencil;
    if (has_depth && fb->depth.format() && fb->depth.format()->type != GL_FLOAT)
        v.ds.depth = std::clamp(v.ds.depth, 0.0, 1.0);
    if (has_depth || has_stencil)
        st::clear_buffer(ctx, *fb,
                         has_depth && has_stencil ? st::ClearType::depth_stencil
                         : has_depth              ? st::ClearType::depth
                                                  : st::ClearType::stencil,
                         0, v);
}

template <class T> void set_clear_color(Context &ctx, GLenum type, const std::array<T, 4> &value) {
    Writer{ctx}.set(ctx.clear, &ClearState::color_type, type);
    Writer{ctx}.set(ctx.clear, &ClearState::color, std::bit_cast<std::array<uint32_t, 4>>(value));
}

Framebuffer *named(Context &ctx, GLuint name, const char *func) {
    Framebuffer *fb = lookup_framebuffer(ctx, name);
    if (!fb)
        error(ctx, GL_INVALID_OPERATION, "%s(no framebuffer object %u)", func, name);
    return fb;
}
} // namespace

void GL_ENTRY(ClearColor)(Context &ctx, GLfloat r, GLfloat g, GLfloat b, GLfloat a) {
    set_clear_color(ctx, GL_FLOAT, std::array<GLfloat, 4>{r, g, b, a});
}
void GL_ENTRY(ClearColorIiEXT)(Context &ctx, GLint r, GLint g, GLint b, GLint a) {
    set_clear_color(ctx, GL_INT, std::array<GLint, 4>{r, g, b, a});
}
void GL_ENTRY(ClearColorIuiEXT)(Context &ctx, GLuint r, GLuint g, GLuint b, GLuint a) {
    set_clear_color(ctx, GL_UNSIGNED_INT, std::array<GLuint, 4>{r, g, b, a});
}
void GL_ENTRY(ClearDepth)(Context &ctx, GLdouble depth) {
    Writer{ctx}.set(ctx.clear, &ClearState::depth, std::clamp(depth, 0.0, 1.0));
}
void GL_ENTRY(ClearDepthf)(Context &ctx, GLfloat depth) {
    ClearDepth(ctx, double(depth));
}
void GL_ENTRY(ClearStencil)(Context &ctx, GLint s) {
    Writer{ctx}.set(ctx.clear, &ClearState::stencil, s);
}

void GL_ENTRY(Clear)(Context &ctx, GLbitfield mask) {
    if (mask & ~GLbitfield(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT))
        return error(ctx, GL_INVALID_VALUE, "glClear(0x%x)", mask);
    Framebuffer &fb = *ctx.draw_fb->fb;
    if (!complete(ctx, fb, "glClear") || ctx.raster->discard || ctx.condition->skip)
        return;
    if (fb.depth.kind == Attachment::none)
        mask &= ~GLbitfield(GL_DEPTH_BUFFER_BIT);
    if (fb.stencil.kind == Attachment::none)
        mask &= ~GLbitfield(GL_STENCIL_BUFFER_BIT);
    if (mask & GL_COLOR_BUFFER_BIT)
        fit_cleared_surface(ctx);
    if (mask)
        st::clear(ctx, mask);
}

void GL_ENTRY(ClearBufferfv)(Context &ctx, GLenum buffer, GLint index, const GLfloat *v) {
    clear_one(ctx, ctx.draw_fb->fb.get(), buffer, index, st::ClearType::float_, v,
              "glClearBufferfv");
}
void GL_ENTRY(ClearBufferiv)(Context &ctx, GLenum buffer, GLint index, const GLint *v) {
    clear_one(ctx, ctx.draw_fb->fb.get(), buffer, index, st::ClearType::int_, v, "glClearBufferiv");
}
void GL_ENTRY(ClearBufferuiv)(Context &ctx, GLenum buffer, GLint index, const GLuint *v) {
    clear_one(ctx, ctx.draw_fb->fb.get(), buffer, index, st::ClearType::uint_, v,
              "glClearBufferuiv");
}
void GL_ENTRY(ClearBufferfi)(Context &ctx, GLenum buffer, GLint index, GLfloat depth,
                             GLint stencil) {
    clear_depth_stencil(ctx, ctx.draw_fb->fb.get(), buffer, index, depth, stencil,
                        "glClearBufferfi");
}
void GL_ENTRY(ClearNamedFramebufferfv)(Context &ctx, GLuint fb, GLenum buffer, GLint index,
                                       const GLfloat *v) {
    clear_one(ctx, named(ctx, fb, "glClearNamedFramebufferfv"), buffer, index,
              st::ClearType::float_, v, "glClearNamedFramebufferfv");
}
void GL_ENTRY(ClearNamedFramebufferiv)(Context &ctx, GLuint fb, GLenum buffer, GLint index,
                                       const GLint *v) {
    clear_one(ctx, named(ctx, fb, "glClearNamedFramebufferiv"), buffer, index, st::ClearType::int_,
              v, "glClearNamedFramebufferiv");
}
void GL_ENTRY(ClearNamedFramebufferuiv)(Context &ctx, GLuint fb, GLenum buffer, GLint index,
                                        const GLuint *v) {
    clear_one(ctx, named(ctx, fb, "glClearNamedFramebufferuiv"), buffer, index,
              st::ClearType::uint_, v, "glClearNamedFramebufferuiv");
}
void GL_ENTRY(ClearNamedFramebufferfi)(Context &ctx, GLuint fb, GLenum buffer, GLint index,
                                       GLfloat depth, GLint stencil) {
    clear_depth_stencil(ctx, named(ctx, fb, "glClearNamedFramebufferfi"), buffer, index, depth,
                        stencil, "glClearNamedFramebufferfi");
}
} // namespace gl
