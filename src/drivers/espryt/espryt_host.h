// SPDX-License-Identifier: MIT
// The host's OpenGL ES: its EGL vendor library opened by its glvnd vendor entry (never through
// exported egl symbols), one EGL display, and native contexts, with the surface of a window while
// one is shown. One host per display of a window system, and one for none; made at first use and
// kept for the life of the process. Thread-safe: host_open takes a lock, the rest is per context.
#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <atomic>
#include <mutex>
#include <string>

#include "espryt_features.h"
#include "espryt_gl.h"

namespace espryt {

struct egl_api {
    decltype(&::eglBindAPI) BindAPI;
    decltype(&::eglChooseConfig) ChooseConfig;
    decltype(&::eglCreateContext) CreateContext;
    decltype(&::eglCreatePbufferSurface) CreatePbufferSurface;
    decltype(&::eglCreateWindowSurface) CreateWindowSurface;
    decltype(&::eglDestroyContext) DestroyContext;
    decltype(&::eglDestroySurface) DestroySurface;
    decltype(&::eglGetConfigAttrib) GetConfigAttrib;
    decltype(&::eglGetError) GetError;
    decltype(&::eglInitialize) Initialize;
    decltype(&::eglMakeCurrent) MakeCurrent;
    decltype(&::eglQueryString) QueryString;
    decltype(&::eglQuerySurface) QuerySurface;
    decltype(&::eglSwapBuffers) SwapBuffers;
    decltype(&::eglSwapInterval) SwapInterval;
    decltype(&::eglTerminate) Terminate;
    PFNEGLSWAPBUFFERSWITHDAMAGEKHRPROC SwapBuffersWithDamage; // null: the host has none
};

struct native_display;

// Images of dma-bufs; all null where the host's EGL cannot make them, the queries where it tells no
// formats, the last two where it makes no dma-buf of a texture.
struct image_api {
    PFNEGLCREATEIMAGEKHRPROC CreateImage = nullptr;
    PFNEGLDESTROYIMAGEKHRPROC DestroyImage = nullptr;
    PFNEGLQUERYDMABUFFORMATSEXTPROC QueryDmaBufFormats = nullptr;
    PFNEGLQUERYDMABUFMODIFIERSEXTPROC QueryDmaBufModifiers = nullptr;
    PFNEGLEXPORTDMABUFIMAGEQUERYMESAPROC QueryExport = nullptr;
    PFNEGLEXPORTDMABUFIMAGEMESAPROC Export = nullptr;
};

struct host {
    // Of pipe_screen_config. PIPE_PLATFORM_NONE shows no windows.
    uint32_t platform = 0;
    std::string display_name;
    uint64_t native_token = 0;
    native_display *native = nullptr; // our own connection, espryt_native.cpp
    std::string library;
    egl_api egl{};
    image_api images;
    gles gl{};
    host_info info;
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLConfig config = nullptr;        // null with EGL_KHR_no_config_context
    EGLSurface dummy = EGL_NO_SURFACE; // only for hosts without surfaceless contexts
    // Contexts are made on several threads: 320 or 310, 0 before the first; whether robust ones
    // are.
    std::atomic<int> context_version{0};
    std::atomic<bool> robust{false};
    bool srgb_windows = false;
    int process = 0;                    // that opened it
    unsigned screens = 0;               // that use it, under the lock of host_open()
    EGLContext anchor = EGL_NO_CONTEXT; // of the share group; see share_anchor()
    std::mutex anchor_mutex;            // std::call_once would bring thread-local storage
    bool anchored = false;
    std::mutex anchor_lock; // it is current on one thread at a time
    std::mutex view_lock;   // lists of host views; groups may have a texture in common
    std::mutex map_mutex;   // espryt_map.cpp's, with:
    bool map_tried = false, map_works = false;

    bool has(feature f) const { return info.has[static_cast<size_t>(f)]; }
};

// The host of a display, made at its first use. One that cannot reach a window system, or does not
// know it, comes as the host for none. Null after one log line that says why there is none. Which
// library: MGPIPE_HOST=name (a file name, a path, "mesa", "nvidia" or "angle"), else the first of
// Mesa's and NVIDIA's vendor libraries that works.
host *host_open(uint32_t platform, const char *display_name, uint64_t native_display);
// The end of what host_open() began. A host on the program's own connection goes with its last
// user, before the program closes the connection; others stay.
void host_close(host *h);

// A native context in the share group of `share` (EGL_NO_CONTEXT: a new one). EGL_NO_CONTEXT on
// failure, logged.
EGLContext host_context_create(host *h, EGLContext share);
void host_context_destroy(host *h, EGLContext context);
// Makes `context` (or none) current on this thread. A no-op when it already is, with whatever
// surface.
bool host_make_current(host *h, EGLContext context);
EGLContext host_current();
host *host_of_current(); // null: no context is
// Gives the current context a surface to draw to (EGL_NO_SURFACE: none). False: the host refused,
// nothing has changed; *error says why.
bool host_bind_surface(host *h, EGLSurface surface, EGLint *error);
EGLSurface host_current_surface();

} // namespace espryt
