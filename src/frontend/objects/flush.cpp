// SPDX-License-Identifier: MIT
// Flush, finish, reset status (GL 4.6 sections 2.3.2, 2.3.3).
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

void GL_ENTRY(Flush)(Context &ctx) {
    st::flush(ctx);
    if (take_front(ctx))
        ctx.draw_surface.ops->show(ctx.draw_surface.owner);
}
void GL_ENTRY(Finish)(Context &ctx) {
    if (take_front(ctx))
        ctx.draw_surface.ops->show(ctx.draw_surface.owner);
    st::finish(ctx);
}

// Only for a program that asked for resets to be told.
GLenum GL_ENTRY(GetGraphicsResetStatus)(Context &ctx) {
    if (!ctx.attribs.lose_on_reset)
        return GL_NO_ERROR;
    st::drain_events(ctx);
    GLenum status = ctx.reset_status.exchange(GL_NO_ERROR);
    if (status == GL_NO_ERROR && !ctx.lost.load(std::memory_order_relaxed)) {
        status = st::reset_status(ctx);
        if (status != GL_NO_ERROR) {
            context_lost(ctx, status);
            ctx.reset_status.store(GL_NO_ERROR);
        }
    }
    return status;
}

GLenum GL_ENTRY(GetGraphicsResetStatusARB)(Context &ctx) {
    return GetGraphicsResetStatus(ctx);
}

} // namespace gl
