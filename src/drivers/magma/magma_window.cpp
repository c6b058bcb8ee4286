// SPDX-License-Identifier: MIT
// Connections to X servers, and the host's surfaces of windows.
#include "magma_window.h"

#include "magma_instance.h"
#include "util/log.h"
#include "util/native.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#ifdef MGPIPE_HAVE_X11
#include <xcb/xcb.h>

#include <vulkan/vulkan_xcb.h>
#endif
#ifdef MGPIPE_HAVE_WAYLAND
#include <vulkan/vulkan_wayland.h>
#endif

namespace magma {

native_window::~native_window() {
    if (surface_)
        dev_.vk.DestroySurfaceKHR(dev_.instance, surface_, nullptr);
}

namespace {

#ifdef MGPIPE_HAVE_X11

// Our connection to one X server. The host sends its requests through it too; what it leaves in the
// queue of events is taken here.
class x_display {
  public:
    explicit x_display(xcb_connection_t *connection) : connection_(connection) {}

    xcb_connection_t *connection() const { return connection_; }
    bool dead() const { return xcb_connection_has_error(connection_) != 0; }

    // Its end and its extent from now on; errors of unchecked requests count as its end.
    void watch(uint32_t window) {
        std::lock_guard lock(mutex_);
        watched_.push_back({window, select(window, XCB_EVENT_MASK_STRUCTURE_NOTIFY), {}, false});
    }
    void forget(uint32_t window) {
        std::lock_guard lock(mutex_);
        watched_.erase(std::find_if(watched_.begin(), watched_.end(),
                                    [&](const entry &e) { return e.window == window; }));
        // Another share group may show the same window.
        if (std::none_of(watched_.begin(), watched_.end(),
                         [&](const entry &e) { return e.window == window; }))
            select(window, 0);
    }
    bool alive(uint32_t window, VkExtent2D &extent) {
        std::lock_guard lock(mutex_);
        while (xcb_generic_event_t *event = xcb_poll_for_event(connection_)) {
            take(*event);
            free(event);
        }
        if (xcb_connection_has_error(connection_))
            return false;
        for (const entry &e : watched_) {
            if (e.window != window)
                continue;
            if (e.extent.width)
                extent = e.extent;
            return !e.gone;
        }
        return false;
    }

  private:
    struct entry {
        uint32_t window;
        uint32_t since;    // request; what was sent before is about an older owner of the id
        VkExtent2D extent; // 0: not told yet
        bool gone;
    };

    uint32_t select(uint32_t window, uint32_t mask) {
        const xcb_void_cookie_t request =
            xcb_change_window_attributes(connection_, window, XCB_CW_EVENT_MASK, &mask);
        xcb_flush(connection_);
        return request.sequence;
    }
    template <typename F> void each(uint32_t window, uint32_t sequence, F &&change) {
        for (entry &e : watched_)
            if (e.window == window && int32_t(sequence - e.since) >= 0)
                change(e);
    }
    void take(const xcb_generic_event_t &event) {
        const void *any = &event;
        switch (event.response_type & 0x7f) {
        case 0: {
            const auto &error = *static_cast<const xcb_generic_error_t *>(any);
            if (error.error_code == XCB_WINDOW || error.error_code == XCB_DRAWABLE)
                each(error.resource_id, event.full_sequence, [](entry &e) { e.gone = true; });
            break;
        }
        case XCB_DESTROY_NOTIFY:
            each(static_cast<const xcb_destroy_notify_event_t *>(any)->window, event.full_sequence,
                 [](entry &e) { e.gone = true; });
            break;
        case XCB_CONFIGURE_NOTIFY: {
            const auto &c = *static_cast<const xcb_configure_notify_event_t *>(any);
            each(c.window, event.full_sequence, [&](entry &e) { e.extent = {c.width, c.height}; });
            break;
        }
        default: break;
        }
    }

    xcb_connection_t *const connection_;
    std::mutex mutex_;
    std::vector<entry> watched_;
};

// Mesa's first look at a connection is not safe from several threads (22.3: a crash in
// vkGetPhysicalDeviceSurfaceSupportKHR), so it is taken here.
void greet(host_device &dev, xcb_connection_t *connection) {
    auto ask = reinterpret_cast<PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR>(
        dev.xcb_presentation_support);
    const xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
    if (ask && screens.rem)
        ask(dev.physical, dev.queue_family, connection, screens.data->root_visual);
}

// Connections stay: hosts keep what they know of one by its address. That of a server that is gone
// is left behind.
std::shared_ptr<x_display> find_display(host_device &dev, const std::string &name) {
    static std::mutex mutex;
    static auto *cache = new std::map<std::string, std::shared_ptr<x_display>>;
    static auto *dead = new std::vector<std::shared_ptr<x_display>>;
    std::lock_guard lock(mutex);
    std::shared_ptr<x_display> &known = (*cache)[name];
    if (known && !known->dead())
        return known;
    if (known)
        dead->push_back(std::move(known));
    xcb_connection_t *c = xcb_connect(name.empty() ? nullptr : name.c_str(), nullptr);
    if (xcb_connection_has_error(c)) {
        xcb_disconnect(c);
        log_error("magma", "no connection to X display \"%s\"", name.c_str());
        known.reset();
        return nullptr;
    }
    greet(dev, c);
    known = std::make_shared<x_display>(c);
    return known;
}

class x_window final : public native_window {
  public:
    x_window(host_device &dev, std::shared_ptr<x_display> display, uint32_t id)
        : native_window(dev), display_(std::move(display)), id_(id) {
        display_->watch(id_);
    }
    ~x_window() override { display_->forget(id_); }

    VkResult open() {
        auto create = reinterpret_cast<PFN_vkCreateXcbSurfaceKHR>(dev_.create_xcb_surface);
        VkXcbSurfaceCreateInfoKHR info = {VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR};
        info.connection = display_->connection();
        info.window = id_;
        return create(dev_.instance, &info, nullptr, &surface_);
    }
    bool alive(VkExtent2D &extent) override { return display_->alive(id_, extent); }

  private:
    const std::shared_ptr<x_display> display_;
    const uint32_t id_;
};

// Lavapipe puts frames as pixels of depth 24, which windows of another depth refuse.
bool takes_frames(const host_device &dev, xcb_connection_t *connection, uint32_t window) {
    if (dev.props.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
        return true;
    xcb_get_geometry_reply_t *reply =
        xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), nullptr);
    const bool takes = !reply || reply->depth == 24;
    free(reply);
    return takes;
}

std::unique_ptr<native_window> open_x11(host_device &dev, const std::string &name, uint64_t id) {
    auto display = find_display(dev, name);
    if (!display)
        return nullptr;
    if (!takes_frames(dev, display->connection(), uint32_t(id))) {
        log_info("magma", "%s shows no windows of this depth", dev.props.deviceName);
        return nullptr;
    }
    auto window = std::make_unique<x_window>(dev, std::move(display), uint32_t(id));
    const VkResult result = window->open();
    if (result == VK_SUCCESS)
        return window;
    log_error("magma", "vkCreateXcbSurfaceKHR of window 0x%x: %s", unsigned(id),
              result_name(result));
    return nullptr;
}

#endif

#ifdef MGPIPE_HAVE_WAYLAND

class wayland_window final : public native_window {
  public:
    wayland_window(host_device &dev, uint64_t token) : native_window(dev) { token_ = token; }

    VkResult open(void *display, void *surface) {
        auto create = reinterpret_cast<PFN_vkCreateWaylandSurfaceKHR>(dev_.create_wayland_surface);
        VkWaylandSurfaceCreateInfoKHR info = {VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR};
        info.display = static_cast<wl_display *>(display);
        info.surface = static_cast<wl_surface *>(surface);
        return create(dev_.instance, &info, nullptr, &surface_);
    }
    bool alive(VkExtent2D &) override { return util::native_find(token_) != nullptr; }
};

std::unique_ptr<native_window> open_wayland(host_device &dev, uint64_t display, uint64_t surface) {
    util::NativeUse d(display), s(surface);
    if (!d.object() || !s.object()) {
        log_info("magma", "no Wayland surface of this process");
        return nullptr;
    }
    auto window = std::make_unique<wayland_window>(dev, surface);
    const VkResult result = window->open(d.object(), s.object());
    if (result == VK_SUCCESS)
        return window;
    log_error("magma", "vkCreateWaylandSurfaceKHR: %s", result_name(result));
    return nullptr;
}

#endif

} // namespace

bool shows_windows(const host_device &dev, enum pipe_platform platform) {
    if (!dev.has.swapchain)
        return false;
    switch (platform) {
    case PIPE_PLATFORM_X11: return dev.create_xcb_surface != nullptr;
    case PIPE_PLATFORM_WAYLAND: return dev.create_wayland_surface != nullptr;
    default: return false;
    }
}

std::unique_ptr<native_window> open_window(host_device &dev, const window_system &system,
                                           uint64_t native) {
    if (!shows_windows(dev, system.platform)) {
        log_warning_once("magma", "%s shows no windows of this window system",
                         dev.props.deviceName);
        return nullptr;
    }
    switch (system.platform) {
#ifdef MGPIPE_HAVE_X11
    case PIPE_PLATFORM_X11: return open_x11(dev, system.display_name, native);
#endif
#ifdef MGPIPE_HAVE_WAYLAND
    case PIPE_PLATFORM_WAYLAND: return open_wayland(dev, system.native_display, native);
#endif
    default: return nullptr;
    }
}

} // namespace magma
