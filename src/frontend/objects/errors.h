// SPDX-License-Identifier: MIT
// How an entry point reports: one GL error plus its reason, which becomes a debug message
// (KHR_debug) and a log line.
#pragma once

#include "objects/gltypes.h"

namespace gl {
// Records `code` when no error is pending (glGetError returns the first), and sends a debug message
// of type ERROR. Form of the text: "glFoo(reason)". In no-error contexts only GL_OUT_OF_MEMORY is
// kept.
[[gnu::format(printf, 3, 4), gnu::cold]] void error(Context &ctx, GLenum code, const char *fmt,
                                                    ...);

// An entry point that is not written yet: GL_INVALID_OPERATION and one log line per name.
[[gnu::cold]] void unimplemented(Context &ctx, const char *name);

// Any command of a lost context: GL_CONTEXT_LOST, and nothing else happens.
[[gnu::cold]] void command_of_lost_context(Context &ctx, const char *name);

// Events that the driver sent (GL_OUT_OF_MEMORY of a refused resource ...), from any thread;
// delivered at the next safe point.
void error_from_driver(Context &ctx, GLenum code, const char *text);

const char *error_name(GLenum code);
const char *enum_name(GLenum value); // "GL_TEXTURE_2D" or hexadecimal; for messages only
} // namespace gl
