// SPDX-License-Identifier: MIT
// The glvnd side: what __egl_Main fills in, entry points by name, errors, the API of a thread,
// debug messages, and what happens at fork and at exit.
#include "egl.h"
#include "egl_api.h"
#include "egl_tables.h"
#include "gl_binding.h"
#include "state.h"

#include "glapi/glapi.h"
#include "util/log.h"
#include "util/thread_slot.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <pthread.h>

namespace egl {

State &state() {
    static State *the = new State;
    return *the;
}

Thread &thread() {
    static util::ThreadSlot<Thread> threads;
    return threads.get();
}

EGLenum bound_api() {
    const __EGLapiExports *exports = state().exports;
    if (exports && exports->getCurrentApi)
        return exports->getCurrentApi();
    const EGLenum api = thread().api;
    return api ? api : EGL_OPENGL_ES_API;
}

Call::Call(const char *command) {
    Thread &t = thread();
    t.error = EGL_SUCCESS;
    t.command = command;
}

Call::~Call() {
    Thread &t = thread();
    const char *text = t.report_text;
    const EGLint type =
        t.report_error == EGL_BAD_ALLOC ? EGL_DEBUG_MSG_CRITICAL_KHR : EGL_DEBUG_MSG_ERROR_KHR;
    const bool wanted = text && state().debug_mask & 1u << (type - EGL_DEBUG_MSG_CRITICAL_KHR);
    EGLDEBUGPROCKHR callback = wanted ? state().debug_callback : nullptr;
    t.report_text = nullptr; // before the callback, which may come back here
    unlock();
    if (callback)
        callback(EGLenum(t.report_error), t.command, type, t.label, t.report_label, text);
}

EGLBoolean fail(EGLint error, const char *text, const Labelled *object) {
    Thread &t = thread();
    t.error = error;
    t.report_error = error;
    t.report_label = object ? object->label : nullptr;
    t.report_text = text;
    log_debug("egl", "%s: %s (0x%04x)", t.command, text, unsigned(error));
    return EGL_FALSE;
}

EGLint because(EGLint error, const char *text) {
    thread().reason = text;
    return error;
}

EGLBoolean fail_for(EGLint error, const Labelled *object) {
    return fail(error, thread().reason, object);
}

void decline(EGLint error, const char *text) {
    thread().error = error;
    log_debug("egl", "%s: %s (0x%04x)", thread().command, text, unsigned(error));
}

void out_of_memory(const char *command) noexcept {
    log_error("egl", "%s: no memory is left", command);
    try {
        Call call(command);
        fail(EGL_BAD_ALLOC, "no memory is left");
    } catch (const std::bad_alloc &) { // not even for the thread's own
    }
}

namespace {

// The function in `slot` of `vendor`, with what the dispatch library wants done at each call.
void *vendor_entry(__EGLvendorInfo *vendor, int slot, EGLint error) {
    const __EGLapiExports &exports = *state().exports;
    auto *entry = vendor && slot >= 0 ? exports.fetchDispatchEntry(vendor, slot) : nullptr;
    if (!entry) {
        exports.setEGLError(error);
        return nullptr;
    }
    return exports.setLastVendor(vendor) ? reinterpret_cast<void *>(entry) : nullptr;
}

} // namespace

void *find_vendor_by_display(EGLDisplay display, int slot) {
    const __EGLapiExports &exports = *state().exports;
    exports.threadInit();
    return vendor_entry(exports.getVendorFromDisplay(display), slot, EGL_BAD_DISPLAY);
}

void *find_vendor_by_device(EGLDeviceEXT device, int slot) {
    const __EGLapiExports &exports = *state().exports;
    exports.threadInit();
    return vendor_entry(exports.getVendorFromDevice(device), slot, EGL_BAD_DEVICE_EXT);
}

namespace {

// The platform as the dispatch library passes it: EGL_NONE for eglGetDisplay(EGL_DEFAULT_DISPLAY).
EGLDisplay get_platform_display(EGLenum platform, void *native, const EGLAttrib *attribs) {
    return api::GetPlatformDisplay(platform, native, attribs);
}

EGLBoolean supports_api(EGLenum api) {
    return api == EGL_OPENGL_API;
}

const char *vendor_string(int name) {
    return name == __EGL_VENDOR_STRING_PLATFORM_EXTENSIONS ? platform_extensions : nullptr;
}

void *get_proc_address(const char *name) {
    if (void *entry = find_entry(name))
        return entry;
    return reinterpret_cast<void *>(glapi::get_proc_address(name));
}

// A forked child has neither the driver's threads nor its server: every context that exists is
// lost, nothing that belongs to the parent is touched. The lock is held across the fork so that the
// child finds it free.
void before_fork() {
    State &s = state();
    std::unique_lock lock(s.mutex);
    // A child has no use for a host that stands in the middle of a context; what never answers is
    // not waited for.
    s.settled->wait_for(lock, std::chrono::seconds(1), [&] { return !s.contexts_coming; });
    lock.release();
}

void after_fork_in_parent() {
    state().mutex.unlock();
}

void forget_display(Display &display, Context *current) {
    for (Context *context : display.contexts) {
        context->lost = true;
        gl_mark_lost(context);
        group_abandon(*context->group);
        if (context != current)
            context->current = false;
    }
    for (Surface *surface : display.surfaces) {
        const bool kept = current && (current->draw == surface || current->read == surface);
        surface->user = kept ? current : nullptr;
        surface->users = kept;
        surface->changing = false;
        surface->holds = 0;
        surface->twins.clear();
        surface->gone = surface->drawable != nullptr;
        surface->drawable.release(); // leaked: its connection is the parent's
        new std::shared_ptr<Presenter>(std::move(surface->presenter)); // and so is its thread
    }
    for (const std::shared_ptr<Sync> &sync : display.syncs) {
        sync->signaled = true;
        group_abandon(*sync->group); // its contexts may be gone already
    }
    if (display.spare)
        group_abandon(*display.spare);
    display.spare.reset();
    if (display.system) {
        new std::shared_ptr<Platform>(std::move(display.system)); // leaked likewise
        display.initialized = false; // initialised again, it gets a connection of its own
    }
    display.opening = false;
}

void after_fork_in_child() {
    Thread &t = thread();
    State &s = state();
    s.forks++;
    s.contexts_coming = 0;
    s.making.clear();                            // the parent goes on making them
    s.settled = new std::condition_variable_any; // and has who waits for them
    for (const auto *displays : {&state().displays, &state().other_displays})
        for (Display *display : *displays)
            forget_display(*display, t.current);
    if (t.current && !t.current->lost) { // destroyed, but still current
        t.current->lost = true;
        gl_mark_lost(t.current);
        group_abandon(*t.current->group);
    }
    state().mutex.unlock();
}

// Exit handlers that run after this one find no context; other threads may still be drawing, so
// nothing is destroyed.
void at_exit() {
    State &s = state();
    if (!s.mutex.try_lock())
        return;
    Lock lock(std::adopt_lock);
    release_current(lock);
    s.exiting = true;
}

} // namespace

void watch_process() {
    State &s = state();
    const std::lock_guard lock(s.mutex);
    if (s.watched)
        return;
    s.watched = true;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    std::atexit(at_exit);
}

EGLBoolean main_entry(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
                      __EGLapiImports *imports) {
    if (EGL_VENDOR_ABI_GET_MAJOR_VERSION(version) != EGL_VENDOR_ABI_MAJOR_VERSION)
        return EGL_FALSE;
    watch_process();
    State &s = state();
    {
        std::lock_guard lock(s.mutex);
        s.exports = exports;
        s.vendor = vendor;
    }
    imports->getPlatformDisplay = get_platform_display;
    imports->getSupportsAPI = supports_api;
    imports->getVendorString = vendor_string;
    imports->getProcAddress = get_proc_address;
    imports->getDispatchAddress = find_stub;
    imports->setDispatchIndex = set_stub_slot;
    return EGL_TRUE;
}

namespace api {

EGLint EGLAPIENTRY GetError() {
    Thread &t = thread();
    const EGLint error = t.error;
    t.error = EGL_SUCCESS;
    return error;
}

__eglMustCastToProperFunctionPointerType EGLAPIENTRY GetProcAddress(const char *procname) {
    if (!procname)
        return nullptr;
    return reinterpret_cast<__eglMustCastToProperFunctionPointerType>(get_proc_address(procname));
}

EGLBoolean EGLAPIENTRY BindAPI(EGLenum api) {
    Call call("eglBindAPI");
    if (api != EGL_OPENGL_API)
        return fail(EGL_BAD_PARAMETER, "only EGL_OPENGL_API is supported");
    thread().api = api;
    return EGL_TRUE;
}

EGLenum EGLAPIENTRY QueryAPI() {
    Call call("eglQueryAPI");
    return bound_api();
}

EGLint EGLAPIENTRY DebugMessageControlKHR(EGLDEBUGPROCKHR callback, const EGLAttrib *attrib_list) {
    Call call("eglDebugMessageControlKHR");
    State &s = state();
    uint32_t mask = s.debug_mask;
    for (; attrib_list && *attrib_list != EGL_NONE; attrib_list += 2) {
        const EGLAttrib type = attrib_list[0] - EGL_DEBUG_MSG_CRITICAL_KHR;
        if (type < 0 || type > EGL_DEBUG_MSG_INFO_KHR - EGL_DEBUG_MSG_CRITICAL_KHR) {
            fail(EGL_BAD_ATTRIBUTE, "unknown message type");
            return EGL_BAD_ATTRIBUTE;
        }
        mask = attrib_list[1] ? mask | 1u << type : mask & ~(1u << type);
    }
    s.debug_mask = callback ? mask : 3;
    s.debug_callback = callback;
    return EGL_SUCCESS;
}

EGLBoolean EGLAPIENTRY QueryDebugKHR(EGLint attribute, EGLAttrib *value) {
    Call call("eglQueryDebugKHR");
    const EGLint type = attribute - EGL_DEBUG_MSG_CRITICAL_KHR;
    if (!value)
        return fail(EGL_BAD_PARAMETER, "no place for the value");
    if (attribute == EGL_DEBUG_CALLBACK_KHR)
        *value = reinterpret_cast<EGLAttrib>(state().debug_callback);
    else if (type >= 0 && type <= EGL_DEBUG_MSG_INFO_KHR - EGL_DEBUG_MSG_CRITICAL_KHR)
        *value = state().debug_mask >> type & 1;
    else
        return fail(EGL_BAD_ATTRIBUTE, "unknown attribute");
    return EGL_TRUE;
}

EGLint EGLAPIENTRY LabelObjectKHR(EGLDisplay dpy, EGLenum objectType, EGLObjectKHR object,
                                  EGLLabelKHR label) {
    Call call("eglLabelObjectKHR");
    if (objectType == EGL_OBJECT_THREAD_KHR) {
        thread().label = label;
        return EGL_SUCCESS;
    }
    Display *display =
        objectType == EGL_OBJECT_DISPLAY_KHR ? get_display(dpy) : get_initialized(dpy);
    if (!display)
        return thread().error;
    Labelled *target = nullptr;
    std::shared_ptr<Sync> sync;
    if (objectType == EGL_OBJECT_DISPLAY_KHR)
        target = object == dpy ? display : nullptr;
    else if (objectType == EGL_OBJECT_CONTEXT_KHR)
        target = display->find_context(object);
    else if (objectType == EGL_OBJECT_SURFACE_KHR)
        target = display->find_surface(object);
    else if (objectType == EGL_OBJECT_SYNC_KHR)
        target = (sync = display->find_sync(object)).get();
    if (!target) {
        fail(EGL_BAD_PARAMETER, "no object of that type");
        return EGL_BAD_PARAMETER;
    }
    target->label = label;
    return EGL_SUCCESS;
}

} // namespace api
} // namespace egl
