// SPDX-License-Identifier: MIT
// EGL images on the GL side (EGL_KHR_image_base, EGL_KHR_gl_*_image; GL_OES_EGL_image,
// GL_EXT_EGL_image_storage). An image is one level and layer of an immutable texture that nobody
// names; its source and its targets ("siblings") are views of it. A sibling that is specified anew
// leaves the others.
#pragma once

#include "objects/texture.h"

namespace gl {

struct Context;
struct ShareGroup;

struct EglImage : Object {
    ShareGroup *group = nullptr;
    Ref<Texture> texture; // owns the storage
    GLint level = 0, layer = 0;
    TexImage image; // of the source
    ~EglImage() override;
};

enum class ImageError {
    none,
    no_object,   // no texture or renderbuffer of the target has the name
    incomplete,  // the texture lacks images, the renderbuffer storage
    no_level,    // outside the texture
    multisample, // has no image
    no_memory,
};

// An image of `name`, which becomes a sibling, or an image more of one that is. `target`: GL_TEXTURE_2D, a cube map's face or
// GL_RENDERBUFFER. On the thread on which `ctx` is current.
ImageError make_egl_image(Context &ctx, GLenum target, GLuint name, GLint level,
                          Ref<EglImage> &out);

// Where the calls of GL find an image of EGL's; null: there is none. Set once; any thread.
using FindEglImage = Ref<EglImage> (*)(void *handle);
void set_egl_image_lookup(FindEglImage find);

// Before `t` gets other storage: a sibling leaves its image. False after GL_INVALID_OPERATION: the
// texture is immutable.
bool texture_may_change(Context &ctx, Texture &t, const char *func);

} // namespace gl
