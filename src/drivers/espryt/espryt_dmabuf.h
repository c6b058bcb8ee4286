// SPDX-License-Identifier: MIT
// Textures in dma-bufs of others, by images of the host's EGL (EGL_EXT_image_dma_buf_import and its
// modifiers, GL_OES_EGL_image). The texture and each view of it are host textures of one image. And
// dma-bufs of textures of ours (EGL_MESA_image_dma_buf_export), for others.
#pragma once

#include "espryt_resource.h"

namespace espryt {

// The host has what it takes.
bool dmabuf_import(const host *h);
bool dmabuf_export(const host *h);
// `r` becomes a host texture that shows the image; it has a name. False: the host refused.
bool show_image(context *ctx, resource *r, EGLImageKHR image);

void init_dmabuf_functions(screen *s);

} // namespace espryt
