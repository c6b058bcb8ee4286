// SPDX-License-Identifier: MIT
// EGL's objects and the state of the process and of a thread. One lock guards everything here; it
// is taken by `Call` at the start of each entry point and not held while a fence is waited for.
// Handles that programs see are addresses of objects, always looked up in their display before use.
// Objects that are current outlive their destruction.
#pragma once

#include "config.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <glvnd/libeglabi.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

namespace gl {
struct Context;
struct Sync;
} // namespace gl

namespace egl {

struct Display;
struct Context;
struct Surface;
struct Group;

struct Labelled {
    EGLLabelKHR label = nullptr;
};

// EGL_EXT_device_base: there is one device, the driver that this process would use.
struct Device : Labelled {
    std::string renderer; // GL_RENDERER of the first screen, empty before
};

struct SurfaceTwin {
    std::weak_ptr<Group> group;
    uint32_t slot, gen; // pipe handle
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
    bool mipmap_texture = false;
    bool destroyed = false;  // the handle is gone; freed when no longer current
    Context *user = nullptr; // the context it is current to
    std::vector<SurfaceTwin> twins;
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
    Surface *draw = nullptr, *read = nullptr;
};

struct Sync : Labelled {
    Display *display;
    std::shared_ptr<Group> group;
    gl::Sync *fence = nullptr; // one reference
    bool signaled = false;
    ~Sync();
};

struct Display : Labelled {
    EGLenum platform;
    bool explicit_device; // asked for by EGL_DEVICE_EXT
    bool initialized = false;
    std::shared_ptr<Group>
        spare; // the screen that proved there is a driver; the next share group takes it
    std::vector<Config>
        configs; // filled once, stays: configs are named by surfaces that outlive termination
    std::unordered_set<Context *> contexts;
    std::unordered_set<Surface *> surfaces;
    std::unordered_set<std::shared_ptr<Sync>> syncs;

    Context *find_context(EGLContext handle) const;
    Surface *find_surface(EGLSurface handle) const;
    const Config *find_config(EGLConfig handle) const;
    std::shared_ptr<Sync> find_sync(EGLSync handle) const;
};

// The process. Leaked on purpose: exit handlers and threads of the program may still call.
struct State {
    std::mutex mutex;
    const __EGLapiExports *exports = nullptr;
    __EGLvendorInfo *vendor = nullptr;
    Device device;
    std::vector<Display *> displays; // never freed
    EGLDEBUGPROCKHR debug_callback = nullptr;
    uint32_t debug_mask =
        1u << 0 | 1u << 1; // bit = EGL_DEBUG_MSG_*_KHR - EGL_DEBUG_MSG_CRITICAL_KHR
    bool exiting = false;  // the process runs its exit handlers
};
State &state();

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
};
Thread &thread();

// The API of eglBindAPI on this thread (the dispatch library's answer when there is one).
EGLenum bound_api();

// One entry point: takes the lock, sets EGL_SUCCESS; its end delivers the debug message without the
// lock.
class Call {
  public:
    explicit Call(const char *command);
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    // The lock alone, around a wait.
    void unlock() { state().mutex.unlock(); }
    void lock() { state().mutex.lock(); }
};

// Sets the thread's error and queues the debug message; `text` is a literal. Returns EGL_FALSE.
EGLBoolean fail(EGLint error, const char *text, const Labelled *object = nullptr);

// The same without a debug message: the dispatch library goes on to the next vendor, so this is not
// yet an error of the program's.
void decline(EGLint error, const char *text);

// The display of a handle; null with EGL_BAD_DISPLAY or EGL_NOT_INITIALIZED set.
Display *get_display(EGLDisplay handle);
Display *get_initialized(EGLDisplay handle);

// Frees what is destroyed and no longer current.
void reap(Context *context);
void reap(Surface *surface);

// Releases the calling thread's context as eglMakeCurrent without a context does.
void release_current();

} // namespace egl
