// SPDX-License-Identifier: MIT
// The one file that knows Xlib's inside (Xlibint.h).
#include "xlib.h"

#include <X11/Xlibint.h>
#include <X11/Xutil.h>
// Xlibint.h defines them.
#undef min
#undef max

#include <bit>

namespace glx {

namespace {

void (*on_close)(Display *dpy);

int close_display(Display *dpy, XExtCodes *) {
    on_close(dpy);
    return 0;
}

} // namespace

XCodes query_codes(Display *dpy) {
    XCodes codes;
    int first_event = 0;
    if (!XQueryExtension(dpy, "GLX", &codes.opcode, &first_event, &codes.first_error))
        codes = {};
    return codes;
}

std::string server_name(Display *dpy) {
    std::string name = XDisplayString(dpy);
    const size_t colon = name.rfind(':'), dot = name.rfind('.');
    if (colon != std::string::npos && dot != std::string::npos && dot > colon)
        name.resize(dot);
    return name;
}

XID make_id(Display *dpy) {
    LockDisplay(dpy);
    const XID id = XAllocID(dpy);
    UnlockDisplay(dpy);
    SyncHandle();
    return id;
}

std::vector<XVisual> list_visuals(Display *dpy, int screen) {
    std::vector<XVisual> visuals;
    XVisualInfo wish{};
    wish.screen = screen;
    int count = 0;
    XVisualInfo *all = XGetVisualInfo(dpy, VisualScreenMask, &wish, &count);
    for (int i = 0; i < count; i++)
        visuals.push_back({all[i].visualid, all[i].c_class, all[i].depth,
                           std::popcount(all[i].red_mask), std::popcount(all[i].green_mask),
                           std::popcount(all[i].blue_mask)});
    if (all)
        XFree(all);
    return visuals;
}

VisualID root_visual(Display *dpy, int screen) {
    return XVisualIDFromVisual(DefaultVisual(dpy, screen));
}

XVisualInfo *visual_info(Display *dpy, int screen, VisualID visual) {
    XVisualInfo wish{};
    wish.screen = screen;
    wish.visualid = visual;
    int count = 0;
    return XGetVisualInfo(dpy, VisualScreenMask | VisualIDMask, &wish, &count);
}

void raise_error(Display *dpy, int code, int opcode, int minor, XID resource) {
    // A request of its own: handlers that look for the serial of an error find no other request.
    XNoOp(dpy);
    LockDisplay(dpy);
    xError error{};
    error.type = X_Error;
    error.errorCode = CARD8(code);
    error.sequenceNumber = CARD16(dpy->request);
    error.resourceID = CARD32(resource);
    error.minorCode = CARD16(minor);
    error.majorCode = CARD8(opcode);
    _XError(dpy, &error);
    UnlockDisplay(dpy);
    SyncHandle();
}

void watch_close(Display *dpy, void (*closed)(Display *dpy)) {
    on_close = closed;
    if (XExtCodes *codes = XAddExtension(dpy))
        XESetCloseDisplay(dpy, codes->extension, close_display);
}

} // namespace glx
