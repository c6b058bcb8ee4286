// SPDX-License-Identifier: MIT
// Descriptors of a program: set 0 is pushed, binding by binding as they change; set 1 holds what
// does not fit the push limit and comes from linear pools that retire with the batch.
#pragma once

#include "magma_batch.h"
#include "magma_program.h"

#include <vector>

namespace magma {

struct context;

// One descriptor as it was last written; compared bytewise.
struct descriptor_value {
    VkDescriptorImageInfo image = {};
    VkDescriptorBufferInfo buffer = {};
    VkBufferView texel = VK_NULL_HANDLE;
};

struct descriptor_state {
    const program *owner = nullptr; // whose bindings `values` are
    uint64_t owner_serial = 0;
    uint64_t batch = 0;
    std::vector<descriptor_value> values; // all descriptors of all bindings, in order
    // Default block as uploaded in this batch.
    uint64_t globals_owner = 0, globals_serial = 0, globals_batch = 0;
    upload_slice globals;
};

// Notes the uses of everything the program reads or writes. False when an open pass would have to
// end first and `may_break` is false (nothing is noted then).
bool use_bound(context &c, program &p, bool compute, bool may_break);

// Writes what changed; false: out of memory, skip the draw.
bool emit_descriptors(context &c, program &p, VkPipelineBindPoint point);

// A set from the pools of the batch; null when out of memory.
VkDescriptorSet allocate_set(context &c, VkDescriptorSetLayout layout);

// A slice of zeros that lives as long as the batch; for what is not bound.
upload_slice zeros(context &c, VkDeviceSize size);

} // namespace magma
