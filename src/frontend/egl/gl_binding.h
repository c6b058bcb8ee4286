// SPDX-License-Identifier: MIT
// All that EGL asks of the GL side and of the pipe: share groups (screens), contexts, surfaces,
// fences. The one file of EGL that knows gl::Context. Called with EGL's lock held unless noted.
#pragma once

#include "state.h"

#include <string>

namespace egl {

struct ContextAttribs {
    EGLint major = 1, minor = 0;
    EGLint profile = EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT;
    bool debug = false;
    bool forward_compatible = false;
    bool robust = false;
    bool no_error = false;
    bool lose_on_reset = false;
    bool flush_on_release = true;
};

// A new share group for a window system (null: none); null when no driver can start. Its screen
// goes with the last reference.
std::shared_ptr<Group> group_create(const Platform *system);
ConfigLimits group_config_limits(const Group &group);
std::string group_renderer(const Group &group);
EGLint group_version(const Group &group); // highest OpenGL, major * 10 + minor

// EGL_SUCCESS and context->gl in context->group, or the EGL error.
EGLint gl_create(Context *context, const ContextAttribs &attribs);
// Also of a lost context; it is current nowhere.
void gl_destroy(Context *context);
EGLint gl_version(const Context *context); // major * 10 + minor

// Makes context->gl current on this thread with its surfaces context->draw and ->read (both null:
// surfaceless) in place of what was current, which is flushed if its release behaviour says so, and
// shown if it has a front. Without EGL's lock, like gl_release and gl_destroy.
// EGL_SUCCESS, or the error (EGL_BAD_ALLOC) with nothing changed.
EGLint gl_make_current(Context *context);
// No context is current on this thread any more; the old one is flushed likewise.
void gl_release();
// The same without a word to the driver, for a context that is lost.
void gl_forget();
// Asks for news first. Any thread.
bool gl_is_lost(const Context *context);
// Hands all commands to the host and shows what was drawn to a front buffer; one frame of the
// context has ended. Without EGL's lock, like gl_finish, which shows it too.
void gl_end_frame(Context *context);
void gl_finish(Context *context);
// Shows `surface`, the draw surface of `context`, which is current on this thread; a frame has
// ended. Without EGL's lock, like gl_post. False: its window is gone.
bool gl_swap(Context *context, Surface *surface, const Rect *damage, EGLint num_rects);
// Reads `surface`, likewise, and has `target` show it.
bool gl_post(Context *context, Surface *surface, NativeDrawable &target, EGLint interval,
             const Rect *damage, EGLint num_rects);
// After a fork: no call may reach the driver any more; the program's calls raise GL_CONTEXT_LOST.
void gl_mark_lost(Context *context);
// The share group must never be destroyed again (forked child).
void group_abandon(Group &group);

// `surface`, current on this thread or nowhere, has a new width and height. Without EGL's lock; it
// is `changing`.
void surface_resized(Surface *surface);

// Forgets the pipe surfaces of `surface`, which nobody else knows any more. Without EGL's lock.
void surface_release(Surface *surface);

// A fence after everything sent so far by `context`, which is current on this thread.
bool fence_create(Context *context, Sync *sync);
void fence_destroy(Sync *sync);
// Whether the fence has signaled; waits up to timeout_ns (0: a poll). Called without EGL's lock.
// `current` is the calling thread's context or null; if it is of another group, one of the fence's
// group is used for the while.
bool fence_wait(Context *current, Sync *sync, uint64_t timeout_ns, bool flush);
// Later work of `context`, which is current, waits for it.
void fence_wait_server(Context *context, Sync *sync);

// An image of the GL object `name` of image->group; `target` as EGL names it. `current` is the
// calling thread's context or null; if it is of another group, one of that group is used for the
// while. EGL_SUCCESS, or the error and *reason, a literal.
EGLint image_create(Context *current, Image *image, EGLenum target, uint32_t name, EGLint level,
                    const char **reason);
// The same of a dma-buf, which needs no context. The descriptors stay the program's.
EGLint image_import(Image *image, const gl::DmaBuf &source, const char **reason);
// Some driver may take this format of dma-bufs: OpenGL has a texture of it.
bool image_format_known(uint32_t fourcc);
// What image_import() takes.
std::vector<gl::DmaBufFormat> importable_formats(const Group &group);
void image_destroy(Image *image);

} // namespace egl
