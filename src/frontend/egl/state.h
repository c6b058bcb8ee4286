// SPDX-License-Identifier: MIT
// EGL's objects and the state of the process and of a thread. One lock guards everything here; it
// is taken by `Call` at the start of each entry point and not held while somebody outside is waited
// for: a window system, a driver that starts or changes a surface's buffers, a fence, a frame. What
// such a wait is about says so (`opening`, `changing`, State::making), and whoever needs just that
// waits for it with settle(). What ends does so after the lock, on the thread that ended it.
// Handles that programs see are addresses of objects, always looked up in their display before use.
// Objects that are current outlive their destruction.
#pragma once

#include "config.h"
#include "platform.h"

#include "objects/dma_buf.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glvnd/libeglabi.h>

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace gl {
struct Context;
struct EglImage;
struct Sync;
} // namespace gl

namespace egl {

struct Display;
struct Context;
struct Surface;
struct Group;
class Presenter;

struct Labelled {
    EGLLabelKHR label = nullptr;
};

// EGL_EXT_device_base: there is one device, the driver that this process would use.
struct Device : Labelled {
    std::string renderer; // GL_RENDERER of the first screen, empty before
};

struct SurfaceTwin {
    std::weak_ptr<Group> group;
    uint32_t slot, gen;  // pipe handle
    bool window = false; // the driver shows it; else what is shown goes through post()
    bool frames = false; // a server sends it to the presenter
    bool srgb = false;   // GL_FRAMEBUFFER_SRGB encodes
    uint64_t serial = 0; // of the last present
};

struct Surface : Labelled {
    Display *display;
    const Config *config;
    EGLint width, height;
    EGLint colorspace = EGL_GL_COLORSPACE_LINEAR;
    EGLint swap_behavior = EGL_BUFFER_DESTROYED;
    EGLint multisample_resolve = EGL_MULTISAMPLE_RESOLVE_DEFAULT;
    EGLint mipmap_level = 0;
    bool largest = false;
    bool opaque = false; // EGL_EXT_present_opaque
    bool mipmap_texture = false;
    bool destroyed = false; // the handle is gone; freed when no longer current
    // GLX: contexts on several threads may have it current. Its extent follows the window on the
    // thread of `user`; the others learn of it when they make it current again.
    bool shared = false;
    Context *user = nullptr; // the context it is current to; the latest of several
    uint32_t users = 0;      // contexts that it is current to
    bool changing = false;   // a thread changes its buffers with the lock free
    uint32_t holds = 0;      // of threads that left the lock and come back to it
    Surface *next_ending = nullptr;
    std::list<SurfaceTwin> twins; // more come while it is `changing`
    std::mutex twins_mutex;       // for those who look for one meanwhile

    std::unique_ptr<NativeDrawable> drawable; // null: a pbuffer
    std::shared_ptr<Presenter> presenter;     // of the drawable; null: no server sends frames
    bool single_buffered = false;             // a pixmap, or a window so asked for
    std::atomic<bool> gone = false;           // its window or pixmap is
    EGLint interval = 1;                      // already clamped to the config's
    // Contents of the back buffer in EGL_EXT_buffer_age's terms: 0 undefined, 1 the last frame.
    EGLint age = 0;
    bool age_asked = false, region_set = false; // EGL_KHR_partial_update, of this frame
    std::mutex posting;
    std::vector<uint8_t> pixels; // on their way to post()

    bool is_window() const { return drawable && drawable->is_window(); }
};

struct Context : Labelled {
    Display *display;
    const Config *config; // null: made without a config
    std::shared_ptr<Group> group;
    gl::Context *gl = nullptr;
    bool no_error = false, lose_on_reset = false; // equal in all contexts of a group
    bool lost = false;                            // survived a fork or lost its server
    bool destroyed = false; // the handle is gone; freed when no longer current
    bool current = false;   // on some thread
    Context *next_ending = nullptr;
    Surface *draw = nullptr, *read = nullptr;
};

struct Sync : Labelled {
    Display *display;
    std::shared_ptr<Group> group;
    gl::Sync *fence = nullptr; // one reference
    bool signaled = false;
    ~Sync();
};

// EGL_KHR_image_base.
struct Image : Labelled {
    Display *display;
    std::shared_ptr<Group> group;
    gl::EglImage *source = nullptr; // one reference
    ~Image();
};

struct Display : Labelled {
    EGLenum platform;
    bool explicit_device;             // asked for by EGL_DEVICE_EXT
    void *native = nullptr;           // as the program gave it
    std::string name;                 // X11: of GLX's displays, in place of `native`
    EGLint screen = -1;               // EGL_PLATFORM_X11_SCREEN_EXT; -1: the display's default
    std::shared_ptr<Platform> system; // null: pbuffers only
    bool initialized = false;
    bool opening = false; // a thread connects it again
    std::shared_ptr<Group>
        spare; // the screen that proved there is a driver; the next share group takes it
    std::vector<Config>
        configs; // filled once, stays: configs are named by surfaces that outlive termination
    std::unordered_set<Context *> contexts;
    std::unordered_set<Surface *> surfaces;
    std::unordered_set<std::shared_ptr<Sync>> syncs;
    std::vector<std::unique_ptr<Image>> images;
    std::optional<std::vector<gl::DmaBufFormat>> dma_buf_formats; // once somebody has asked

    Context *find_context(EGLContext handle) const;
    Surface *find_surface(EGLSurface handle) const;
    const Config *find_config(EGLConfig handle) const;
    std::shared_ptr<Sync> find_sync(EGLSync handle) const;
    Image *find_image(EGLImage handle) const;
};

// The process. Leaked on purpose: exit handlers and threads of the program may still call.
struct State {
    std::mutex mutex;
    bool watched = false; // watch_process() was here
    const __EGLapiExports *exports = nullptr;
    __EGLvendorInfo *vendor = nullptr;
    Device device;
    EGLint gl_version = 0; // highest of its contexts, major * 10 + minor; 0 before the first screen
    std::vector<Display *> displays;       // never freed
    std::vector<Display *> making;         // on the way there, on some thread
    std::vector<Display *> other_displays; // GLX's, which no EGL entry point finds
    bool proven = false;                   // a driver has started; these are what it can:
    ConfigLimits limits;
    EGLDEBUGPROCKHR debug_callback = nullptr;
    uint32_t debug_mask =
        1u << 0 | 1u << 1;        // bit = EGL_DEBUG_MSG_*_KHR - EGL_DEBUG_MSG_CRITICAL_KHR
    bool exiting = false;         // the process runs its exit handlers
    uint32_t contexts_coming = 0; // made with the lock free
    uint32_t forks = 0;           // between the first process and this one
    // Told when something is through that was done with the lock free.
    std::condition_variable_any *settled = new std::condition_variable_any;
};
State &state();

// Hears of fork and exit from here on. Called by every vendor library, with the lock free.
void watch_process();

// A thread. Plain data: no destructor runs at thread exit.
struct Thread {
    EGLint error = EGL_SUCCESS;
    EGLenum api = 0; // 0: EGL_OPENGL_ES_API
    Context *current = nullptr;
    EGLLabelKHR label = nullptr;
    const char *command = "";          // the running entry point
    EGLint report_error = EGL_SUCCESS; // pending debug message
    EGLLabelKHR report_label = nullptr;
    const char *report_text = nullptr;
    const char *reason = nullptr;       // of the last error of a function of core.h, a literal
    Context *ending_contexts = nullptr; // they end when the lock is left
    Surface *ending_surfaces = nullptr;
};
Thread &thread();

// The API of eglBindAPI on this thread (the dispatch library's answer when there is one).
EGLenum bound_api();

// EGL's lock for a scope; left around a wait. Each time it is left, what this thread has reaped
// ends.
class Lock {
  public:
    Lock() { state().mutex.lock(); }
    explicit Lock(std::adopt_lock_t) {}
    ~Lock() {
        if (held_)
            unlock();
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    void unlock();
    void lock() {
        state().mutex.lock();
        held_ = true;
    }

  private:
    bool held_ = true;
};

// Waits with the lock free until `done()`, which is asked with the lock held.
template <class Done> void settle(Lock &lock, Done &&done) {
    while (!done())
        state().settled->wait(lock);
}

// One entry point: takes the lock, sets EGL_SUCCESS; its end delivers the debug message without the
// lock.
class Call : public Lock {
  public:
    explicit Call(const char *command);
    ~Call();
};

// Sets the thread's error and queues the debug message; `text` is a literal. Returns EGL_FALSE.
EGLBoolean fail(EGLint error, const char *text, const Labelled *object = nullptr);

// Of functions that set no error: keeps `text` for fail_for(). Returns the error.
EGLint because(EGLint error, const char *text);
// fail() with what because() kept.
EGLBoolean fail_for(EGLint error, const Labelled *object = nullptr);

// fail() without a debug message: the dispatch library goes on to the next vendor, so this is not
// yet an error of the program's.
void decline(EGLint error, const char *text);

// The display of a handle; null with EGL_BAD_DISPLAY or EGL_NOT_INITIALIZED set.
Display *get_display(EGLDisplay handle);
Display *get_initialized(EGLDisplay handle);

// The surface of an entry point; null with the error set.
Surface *surface_of(EGLDisplay dpy, EGLSurface handle);

// A window or pixmap of eglplatform.h's types, whose C type depends on the platform of the build.
template <class T> void *to_native(T native) {
    if constexpr (std::is_pointer_v<T>)
        return const_cast<void *>(static_cast<const void *>(native));
    else
        return reinterpret_cast<void *>(uintptr_t(native));
}

// What is destroyed and no longer current goes, when the thread leaves the lock.
void reap(Context *context);
void reap(Surface *surface);

// A surface stays for a scope, whoever destroys it. Made and ended with the lock held.
class Hold {
  public:
    explicit Hold(Surface *surface) : surface_(surface) {
        if (surface_)
            surface_->holds++;
    }
    ~Hold() {
        if (!surface_)
            return;
        surface_->holds--;
        reap(surface_);
    }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

  private:
    Surface *const surface_;
};

// Leaves the lock while this thread changes the buffers of one or two surfaces (null: none), which
// it holds and which nobody changes at the moment. What must not change has been checked before.
class Changing {
  public:
    Changing(Lock &lock, Surface *a, Surface *b = nullptr);
    ~Changing();
    Changing(const Changing &) = delete;
    Changing &operator=(const Changing &) = delete;

  private:
    Lock &lock_;
    Surface *const surfaces_[2];
};

// Releases the calling thread's context as eglMakeCurrent without a context does.
void release_current(Lock &lock);

} // namespace egl
