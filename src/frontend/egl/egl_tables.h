// SPDX-License-Identifier: MIT
// What is generated from egl.xml: entry points by name, dispatch stubs, extension strings. Names
// are exact and case-sensitive; every function may be called from any thread, set_stub_slot before
// the stubs are used.
#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>

namespace egl {

// The function behind an EGL entry point (not a GL one), null for a name that is not offered.
void *find_entry(const char *name);

// The vendor-neutral stub of an extension function that finds its vendor from its display or
// device, null for any other name.
void *find_stub(const char *name);

// Tells the stub of `name` which slot of the dispatch library's table holds the function.
void set_stub_slot(const char *name, int slot);

// Called by the stubs: the function in `slot` of the vendor that owns the display or device. Null,
// with EGL_BAD_DISPLAY or EGL_BAD_DEVICE_EXT set in the dispatch library, when no vendor owns it.
void *find_vendor_by_display(EGLDisplay display, int slot);
void *find_vendor_by_device(EGLDeviceEXT device, int slot);

// A function threw std::bad_alloc: EGL_BAD_ALLOC and one log line.
void out_of_memory(const char *command) noexcept;

extern const char *const client_extensions;
extern const char *const platform_extensions;
extern const char *const display_extensions;
extern const char *const image_extensions;   // of displays whose driver has images
extern const char *const dma_buf_extensions; // of displays whose driver imports dma-bufs
extern const char *const device_extensions;

} // namespace egl
