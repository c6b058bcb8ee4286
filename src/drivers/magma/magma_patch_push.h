// SPDX-License-Identifier: MIT
// The push constants as a patched module sees them.
#pragma once

#include "magma_program.h"
#include "spirv/rewrite.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace magma {

// The block of push constants, declared when something needs it. Must not outlive the module.
class push_constants {
  public:
    explicit push_constants(spirv::module &m) : m_(m) {}
    // A load of the word-aligned member at `offset` of push_block.
    spirv::id load(spirv::code &c, size_t offset, spirv::id type) {
        declare();
        uint32_t member =
            uint32_t(std::find(offsets.begin(), offsets.end(), uint32_t(offset)) - offsets.begin());
        spirv::id pointer =
            c.access(spv::StorageClassPushConstant, type, variable_, {m_.const_u32(member)});
        return c.load(type, pointer);
    }

  private:
    void declare() {
        if (variable_)
            return;
        spirv::id f = m_.type_float(32), u = m_.type_int(32, false), i = m_.type_int(32, true);
        std::vector<spirv::id> members = {f, f, f, u, u, f, i, i, f, f, f};
        spirv::id block = m_.new_struct_type(members);
        m_.set_decoration(block, spv::DecorationBlock);
        for (uint32_t k = 0; k < members.size(); ++k)
            m_.set_member_decoration(block, k, spv::DecorationOffset, offsets[k]);
        variable_ = m_.add_variable(spv::StorageClassPushConstant, block);
    }
    static inline const std::vector<uint32_t> offsets = {
        offsetof(push_block, z_scale),        offsetof(push_block, w_scale),
        offsetof(push_block, point_size),     offsetof(push_block, flags),
        offsetof(push_block, clip_mask),      offsetof(push_block, fb_height),
        offsetof(push_block, draw_id),        offsetof(push_block, base_instance),
        offsetof(push_block, line_width),     offsetof(push_block, viewport_width),
        offsetof(push_block, viewport_height)};
    spirv::module &m_;
    spirv::id variable_ = 0;
};

} // namespace magma
