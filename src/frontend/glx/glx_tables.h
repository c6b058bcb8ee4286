// SPDX-License-Identifier: MIT
// What is generated from glx.xml: entry points by name, dispatch stubs, the extension string. Names
// are exact and case-sensitive; every function may be called from any thread, set_stub_slot before
// the stubs are used.
#pragma once

#include <GL/glx.h>
#include <GL/glxext.h>
#include <glvnd/libglxabi.h>

namespace glx {

// The function behind a GLX entry point (not a GL one), null for a name that is not offered.
void *find_entry(const char *name);

// The vendor-neutral stub of an extension function, null for any other name.
void *find_stub(const char *name);

// Tells the stub of `name` which slot of the dispatch library's table holds the function.
void set_stub_slot(const char *name, int slot);

// Called by the stubs: the owner of an object, and its function in `slot`. Both null when no vendor
// owns it: the program then gets the X error of the object's kind (GLXBadDrawable, ...), or none
// where nothing is current.
struct Found {
    __GLXvendorInfo *vendor;
    void *function;
};
Found find_vendor_by_context(GLXContext context, int slot);
Found find_vendor_by_current(int slot);
Found find_vendor_by_drawable(Display *dpy, GLXDrawable drawable, int slot);
Found find_vendor_by_fbconfig(Display *dpy, GLXFBConfig config, int slot);
Found find_vendor_by_screen(Display *dpy, int screen, int slot);
Found find_vendor_by_visual(Display *dpy, const XVisualInfo *visual, int slot);

// Called by the stubs that make or destroy an object: the dispatch library keeps whose it is. Each
// returns what it was given; 0 when the library has no room.
GLXContext map_context(Display *dpy, GLXContext context, __GLXvendorInfo *vendor);
GLXDrawable map_drawable(Display *dpy, GLXDrawable drawable, __GLXvendorInfo *vendor);
GLXFBConfig map_fbconfig(Display *dpy, GLXFBConfig config, __GLXvendorInfo *vendor);
GLXFBConfig *map_fbconfigs(Display *dpy, GLXFBConfig *configs, const int *count,
                           __GLXvendorInfo *vendor);
void unmap_drawable(Display *dpy, GLXDrawable drawable);

// A function threw std::bad_alloc: BadAlloc, where there is a display to tell it, and one log line.
void out_of_memory(Display *dpy, const char *command) noexcept;

extern const char *const extensions;

} // namespace glx
