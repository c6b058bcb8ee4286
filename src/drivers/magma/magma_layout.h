// SPDX-License-Identifier: MIT
// Descriptor and pipeline layouts, shared by programs that bind alike: descriptors stay bound when
// one of them follows another.
#pragma once

#include "magma_vk.h"

#include <memory>
#include <vector>

namespace magma {

struct host_device;
struct program_binding;

struct program_layout {
    host_device *dev = nullptr;
    VkDescriptorSetLayout sets[3] = {}; // pushed, from pools, copies of targets (logic_set)
    VkPipelineLayout pipeline = VK_NULL_HANDLE;
    ~program_layout();
};
using layout_ref = std::shared_ptr<program_layout>;

// The layout of these bindings (sets and numbers are chosen); null when the host refuses it. Any
// thread.
layout_ref find_layout(host_device &dev, const std::vector<program_binding> &bindings,
                       bool compute);

} // namespace magma
