// SPDX-License-Identifier: MIT
// The EGL 1.5 vendor library behind the dispatch library (glvnd). Targets export `__egl_Main` and
// forward it to main_entry; nothing else of EGL is ever an exported symbol. EGL picks no driver:
// the target hands a screen factory in.
#pragma once

#include <cstdint>
#include <glvnd/libeglabi.h>

struct pipe_screen;
struct pipe_screen_config;

namespace egl {

// Makes a screen (one share group) for the given callbacks and options. Called with EGL's lock
// held, from any thread, once per share group. Null when no driver can start: the display is then
// refused without noise.
using ScreenFactory = pipe_screen *(*)(const pipe_screen_config *config);

// Set once, before main_entry.
void set_screen_factory(ScreenFactory factory);

// Lets the server that draws a surface, named as the pipe does, write its frames into buffers of
// this process. False: it cannot. Any thread, without EGL's lock.
struct FrameBuffers;
using ShareFrames = bool (*)(uint32_t slot, uint32_t gen, const FrameBuffers &buffers);
// Set once, before main_entry, if at all.
void set_frame_sharing(ShareFrames share);

// The glvnd entry: `__egl_Main`. `exports` stays valid for the life of the process. EGL_FALSE when
// the ABI of the dispatch library does not fit.
EGLBoolean main_entry(uint32_t version, const __EGLapiExports *exports, __EGLvendorInfo *vendor,
                      __EGLapiImports *imports);

} // namespace egl
