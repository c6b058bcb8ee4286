// SPDX-License-Identifier: MIT
// Wayland: the program's wl_display, or a connection of our own to the default one. Globals are
// looked up once, on a queue of our own.
#include "platform.h"

#include "config.h"
#include "wayland_queue.h"
#include "wayland_window.h"

#include "util/log.h"
#include "util/native.h"

#include <linux-dmabuf-unstable-v1-client-protocol.h>
#include <wayland-egl-backend.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace egl {

namespace {

using wayland::Connection;
using wayland::DmabufOffer;
using wayland::milliseconds;
using wayland::Queue;
using wayland::Window;
using wayland::WindowFormats;

// A compositor that says nothing must not stop the program's other displays.
constexpr milliseconds answer_limit{5000};

struct Format {
    Color color;
    WindowFormats shm;
    Visual visual;
};

// Names of DRM formats (drm_fourcc.h), which are wl_shm's too but for its first two.
constexpr uint32_t fourcc(char a, char b, char c, char d) {
    return uint32_t(a) | uint32_t(b) << 8 | uint32_t(c) << 16 | uint32_t(d) << 24;
}
constexpr Format formats[] = {
    {Color::rgba8,
     {WL_SHM_FORMAT_ARGB8888, WL_SHM_FORMAT_XRGB8888, fourcc('A', 'B', '2', '4'),
      fourcc('X', 'B', '2', '4')},
     {EGLint(fourcc('A', 'R', '2', '4')), EGL_NONE, 32, 8, 8, 8, 8}},
    {Color::rgbx8,
     {WL_SHM_FORMAT_XRGB8888, WL_SHM_FORMAT_XRGB8888, fourcc('X', 'B', '2', '4'),
      fourcc('X', 'B', '2', '4')},
     {EGLint(fourcc('X', 'R', '2', '4')), EGL_NONE, 24, 8, 8, 8, 0}},
    {Color::rgb10a2,
     {WL_SHM_FORMAT_ARGB2101010, WL_SHM_FORMAT_XRGB2101010, fourcc('A', 'B', '3', '0'),
      fourcc('X', 'B', '3', '0')},
     {EGLint(fourcc('A', 'R', '3', '0')), EGL_NONE, 32, 10, 10, 10, 2}},
};

class WaylandPlatform final : public Platform {
  public:
    WaylandPlatform(wl_display *display, bool own)
        : connection_(std::make_shared<Connection>()), own_(own),
          token_(util::native_mint(display)) {
        connection_->display = display;
        queue_.emplace(display);
    }
    // Surfaces that are still current outlive it.
    ~WaylandPlatform() override {
        util::native_forget(token_);
        while (Window *window = any_window())
            window->detach();
        if (connection_->shm)
            wl_shm_destroy(connection_->shm);
        if (connection_->dmabuf.global)
            zwp_linux_dmabuf_v1_destroy(connection_->dmabuf.global);
        queue_.reset();
        if (own_)
            wl_display_disconnect(connection_->display);
    }

    // False: the compositor is dead, mute, or without wl_shm.
    bool look_up();

    System system() const override { return System::wayland; }
    const std::string &display_name() const override { return name_; }
    uint64_t native_display() const override { return token_; }
    const std::vector<Visual> &visuals() const override { return visuals_; }
    EGLint open_window(void *native, const Config &config,
                       std::unique_ptr<NativeDrawable> &out) override;
    // EGL_KHR_platform_wayland: there are no pixmaps.
    EGLint open_pixmap(void *, const Config &, std::unique_ptr<NativeDrawable> &) override {
        return EGL_BAD_PARAMETER;
    }
    // Requests of the program go through its own connection, in order with ours.
    void wait_native() override {}

  private:
    static void on_global(void *data, wl_registry *registry, uint32_t name, const char *interface,
                          uint32_t version);
    static void on_global_remove(void *, wl_registry *, uint32_t) {}
    static void on_format(void *data, wl_shm *shm, uint32_t format);
    static const wl_registry_listener registry_listener;
    static const wl_shm_listener shm_listener;

    Window *any_window() const {
        const std::lock_guard lock(connection_->mutex);
        return connection_->windows.empty() ? nullptr : connection_->windows.back();
    }
    bool has(uint32_t format) const {
        return std::find(shm_formats_.begin(), shm_formats_.end(), format) != shm_formats_.end();
    }

    std::shared_ptr<Connection> connection_;
    bool own_;
    std::optional<Queue> queue_;
    uint64_t token_;
    std::string name_;
    std::vector<uint32_t> shm_formats_;
    std::vector<Visual> visuals_;
};

const wl_registry_listener WaylandPlatform::registry_listener = {on_global, on_global_remove};
const wl_shm_listener WaylandPlatform::shm_listener = {on_format};

void WaylandPlatform::on_global(void *data, wl_registry *registry, uint32_t name,
                                const char *interface, uint32_t version) {
    auto *self = static_cast<WaylandPlatform *>(data);
    wl_shm *&shm = self->connection_->shm;
    if (!shm && !std::strcmp(interface, wl_shm_interface.name)) {
        shm = static_cast<wl_shm *>(wl_registry_bind(registry, name, &wl_shm_interface, 1));
        if (shm)
            wl_shm_add_listener(shm, &shm_listener, self);
    }
    // The version that tells modifiers by events; the next one does by a table.
    constexpr uint32_t tells_modifiers = ZWP_LINUX_DMABUF_V1_MODIFIER_SINCE_VERSION;
    DmabufOffer &dmabuf = self->connection_->dmabuf;
    if (!dmabuf.global && version >= tells_modifiers &&
        !std::strcmp(interface, zwp_linux_dmabuf_v1_interface.name)) {
        dmabuf.global = static_cast<zwp_linux_dmabuf_v1 *>(
            wl_registry_bind(registry, name, &zwp_linux_dmabuf_v1_interface, tells_modifiers));
        if (dmabuf.global)
            dmabuf.listen();
    }
}

void WaylandPlatform::on_format(void *data, wl_shm *, uint32_t format) {
    static_cast<WaylandPlatform *>(data)->shm_formats_.push_back(format);
}

bool WaylandPlatform::look_up() {
    wl_display *wrapper = queue_->wrap(connection_->display);
    wl_registry *registry = wrapper ? wl_display_get_registry(wrapper) : nullptr;
    if (wrapper)
        wl_proxy_wrapper_destroy(wrapper);
    if (!registry)
        return false;
    wl_registry_add_listener(registry, &registry_listener, this);
    // The first answer names the globals, the second the formats.
    const bool answered = queue_->roundtrip(answer_limit) && queue_->roundtrip(answer_limit);
    wl_registry_destroy(registry);
    if (!answered || !connection_->shm) {
        log_warning("egl", "the Wayland compositor %s", answered ? "has no wl_shm" : "is mute");
        return false;
    }
    for (const Format &format : formats)
        if (has(format.shm.alpha) && has(format.shm.opaque))
            visuals_.push_back(format.visual);
    return true;
}

EGLint WaylandPlatform::open_window(void *native, const Config &config,
                                    std::unique_ptr<NativeDrawable> &out) {
    auto *window = static_cast<wl_egl_window *>(native);
    // Before its third version the struct began with the surface.
    if (!window || window->version != WL_EGL_WINDOW_VERSION || !window->surface)
        return EGL_BAD_NATIVE_WINDOW;
    const std::lock_guard lock(connection_->mutex);
    if (window->driver_private)
        return EGL_BAD_ALLOC;
    for (const Format &format : formats) {
        if (format.color != config.color || !has(format.shm.alpha) || !has(format.shm.opaque))
            continue;
        out = std::make_unique<Window>(connection_, window, format.shm);
        return EGL_SUCCESS;
    }
    return EGL_BAD_MATCH;
}

} // namespace

std::unique_ptr<Platform> open_wayland(void *native, EGLint *error) {
    *error = EGL_BAD_ALLOC;
    auto *display = static_cast<wl_display *>(native);
    if (!display)
        display = wl_display_connect(nullptr);
    if (!display)
        return nullptr;
    auto platform = std::make_unique<WaylandPlatform>(display, !native);
    if (!platform->look_up())
        return nullptr;
    *error = EGL_SUCCESS;
    return platform;
}

} // namespace egl
