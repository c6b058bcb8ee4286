// SPDX-License-Identifier: MIT
// EGL devices (EGL_EXT_device_base): one device, which stands for the driver that this process
// would use. The host's own devices are not listed, because no host is opened for a mere
// enumeration.
#include "egl_api.h"
#include "egl_tables.h"
#include "state.h"

#ifndef EGL_RENDERER_EXT
#define EGL_RENDERER_EXT 0x335F
#endif

namespace egl::api {

EGLBoolean EGLAPIENTRY QueryDevicesEXT(EGLint max_devices, EGLDeviceEXT *devices,
                                       EGLint *num_devices) {
    Call call("eglQueryDevicesEXT");
    if (!num_devices || (devices && max_devices <= 0))
        return fail(EGL_BAD_PARAMETER, "no place for the devices");
    *num_devices = 1;
    if (devices)
        devices[0] = &state().device;
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY QueryDeviceAttribEXT(EGLDeviceEXT device, EGLint, EGLAttrib *) {
    Call call("eglQueryDeviceAttribEXT");
    if (device != &state().device)
        return fail(EGL_BAD_DEVICE_EXT, "not a device");
    return fail(EGL_BAD_ATTRIBUTE, "unknown device attribute");
}

const char *EGLAPIENTRY QueryDeviceStringEXT(EGLDeviceEXT device, EGLint name) {
    Call call("eglQueryDeviceStringEXT");
    if (device != &state().device) {
        fail(EGL_BAD_DEVICE_EXT, "not a device");
        return nullptr;
    }
    switch (name) {
    case EGL_EXTENSIONS: return device_extensions;
    case EGL_VENDOR: return "MGPipe";
    // Written once, with the first display; a device nobody opened yet has no better name.
    case EGL_RENDERER_EXT:
        return state().device.renderer.empty() ? "MGPipe" : state().device.renderer.c_str();
    default: fail(EGL_BAD_PARAMETER, "unknown device string"); return nullptr;
    }
}

} // namespace egl::api
