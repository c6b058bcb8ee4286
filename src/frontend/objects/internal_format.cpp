// SPDX-License-Identifier: MIT
// glGetInternalformat* (GL 4.6 section 22.3, ARB_internalformat_query2): what the format table
// says, what the driver's capabilities add. What is not there answers 0, GL_NONE or GL_FALSE.
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/texture_util.h"
#include "tracker/tracker.h"

#include <algorithm>

namespace gl {
namespace {

bool legal_target(GLenum target) {
    switch (target) {
    case GL_RENDERBUFFER:
    case GL_TEXTURE_1D:
    case GL_TEXTURE_1D_ARRAY:
    case GL_TEXTURE_2D:
    case GL_TEXTURE_2D_ARRAY:
    case GL_TEXTURE_3D:
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_CUBE_MAP_ARRAY:
    case GL_TEXTURE_RECTANGLE:
    case GL_TEXTURE_BUFFER:
    case GL_TEXTURE_2D_MULTISAMPLE:
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY: return true;
    default: return false;
    }
}

bool layered(GLenum target) {
    return target == GL_TEXTURE_1D_ARRAY || target == GL_TEXTURE_2D_ARRAY ||
           target == GL_TEXTURE_CUBE_MAP_ARRAY || target == GL_TEXTURE_2D_MULTISAMPLE_ARRAY;
}

// Extents that a target has.
bool has_height(GLenum target) {
    return target != GL_TEXTURE_1D && target != GL_TEXTURE_1D_ARRAY && target != GL_TEXTURE_BUFFER;
}

// A format on a target, as far as this context has them together.
struct Resource {
    Context &ctx;
    const FormatInfo *f; // null: they do not go together
    GLenum target;
    uint32_t caps; // PIPE_FORMAT_CAP_* of what stores it

    bool texture() const { return f && target != GL_RENDERBUFFER; }
    // Its texels come from and go to client memory in images.
    bool image() const {
        return texture() && target != GL_TEXTURE_BUFFER && !multisample_target(target);
    }
    bool renderable() const {
        return f && target != GL_TEXTURE_BUFFER && !f->compressed &&
               caps & (f->color() ? PIPE_FORMAT_CAP_RENDER : PIPE_FORMAT_CAP_DEPTH_STENCIL) &&
               (!f->color() || f->flags & FormatInfo::color_renderable);
    }
    bool filterable() const {
        return image() && f->flags & FormatInfo::filterable && caps & PIPE_FORMAT_CAP_FILTER;
    }
    bool mipmapped() const { return image() && target != GL_TEXTURE_RECTANGLE; }
    bool shader_image(uint32_t cap) const {
        return texture() && ctx.has().images && f->flags & FormatInfo::image_store && caps & cap;
    }
    bool shader_image() const {
        return shader_image(PIPE_FORMAT_CAP_IMAGE_LOAD | PIPE_FORMAT_CAP_IMAGE_STORE);
    }
};

// As the tracker chooses: the first that can also be drawn to.
uint32_t stored_caps(Context &ctx, const FormatInfo &f, GLenum target) {
    const pipe_caps &caps = ctx.screen->caps;
    if (target == GL_TEXTURE_BUFFER)
        return caps.format[buffer_element_format(f)].caps;
    const uint32_t draws = f.color() ? PIPE_FORMAT_CAP_RENDER : PIPE_FORMAT_CAP_DEPTH_STENCIL;
    uint32_t found = 0;
    for (uint16_t p : f.pipe)
        if (p != PIPE_FORMAT_NONE && (!found || (!(found & draws) && caps.format[p].caps & draws)))
            found = caps.format[p].caps;
    return found;
}

bool go_together(Context &ctx, const FormatInfo &f, GLenum internal, GLenum target) {
    const bool only_stencil = f.stencil() && !f.depth();
    switch (target) {
    case GL_RENDERBUFFER: return renderable_format(internal) && st::format_renderable(ctx, f);
    case GL_TEXTURE_2D_MULTISAMPLE:
    case GL_TEXTURE_2D_MULTISAMPLE_ARRAY:
        return ctx.has().texture_multisample && !only_stencil && renderable_format(internal) &&
               st::format_renderable(ctx, f) && st::format_sample_mask(ctx, f, target);
    case GL_TEXTURE_BUFFER: return f.internal == internal && buffer_element_format(f);
    case GL_TEXTURE_3D:
        if (!f.color())
            return false;
        break;
    case GL_TEXTURE_CUBE_MAP_ARRAY:
        if (!ctx.has().cube_array)
            return false;
        break;
    default: break;
    }
    if (f.compressed && check_block_target(target, f) != GL_NO_ERROR)
        return false;
    return !only_stencil ||
           (ctx.has().stencil_texturing &&
            ctx.screen->caps.format[PIPE_FORMAT_S8_UINT].caps & PIPE_FORMAT_CAP_SAMPLE);
}

Resource resource(Context &ctx, GLenum internal, GLenum target) {
    const FormatInfo *f = format_info(internal);
    if (!f || !go_together(ctx, *f, internal, target) || !st::format_supported(ctx, *f, target, 0))
        return {ctx, nullptr, target, 0};
    return {ctx, f, target, stored_caps(ctx, *f, target)};
}

// Numbers of samples, largest first.
unsigned sample_list(const Resource &r, GLint64 *out, unsigned max) {
    const bool many = r.f && (r.target == GL_RENDERBUFFER || multisample_target(r.target));
    const uint32_t mask = many ? st::format_sample_mask(r.ctx, *r.f, r.target) : 0;
    unsigned n = 0;
    for (unsigned s = 31; s >= 1; s--)
        if ((mask >> s & 1) && (s > 1 || r.target != GL_RENDERBUFFER) && n < max)
            out[n++] = s;
    return n;
}

// --- extents -------------------------------------------------------------------------------------

GLint64 max_side(const Resource &r) {
    const Limits &l = r.ctx.limits();
    switch (r.target) {
    case GL_TEXTURE_BUFFER: return l.texture_buffer_size;
    case GL_TEXTURE_3D: return l.texture_3d_size;
    case GL_TEXTURE_CUBE_MAP:
    case GL_TEXTURE_CUBE_MAP_ARRAY: return l.cube_size;
    case GL_RENDERBUFFER: return l.renderbuffer_size;
    case GL_TEXTURE_RECTANGLE: return l.rectangle_size;
    default: return l.texture_size;
    }
}

GLint64 combined_size(const Resource &r) {
    GLint64 samples[32], n = max_side(r);
    if (has_height(r.target))
        n *= max_side(r);
    if (r.target == GL_TEXTURE_3D)
        n *= max_side(r);
    if (layered(r.target))
        n *= r.ctx.limits().array_layers;
    if (r.target == GL_TEXTURE_CUBE_MAP || r.target == GL_TEXTURE_CUBE_MAP_ARRAY)
        n *= 6;
    return multisample_target(r.target) && sample_list(r, samples, 32) ? n * samples[0] : n;
}

bool extent(const Resource &r, GLenum pname, GLint64 &v) {
    const GLint64 layers = layered(r.target) ? r.ctx.limits().array_layers : 0;
    switch (pname) {
    case GL_MAX_WIDTH: v = r.f ? max_side(r) : 0; return true;
    case GL_MAX_HEIGHT: // layers count as the last dimension
        v = !r.f                               ? 0
            : r.target == GL_TEXTURE_1D_ARRAY ? layers
            : has_height(r.target)            ? max_side(r)
                                              : 0;
        return true;
    case GL_MAX_DEPTH:
        v = !r.f                                ? 0
            : r.target == GL_TEXTURE_3D        ? max_side(r)
            : r.target != GL_TEXTURE_1D_ARRAY ? layers
                                               : 0;
        return true;
    case GL_MAX_LAYERS: v = r.f ? layers : 0; return true;
    case GL_MAX_COMBINED_DIMENSIONS: v = r.f ? combined_size(r) : 0; return true;
    default: return false;
    }
}

// --- components ----------------------------------------------------------------------------------

bool components(const Resource &r, GLenum pname, GLint64 &v) {
    static const FormatInfo none{};
    const FormatInfo &f = r.f ? *r.f : none;
    const auto type = [&](uint8_t bits) { return bits ? f.type : GLenum(GL_NONE); };
    switch (pname) {
    case GL_INTERNALFORMAT_RED_SIZE: v = f.r; return true;
    case GL_INTERNALFORMAT_GREEN_SIZE: v = f.g; return true;
    case GL_INTERNALFORMAT_BLUE_SIZE: v = f.b; return true;
    case GL_INTERNALFORMAT_ALPHA_SIZE: v = f.a; return true;
    case GL_INTERNALFORMAT_DEPTH_SIZE: v = f.d; return true;
    case GL_INTERNALFORMAT_STENCIL_SIZE: v = f.s; return true;
    case GL_INTERNALFORMAT_SHARED_SIZE: v = f.shared; return true;
    case GL_INTERNALFORMAT_RED_TYPE: v = type(f.r); return true;
    case GL_INTERNALFORMAT_GREEN_TYPE: v = type(f.g); return true;
    case GL_INTERNALFORMAT_BLUE_TYPE: v = type(f.b); return true;
    case GL_INTERNALFORMAT_ALPHA_TYPE: v = type(f.a); return true;
    case GL_INTERNALFORMAT_DEPTH_TYPE: v = type(f.d); return true;
    case GL_INTERNALFORMAT_STENCIL_TYPE: v = f.s ? GL_UNSIGNED_INT : GL_NONE; return true;
    case GL_COLOR_COMPONENTS: v = r.f && f.color(); return true;
    case GL_DEPTH_COMPONENTS: v = f.depth(); return true;
    case GL_STENCIL_COMPONENTS: v = f.stencil(); return true;
    case GL_COLOR_ENCODING:
        v = !r.f || !f.color() ? GL_NONE : f.srgb ? GL_SRGB : GL_LINEAR;
        return true;
    case GL_TEXTURE_COMPRESSED: v = f.compressed; return true;
    case GL_TEXTURE_COMPRESSED_BLOCK_WIDTH: v = f.compressed ? f.block_w : 0; return true;
    case GL_TEXTURE_COMPRESSED_BLOCK_HEIGHT: v = f.compressed ? f.block_h : 0; return true;
    case GL_TEXTURE_COMPRESSED_BLOCK_SIZE: v = f.block_bytes; return true;
    default: return false;
    }
}

// --- shader images -------------------------------------------------------------------------------

GLenum image_class(const FormatInfo &f) {
    if (f.internal == GL_R11F_G11F_B10F)
        return GL_IMAGE_CLASS_11_11_10;
    if (f.internal == GL_RGB10_A2 || f.internal == GL_RGB10_A2UI)
        return GL_IMAGE_CLASS_10_10_10_2;
    static const GLenum by_size[3][3] = {
        {GL_IMAGE_CLASS_1_X_8, GL_IMAGE_CLASS_1_X_16, GL_IMAGE_CLASS_1_X_32},
        {GL_IMAGE_CLASS_2_X_8, GL_IMAGE_CLASS_2_X_16, GL_IMAGE_CLASS_2_X_32},
        {GL_IMAGE_CLASS_4_X_8, GL_IMAGE_CLASS_4_X_16, GL_IMAGE_CLASS_4_X_32}};
    return by_size[f.a ? 2 : f.g ? 1 : 0][f.r == 8 ? 0 : f.r == 16 ? 1 : 2];
}

bool shader_images(const Resource &r, GLenum pname, GLint64 &v) {
    const auto support = [](bool there) { return there ? GL_FULL_SUPPORT : GL_NONE; };
    const bool there = r.shader_image();
    switch (pname) {
    case GL_SHADER_IMAGE_LOAD: v = support(r.shader_image(PIPE_FORMAT_CAP_IMAGE_LOAD)); return true;
    case GL_SHADER_IMAGE_STORE:
        v = support(r.shader_image(PIPE_FORMAT_CAP_IMAGE_STORE));
        return true;
    case GL_SHADER_IMAGE_ATOMIC:
        v = support(r.shader_image(PIPE_FORMAT_CAP_IMAGE_ATOMIC) &&
                    (r.f->internal == GL_R32I || r.f->internal == GL_R32UI));
        return true;
    case GL_IMAGE_TEXEL_SIZE: v = there ? r.f->r + r.f->g + r.f->b + r.f->a : 0; return true;
    case GL_IMAGE_COMPATIBILITY_CLASS: v = there ? image_class(*r.f) : GL_NONE; return true;
    case GL_IMAGE_PIXEL_FORMAT: v = there ? r.f->transfer_format : GL_NONE; return true;
    case GL_IMAGE_PIXEL_TYPE: v = there ? r.f->transfer_type : GL_NONE; return true;
    case GL_IMAGE_FORMAT_COMPATIBILITY_TYPE:
        v = there ? GL_IMAGE_FORMAT_COMPATIBILITY_BY_SIZE : GL_NONE;
        return true;
    default: return false;
    }
}

// --- use -----------------------------------------------------------------------------------------

bool transfers(const Resource &r, GLenum pname, GLint64 &v) {
    switch (pname) {
    case GL_READ_PIXELS: v = r.renderable() ? GL_FULL_SUPPORT : GL_NONE; return true;
    case GL_READ_PIXELS_FORMAT: v = r.renderable() ? r.f->transfer_format : GL_NONE; return true;
    case GL_READ_PIXELS_TYPE: v = r.renderable() ? r.f->transfer_type : GL_NONE; return true;
    case GL_TEXTURE_IMAGE_FORMAT:
    case GL_GET_TEXTURE_IMAGE_FORMAT: v = r.image() ? r.f->transfer_format : GL_NONE; return true;
    case GL_TEXTURE_IMAGE_TYPE:
    case GL_GET_TEXTURE_IMAGE_TYPE: v = r.image() ? r.f->transfer_type : GL_NONE; return true;
    default: return false;
    }
}

bool gathers(GLenum target) {
    return target == GL_TEXTURE_2D || target == GL_TEXTURE_2D_ARRAY ||
           target == GL_TEXTURE_CUBE_MAP || target == GL_TEXTURE_CUBE_MAP_ARRAY ||
           target == GL_TEXTURE_RECTANGLE;
}

bool sampling(const Resource &r, GLenum pname, GLint64 &v) {
    const Features &has = r.ctx.has();
    const auto support = [](bool there) { return there ? GL_FULL_SUPPORT : GL_NONE; };
    const bool shadow = r.image() && r.f->depth() && r.target != GL_TEXTURE_3D;
    const bool gather = r.image() && has.gpu_shader5 && gathers(r.target);
    switch (pname) {
    case GL_VERTEX_TEXTURE:
    case GL_FRAGMENT_TEXTURE: v = support(r.texture()); return true;
    case GL_GEOMETRY_TEXTURE: v = support(r.texture() && has.geometry_shader); return true;
    case GL_TESS_CONTROL_TEXTURE:
    case GL_TESS_EVALUATION_TEXTURE: v = support(r.texture() && has.tessellation); return true;
    case GL_COMPUTE_TEXTURE: v = support(r.texture() && has.compute); return true;
    case GL_TEXTURE_SHADOW: v = support(shadow); return true;
    case GL_TEXTURE_GATHER: v = support(gather); return true;
    case GL_TEXTURE_GATHER_SHADOW: v = support(gather && shadow); return true;
    case GL_FILTER: v = support(r.filterable()); return true;
    case GL_SRGB_READ:
    case GL_SRGB_DECODE_ARB: v = support(r.texture() && r.f->srgb); return true;
    case GL_SIMULTANEOUS_TEXTURE_AND_DEPTH_TEST: v = support(shadow && r.renderable()); return true;
    case GL_SIMULTANEOUS_TEXTURE_AND_STENCIL_TEST:
        v = support(r.image() && r.f->stencil() && r.renderable());
        return true;
    case GL_SIMULTANEOUS_TEXTURE_AND_DEPTH_WRITE: // a feedback loop
    case GL_SIMULTANEOUS_TEXTURE_AND_STENCIL_WRITE: v = GL_NONE; return true;
    default: return false;
    }
}

bool rendering(const Resource &r, GLenum pname, GLint64 &v) {
    const auto support = [](bool there) { return there ? GL_FULL_SUPPORT : GL_NONE; };
    const bool color = r.renderable() && r.f->color();
    switch (pname) {
    case GL_COLOR_RENDERABLE: v = color; return true;
    case GL_DEPTH_RENDERABLE: v = r.renderable() && r.f->depth(); return true;
    case GL_STENCIL_RENDERABLE: v = r.renderable() && r.f->stencil(); return true;
    case GL_FRAMEBUFFER_RENDERABLE: v = support(r.renderable()); return true;
    case GL_FRAMEBUFFER_RENDERABLE_LAYERED:
        v = support(
            r.renderable() && r.ctx.has().geometry_shader &&
            (layered(r.target) || r.target == GL_TEXTURE_3D || r.target == GL_TEXTURE_CUBE_MAP) &&
            (!r.f->color() || r.caps & PIPE_FORMAT_CAP_LAYERED_RENDER));
        return true;
    case GL_FRAMEBUFFER_BLEND: v = support(color && r.caps & PIPE_FORMAT_CAP_BLEND); return true;
    case GL_SRGB_WRITE: v = support(color && r.f->srgb); return true;
    default: return false;
    }
}

bool other(const Resource &r, GLenum pname, GLint64 &v) {
    const Features &has = r.ctx.has();
    const auto support = [](bool there) { return there ? GL_FULL_SUPPORT : GL_NONE; };
    const bool view = r.texture() && r.target != GL_TEXTURE_BUFFER && has.texture_view;
    switch (pname) {
    case GL_INTERNALFORMAT_SUPPORTED: v = r.f != nullptr; return true;
    case GL_INTERNALFORMAT_PREFERRED: v = r.f ? r.f->internal : GL_NONE; return true;
    case GL_MIPMAP: v = r.mipmapped(); return true;
    case GL_MANUAL_GENERATE_MIPMAP: v = support(r.mipmapped() && r.filterable()); return true;
    case GL_AUTO_GENERATE_MIPMAP: v = GL_NONE; return true; // not in core contexts
    case GL_CLEAR_BUFFER: v = support(r.f && r.target == GL_TEXTURE_BUFFER); return true;
    case GL_CLEAR_TEXTURE:
        v = support(r.texture() && r.target != GL_TEXTURE_BUFFER && has.clear_texture &&
                    !r.f->compressed);
        return true;
    case GL_TEXTURE_VIEW: v = support(view); return true;
    case GL_VIEW_COMPATIBILITY_CLASS: v = view ? view_class(r.f->internal) : GL_NONE; return true;
    default: return false;
    }
}

template <class T>
void get(Context &ctx, GLenum target, GLenum internal, GLenum pname, GLsizei count, T *out,
         const char *func) {
    if (!legal_target(target))
        return error(ctx, GL_INVALID_ENUM, "%s(target %s)", func, enum_name(target));
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(count %d)", func, count);
    const Resource r = resource(ctx, internal, target);
    GLint64 list[32];
    unsigned n = 1;
    if (pname == GL_SAMPLES) {
        n = sample_list(r, list, 32);
    } else if (pname == GL_NUM_SAMPLE_COUNTS) {
        list[0] = sample_list(r, list, 32);
    } else {
        using Part = bool (*)(const Resource &, GLenum, GLint64 &);
        static constexpr Part parts[] = {other,     components, extent,       rendering,
                                         transfers, sampling,   shader_images};
        if (std::none_of(std::begin(parts), std::end(parts),
                         [&](Part p) { return p(r, pname, list[0]); }))
            return error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
        if (pname == GL_MAX_COMBINED_DIMENSIONS && sizeof(T) == 4) { // low word, then the high one
            list[1] = list[0] >> 32;
            n = 2;
        }
    }
    for (unsigned i = 0; i < n && i < unsigned(count); i++)
        out[i] = T(list[i]);
}
} // namespace

void GL_ENTRY(GetInternalformativ)(Context &ctx, GLenum target, GLenum internal, GLenum pname,
                                   GLsizei count, GLint *out) {
    get(ctx, target, internal, pname, count, out, "glGetInternalformativ");
}
void GL_ENTRY(GetInternalformati64v)(Context &ctx, GLenum target, GLenum internal, GLenum pname,
                                     GLsizei count, GLint64 *out) {
    get(ctx, target, internal, pname, count, out, "glGetInternalformati64v");
}
} // namespace gl
