// SPDX-License-Identifier: MIT
// Entry points about configs: eglGetConfigs, eglChooseConfig, eglGetConfigAttrib.
#include "egl_api.h"
#include "state.h"

#include <algorithm>

namespace egl {

namespace {

// Keeps the configs that can draw to the pixmap. False: it is none.
bool keep_drawable(Display &display, EGLint pixmap, std::vector<const Config *> &configs) {
    auto *native = reinterpret_cast<void *>(uintptr_t(uint32_t(pixmap)));
    bool is_pixmap = true;
    std::erase_if(configs, [&](const Config *config) {
        std::unique_ptr<NativeDrawable> drawable;
        if (!is_pixmap || !display.system || !(config->surfaces & EGL_PIXMAP_BIT))
            return true;
        const EGLint error = display.system->open_pixmap(native, *config, drawable);
        is_pixmap = error != EGL_BAD_NATIVE_PIXMAP;
        return error == EGL_BAD_MATCH || !is_pixmap;
    });
    return is_pixmap;
}

} // namespace

namespace api {

EGLBoolean EGLAPIENTRY GetConfigs(EGLDisplay dpy, EGLConfig *configs, EGLint config_size,
                                  EGLint *num_config) {
    Call call("eglGetConfigs");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    if (!num_config)
        return fail(EGL_BAD_PARAMETER, "no place for the number of configs", display);
    const EGLint all = EGLint(display->configs.size());
    *num_config = configs ? std::clamp(config_size, 0, all) : all;
    for (EGLint i = 0; configs && i < *num_config; i++)
        configs[i] = const_cast<Config *>(&display->configs[i]);
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY ChooseConfig(EGLDisplay dpy, const EGLint *attrib_list, EGLConfig *configs,
                                    EGLint config_size, EGLint *num_config) {
    Call call("eglChooseConfig");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    if (!num_config)
        return fail(EGL_BAD_PARAMETER, "no place for the number of configs", display);
    std::vector<const Config *> found;
    EGLint pixmap = EGL_NONE;
    const EGLint error = choose_configs(display->configs, attrib_list, found, &pixmap);
    if (error != EGL_SUCCESS)
        return fail(error, "unknown config attribute or illegal value", display);
    if (pixmap != EGL_NONE && !keep_drawable(*display, pixmap, found))
        return fail(EGL_BAD_ATTRIBUTE, "not a native pixmap", display);
    const EGLint all = EGLint(found.size());
    *num_config = configs ? std::clamp(config_size, 0, all) : all;
    for (EGLint i = 0; configs && i < *num_config; i++)
        configs[i] = const_cast<Config *>(found[i]);
    return EGL_TRUE;
}

EGLBoolean EGLAPIENTRY GetConfigAttrib(EGLDisplay dpy, EGLConfig config, EGLint attribute,
                                       EGLint *value) {
    Call call("eglGetConfigAttrib");
    Display *display = get_initialized(dpy);
    if (!display)
        return EGL_FALSE;
    const Config *found = display->find_config(config);
    if (!found)
        return fail(EGL_BAD_CONFIG, "not a config of the display", display);
    if (!value)
        return fail(EGL_BAD_PARAMETER, "no place for the value", display);
    if (!config_attrib(*found, attribute, value))
        return fail(EGL_BAD_ATTRIBUTE, "unknown config attribute", display);
    return EGL_TRUE;
}

} // namespace api
} // namespace egl
