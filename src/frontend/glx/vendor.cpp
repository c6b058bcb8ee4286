// SPDX-License-Identifier: MIT
// The glvnd side: what __glx_Main fills in, entry points by name, and how stubs find a vendor.
#include "glx.h"
#include "glx_tables.h"
#include "state.h"

#include "glapi/glapi.h"

namespace glx {

namespace {

// Written once, before any stub can be called.
const __GLXapiExports *exports_of_glvnd;

Found function_of(__GLXvendorInfo *vendor, int slot) {
    if (!vendor || slot < 0)
        return {};
    return {vendor, reinterpret_cast<void *>(exports_of_glvnd->fetchDispatchEntry(vendor, slot))};
}

// As function_of, with the X error of GLX for an object that no vendor owns.
Found function_or_error(Display *dpy, __GLXvendorInfo *vendor, int slot, int error, XID id) {
    const Found found = function_of(vendor, slot);
    if (!found.function) {
        const XCodes codes = query_codes(dpy);
        if (codes.opcode)
            raise_error(dpy, codes.first_error + error, codes.opcode, X_GLXVendorPrivate, id);
    }
    return found;
}

} // namespace

Found find_vendor_by_context(GLXContext context, int slot) {
    return function_of(exports_of_glvnd->vendorFromContext(context), slot);
}

Found find_vendor_by_current(int slot) {
    return function_of(exports_of_glvnd->getCurrentDynDispatch(), slot);
}

Found find_vendor_by_drawable(Display *dpy, GLXDrawable drawable, int slot) {
    return function_or_error(dpy, exports_of_glvnd->vendorFromDrawable(dpy, drawable), slot,
                             GLXBadDrawable, drawable);
}

Found find_vendor_by_fbconfig(Display *dpy, GLXFBConfig config, int slot) {
    return function_or_error(dpy, exports_of_glvnd->vendorFromFBConfig(dpy, config), slot,
                             GLXBadFBConfig, None);
}

Found find_vendor_by_screen(Display *dpy, int screen, int slot) {
    return function_of(exports_of_glvnd->getDynDispatch(dpy, screen), slot);
}

Found find_vendor_by_visual(Display *dpy, const XVisualInfo *visual, int slot) {
    return visual ? find_vendor_by_screen(dpy, visual->screen, slot) : Found{};
}

GLXContext map_context(Display *dpy, GLXContext context, __GLXvendorInfo *vendor) {
    const bool kept = context && !exports_of_glvnd->addVendorContextMapping(dpy, context, vendor);
    return kept ? context : nullptr;
}

GLXDrawable map_drawable(Display *dpy, GLXDrawable drawable, __GLXvendorInfo *vendor) {
    const bool kept =
        drawable && !exports_of_glvnd->addVendorDrawableMapping(dpy, drawable, vendor);
    return kept ? drawable : None;
}

GLXFBConfig map_fbconfig(Display *dpy, GLXFBConfig config, __GLXvendorInfo *vendor) {
    const bool kept = config && !exports_of_glvnd->addVendorFBConfigMapping(dpy, config, vendor);
    return kept ? config : nullptr;
}

GLXFBConfig *map_fbconfigs(Display *dpy, GLXFBConfig *configs, const int *count,
                           __GLXvendorInfo *vendor) {
    for (int i = 0; configs && i < *count; i++)
        map_fbconfig(dpy, configs[i], vendor);
    return configs;
}

void unmap_drawable(Display *dpy, GLXDrawable drawable) {
    exports_of_glvnd->removeVendorDrawableMapping(dpy, drawable);
}

namespace {

const char *text(const GLubyte *name) {
    return reinterpret_cast<const char *>(name);
}

Bool is_screen_supported(Display *dpy, int screen) {
    return open_screen(dpy, screen) ? True : False;
}

void *get_proc_address(const GLubyte *name) {
    if (void *entry = find_entry(text(name)))
        return entry;
    return reinterpret_cast<void *>(glapi::get_proc_address(text(name)));
}

void *get_dispatch_address(const GLubyte *name) {
    return find_stub(text(name));
}

void set_dispatch_index(const GLubyte *name, int index) {
    set_stub_slot(text(name), index);
}

} // namespace

Bool main_entry(uint32_t version, const __GLXapiExports *exports, __GLXvendorInfo *,
                __GLXapiImports *imports) {
    if (GLX_VENDOR_ABI_GET_MAJOR_VERSION(version) != GLX_VENDOR_ABI_MAJOR_VERSION)
        return False;
    exports_of_glvnd = exports;
    egl::watch_process();
    imports->isScreenSupported = is_screen_supported;
    imports->getProcAddress = get_proc_address;
    imports->getDispatchAddress = get_dispatch_address;
    imports->setDispatchIndex = set_dispatch_index;
    return True;
}

} // namespace glx
