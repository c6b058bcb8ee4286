// SPDX-License-Identifier: MIT
// How each pipe format is stored on this device. The stored format may be wider than the one asked
// for; uploads and read-backs then convert (drivers_common/format_convert.h), views add the missing
// components.
#pragma once

#include "magma_vk.h"

#include "pipe/pipe_caps.h"
#include "pipe/pipe_format.h"

namespace magma {

struct host_device;

struct format_info {
    uint32_t asked = PIPE_FORMAT_NONE; // pipe format
    uint32_t stored =
        PIPE_FORMAT_NONE; // pipe format with the memory layout of `vk`; NONE: cannot be stored
    VkFormat vk = VK_FORMAT_UNDEFINED;
    VkFormat vk_linear =
        VK_FORMAT_UNDEFINED; // without sRGB conversion; equals vk where there is none
    VkImageAspectFlags aspects = 0;
    VkFormatFeatureFlags features = 0; // optimal tiling
    VkFormatFeatureFlags buffer_features = 0;
    bool no_alpha = false; // asked has no alpha but stored has one: it has to read as 1
    bool exact = false;    // stored == asked

    // What vkCmdCopyBufferToImage reads for one aspect.
    uint32_t copy_format(VkImageAspectFlags aspect) const;
};

// The table is made once per device. Never fails: unknown formats give an entry with stored ==
// NONE.
const format_info &format_of(host_device &dev, uint32_t pipe_format);

// The pipe format without the sRGB encoding; of others itself.
uint32_t linear_twin(uint32_t format);

// The VkFormat with exactly this memory layout, or VK_FORMAT_UNDEFINED.
VkFormat exact_vk_format(uint32_t pipe_format);

// Fills caps.format[].
void fill_format_caps(host_device &dev, pipe_caps &caps);

// What a colour attachment of this format holds (pipe_value_class).
uint8_t value_class_of(VkFormat format);

// Sample counts of an image of this format and these usages.
VkSampleCountFlags sample_counts(host_device &dev, const format_info &f);

// The format of a vertex attribute; VK_FORMAT_UNDEFINED where Vulkan has none. `shader_class`: 0
// float, 1 sint, 2 uint.
VkFormat vertex_format(uint8_t type, uint8_t size, uint8_t flags);

} // namespace magma
