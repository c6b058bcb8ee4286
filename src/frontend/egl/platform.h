// SPDX-License-Identifier: MIT
// A window system as EGL and GLX see it: its display, the visuals that configs are matched with,
// and drawables, watched through an X connection or a Wayland event queue of our own. The program's
// own connection only has to send off what it holds back (a window it just made), when a drawable
// is opened. Called with EGL's lock held unless noted. Nothing here names the pipe.
#pragma once

#include <EGL/egl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace egl {

struct Config;

// The values of pipe_platform.
enum class System : uint8_t { none, x11, wayland };

// What a window must have been made with to fit a config.
struct Visual {
    EGLint id = 0;          // EGL_NATIVE_VISUAL_ID: an X visual, a DRM fourcc on Wayland
    EGLint type = EGL_NONE; // EGL_NATIVE_VISUAL_TYPE: X's class, EGL_NONE on Wayland
    uint8_t depth = 0;      // of the window: 24, 30, 32
    uint8_t red = 0, green = 0, blue = 0, alpha = 0; // bits
};

// Pixels from the top row down, `stride` bytes a row.
struct Rect {
    EGLint x, y, width, height; // from the top left
};

// Buffers of a window for whole frames, in one memory file that cannot shrink: a word for each at
// its start (0: nobody has it; whoever takes one makes it 1), then the pixels as post() takes them,
// rows without gaps.
struct FrameBuffers {
    int fd = -1; // stays the window's
    uint32_t count = 0;
    uint64_t size = 0, offset = 0,
             buffer_size = 0; // bytes: of all, of the first, from one to the next
    EGLint width = 0, height = 0;
};
using ShareBuffers = std::function<bool(const FrameBuffers &)>;

// A buffer in memory of a driver, a dma-buf of one plane: the top row first, bytes R G B A or, of a
// config with 10 bits, 32-bit words of A B G R (2, 10, 10, 10).
struct ExportedBuffer {
    int fd = -1; // whoever is given it closes it
    uint32_t offset = 0, stride = 0; // bytes
    uint64_t modifier = 0;           // of DRM
};
// Makes one with any of these modifiers. False: there is none.
using ExportBuffer =
    std::function<bool(const std::vector<uint64_t> &modifiers, ExportedBuffer &out)>;

// A window or pixmap of the program. Its end closes what we opened, never the drawable itself, and
// waits for nobody.
class NativeDrawable {
  public:
    virtual ~NativeDrawable() = default;

    // Its extent in pixels after the events that have arrived; asks the window system nothing.
    // False: it is gone for good.
    virtual bool extent(EGLint *width, EGLint *height) = 0;

    // Waits until what the window system has said so far has arrived, for an extent() that must be
    // right now. Without EGL's lock.
    virtual void sync() {}

    // Another surface may have it from here on. Before its end, which comes without the lock.
    virtual void let_go() {}

    // pipe_surface_create::native: how the driver reaches it. 0: it cannot (a pixmap; a Wayland
    // surface of another process); then the surface is a pbuffer to the driver, and what is to be
    // shown comes through post().
    virtual uint64_t native() const = 0;

    // Whether it shows a swap: false for pixmaps, whose one buffer is always in front.
    virtual bool is_window() const = 0;

    // `changed(data)` is called without EGL's lock, on the thread on which the program gives the
    // drawable another extent by a call of EGL's libraries (wl_egl_window_resize), so that the next
    // frame is drawn with it. `data` may be dead by then and is only to be compared. Once, before
    // the drawable is used.
    virtual void watch(void (*changed)(void *data), void *data) {
        (void)changed;
        (void)data;
    }
    // EGL_EXT_present_opaque: alpha is not shown. From the next post on.
    virtual void set_opaque(bool opaque) { (void)opaque; }

    // Before a frame that the driver shows by native(): waits for the window system's own pace as
    // post() does, and returns the interval that is left to the driver. Without EGL's lock, on the
    // thread that swaps.
    virtual EGLint pace(EGLint interval) { return interval; }

    // Bytes per pixel and order as the drawable has them: 4, B G R A or, of a config with 10 bits,
    // 32-bit words of A R G B (2, 10, 10, 10), for post() and fetch(). The top row first.
    // Shows pixels: `damage` null or `num_rects` boxes. Waits for the window system's own pace when
    // `interval` is not 0. Without EGL's lock, on the thread that swaps. False: gone.
    virtual bool post(const void *pixels, EGLint width, EGLint height, EGLint stride,
                      EGLint interval, const Rect *damage, EGLint num_rects) = 0;

    // Makes buffers of that extent, into which a server may write if share(buffers) says so, and
    // voids all others. Their number from then on; 0: frames come through post(). Without EGL's
    // lock; waits while a frame is shown.
    virtual uint64_t share_buffers(EGLint width, EGLint height, const ShareBuffers &share) {
        (void)width, (void)height, (void)share;
        return 0;
    }
    // Likewise, of buffers that make() gives, as many as the window has use for, counted from 0.
    virtual uint64_t take_buffers(EGLint width, EGLint height, const ExportBuffer &make) {
        (void)width, (void)height, (void)make;
        return 0;
    }
    // One of those that nobody has, the caller's from then on; waits for it as post() does. -1:
    // none. Without EGL's lock.
    virtual int claim_buffer(uint64_t buffers) {
        (void)buffers;
        return -1;
    }
    // As post(), of what a server wrote into buffer `index` of the buffers of that number; it is
    // free again once the window system has read it. Not shown if the buffers are others by now.
    virtual bool post_buffer(uint64_t buffers, uint32_t index, EGLint interval, const Rect *damage,
                             EGLint num_rects) {
        (void)buffers, (void)index, (void)interval, (void)damage, (void)num_rects;
        return true;
    }
    // As post(), of a frame that looks like the one before, which came by post_buffer().
    virtual bool post_again(EGLint interval) {
        (void)interval;
        return true;
    }
    // The buffer is not to be shown: it is free again.
    virtual void drop_buffer(uint64_t buffers, uint32_t index) { (void)buffers, (void)index; }

    // What the drawable shows now, for textures made of pixmaps; `pixels` is resized. False: gone.
    virtual bool fetch(std::vector<uint8_t> &pixels, EGLint *width, EGLint *height) = 0;
};

// A connection to a window system. One per EGLDisplay; GLX has its own for the same X display.
class Platform {
  public:
    virtual ~Platform() = default;
    virtual System system() const = 0;
    // pipe_screen_config::display_name; empty where there is no name.
    virtual const std::string &display_name() const = 0;
    // pipe_screen_config::native_display; 0 on X.
    virtual uint64_t native_display() const = 0;
    virtual const std::vector<Visual> &visuals() const = 0;

    // Without EGL's lock: the window system is asked.
    // EGL_SUCCESS, or EGL_BAD_NATIVE_WINDOW, EGL_BAD_MATCH (not the config's visual),
    // EGL_BAD_ALLOC (another surface has it). `native` as the window system's C type has it: the X
    // id itself in a pointer, a wl_egl_window.
    virtual EGLint open_window(void *native, const Config &config,
                               std::unique_ptr<NativeDrawable> &out) = 0;
    virtual EGLint open_pixmap(void *native, const Config &config,
                               std::unique_ptr<NativeDrawable> &out) = 0;
    // What the program has drawn by the window system itself is finished (eglWaitNative). Without
    // EGL's lock.
    virtual void wait_native() = 0;
};

// Null when there is no such display, with *error set (EGL_BAD_PARAMETER, EGL_BAD_ATTRIBUTE,
// EGL_BAD_ALLOC). `native`: a Display (x11), an xcb_connection_t (xcb), a wl_display, or null for
// the default display, to which a connection is then made. Each exists in a build that has its
// window system.
std::unique_ptr<Platform> open_x11(void *xlib_display, int screen, EGLint *error);
// By the server's name: no connection of the program's is asked for anything.
std::unique_ptr<Platform> open_x11_named(const char *name, int screen, EGLint *error);
std::unique_ptr<Platform> open_xcb(void *xcb_connection, int screen, EGLint *error);
std::unique_ptr<Platform> open_wayland(void *wl_display, EGLint *error);

} // namespace egl
