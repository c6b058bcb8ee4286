// SPDX-License-Identifier: MIT
// Versions, strings and GLX_MESA_query_renderer.
#include "glx_api.h"
#include "glx_tables.h"
#include "state.h"

#include <cstdlib>
#include <unistd.h>

namespace glx {

namespace {

const char *string_of(int name) {
    switch (name) {
    case GLX_VENDOR: return "MGPipe";
    case GLX_VERSION: return "1.4";
    case GLX_EXTENSIONS: return extensions;
    case GLX_VENDOR_NAMES_EXT: return "mgpipe";
    default: return nullptr;
    }
}

unsigned memory_mib() {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? unsigned(uint64_t(pages) * uint64_t(page) >> 20) : 0;
}

// GLX_MESA_query_renderer. The host tells neither ids nor memory: ids read as 0xffffffff ("not a
// PCI device") and the memory as that of the machine.
Bool renderer_value(int attribute, unsigned *value) {
    switch (attribute) {
    case GLX_RENDERER_VENDOR_ID_MESA:
    case GLX_RENDERER_DEVICE_ID_MESA: value[0] = 0xffffffffu; return True;
    case GLX_RENDERER_VERSION_MESA: {
        const char *text = MGPIPE_VERSION;
        for (int i = 0; i < 3; i++) {
            char *end = nullptr;
            value[i] = unsigned(std::strtoul(text, &end, 10));
            text = *end == '.' ? end + 1 : end;
        }
        return True;
    }
    case GLX_RENDERER_ACCELERATED_MESA: value[0] = True; return True;
    case GLX_RENDERER_VIDEO_MEMORY_MESA: value[0] = memory_mib(); return True;
    case GLX_RENDERER_UNIFIED_MEMORY_ARCHITECTURE_MESA: value[0] = True; return True;
    case GLX_RENDERER_PREFERRED_PROFILE_MESA:
        value[0] = GLX_CONTEXT_CORE_PROFILE_BIT_ARB;
        return True;
    case GLX_RENDERER_OPENGL_CORE_PROFILE_VERSION_MESA:
        value[0] = unsigned(egl::state().gl_version / 10);
        value[1] = unsigned(egl::state().gl_version % 10);
        return True;
    case GLX_RENDERER_OPENGL_COMPATIBILITY_PROFILE_VERSION_MESA:
    case GLX_RENDERER_OPENGL_ES_PROFILE_VERSION_MESA:
    case GLX_RENDERER_OPENGL_ES2_PROFILE_VERSION_MESA: value[0] = value[1] = 0; return True;
    default: return False;
    }
}

const char *renderer_string(int attribute) {
    switch (attribute) {
    case GLX_RENDERER_VENDOR_ID_MESA: return "MGPipe";
    case GLX_RENDERER_DEVICE_ID_MESA: return egl::state().device.renderer.c_str();
    default: return nullptr;
    }
}

const Screen *current_screen() {
    const egl::Lock lock;
    const Context *current = thread().current;
    return current ? current->screen : nullptr;
}

} // namespace

namespace api {

Bool QueryExtension(Display *dpy, int *errorb, int *event) {
    int opcode = 0, first_event = 0, first_error = 0;
    const Bool found = XQueryExtension(dpy, "GLX", &opcode, &first_event, &first_error);
    if (errorb)
        *errorb = first_error;
    if (event)
        *event = first_event;
    return found;
}

Bool QueryVersion(Display *, int *maj, int *min) {
    if (maj)
        *maj = 1;
    if (min)
        *min = 4;
    return True;
}

const char *QueryExtensionsString(Display *, int) {
    return extensions;
}

const char *QueryServerString(Display *, int, int name) {
    return string_of(name);
}

const char *GetClientString(Display *, int name) {
    return string_of(name);
}

Bool QueryRendererIntegerMESA(Display *dpy, int screen, int renderer, int attribute,
                              unsigned *value) {
    const Screen *found = renderer == 0 ? open_screen(dpy, screen) : nullptr;
    return found ? renderer_value(attribute, value) : False;
}

const char *QueryRendererStringMESA(Display *dpy, int screen, int renderer, int attribute) {
    return renderer == 0 && open_screen(dpy, screen) ? renderer_string(attribute) : nullptr;
}

Bool QueryCurrentRendererIntegerMESA(int attribute, unsigned *value) {
    const Screen *screen = current_screen();
    return screen ? renderer_value(attribute, value) : False;
}

const char *QueryCurrentRendererStringMESA(int attribute) {
    return current_screen() ? renderer_string(attribute) : nullptr;
}

} // namespace api
} // namespace glx
