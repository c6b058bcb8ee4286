// SPDX-License-Identifier: MIT
// glGetString, glGetStringi, glGetPointerv (GL 4.6 section 22.2).
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "objects/get.h"

#include <cstdlib>

namespace gl {

static const GLubyte *bytes(const std::string &s) {
    return reinterpret_cast<const GLubyte *>(s.c_str());
}

std::span<const char *const> shading_languages(const Context &ctx) {
    static const char *const all[] = {"460", "450", "440", "430", "420", "410", "400",
                                      "330", "150", "140", "130", "120", ""};
    const std::span<const char *const> list(all);
    size_t above = 0;
    while (atoi(all[above]) > ctx.caps->glsl)
        above++;
    return list.subspan(above);
}

const GLubyte *GL_ENTRY(GetString)(Context &ctx, GLenum name) {
    switch (name) {
    case GL_VENDOR: return bytes(ctx.caps->vendor);
    case GL_RENDERER: return bytes(ctx.caps->renderer);
    case GL_VERSION: return bytes(ctx.caps->version_string);
    case GL_SHADING_LANGUAGE_VERSION: return bytes(ctx.caps->glsl_string);
    default: error(ctx, GL_INVALID_ENUM, "glGetString(%s)", enum_name(name)); return nullptr;
    }
}

const GLubyte *GL_ENTRY(GetStringi)(Context &ctx, GLenum name, GLuint index) {
    if (name == GL_EXTENSIONS) {
        if (index < ctx.caps->extensions.size())
            return bytes(ctx.caps->extensions[index]);
        error(ctx, GL_INVALID_VALUE, "glGetStringi(index %u)", index);
        return nullptr;
    }
    if (name == GL_SHADING_LANGUAGE_VERSION) {
        const auto list = shading_languages(ctx);
        if (index < list.size())
            return reinterpret_cast<const GLubyte *>(list[index]);
        error(ctx, GL_INVALID_VALUE, "glGetStringi(index %u)", index);
        return nullptr;
    }
    error(ctx, GL_INVALID_ENUM, "glGetStringi(%s)", enum_name(name));
    return nullptr;
}

void GL_ENTRY(GetPointerv)(Context &ctx, GLenum name, void **out) {
    switch (name) {
    case GL_DEBUG_CALLBACK_FUNCTION: *out = reinterpret_cast<void *>(ctx.debug.callback); return;
    case GL_DEBUG_CALLBACK_USER_PARAM: *out = const_cast<void *>(ctx.debug.user); return;
    default: error(ctx, GL_INVALID_ENUM, "glGetPointerv(%s)", enum_name(name));
    }
}
} // namespace gl
