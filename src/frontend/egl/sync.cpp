// SPDX-License-Identifier: MIT
// Sync objects of EGL 1.5 and EGL_KHR_fence_sync: fences only.
#include "egl_api.h"
#include "gl_binding.h"
#include "state.h"

namespace egl {

Sync::~Sync() {
    fence_destroy(this);
}

namespace {

EGLSync create_sync(EGLDisplay dpy, EGLenum type, bool has_attribs) {
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_NO_SYNC;
    if (type != EGL_SYNC_FENCE) {
        fail(EGL_BAD_ATTRIBUTE, "only EGL_SYNC_FENCE exists", display);
        return EGL_NO_SYNC;
    }
    if (has_attribs) {
        fail(EGL_BAD_ATTRIBUTE, "a fence has no attributes", display);
        return EGL_NO_SYNC;
    }
    Context *current = thread().current;
    if (!current || current->display != display || current->lost) {
        fail(EGL_BAD_MATCH, "no context of the display is current", display);
        return EGL_NO_SYNC;
    }
    auto sync = std::make_shared<Sync>();
    sync->display = display;
    sync->group = current->group;
    if (!fence_create(current, sync.get())) {
        fail(EGL_BAD_ALLOC, "the driver made no fence", display);
        return EGL_NO_SYNC;
    }
    display->syncs.insert(sync);
    return sync.get();
}

std::shared_ptr<Sync> sync_of(EGLDisplay dpy, EGLSync handle) {
    Display *display = get_initialized(dpy);
    if (!display)
        return nullptr;
    std::shared_ptr<Sync> sync = display->find_sync(handle);
    if (!sync)
        fail(EGL_BAD_PARAMETER, "not a sync object of the display", display);
    return sync;
}

// The status; a wait leaves EGL's lock, so that others can end what is waited for.
bool wait(Call &call, Sync *sync, uint64_t timeout_ns, bool flush) {
    if (sync->signaled)
        return true;
    Context *current = thread().current;
    call.unlock();
    const bool signaled = fence_wait(current, sync, timeout_ns, flush);
    call.lock();
    if (signaled)
        sync->signaled = true;
    return signaled;
}

template <typename T>
EGLBoolean get_attrib(Call &call, EGLDisplay dpy, EGLSync handle, EGLint attribute, T *value) {
    std::shared_ptr<Sync> sync = sync_of(dpy, handle);
    if (!sync)
        return EGL_FALSE;
    if (!value)
        return fail(EGL_BAD_PARAMETER, "no place for the value", sync.get());
    switch (attribute) {
    case EGL_SYNC_TYPE: *value = EGL_SYNC_FENCE; return EGL_TRUE;
    case EGL_SYNC_CONDITION: *value = EGL_SYNC_PRIOR_COMMANDS_COMPLETE; return EGL_TRUE;
    case EGL_SYNC_STATUS:
        *value = wait(call, sync.get(), 0, false) ? EGL_SIGNALED : EGL_UNSIGNALED;
        return EGL_TRUE;
    default: return fail(EGL_BAD_ATTRIBUTE, "unknown sync attribute", sync.get());
    }
}

EGLBoolean wait_server(Call &call, EGLDisplay dpy, EGLSync handle, EGLint flags) {
    std::shared_ptr<Sync> sync = sync_of(dpy, handle);
    if (!sync)
        return EGL_FALSE;
    if (flags)
        return fail(EGL_BAD_PARAMETER, "flags are not zero", sync.get());
    Context *current = thread().current;
    if (!current)
        return fail(EGL_BAD_MATCH, "no context is current", sync.get());
    if (current->group != sync->group) {
        // Lanes of two groups have no order but the client's own.
        wait(call, sync.get(), UINT64_MAX, true);
        return EGL_TRUE;
    }
    if (!sync->signaled && !current->lost)
        fence_wait_server(current, sync.get());
    return EGL_TRUE;
}

} // namespace

namespace api {

EGLSync EGLAPIENTRY CreateSync(EGLDisplay dpy, EGLenum type, const EGLAttrib *attrib_list) {
    Call call("eglCreateSync");
    return create_sync(dpy, type, attrib_list && *attrib_list != EGL_NONE);
}

EGLSyncKHR EGLAPIENTRY CreateSyncKHR(EGLDisplay dpy, EGLenum type, const EGLint *attrib_list) {
    Call call("eglCreateSyncKHR");
    return create_sync(dpy, type, attrib_list && *attrib_list != EGL_NONE);
}

EGLBoolean EGLAPIENTRY DestroySync(EGLDisplay dpy, EGLSync handle) {
    Call call("eglDestroySync");
    std::shared_ptr<Sync> sync = sync_of(dpy, handle);
    if (!sync)
        return EGL_FALSE;
    sync->display->syncs.erase(sync); // a waiting thread still holds it
    return EGL_TRUE;
}

EGLint EGLAPIENTRY ClientWaitSync(EGLDisplay dpy, EGLSync handle, EGLint flags, EGLTime timeout) {
    Call call("eglClientWaitSync");
    std::shared_ptr<Sync> sync = sync_of(dpy, handle);
    if (!sync)
        return EGL_FALSE;
    const bool flush = flags & EGL_SYNC_FLUSH_COMMANDS_BIT;
    return wait(call, sync.get(), timeout, flush) ? EGL_CONDITION_SATISFIED : EGL_TIMEOUT_EXPIRED;
}

EGLBoolean EGLAPIENTRY WaitSync(EGLDisplay dpy, EGLSync handle, EGLint flags) {
    Call call("eglWaitSync");
    return wait_server(call, dpy, handle, flags);
}

EGLint EGLAPIENTRY WaitSyncKHR(EGLDisplay dpy, EGLSyncKHR handle, EGLint flags) {
    Call call("eglWaitSyncKHR");
    return EGLint(wait_server(call, dpy, handle, flags));
}

EGLBoolean EGLAPIENTRY GetSyncAttrib(EGLDisplay dpy, EGLSync handle, EGLint attribute,
                                     EGLAttrib *value) {
    Call call("eglGetSyncAttrib");
    return get_attrib(call, dpy, handle, attribute, value);
}

EGLBoolean EGLAPIENTRY GetSyncAttribKHR(EGLDisplay dpy, EGLSyncKHR handle, EGLint attribute,
                                        EGLint *value) {
    Call call("eglGetSyncAttribKHR");
    return get_attrib(call, dpy, handle, attribute, value);
}

} // namespace api
} // namespace egl
