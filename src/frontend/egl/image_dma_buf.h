// SPDX-License-Identifier: MIT
// EGL images of dma-bufs (EGL_EXT_image_dma_buf_import, EGL_EXT_image_dma_buf_import_modifiers).
#pragma once

#include "state.h"

namespace egl {

// What the attributes of eglCreateImage say, all of them, up to EGL_NONE (null: none). EGL_SUCCESS,
// or the error and *reason, a literal. Nothing is asked of a driver or of the descriptors.
EGLint parse_dma_buf(const EGLAttrib *attribs, gl::DmaBuf *out, const char **reason);

// eglCreateImage of EGL_LINUX_DMA_BUF_EXT, with EGL's lock held.
EGLImage create_dma_buf_image(Display *display, EGLContext ctx, EGLClientBuffer buffer,
                              const EGLAttrib *attribs);

} // namespace egl
