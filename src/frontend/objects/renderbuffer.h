// SPDX-License-Identifier: MIT
// Renderbuffer objects (GL 4.6 section 9.2.4).
#pragma once

#include "objects/formats.h"
#include "objects/texture.h"
#include "pipe/pipe.h"

namespace gl {

struct Renderbuffer : Object {
    ~Renderbuffer() override; // st::renderbuffer_destroy
    ShareGroup *group = nullptr;
    bool ever_bound = false;
    const FormatInfo *format = nullptr;
    GLenum internal_format = GL_RGBA;
    GLsizei width = 0, height = 0, samples = 0;
    pipe_handle handle{};
    uint32_t version = 0;
    Ref<Texture> texture; // has the storage instead: a sibling of an EGL image
    void *tracker = nullptr;
};
Renderbuffer *lookup_renderbuffer(Context &ctx, GLuint name);
} // namespace gl
