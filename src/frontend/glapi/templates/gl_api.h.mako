// SPDX-License-Identifier: MIT
// ${banner}
// Every GL command as a function of namespace gl that takes the current context first. frontend/objects defines them:
//
//     void GL_ENTRY(DrawArrays)(Context &ctx, GLenum mode, GLint first, GLsizei count) { ... }
//
// The build looks for GL_ENTRY in src/frontend/objects and makes a stub that calls the function; commands without a
// definition get a stub that calls unimplemented(). A macro that stamps out several definitions is followed by one line
// at file scope that names them: GL_STAMPED(Uniform1f, Uniform2f). Aliases (ARB, EXT, ...) share the stub of their command.
#pragma once

#include <GL/glcorearb.h>

// Types of the compatibility profile that the core header lacks.
typedef unsigned int GLhandleARB;
typedef char GLcharARB;
typedef void *GLeglImageOES;
typedef khronos_int32_t GLclampx;

#define GL_ENTRY(name) name
#define GL_STAMPED(...)

namespace gl {

struct Context;

// Defined by frontend/objects: raises GL_INVALID_OPERATION and logs the name ("glFoo") once.
void unimplemented(Context &ctx, const char *name);

% for c in commands:
${c.ret}${'' if c.ret.endswith('*') else ' '}${c.name}(Context &ctx${', ' if c.params else ''}${c.decl});
% endfor

} // namespace gl
