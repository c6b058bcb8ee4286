// SPDX-License-Identifier: MIT
// Blits and invalidation (GL 4.6 sections 17.4.4, 18.3).
#include "glapi/gl_api.h"
#include "objects/framebuffer_util.h"
#include "tracker/tracker.h"

#include <algorithm>
#include <cstdlib>

namespace gl {
namespace {

enum class ValueClass { real, sint, uint };

ValueClass value_class(const FormatInfo &f) {
    return f.type == GL_INT            ? ValueClass::sint
           : f.type == GL_UNSIGNED_INT ? ValueClass::uint
                                       : ValueClass::real;
}

const FormatInfo *read_color(const Framebuffer &fb) {
    return fb.read_index >= 0 ? fb.color[size_t(fb.read_index)].format() : nullptr;
}

bool any_draw_color(const Framebuffer &fb) {
    for (const int8_t i : fb.draw_index)
        if (i >= 0 && fb.color[size_t(i)].kind != Attachment::none)
            return true;
    return false;
}

// Drops from `mask` what one side lacks; false after an error.
bool check_color(Context &ctx, const Framebuffer &read, const Framebuffer &draw, GLbitfield &mask,
                 GLenum filter, const char *func) {
    if (!(mask & GL_COLOR_BUFFER_BIT))
        return true;
    const FormatInfo *src = read_color(read);
    if (!src || !any_draw_color(draw)) {
        mask &= ~GLbitfield(GL_COLOR_BUFFER_BIT);
        return true;
    }
    if (src->integer() && filter == GL_LINEAR)
        return error(ctx, GL_INVALID_OPERATION, "%s(linear filter of integers)", func), false;
    for (const int8_t i : draw.draw_index) {
        const FormatInfo *dst = i >= 0 ? draw.color[size_t(i)].format() : nullptr;
        if (dst && value_class(*dst) != value_class(*src))
            return error(ctx, GL_INVALID_OPERATION, "%s(integer and other colours do not mix)",
                         func),
                   false;
    }
    return true;
}

bool check_zs(Context &ctx, const Framebuffer &read, const Framebuffer &draw, GLbitfield &mask,
              const char *func) {
    const struct {
        GLbitfield bit;
        const Attachment &src, &dst;
    } aspects[] = {{GL_DEPTH_BUFFER_BIT, read.depth, draw.depth},
                   {GL_STENCIL_BUFFER_BIT, read.stencil, draw.stencil}};
    for (const auto &a : aspects) {
        if (!(mask & a.bit))
            continue;
        const FormatInfo *s = a.src.format(), *d = a.dst.format();
        if (!s || !d) {
            mask &= ~a.bit;
            continue;
        }
        if (a.bit == GL_DEPTH_BUFFER_BIT && (s->d != d->d || s->type != d->type))
            return error(ctx, GL_INVALID_OPERATION, "%s(depth formats differ)", func), false;
        if (a.bit == GL_STENCIL_BUFFER_BIT && s->s != d->s)
            return error(ctx, GL_INVALID_OPERATION, "%s(stencil formats differ)", func), false;
    }
    return true;
}

bool same_size(const GLint *s, const GLint *d) {
    return std::abs(int64_t(s[2]) - s[0]) == std::abs(int64_t(d[2]) - d[0]) &&
           std::abs(int64_t(s[3]) - s[1]) == std::abs(int64_t(d[3]) - d[1]);
}

void blit(Context &ctx, Framebuffer *read, Framebuffer *draw, const GLint src[4],
          const GLint dst[4], GLbitfield mask, GLenum filter, const char *func) {
    constexpr GLbitfield all = GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT;
    if (!read || !draw)
        return;
    if (mask & ~all)
        return error(ctx, GL_INVALID_VALUE, "%s(mask 0x%x)", func, mask);
    if (filter != GL_NEAREST && filter != GL_LINEAR)
        return error(ctx, GL_INVALID_ENUM, "%s(filter %s)", func, enum_name(filter));
    if (!require_complete(ctx, *read, func) || !require_complete(ctx, *draw, func))
        return;
    if ((mask & (GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT)) && filter != GL_NEAREST)
        return error(ctx, GL_INVALID_OPERATION, "%s(depth and stencil take GL_NEAREST)", func);
    if (read->samples > 0 && draw->samples > 0 && read->samples != draw->samples)
        return error(ctx, GL_INVALID_OPERATION, "%s(sample counts %d and %d)", func, read->samples,
                     draw->samples);
    if ((read->samples > 0 || draw->samples > 0) && !same_size(src, dst))
        return error(ctx, GL_INVALID_OPERATION, "%s(a multisample blit does not scale)", func);
    if (!check_color(ctx, *read, *draw, mask, filter, func) ||
        !check_zs(ctx, *read, *draw, mask, func))
        return;
    if (!mask || src[0] == src[2] || src[1] == src[3] || dst[0] == dst[2] || dst[1] == dst[3])
        return;
    st::BlitInfo b{read, draw,  {src[0], src[1], src[2], src[3]}, {dst[0], dst[1], dst[2], dst[3]},
                   mask, filter};
    st::blit(ctx, b);
}

void invalidate(Context &ctx, Framebuffer *fb, GLsizei n, const GLenum *attachments,
                const Rect *area, const char *func) {
    if (!fb)
        return;
    if (n < 0 || (area && (area->w < 0 || area->h < 0)))
        return error(ctx, GL_INVALID_VALUE, "%s(negative count or size)", func);
    uint32_t color = 0;
    bool depth = false, stencil = false;
    for (GLsizei i = 0; i < n; i++) {
        const GLenum a = attachments[i];
        const int c = color_index(a);
        if (fb->is_default) {
            if (a == GL_COLOR || default_buffer_index(*fb, a) == 0)
                color |= 1;
            else if (a == GL_DEPTH)
                depth = true;
            else if (a == GL_STENCIL)
                stencil = true;
            else if (default_buffer_index(*fb, a) == -2 || a == GL_NONE)
                return error(ctx, GL_INVALID_ENUM, "%s(attachment %s)", func, enum_name(a));
        } else if (c >= 0) {
            if (c >= ctx.limits().color_attachments)
                return error(ctx, GL_INVALID_OPERATION, "%s(attachment %s)", func, enum_name(a));
            color |= 1u << c;
        } else if (a == GL_DEPTH_ATTACHMENT || a == GL_STENCIL_ATTACHMENT ||
                   a == GL_DEPTH_STENCIL_ATTACHMENT) {
            depth = depth || a != GL_STENCIL_ATTACHMENT;
            stencil = stencil || a != GL_DEPTH_ATTACHMENT;
        } else {
            return error(ctx, GL_INVALID_ENUM, "%s(attachment %s)", func, enum_name(a));
        }
    }
    if (framebuffer_status(ctx, *fb) == GL_FRAMEBUFFER_COMPLETE)
        st::invalidate_framebuffer(ctx, *fb, color, depth, stencil, area);
}

} // namespace

void GL_ENTRY(BlitFramebuffer)(Context &ctx, GLint sx0, GLint sy0, GLint sx1, GLint sy1, GLint dx0,
                               GLint dy0, GLint dx1, GLint dy1, GLbitfield mask, GLenum filter) {
    const GLint src[4] = {sx0, sy0, sx1, sy1}, dst[4] = {dx0, dy0, dx1, dy1};
    const auto [left, right] = std::minmax(dx0, dx1);
    const auto [low, high] = std::minmax(dy0, dy1);
    fit_surface(ctx, left, low, GLsizei(int64_t(right) - left), GLsizei(int64_t(high) - low));
    blit(ctx, ctx.read_fb->fb.get(), ctx.draw_fb->fb.get(), src, dst, mask, filter,
         "glBlitFramebuffer");
}

void GL_ENTRY(BlitNamedFramebuffer)(Context &ctx, GLuint read, GLuint draw, GLint sx0, GLint sy0,
                                    GLint sx1, GLint sy1, GLint dx0, GLint dy0, GLint dx1,
                                    GLint dy1, GLbitfield mask, GLenum filter) {
    const char *func = "glBlitNamedFramebuffer";
    const GLint src[4] = {sx0, sy0, sx1, sy1}, dst[4] = {dx0, dy0, dx1, dy1};
    Framebuffer *r = named_framebuffer(ctx, read, ctx.default_read_fb.get(), func);
    Framebuffer *d = r ? named_framebuffer(ctx, draw, ctx.default_draw_fb.get(), func) : nullptr;
    blit(ctx, r, d, src, dst, mask, filter, func);
}

void GL_ENTRY(InvalidateFramebuffer)(Context &ctx, GLenum target, GLsizei n,
                                     const GLenum *attachments) {
    invalidate(ctx, bound_framebuffer(ctx, target, "glInvalidateFramebuffer"), n, attachments,
               nullptr, "glInvalidateFramebuffer");
}
void GL_ENTRY(InvalidateSubFramebuffer)(Context &ctx, GLenum target, GLsizei n,
                                        const GLenum *attachments, GLint x, GLint y, GLsizei w,
                                        GLsizei h) {
    const Rect area{x, y, w, h};
    invalidate(ctx, bound_framebuffer(ctx, target, "glInvalidateSubFramebuffer"), n, attachments,
               &area, "glInvalidateSubFramebuffer");
}
void GL_ENTRY(InvalidateNamedFramebufferData)(Context &ctx, GLuint fb, GLsizei n,
                                              const GLenum *attachments) {
    const char *func = "glInvalidateNamedFramebufferData";
    invalidate(ctx, named_framebuffer(ctx, fb, ctx.default_draw_fb.get(), func), n, attachments,
               nullptr, func);
}
void GL_ENTRY(InvalidateNamedFramebufferSubData)(Context &ctx, GLuint fb, GLsizei n,
                                                 const GLenum *attachments, GLint x, GLint y,
                                                 GLsizei w, GLsizei h) {
    const char *func = "glInvalidateNamedFramebufferSubData";
    const Rect area{x, y, w, h};
    invalidate(ctx, named_framebuffer(ctx, fb, ctx.default_draw_fb.get(), func), n, attachments,
               &area, func);
}
} // namespace gl
