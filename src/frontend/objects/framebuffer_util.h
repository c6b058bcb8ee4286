// SPDX-License-Identifier: MIT
// What the framebuffer files share; nobody else includes it.
#pragma once

#include "objects/context.h"

namespace gl {

// The framebuffer bound to GL_FRAMEBUFFER (= draw), GL_DRAW_FRAMEBUFFER or GL_READ_FRAMEBUFFER;
// null after GL_INVALID_ENUM.
Framebuffer *bound_framebuffer(Context &ctx, GLenum target, const char *func);
// Direct state access: an existing object, `zero` for name 0; null after GL_INVALID_OPERATION.
Framebuffer *named_framebuffer(Context &ctx, GLuint name, Framebuffer *zero, const char *func);
// Index of a GL_COLOR_ATTACHMENTi enum, -1 when it is none.
int color_index(GLenum attachment);
// GL_FRAMEBUFFER_COMPLETE, or GL_INVALID_FRAMEBUFFER_OPERATION is raised and false returned.
bool require_complete(Context &ctx, Framebuffer &fb, const char *func);
// Draw and read buffer enums of the default framebuffer -> index in Framebuffer::color, -1 none, -2
// not such an enum.
int default_buffer_index(const Framebuffer &fb, GLenum buf);
} // namespace gl
