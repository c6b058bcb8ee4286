// SPDX-License-Identifier: MIT
// Labels of objects (GL 4.6 section 20.7).
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <cstring>

namespace gl {
namespace {
// The object, or null after an error.
Object *labelled(Context &ctx, GLenum identifier, GLuint name, const char *func) {
    Object *o = nullptr;
    switch (identifier) {
    case GL_BUFFER: o = lookup_buffer(ctx, name); break;
    case GL_SHADER: o = lookup_shader(ctx, name); break;
    case GL_PROGRAM: o = lookup_program(ctx, name); break;
    case GL_VERTEX_ARRAY: o = lookup_vao(ctx, name); break;
    case GL_QUERY: o = lookup_query(ctx, name); break;
    case GL_PROGRAM_PIPELINE: o = lookup_pipeline(ctx, name); break;
    case GL_TRANSFORM_FEEDBACK: o = lookup_xfb(ctx, name); break;
    case GL_SAMPLER: o = lookup_sampler(ctx, name); break;
    case GL_TEXTURE: o = name ? ctx.group->textures.find(name) : nullptr; break;
    case GL_RENDERBUFFER: o = lookup_renderbuffer(ctx, name); break;
    case GL_FRAMEBUFFER: o = name ? ctx.framebuffers.find(name) : ctx.default_draw_fb.get(); break;
    default:
        error(ctx, GL_INVALID_ENUM, "%s(identifier %s)", func, enum_name(identifier));
        return nullptr;
    }
    if (!o)
        error(ctx, GL_INVALID_VALUE, "%s(no %s named %u)", func, enum_name(identifier), name);
    return o;
}

void set_label(Context &ctx, Object &o, GLsizei length, const GLchar *label, const char *func) {
    if (!label) {
        o.label.clear();
        return;
    }
    size_t n = length < 0 ? strlen(label) : size_t(length);
    if (n >= size_t(ctx.limits().label_length))
        return error(ctx, GL_INVALID_VALUE, "%s(length %zu reaches GL_MAX_LABEL_LENGTH)", func, n);
    o.label.assign(label, n);
}

void get_label(Context &ctx, const Object &o, GLsizei size, GLsizei *length, GLchar *label,
               const char *func) {
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "%s(bufSize %d)", func, size);
    size_t n = o.label.size();
    if (label && size > 0) {
        n = std::min(n, size_t(size - 1));
        memcpy(label, o.label.data(), n);
        label[n] = 0;
    } else if (label) {
        n = 0;
    }
    if (length)
        *length = GLsizei(n);
}
} // namespace

void GL_ENTRY(ObjectLabel)(Context &ctx, GLenum identifier, GLuint name, GLsizei length,
                           const GLchar *label) {
    if (Object *o = labelled(ctx, identifier, name, "glObjectLabel"))
        set_label(ctx, *o, length, label, "glObjectLabel");
}

void GL_ENTRY(GetObjectLabel)(Context &ctx, GLenum identifier, GLuint name, GLsizei size,
                              GLsizei *length, GLchar *label) {
    if (Object *o = labelled(ctx, identifier, name, "glGetObjectLabel"))
        get_label(ctx, *o, size, length, label, "glGetObjectLabel");
}

void GL_ENTRY(ObjectPtrLabel)(Context &ctx, const void *ptr, GLsizei length, const GLchar *label) {
    Sync *s = lookup_sync(ctx, GLsync(const_cast<void *>(ptr)));
    if (!s)
        return error(ctx, GL_INVALID_VALUE, "glObjectPtrLabel(not a sync object)");
    set_label(ctx, *s, length, label, "glObjectPtrLabel");
}

void GL_ENTRY(GetObjectPtrLabel)(Context &ctx, const void *ptr, GLsizei size, GLsizei *length,
                                 GLchar *label) {
    Sync *s = lookup_sync(ctx, GLsync(const_cast<void *>(ptr)));
    if (!s)
        return error(ctx, GL_INVALID_VALUE, "glGetObjectPtrLabel(not a sync object)");
    get_label(ctx, *s, size, length, label, "glGetObjectPtrLabel");
}
} // namespace gl
