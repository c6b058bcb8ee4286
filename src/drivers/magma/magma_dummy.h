// SPDX-License-Identifier: MIT
// What stands in descriptors where nothing is bound: images that read 0, 0, 0, 1, an empty texel
// buffer, a sampler. Made when first needed, one set per device.
#pragma once

#include "magma_program.h"

namespace magma {

struct context;

VkDescriptorImageInfo dummy_image(context &c, const program_binding &b);
VkBufferView dummy_texel_buffer(context &c, uint8_t value_class);
VkSampler dummy_sampler(context &c);

} // namespace magma
