// SPDX-License-Identifier: MIT
// Windows of the window systems as surfaces of the host, through connections of our own: one per
// display name and process. Nothing here waits for the window system but the first connection.
#pragma once

#include "magma_vk.h"

#include "pipe/pipe.h"

#include <memory>
#include <string>

namespace magma {

struct host_device;

// The window system of a share group (pipe_screen_config).
struct window_system {
    enum pipe_platform platform = PIPE_PLATFORM_NONE;
    std::string display_name;
    uint64_t native_display = 0;
};

class native_window {
  public:
    virtual ~native_window();
    native_window(const native_window &) = delete;

    VkSurfaceKHR surface() const { return surface_; }
    // Of an object of the program's that has to live while it is used (util::NativeUse); 0: none.
    uint64_t token() const { return token_; }
    // False: window or display are gone for good. `extent`: the window's, where its window system
    // tells and has told; else left alone. From what has arrived; asks nobody.
    virtual bool alive(VkExtent2D &extent) = 0;

  protected:
    explicit native_window(host_device &dev) : dev_(dev) {}
    host_device &dev_;
    VkSurfaceKHR surface_ = VK_NULL_HANDLE;
    uint64_t token_ = 0;
};

// Null, with one log line that says why, when the host cannot show windows of this window system or
// the display cannot be reached. `native`: pipe_surface_create::native.
std::unique_ptr<native_window> open_window(host_device &dev, const window_system &system,
                                           uint64_t native);

// Whether a device can show windows of a platform at all.
bool shows_windows(const host_device &dev, enum pipe_platform platform);

} // namespace magma
