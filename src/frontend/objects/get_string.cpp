// SPDX-License-Identifier: MIT
// glGetString, glGetStringi, glGetPointerv (GL 4.6 section 22.2).
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {

static const GLubyte *bytes(const std::string &s) {
    return reinterpret_cast<const GLubyte *>(s.c_str());
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
    static const char *const glsl[] = {"460", "450", "440", "430", "420", "410",
                                       "400", "330", "150", "140", ""};
    if (name == GL_EXTENSIONS) {
        if (index < ctx.caps->extensions.size())
            return bytes(ctx.caps->extensions[index]);
        error(ctx, GL_INVALID_VALUE, "glGetStringi(index %u)", index);
        return nullptr;
    }
    if (name == GL_SHADING_LANGUAGE_VERSION) {
        unsigned skip = 0;
        while (*glsl[skip] && atoi(glsl[skip]) > ctx.caps->glsl)
            skip++;
        if (index + skip < std::size(glsl))
            return reinterpret_cast<const GLubyte *>(glsl[index + skip]);
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
