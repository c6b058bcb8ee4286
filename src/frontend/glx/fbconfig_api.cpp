// SPDX-License-Identifier: MIT
// Entry points about configs and visuals.
#include "glx_api.h"
#include "state.h"

#include <cstdlib>

namespace glx {

namespace {

GLXFBConfig handle_of(const FBConfig *config) {
    return reinterpret_cast<GLXFBConfig>(const_cast<FBConfig *>(config));
}

// For the program to give to XFree, which is free(); null for none.
GLXFBConfig *copy(const std::vector<const FBConfig *> &configs, int *count) {
    if (count)
        *count = int(configs.size());
    if (configs.empty())
        return nullptr;
    auto *out = static_cast<GLXFBConfig *>(std::calloc(configs.size(), sizeof(GLXFBConfig)));
    for (size_t i = 0; out && i < configs.size(); i++)
        out[i] = handle_of(configs[i]);
    return out;
}

// The config of an entry point; null: not one of the server's.
const FBConfig *config_of(Display *dpy, GLXFBConfig handle) {
    Call call(dpy, X_GLXGetFBConfigs);
    return find_config(call.server(), handle);
}

} // namespace

namespace api {

GLXFBConfig *ChooseFBConfig(Display *dpy, int screen, const int *attrib_list, int *nelements) {
    const Screen *found = open_screen(dpy, screen);
    if (nelements)
        *nelements = 0;
    return found ? copy(choose_fbconfigs(found->configs, attrib_list), nelements) : nullptr;
}

GLXFBConfig *GetFBConfigs(Display *dpy, int screen, int *nelements) {
    const Screen *found = open_screen(dpy, screen);
    std::vector<const FBConfig *> all;
    if (found)
        for (const FBConfig &config : found->configs)
            all.push_back(&config);
    return copy(all, nelements);
}

int GetFBConfigAttrib(Display *dpy, GLXFBConfig handle, int attribute, int *value) {
    const FBConfig *config = config_of(dpy, handle);
    if (!config || !value)
        return GLX_BAD_VALUE;
    return fbconfig_attrib(*config, attribute, value) ? Success : GLX_BAD_ATTRIBUTE;
}

XVisualInfo *GetVisualFromFBConfig(Display *dpy, GLXFBConfig handle) {
    const FBConfig *config = config_of(dpy, handle);
    return config && config->visual ? visual_info(dpy, config->screen, config->visual) : nullptr;
}

GLXFBConfigSGIX GetFBConfigFromVisualSGIX(Display *dpy, XVisualInfo *vis) {
    const Screen *screen = vis ? open_screen(dpy, vis->screen) : nullptr;
    const FBConfig *config = screen ? owner_of(screen->configs, vis->visualid) : nullptr;
    return handle_of(config);
}

XVisualInfo *ChooseVisual(Display *dpy, int screen, int *attribList) {
    const Screen *found = open_screen(dpy, screen);
    const FBConfig *config = found ? choose_visual(found->configs, attribList) : nullptr;
    return config ? visual_info(dpy, screen, config->visual) : nullptr;
}

int GetConfig(Display *dpy, XVisualInfo *visual, int attrib, int *value) {
    if (!visual || !value)
        return GLX_BAD_VALUE;
    const Screen *screen = open_screen(dpy, visual->screen);
    if (!screen)
        return GLX_BAD_SCREEN;
    const FBConfig *config = owner_of(screen->configs, visual->visualid);
    if (attrib == GLX_USE_GL) {
        *value = config != nullptr;
        return Success;
    }
    if (!config)
        return GLX_BAD_VISUAL;
    if (attrib == GLX_RGBA) {
        *value = True;
        return Success;
    }
    return fbconfig_attrib(*config, attrib, value) ? Success : GLX_BAD_ATTRIBUTE;
}

} // namespace api
} // namespace glx
