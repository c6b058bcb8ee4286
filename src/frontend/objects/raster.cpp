// SPDX-License-Identifier: MIT
// Rasterization: culling, polygon modes and offset, points, lines, primitive restart, provoking
// vertex, patches, hints (GL 4.6 chapters 10.3.6, 11.2.2, 13.4 and 14, section 21.5).
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/get.h"

#include <cstring>

namespace gl {
namespace {
void set_offset(Context &ctx, GLfloat factor, GLfloat units, GLfloat clamp) {
    const RasterState &r = *ctx.raster;
    if (r.offset_factor == factor && r.offset_units == units && r.offset_clamp == clamp)
        return;
    RasterState &w = Writer{ctx}(ctx.raster);
    w.offset_factor = factor, w.offset_units = units, w.offset_clamp = clamp;
}

void point_parameter(Context &ctx, GLenum pname, GLfloat value, GLenum as_enum, const char *func) {
    switch (pname) {
    case GL_POINT_FADE_THRESHOLD_SIZE:
        if (!(value >= 0))
            return error(ctx, GL_INVALID_VALUE, "%s(fade threshold %g)", func, double(value));
        Writer{ctx}.set(ctx.point_line, &PointLineState::fade_threshold, value);
        return;
    case GL_POINT_SPRITE_COORD_ORIGIN:
        if (as_enum != GL_UPPER_LEFT && as_enum != GL_LOWER_LEFT)
            return error(ctx, GL_INVALID_ENUM, "%s(origin %s)", func, enum_name(as_enum));
        Writer{ctx}.set(ctx.point_line, &PointLineState::sprite_origin, as_enum);
        return;
    default: error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(pname));
    }
}
} // namespace

void GL_ENTRY(CullFace)(Context &ctx, GLenum mode) {
    if (mode != GL_FRONT && mode != GL_BACK && mode != GL_FRONT_AND_BACK)
        return error(ctx, GL_INVALID_ENUM, "glCullFace(%s)", enum_name(mode));
    Writer{ctx}.set(ctx.raster, &RasterState::cull_face, mode);
}
void GL_ENTRY(FrontFace)(Context &ctx, GLenum mode) {
    if (mode != GL_CW && mode != GL_CCW)
        return error(ctx, GL_INVALID_ENUM, "glFrontFace(%s)", enum_name(mode));
    Writer{ctx}.set(ctx.raster, &RasterState::front_face, mode);
}
void GL_ENTRY(PolygonMode)(Context &ctx, GLenum face, GLenum mode) {
    if (face != GL_FRONT_AND_BACK)
        return error(ctx, GL_INVALID_ENUM, "glPolygonMode(face %s)", enum_name(face));
    if (mode != GL_POINT && mode != GL_LINE && mode != GL_FILL)
        return error(ctx, GL_INVALID_ENUM, "glPolygonMode(mode %s)", enum_name(mode));
    Writer{ctx}.set(ctx.raster, &RasterState::polygon_mode, mode);
}
void GL_ENTRY(PolygonOffset)(Context &ctx, GLfloat factor, GLfloat units) {
    set_offset(ctx, factor, units, 0);
}
void GL_ENTRY(PolygonOffsetClamp)(Context &ctx, GLfloat factor, GLfloat units, GLfloat clamp) {
    if (!ctx.has().polygon_offset_clamp && clamp != 0)
        return error(ctx, GL_INVALID_OPERATION, "glPolygonOffsetClamp(not supported)");
    set_offset(ctx, factor, units, clamp);
}

void GL_ENTRY(PointSize)(Context &ctx, GLfloat size) {
    if (!(size > 0))
        return error(ctx, GL_INVALID_VALUE, "glPointSize(%g)", double(size));
    Writer{ctx}.set(ctx.point_line, &PointLineState::point_size, size);
}
void GL_ENTRY(LineWidth)(Context &ctx, GLfloat width) {
    if (!(width > 0) || (ctx.attribs.forward && width > 1))
        return error(ctx, GL_INVALID_VALUE, "glLineWidth(%g)", double(width));
    Writer{ctx}.set(ctx.point_line, &PointLineState::line_width, width);
}
void GL_ENTRY(PointParameterf)(Context &ctx, GLenum pname, GLfloat v) {
    point_parameter(ctx, pname, v, GLenum(round_to_int(double(v))), "glPointParameterf");
}
void GL_ENTRY(PointParameterfv)(Context &ctx, GLenum pname, const GLfloat *v) {
    point_parameter(ctx, pname, *v, GLenum(round_to_int(double(*v))), "glPointParameterfv");
}
void GL_ENTRY(PointParameteri)(Context &ctx, GLenum pname, GLint v) {
    point_parameter(ctx, pname, GLfloat(v), GLenum(v), "glPointParameteri");
}
void GL_ENTRY(PointParameteriv)(Context &ctx, GLenum pname, const GLint *v) {
    point_parameter(ctx, pname, GLfloat(*v), GLenum(*v), "glPointParameteriv");
}

void GL_ENTRY(PrimitiveRestartIndex)(Context &ctx, GLuint index) {
    Writer{ctx}.set(ctx.primitive, &PrimitiveState::restart_index, index);
}
void GL_ENTRY(ProvokingVertex)(Context &ctx, GLenum mode) {
    if (mode != GL_FIRST_VERTEX_CONVENTION && mode != GL_LAST_VERTEX_CONVENTION)
        return error(ctx, GL_INVALID_ENUM, "glProvokingVertex(%s)", enum_name(mode));
    Writer{ctx}.set(ctx.primitive, &PrimitiveState::provoking, mode);
}

void GL_ENTRY(PatchParameteri)(Context &ctx, GLenum pname, GLint value) {
    if (!ctx.has().tessellation || pname != GL_PATCH_VERTICES)
        return error(ctx, GL_INVALID_ENUM, "glPatchParameteri(%s)", enum_name(pname));
    if (value <= 0 || value > ctx.limits().patch_vertices)
        return error(ctx, GL_INVALID_VALUE, "glPatchParameteri(%d)", value);
    Writer{ctx}.set(ctx.patch, &PatchState::vertices, value);
}
void GL_ENTRY(PatchParameterfv)(Context &ctx, GLenum pname, const GLfloat *v) {
    if (ctx.has().tessellation && pname == GL_PATCH_DEFAULT_OUTER_LEVEL) {
        if (memcmp(ctx.patch->outer.data(), v, sizeof ctx.patch->outer))
            memcpy(Writer{ctx}(ctx.patch).outer.data(), v, sizeof ctx.patch->outer);
    } else if (ctx.has().tessellation && pname == GL_PATCH_DEFAULT_INNER_LEVEL) {
        if (memcmp(ctx.patch->inner.data(), v, sizeof ctx.patch->inner))
            memcpy(Writer{ctx}(ctx.patch).inner.data(), v, sizeof ctx.patch->inner);
    } else {
        error(ctx, GL_INVALID_ENUM, "glPatchParameterfv(%s)", enum_name(pname));
    }
}

void GL_ENTRY(Hint)(Context &ctx, GLenum target, GLenum mode) {
    if (mode != GL_FASTEST && mode != GL_NICEST && mode != GL_DONT_CARE)
        return error(ctx, GL_INVALID_ENUM, "glHint(mode %s)", enum_name(mode));
    GLenum HintState::*member = nullptr;
    switch (target) {
    case GL_LINE_SMOOTH_HINT: member = &HintState::line_smooth; break;
    case GL_POLYGON_SMOOTH_HINT: member = &HintState::polygon_smooth; break;
    case GL_TEXTURE_COMPRESSION_HINT: member = &HintState::texture_compression; break;
    case GL_FRAGMENT_SHADER_DERIVATIVE_HINT: member = &HintState::derivative; break;
    default: return error(ctx, GL_INVALID_ENUM, "glHint(target %s)", enum_name(target));
    }
    Writer{ctx}.set(ctx.hints, member, mode);
}
} // namespace gl
