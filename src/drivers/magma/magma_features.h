// SPDX-License-Identifier: MIT
// Which optional abilities of the device are used: asked for by presence, masked by
// MGPIPE_HOST_HIDE.
#pragma once

#include "magma_instance.h"

namespace magma {

// True when MGPIPE_HOST_HIDE lists the name (an extension with or without "VK_", a feature, or
// vk11-min).
bool hidden(const host_options &options, const char *name);

// Creates dev.device with every wanted feature that the device has and fills dev.has.
bool create_device(host_device &dev);

// After the device table is loaded: drops abilities whose functions did not come.
void settle_features(host_device &dev);

} // namespace magma
