// SPDX-License-Identifier: MIT
// The host's OpenGL ES: its EGL vendor library opened by its glvnd vendor entry (never through
// exported egl symbols), one EGL display, and native contexts without surfaces. One host per
// process, made at first use and kept for the life of the process. Thread-safe: host_open takes a
// lock, the rest is per context.
#pragma once

#include <EGL/egl.h>
#include <string>

#include "espryt_features.h"
#include "espryt_gl.h"

namespace espryt {

struct egl_api {
    decltype(&::eglBindAPI) BindAPI;
    decltype(&::eglChooseConfig) ChooseConfig;
    decltype(&::eglCreateContext) CreateContext;
    decltype(&::eglCreatePbufferSurface) CreatePbufferSurface;
    decltype(&::eglDestroyContext) DestroyContext;
    decltype(&::eglGetError) GetError;
    decltype(&::eglInitialize) Initialize;
    decltype(&::eglMakeCurrent) MakeCurrent;
    decltype(&::eglQueryString) QueryString;
    decltype(&::eglReleaseThread) ReleaseThread;
};

struct host {
    std::string library;
    egl_api egl{};
    gles gl{};
    host_info info;
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLConfig config = nullptr;        // null with EGL_KHR_no_config_context
    EGLSurface dummy = EGL_NO_SURFACE; // only for hosts without surfaceless contexts
    int context_version = 0;           // 320 or 310
    bool robust = false;
    int process = 0; // that opened it

    bool has(feature f) const { return info.has[static_cast<size_t>(f)]; }
};

// The process's host, or null after one log line that says why there is none. Which library:
// MGPIPE_HOST=name (a file name, a path, "mesa", "nvidia" or "angle"), else the first of Mesa's and
// NVIDIA's vendor libraries that works.
host *host_open();

// A native context in the share group of `share` (EGL_NO_CONTEXT: a new one). EGL_NO_CONTEXT on
// failure, logged.
EGLContext host_context_create(host *h, EGLContext share);
void host_context_destroy(host *h, EGLContext context);
// Makes `context` (or none) current on this thread. A no-op when it already is.
bool host_make_current(host *h, EGLContext context);
EGLContext host_current();

} // namespace espryt
