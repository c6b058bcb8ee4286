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

// The default block of a program as it lies in an upload chunk of a batch.
struct uploaded_globals {
    uint64_t owner = 0, serial = 0, batch = 0;
    upload_slice slice;
};

struct descriptor_state {
    layout_ref layout; // whose bindings `values` are; null: nothing is bound
    uint64_t batch = 0;
    std::vector<descriptor_value> values; // all descriptors of all bindings, in order
    // Room for writes and for the gathered values of arrays.
    std::vector<VkWriteDescriptorSet> writes;
    std::vector<VkDescriptorImageInfo> images;
    std::vector<VkDescriptorBufferInfo> buffers;
    std::vector<VkBufferView> texels;
    uploaded_globals globals[16]; // by program serial
};

// Notes the uses of everything the program reads or writes. False when an open pass would have to
// end first and `may_break` is false (nothing is noted then).
bool use_bound(context &c, program &p, bool compute, bool may_break);

// Writes what changed; false: out of memory, skip the draw.
// Notes the samplers of the program whose borders the host lacks (context::borders).
void follow_borders(context &c, program &p);
bool emit_descriptors(context &c, program &p, VkPipelineBindPoint point);

// A set from the pools of the batch; null when out of memory.
VkDescriptorSet allocate_set(context &c, VkDescriptorSetLayout layout);

// A slice of zeros that lives as long as the batch; for what is not bound.
upload_slice zeros(context &c, VkDeviceSize size);

} // namespace magma
