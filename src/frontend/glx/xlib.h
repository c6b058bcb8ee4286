// SPDX-License-Identifier: MIT
// What GLX does with the program's own Display: ids, visuals, errors in Xlib's manner, and word of
// its end. Never called with EGL's lock held: another thread may hold the Display and wait for GLX.
#pragma once

#include "fbconfig.h"

#include <X11/Xlib.h>

#include <string>
#include <vector>

namespace glx {

// GLX in the server: 0 where the server has no GLX.
struct XCodes {
    int opcode = 0, first_error = 0;
};
XCodes query_codes(Display *dpy);

// The server's name without the screen's number: equal for all connections to one server made by
// the same name.
std::string server_name(Display *dpy);

XID make_id(Display *dpy);

std::vector<XVisual> list_visuals(Display *dpy, int screen);
VisualID root_visual(Display *dpy, int screen);
// To be freed with XFree; null when there is no such visual.
XVisualInfo *visual_info(Display *dpy, int screen, VisualID visual);

// Calls the program's error handler as Xlib does for an error from the server, with a serial that
// no other request has.
void raise_error(Display *dpy, int code, int opcode, int minor, XID resource);

// `closed` is called once, in XCloseDisplay.
void watch_close(Display *dpy, void (*closed)(Display *dpy));

} // namespace glx
