// SPDX-License-Identifier: MIT
// Viewports, depth ranges, scissors and clip control (GL 4.6 sections 13.6, 13.8, 14.9.2).
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <algorithm>

namespace gl {
namespace {

bool check_range(Context &ctx, GLuint first, GLsizei count, const char *func) {
    if (count >= 0 && uint64_t(first) + uint64_t(count) <= uint64_t(ctx.limits().viewports))
        return true;
    error(ctx, GL_INVALID_VALUE, "%s(first %u, count %d)", func, first, count);
    return false;
}

void set_viewport(Context &ctx, unsigned i, float x, float y, float w, float h) {
    const Limits &l = ctx.limits();
    w = std::min(w, float(l.viewport_width));
    h = std::min(h, float(l.viewport_height));
    x = std::clamp(x, l.viewport_bounds[0], l.viewport_bounds[1]);
    y = std::clamp(y, l.viewport_bounds[0], l.viewport_bounds[1]);
    const ViewportRect &v = ctx.viewport->vp[i];
    if (v.x == x && v.y == y && v.w == w && v.h == h)
        return;
    ViewportRect &n = Writer{ctx}(ctx.viewport).vp[i];
    n.x = x, n.y = y, n.w = w, n.h = h;
}

void set_depth_range(Context &ctx, unsigned i, double n, double f) {
    n = std::clamp(n, 0.0, 1.0);
    f = std::clamp(f, 0.0, 1.0);
    const ViewportRect &v = ctx.viewport->vp[i];
    if (v.near == n && v.far == f)
        return;
    ViewportRect &w = Writer{ctx}(ctx.viewport).vp[i];
    w.near = n, w.far = f;
    Writer{ctx}.mark(G::uniforms); // gl_DepthRange
}

void set_scissor(Context &ctx, unsigned i, const Rect &r) {
    const ScissorState &s = *ctx.scissor;
    if (s.rect[i] == r && (s.written >> i & 1))
        return;
    ScissorState &w = Writer{ctx}(ctx.scissor);
    w.rect[i] = r;
    w.written |= 1u << i;
}

unsigned viewports(const Context &ctx) {
    return unsigned(ctx.limits().viewports);
}
} // namespace

void GL_ENTRY(Viewport)(Context &ctx, GLint x, GLint y, GLsizei w, GLsizei h) {
    if (w < 0 || h < 0)
        return error(ctx, GL_INVALID_VALUE, "glViewport(%d x %d)", w, h);
    fit_surface(ctx, x, y, w, h);
    for (unsigned i = 0; i < viewports(ctx); i++)
        set_viewport(ctx, i, float(x), float(y), float(w), float(h));
}
void GL_ENTRY(ViewportArrayv)(Context &ctx, GLuint first, GLsizei count, const GLfloat *v) {
    if (!check_range(ctx, first, count, "glViewportArrayv"))
        return;
    for (GLsizei i = 0; i < count; i++)
        if (v[i * 4 + 2] < 0 || v[i * 4 + 3] < 0)
            return error(ctx, GL_INVALID_VALUE, "glViewportArrayv(%g x %g)", double(v[i * 4 + 2]),
                         double(v[i * 4 + 3]));
    for (GLsizei i = 0; i < count; i++, v += 4)
        set_viewport(ctx, first + unsigned(i), v[0], v[1], v[2], v[3]);
}
void GL_ENTRY(ViewportIndexedf)(Context &ctx, GLuint index, GLfloat x, GLfloat y, GLfloat w,
                                GLfloat h) {
    if (!check_range(ctx, index, 1, "glViewportIndexedf"))
        return;
    if (w < 0 || h < 0)
        return error(ctx, GL_INVALID_VALUE, "glViewportIndexedf(%g x %g)", double(w), double(h));
    set_viewport(ctx, index, x, y, w, h);
}
void GL_ENTRY(ViewportIndexedfv)(Context &ctx, GLuint index, const GLfloat *v) {
    ViewportIndexedf(ctx, index, v[0], v[1], v[2], v[3]);
}

void GL_ENTRY(DepthRange)(Context &ctx, GLdouble n, GLdouble f) {
    for (unsigned i = 0; i < viewports(ctx); i++)
        set_depth_range(ctx, i, n, f);
}
void GL_ENTRY(DepthRangef)(Context &ctx, GLfloat n, GLfloat f) {
    DepthRange(ctx, double(n), double(f));
}
void GL_ENTRY(DepthRangeArrayv)(Context &ctx, GLuint first, GLsizei count, const GLdouble *v) {
    if (!check_range(ctx, first, count, "glDepthRangeArrayv"))
        return;
    for (GLsizei i = 0; i < count; i++, v += 2)
        set_depth_range(ctx, first + unsigned(i), v[0], v[1]);
}
void GL_ENTRY(DepthRangeIndexed)(Context &ctx, GLuint index, GLdouble n, GLdouble f) {
    if (check_range(ctx, index, 1, "glDepthRangeIndexed"))
        set_depth_range(ctx, index, n, f);
}

void GL_ENTRY(Scissor)(Context &ctx, GLint x, GLint y, GLsizei w, GLsizei h) {
    if (w < 0 || h < 0)
        return error(ctx, GL_INVALID_VALUE, "glScissor(%d x %d)", w, h);
    for (unsigned i = 0; i < viewports(ctx); i++)
        set_scissor(ctx, i, {x, y, w, h});
}
void GL_ENTRY(ScissorArrayv)(Context &ctx, GLuint first, GLsizei count, const GLint *v) {
    if (!check_range(ctx, first, count, "glScissorArrayv"))
        return;
    for (GLsizei i = 0; i < count; i++)
        if (v[i * 4 + 2] < 0 || v[i * 4 + 3] < 0)
            return error(ctx, GL_INVALID_VALUE, "glScissorArrayv(%d x %d)", v[i * 4 + 2],
                         v[i * 4 + 3]);
    for (GLsizei i = 0; i < count; i++, v += 4)
        set_scissor(ctx, first + unsigned(i), {v[0], v[1], v[2], v[3]});
}
void GL_ENTRY(ScissorIndexed)(Context &ctx, GLuint index, GLint x, GLint y, GLsizei w, GLsizei h) {
    if (!check_range(ctx, index, 1, "glScissorIndexed"))
        return;
    if (w < 0 || h < 0)
        return error(ctx, GL_INVALID_VALUE, "glScissorIndexed(%d x %d)", w, h);
    set_scissor(ctx, index, {x, y, w, h});
}
void GL_ENTRY(ScissorIndexedv)(Context &ctx, GLuint index, const GLint *v) {
    ScissorIndexed(ctx, index, v[0], v[1], v[2], v[3]);
}

void GL_ENTRY(ClipControl)(Context &ctx, GLenum origin, GLenum depth) {
    if (!ctx.has().clip_control)
        return error(ctx, GL_INVALID_OPERATION, "glClipControl(not supported)");
    if (origin != GL_LOWER_LEFT && origin != GL_UPPER_LEFT)
        return error(ctx, GL_INVALID_ENUM, "glClipControl(origin %s)", enum_name(origin));
    if (depth != GL_NEGATIVE_ONE_TO_ONE && depth != GL_ZERO_TO_ONE)
        return error(ctx, GL_INVALID_ENUM, "glClipControl(depth %s)", enum_name(depth));
    Writer w(ctx);
    w.set(ctx.clip, &ClipState::origin, origin);
    w.set(ctx.clip, &ClipState::depth, depth);
}
} // namespace gl
