// SPDX-License-Identifier: MIT
// What the mock of EGL's lower side counts; see egl_mock.cpp.
#pragma once

#include "egl/gl_binding.h"

namespace egl {

struct Mock {
    bool driver_present = true;
    EGLint bind_error = EGL_SUCCESS;
    EGLint image_error = EGL_SUCCESS;
    ContextAttribs attribs;
    gl::DmaBuf imported;
    std::vector<gl::DmaBufFormat> dma_buf_formats;
    int groups = 0, contexts = 0, fences = 0; // alive
    int binds = 0, releases = 0, flushes = 0, surfaces_freed = 0, server_waits = 0;
    int presents = 0, resizes = 0, interval = -100, damage = -1;
};
extern Mock mock;

} // namespace egl
