// SPDX-License-Identifier: MIT
// Conditional rendering (GL 4.6 section 10.9). Where the driver cannot, the client waits for the
// result once, at begin.
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

static bool legal_mode(const Context &ctx, GLenum mode, bool &inverted) {
    inverted = mode >= GL_QUERY_WAIT_INVERTED && mode <= GL_QUERY_BY_REGION_NO_WAIT_INVERTED;
    if (inverted)
        return ctx.has().conditional_inverted;
    return mode >= GL_QUERY_WAIT && mode <= GL_QUERY_BY_REGION_NO_WAIT;
}

static bool legal_target(GLenum target) {
    switch (target) {
    case GL_SAMPLES_PASSED:
    case GL_ANY_SAMPLES_PASSED:
    case GL_ANY_SAMPLES_PASSED_CONSERVATIVE:
    case GL_TRANSFORM_FEEDBACK_OVERFLOW:
    case GL_TRANSFORM_FEEDBACK_STREAM_OVERFLOW: return true;
    default: return false;
    }
}

void GL_ENTRY(BeginConditionalRender)(Context &ctx, GLuint name, GLenum mode) {
    bool inverted;
    if (!legal_mode(ctx, mode, inverted))
        return error(ctx, GL_INVALID_ENUM, "glBeginConditionalRender(mode %s)", enum_name(mode));
    Query *q = lookup_query(ctx, name);
    if (!q)
        return error(ctx, GL_INVALID_VALUE, "glBeginConditionalRender(no query %u)", name);
    if (ctx.condition->query)
        return error(ctx, GL_INVALID_OPERATION, "glBeginConditionalRender(already begun)");
    if (q->active || !legal_target(q->target))
        return error(ctx, GL_INVALID_OPERATION,
                     "glBeginConditionalRender(query %u is active or of the wrong kind)", name);
    ConditionState &c = Writer{ctx}(ctx.condition);
    c.query = q;
    c.mode = mode;
    c.skip = false;
    if (ctx.lost.load(std::memory_order_relaxed) || st::render_condition(ctx, q, mode))
        return;
    bool wait = mode == GL_QUERY_WAIT || mode == GL_QUERY_BY_REGION_WAIT ||
                mode == GL_QUERY_WAIT_INVERTED || mode == GL_QUERY_BY_REGION_WAIT_INVERTED;
    if (!q->ready && (wait || st::query_available(ctx, *q, true))) {
        q->result = st::query_wait(ctx, *q);
        q->ready = true;
    }
    if (q->ready)
        c.skip = (q->result != 0) == inverted;
}

void GL_ENTRY(EndConditionalRender)(Context &ctx) {
    if (!ctx.condition->query)
        return error(ctx, GL_INVALID_OPERATION, "glEndConditionalRender(not begun)");
    Writer{ctx}(ctx.condition) = {};
    if (!ctx.lost.load(std::memory_order_relaxed))
        st::render_condition(ctx, nullptr, GL_NONE);
}
} // namespace gl
