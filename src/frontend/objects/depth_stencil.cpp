// SPDX-License-Identifier: MIT
// Depth and stencil tests (GL 4.6 sections 17.3.3, 17.3.4, 17.4.2).
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

bool legal_compare(GLenum f) {
    return f >= GL_NEVER && f <= GL_ALWAYS;
}

bool legal_stencil_op(GLenum op) {
    switch (op) {
    case GL_KEEP:
    case GL_ZERO:
    case GL_REPLACE:
    case GL_INCR:
    case GL_DECR:
    case GL_INVERT:
    case GL_INCR_WRAP:
    case GL_DECR_WRAP: return true;
    default: return false;
    }
}

// Bits of faces: 1 front, 2 back; 0 after an error.
unsigned faces(Context &ctx, GLenum face, const char *func) {
    switch (face) {
    case GL_FRONT: return 1;
    case GL_BACK: return 2;
    case GL_FRONT_AND_BACK: return 3;
    default: error(ctx, GL_INVALID_ENUM, "%s(face %s)", func, enum_name(face)); return 0;
    }
}

template <class F> void change_faces(Context &ctx, unsigned mask, F &&change) {
    std::array<StencilFace, 2> next = ctx.stencil->face;
    for (unsigned i = 0; i < 2; i++)
        if (mask >> i & 1)
            change(next[i]);
    Writer{ctx}.set(ctx.stencil, &StencilState::face, next);
}

void set_func(Context &ctx, unsigned mask, GLenum func, GLint ref, GLuint value_mask,
              const char *name) {
    if (!legal_compare(func))
        return error(ctx, GL_INVALID_ENUM, "%s(func %s)", name, enum_name(func));
    change_faces(ctx, mask,
                 [&](StencilFace &f) { f.func = func, f.ref = ref, f.value_mask = value_mask; });
}

void set_op(Context &ctx, unsigned mask, GLenum fail, GLenum zfail, GLenum zpass,
            const char *name) {
    for (GLenum op : {fail, zfail, zpass})
        if (!legal_stencil_op(op))
            return error(ctx, GL_INVALID_ENUM, "%s(op %s)", name, enum_name(op));
    change_faces(ctx, mask,
                 [&](StencilFace &f) { f.fail = fail, f.zfail = zfail, f.zpass = zpass; });
}
} // namespace

void GL_ENTRY(DepthFunc)(Context &ctx, GLenum func) {
    if (!legal_compare(func))
        return error(ctx, GL_INVALID_ENUM, "glDepthFunc(%s)", enum_name(func));
    Writer{ctx}.set(ctx.depth, &DepthState::func, func);
}
void GL_ENTRY(DepthMask)(Context &ctx, GLboolean flag) {
    Writer{ctx}.set(ctx.depth, &DepthState::write, flag != 0);
}

void GL_ENTRY(StencilFunc)(Context &ctx, GLenum func, GLint ref, GLuint mask) {
    set_func(ctx, 3, func, ref, mask, "glStencilFunc");
}
void GL_ENTRY(StencilFuncSeparate)(Context &ctx, GLenum face, GLenum func, GLint ref, GLuint mask) {
    if (unsigned f = faces(ctx, face, "glStencilFuncSeparate"))
        set_func(ctx, f, func, ref, mask, "glStencilFuncSeparate");
}
void GL_ENTRY(StencilOp)(Context &ctx, GLenum fail, GLenum zfail, GLenum zpass) {
    set_op(ctx, 3, fail, zfail, zpass, "glStencilOp");
}
void GL_ENTRY(StencilOpSeparate)(Context &ctx, GLenum face, GLenum fail, GLenum zfail,
                                 GLenum zpass) {
    if (unsigned f = faces(ctx, face, "glStencilOpSeparate"))
        set_op(ctx, f, fail, zfail, zpass, "glStencilOpSeparate");
}
void GL_ENTRY(StencilMask)(Context &ctx, GLuint mask) {
    change_faces(ctx, 3, [&](StencilFace &f) { f.write_mask = mask; });
}
void GL_ENTRY(StencilMaskSeparate)(Context &ctx, GLenum face, GLuint mask) {
    if (unsigned bits = faces(ctx, face, "glStencilMaskSeparate"))
        change_faces(ctx, bits, [&](StencilFace &f) { f.write_mask = mask; });
}
} // namespace gl
