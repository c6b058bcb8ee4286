// SPDX-License-Identifier: MIT
// Dynamic state of the open command buffer: what it has, and the commands that bring it to what is
// bound. A command is recorded only when its values differ from the last ones: hosts pay for each,
// also when it changes nothing.
#pragma once

#include "pipe/pipe.h"

#include "magma_vk.h"

#include <cstring>

namespace magma {

struct context;

// Values as they were last recorded, by kind; `known` says which kinds were at all.
class recorded_state {
  public:
    enum kind : uint32_t {
        viewports,
        scissors,
        blend_color,
        stencil_compare,
        stencil_write,
        stencil_reference,
        line_width,
        depth_bias,
        cull_mode,
        front_face,
        depth_test,
        depth_write,
        depth_compare,
        stencil_test,
        stencil_front,
        stencil_back,
        discard,
        depth_bias_enable,
        blend_enable,
        blend_equation,
        color_mask,
        topology,
        restart,
        index_buffer,
        vertex_buffers,
        kinds,
    };

    // Nothing is known any more: another command buffer, or the driver's own pipelines ran.
    void forget() { known_ = 0; }

    // True when the value is not what the command buffer has; then it is noted.
    template <class T> bool differs(kind k, const T &value) {
        return differs(k, &value, uint32_t(sizeof value));
    }
    // The same for `size` bytes (at most max_bytes).
    bool differs(kind k, const void *value, uint32_t size) {
        slot &s = slots_[k];
        if (known_ & 1u << k && s.size == size && !memcmp(s.bytes, value, size))
            return false;
        memcpy(s.bytes, value, size);
        s.size = size;
        known_ |= 1u << k;
        return true;
    }

    static constexpr uint32_t max_bytes = 544; // the vertex buffers

  private:
    struct slot {
        uint32_t size;
        unsigned char bytes[max_bytes];
    };
    uint32_t known_ = 0;
    slot slots_[kinds];
};

// Records what is dirty, dynamic on this device and not yet so in the command buffer.
void emit_dynamic_state(context &c, VkPrimitiveTopology topology, bool restart);
void record_index_buffer(context &c, VkBuffer buffer, VkDeviceSize offset, VkIndexType type);

} // namespace magma
