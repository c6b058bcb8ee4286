// SPDX-License-Identifier: MIT
// Blending, colour masks and logic operations (GL 4.6 sections 17.3.6, 17.3.9, 17.4.2).
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

bool legal_equation(GLenum e) {
    return e == GL_FUNC_ADD || e == GL_FUNC_SUBTRACT || e == GL_FUNC_REVERSE_SUBTRACT ||
           e == GL_MIN || e == GL_MAX;
}

bool legal_factor(const Context &ctx, GLenum f) {
    switch (f) {
    case GL_ZERO:
    case GL_ONE:
    case GL_SRC_COLOR:
    case GL_ONE_MINUS_SRC_COLOR:
    case GL_DST_COLOR:
    case GL_ONE_MINUS_DST_COLOR:
    case GL_SRC_ALPHA:
    case GL_ONE_MINUS_SRC_ALPHA:
    case GL_DST_ALPHA:
    case GL_ONE_MINUS_DST_ALPHA:
    case GL_CONSTANT_COLOR:
    case GL_ONE_MINUS_CONSTANT_COLOR:
    case GL_CONSTANT_ALPHA:
    case GL_ONE_MINUS_CONSTANT_ALPHA:
    case GL_SRC_ALPHA_SATURATE: return true;
    case GL_SRC1_COLOR:
    case GL_ONE_MINUS_SRC1_COLOR:
    case GL_SRC1_ALPHA:
    case GL_ONE_MINUS_SRC1_ALPHA: return ctx.has().dual_source_blend;
    default: return false;
    }
}

bool check_buffer(Context &ctx, GLuint buf, const char *func) {
    if (buf < GLuint(ctx.limits().draw_buffers))
        return true;
    error(ctx, GL_INVALID_VALUE, "%s(buffer %u)", func, buf);
    return false;
}

void set_factors(Context &ctx, unsigned first, unsigned n, GLenum sr, GLenum dr, GLenum sa,
                 GLenum da, const char *func) {
    for (GLenum f : {sr, dr, sa, da})
        if (!legal_factor(ctx, f))
            return error(ctx, GL_INVALID_ENUM, "%s(factor %s)", func, enum_name(f));
    BlendState next = *ctx.blend;
    for (unsigned i = first; i < first + n; i++) {
        auto &rt = next.rt[i];
        rt.src_rgb = sr, rt.dst_rgb = dr, rt.src_alpha = sa, rt.dst_alpha = da;
    }
    Writer{ctx}.set(ctx.blend, next);
}

void set_equations(Context &ctx, unsigned first, unsigned n, GLenum rgb, GLenum alpha,
                   const char *func) {
    for (GLenum e : {rgb, alpha})
        if (!legal_equation(e))
            return error(ctx, GL_INVALID_ENUM, "%s(mode %s)", func, enum_name(e));
    BlendState next = *ctx.blend;
    for (unsigned i = first; i < first + n; i++)
        next.rt[i].eq_rgb = rgb, next.rt[i].eq_alpha = alpha;
    Writer{ctx}.set(ctx.blend, next);
}

uint8_t mask_bits(GLboolean r, GLboolean g, GLboolean b, GLboolean a) {
    return uint8_t((r ? 1 : 0) | (g ? 2 : 0) | (b ? 4 : 0) | (a ? 8 : 0));
}
} // namespace

void GL_ENTRY(BlendFunc)(Context &ctx, GLenum s, GLenum d) {
    set_factors(ctx, 0, kMaxDrawBuffers, s, d, s, d, "glBlendFunc");
}
void GL_ENTRY(BlendFuncSeparate)(Context &ctx, GLenum sr, GLenum dr, GLenum sa, GLenum da) {
    set_factors(ctx, 0, kMaxDrawBuffers, sr, dr, sa, da, "glBlendFuncSeparate");
}
void GL_ENTRY(BlendFunci)(Context &ctx, GLuint buf, GLenum s, GLenum d) {
    if (check_buffer(ctx, buf, "glBlendFunci"))
        set_factors(ctx, buf, 1, s, d, s, d, "glBlendFunci");
}
void GL_ENTRY(BlendFuncSeparatei)(Context &ctx, GLuint buf, GLenum sr, GLenum dr, GLenum sa,
                                  GLenum da) {
    if (check_buffer(ctx, buf, "glBlendFuncSeparatei"))
        set_factors(ctx, buf, 1, sr, dr, sa, da, "glBlendFuncSeparatei");
}
void GL_ENTRY(BlendEquation)(Context &ctx, GLenum e) {
    set_equations(ctx, 0, kMaxDrawBuffers, e, e, "glBlendEquation");
}
void GL_ENTRY(BlendEquationSeparate)(Context &ctx, GLenum rgb, GLenum alpha) {
    set_equations(ctx, 0, kMaxDrawBuffers, rgb, alpha, "glBlendEquationSeparate");
}
void GL_ENTRY(BlendEquationi)(Context &ctx, GLuint buf, GLenum e) {
    if (check_buffer(ctx, buf, "glBlendEquationi"))
        set_equations(ctx, buf, 1, e, e, "glBlendEquationi");
}
void GL_ENTRY(BlendEquationSeparatei)(Context &ctx, GLuint buf, GLenum rgb, GLenum alpha) {
    if (check_buffer(ctx, buf, "glBlendEquationSeparatei"))
        set_equations(ctx, buf, 1, rgb, alpha, "glBlendEquationSeparatei");
}
void GL_ENTRY(BlendColor)(Context &ctx, GLfloat r, GLfloat g, GLfloat b, GLfloat a) {
    Writer{ctx}.set(ctx.blend_color, std::array<float, 4>{r, g, b, a});
}

void GL_ENTRY(ColorMask)(Context &ctx, GLboolean r, GLboolean g, GLboolean b, GLboolean a) {
    ColorMaskState next;
    next.mask.fill(mask_bits(r, g, b, a));
    Writer{ctx}.set(ctx.color_mask, next);
}
void GL_ENTRY(ColorMaski)(Context &ctx, GLuint buf, GLboolean r, GLboolean g, GLboolean b,
                          GLboolean a) {
    if (!check_buffer(ctx, buf, "glColorMaski"))
        return;
    ColorMaskState next = *ctx.color_mask;
    next.mask[buf] = mask_bits(r, g, b, a);
    Writer{ctx}.set(ctx.color_mask, next);
}

void GL_ENTRY(LogicOp)(Context &ctx, GLenum op) {
    if (op < GL_CLEAR || op > GL_SET)
        return error(ctx, GL_INVALID_ENUM, "glLogicOp(%s)", enum_name(op));
    Writer{ctx}.set(ctx.logic_op, &LogicOpState::op, op);
}
} // namespace gl
