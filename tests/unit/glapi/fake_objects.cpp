// SPDX-License-Identifier: MIT
// Two commands as frontend/objects would write them; glapi_test.cpp calls them through their entry
// points.
#include "fake_objects.h"

#include "glapi/gl_api.h"

#include <new>

namespace gl {

struct Context {};

void unimplemented(Context &, const char *name) {
    fake::last_missing = name;
}

void command_of_lost_context(Context &, const char *name) {
    fake::last_refused = name;
}

void command_without_memory(Context &, const char *name) noexcept {
    fake::last_without_memory = name;
}

GLenum GL_ENTRY(GetError)(Context &) {
    return GL_OUT_OF_MEMORY;
}

void GL_ENTRY(DrawArrays)(Context &, GLenum mode, GLint first, GLsizei count) {
    if (count < 0)
        throw std::bad_alloc();
    fake::drawn += static_cast<int>(mode) * 100 + first * 10 + count;
}

#define STAMP(name, value)                                                                         \
    GLboolean name(Context &, GLuint) {                                                            \
        return value;                                                                              \
    }
STAMP(IsBuffer, GL_TRUE)
STAMP(IsTexture, GL_FALSE)
GL_STAMPED(IsBuffer, IsTexture)

// void GL_ENTRY(Flush)(Context &ctx) in a comment is no definition.

} // namespace gl

namespace fake {

std::string last_missing, last_refused, last_without_memory;
int drawn;

gl::Context *context() {
    static gl::Context ctx;
    return &ctx;
}

} // namespace fake
