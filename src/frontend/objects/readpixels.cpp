// SPDX-License-Identifier: MIT
// glReadPixels (GL 4.6 section 18.2).
#include "glapi/gl_api.h"
#include "objects/framebuffer_util.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

namespace gl {
namespace {

bool check_source(Context &ctx, const Framebuffer &fb, GLenum format, const char *func) {
    const FormatClass cls = transfer_class(format);
    const FormatInfo *depth = fb.depth.format(), *stencil = fb.stencil.format();
    switch (cls) {
    case FormatClass::depth:
        if (!depth)
            return error(ctx, GL_INVALID_OPERATION, "%s(no depth buffer)", func), false;
        return true;
    case FormatClass::stencil:
        if (!stencil)
            return error(ctx, GL_INVALID_OPERATION, "%s(no stencil buffer)", func), false;
        return true;
    case FormatClass::depth_stencil:
        if (!depth || !stencil)
            return error(ctx, GL_INVALID_OPERATION, "%s(no depth-stencil buffer)", func), false;
        return true;
    default: break;
    }
    const FormatInfo *color =
        fb.read_index >= 0 ? fb.color[size_t(fb.read_index)].format() : nullptr;
    if (!color)
        return error(ctx, GL_INVALID_OPERATION, "%s(no read buffer)", func), false;
    if (color->integer() != (cls == FormatClass::color_integer))
        return error(ctx, GL_INVALID_OPERATION, "%s(format %s and the read buffer's class differ)",
                     func, enum_name(format)),
               false;
    return true;
}

// `size` of the client memory; -1: not checked.
void read(Context &ctx, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format, GLenum type,
          int64_t size, void *pixels, const char *func) {
    if (w < 0 || h < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(negative size)", func);
    const GLenum bad = check_format_type(format, type);
    if (bad != GL_NO_ERROR)
        return error(ctx, bad, "%s(format %s, type %s)", func, enum_name(format), enum_name(type));
    Framebuffer &fb = *ctx.read_fb->fb;
    if (!require_complete(ctx, fb, func))
        return;
    if (fb.samples > 0 && !fb.is_default) // a surface's samples are resolved
        return error(ctx, GL_INVALID_OPERATION, "%s(the framebuffer is multisampled)", func);
    if (!check_source(ctx, fb, format, func))
        return;
    const PixelLayout l = pixel_layout(ctx.pack->store, 2, w, h, 1, format, type);
    const Buffer *b = ctx.buffers->pixel_pack.get();
    if (!b && size >= 0 && l.total > uint64_t(size))
        return error(ctx, GL_INVALID_OPERATION, "%s(bufSize %lld is too small)", func,
                     (long long)size);
    if (!check_pixel_buffer(ctx, b, pixels, l.total, type_bytes(type), func))
        return;
    if (w == 0 || h == 0 || (!b && !pixels))
        return;
    st::read_pixels(ctx, fb, x, y, w, h,
                    {format, type, &ctx.pack->store, ctx.buffers->pixel_pack.get(), pixels});
}

} // namespace

void GL_ENTRY(ReadPixels)(Context &ctx, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format,
                          GLenum type, void *pixels) {
    read(ctx, x, y, w, h, format, type, -1, pixels, "glReadPixels");
}

void GL_ENTRY(ReadnPixels)(Context &ctx, GLint x, GLint y, GLsizei w, GLsizei h, GLenum format,
                           GLenum type, GLsizei size, void *pixels) {
    read(ctx, x, y, w, h, format, type, std::max(size, 0), pixels, "glReadnPixels");
}
} // namespace gl
