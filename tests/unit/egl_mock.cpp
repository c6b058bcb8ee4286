// SPDX-License-Identifier: MIT
// Stands in for egl/gl_binding.cpp and the GL entry points, so that EGL's rules are tested without
// GL and without a driver. It records what EGL asked for.
#include "egl_mock.h"

#include "glapi/glapi.h"

namespace egl {

Mock mock;

struct Group {
    Group() { mock.groups++; }
    ~Group() { mock.groups--; }
    bool abandoned = false;
};

std::shared_ptr<Group> group_create(const Platform *) {
    return mock.driver_present ? std::make_shared<Group>() : nullptr;
}
ConfigLimits group_config_limits(const Group &) {
    return {};
}
EGLint group_version(const Group &) {
    return 46;
}

std::string group_renderer(const Group &) {
    return "mock";
}
void group_abandon(Group &group) {
    group.abandoned = true;
}

EGLint gl_create(Context *context, const ContextAttribs &attribs) {
    mock.attribs = attribs;
    if (attribs.major * 10 + attribs.minor > 45)
        return EGL_BAD_MATCH;
    context->gl = reinterpret_cast<gl::Context *>(&mock);
    mock.contexts++;
    return EGL_SUCCESS;
}
void gl_destroy(Context *context) {
    context->gl = nullptr;
    mock.contexts--;
}
EGLint gl_version(const Context *) {
    return 45;
}
EGLint gl_make_current(Context *) {
    mock.binds++;
    return mock.bind_error;
}
void gl_release() {
    mock.releases++;
}
void gl_forget() {}
bool gl_is_lost(const Context *) {
    return false;
}
void gl_end_frame(Context *) {
    mock.flushes++;
}
void gl_finish(Context *) {}
bool gl_swap(Context *, Surface *surface, const Rect *, EGLint num_rects) {
    mock.presents++;
    mock.interval = surface->interval;
    mock.damage = num_rects;
    return true;
}
bool gl_post(Context *, Surface *, NativeDrawable &, EGLint, const Rect *, EGLint) {
    return true;
}
void surface_resized(Surface *) {
    mock.resizes++;
}
void gl_mark_lost(Context *) {}
void surface_release(Surface *) {
    mock.surfaces_freed++;
}

bool fence_create(Context *, Sync *) {
    mock.fences++;
    return true;
}
void fence_destroy(Sync *) {
    mock.fences--;
}
bool fence_wait(Context *, Sync *, uint64_t timeout_ns, bool) {
    return timeout_ns != 0;
}
void fence_wait_server(Context *, Sync *) {
    mock.server_waits++;
}

EGLint image_create(Context *, Image *, EGLenum, uint32_t, EGLint, const char **) {
    return mock.image_error;
}
EGLint image_import(Image *, const gl::DmaBuf &source, const char **) {
    mock.imported = source;
    return mock.image_error;
}
bool image_format_known(uint32_t fourcc) {
    return fourcc == 0x34325241; // AR24
}
std::vector<gl::DmaBufFormat> importable_formats(const Group &) {
    return mock.dma_buf_formats;
}
void image_destroy(Image *) {}

} // namespace egl

namespace glapi {
void (*get_proc_address(const char *name))() {
    return std::string(name) == "glFlush" ? reinterpret_cast<void (*)()>(&egl::mock) : nullptr;
}
} // namespace glapi
