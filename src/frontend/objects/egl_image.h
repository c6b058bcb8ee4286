// SPDX-License-Identifier: MIT
// EGL images on the GL side (EGL_KHR_image_base, EGL_KHR_gl_*_image; GL_OES_EGL_image,
// GL_EXT_EGL_image_storage). An image is one level and layer of an immutable texture that nobody
// names; its source and its targets ("siblings") are views of it. A sibling that is specified anew
// leaves the others. Another share group has a texture of its own for the same storage, which views
// are made of likewise; the storage lives as long as anybody's.
#pragma once

#include "objects/dma_buf.h"
#include "objects/texture.h"

namespace gl {

struct Context;
struct ShareGroup;

// Storage as other share groups know it. Null handle: the driver shares none.
struct SharedImage {
    pipe_handle handle{}; // image
    pipe_resource_desc desc{};
    GLenum target = GL_NONE;
    GLint levels = 0, layers = 0;
    TexImage base; // level 0
};

// Which texels: a level and a layer of the storage, and what the source had there.
struct ImagePlace {
    GLint level = 0, layer = 0;
    TexImage image;
};

struct EglImage : Object {
    ShareGroup *group = nullptr; // lives as long
    Ref<Texture> texture;        // owns the storage
    ImagePlace place;
    SharedImage shared;
    ~EglImage() override;
};

enum class ImageError {
    none,
    no_object,   // no texture or renderbuffer of the target has the name
    incomplete,  // the texture lacks images, the renderbuffer storage
    no_level,    // outside the texture
    multisample, // has no image
    no_memory,
    no_format,     // of a dma-buf: not one that the driver takes
    no_descriptor, // of a dma-buf
    outside,       // offsets and pitches of a dma-buf, of its memory
    no_access,     // of a dma-buf: it cannot be where and what it is said to be
};

// An image of `name`, which becomes a sibling, or an image more of one that is. `target`:
// GL_TEXTURE_2D, a cube map's face or GL_RENDERBUFFER. On the thread on which `ctx` is current.
ImageError make_egl_image(Context &ctx, GLenum target, GLuint name, GLint level,
                          Ref<EglImage> &out);

// An image in a dma-buf of others. Any thread, no context. Other groups know it once
// share_egl_image() was asked.
ImageError import_egl_image(ShareGroup &group, const DmaBuf &source, Ref<EglImage> &out);

// What other groups need to know of the storage of an image. On the thread on which `ctx`, of the
// image's group, is current.
SharedImage share_egl_image(Context &ctx, const EglImage &image);

// What a context of a group finds of an image: the image itself where it is the group's own, else
// what it may import. Both empty: there is no such image.
struct FoundImage {
    Ref<EglImage> own;
    bool other = false;
    ImagePlace place; // of another group's
    SharedImage shared;
};
// Where the calls of GL find an image of EGL's. Set once; any thread.
using FindEglImage = FoundImage (*)(void *handle, const ShareGroup *group);
void set_egl_image_lookup(FindEglImage find);

// Before `t` gets other storage: a sibling leaves its image. False after GL_INVALID_OPERATION: the
// texture is immutable.
bool texture_may_change(Context &ctx, Texture &t, const char *func);

} // namespace gl
