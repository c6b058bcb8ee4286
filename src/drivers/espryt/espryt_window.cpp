// SPDX-License-Identifier: MIT
// The windows of a process, by host and native name.
#include "espryt_window.h"

#include <mutex>

#include "espryt_native.h"

namespace espryt {

namespace {

std::vector<window *> &windows() {
    static auto *all = new std::vector<window *>; // leaked: outlives every screen
    return *all;
}
std::mutex windows_lock;

} // namespace

window *window_open(host *h, uint64_t native, uint32_t color_format, bool srgb) {
    std::lock_guard<std::mutex> guard(windows_lock);
    for (window *w : windows()) {
        if (w->host == h && w->native == native) {
            w->users++;
            return w;
        }
    }
    native_window *own;
    EGLSurface surface = native_surface_create(h, native, color_format, srgb, &own);
    if (surface == EGL_NO_SURFACE)
        return nullptr;
    auto w = new window;
    w->host = h;
    w->native = native;
    w->surface = surface;
    w->own = own;
    w->most = native_longest_interval(h, surface);
    w->users = 1;
    windows().push_back(w);
    return w;
}

void window_close(window *w, const gles *gl) {
    {
        std::lock_guard<std::mutex> guard(windows_lock);
        if (--w->users)
            return;
        std::erase(windows(), w);
    }
    for (GLsync &s : w->queued) {
        if (s)
            gl->DeleteSync(s);
    }
    if (w->resolved.name.name)
        gl->DeleteRenderbuffers(1, &w->resolved.name.name);
    EGLint error = 0;
    if (host_current_surface() == w->surface)
        host_bind_surface(w->host, EGL_NO_SURFACE, &error);
    if (native_host_alive(w->host))
        w->host->egl.DestroySurface(w->host->display, w->surface);
    native_window_destroy(w->own);
    delete w;
}

} // namespace espryt
