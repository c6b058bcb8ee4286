// SPDX-License-Identifier: MIT
// Logic operations for hosts without the feature logicOp: the fragment shader computes them with
// copies of the targets (magma_patch_logic.h), which are made before each draw. Fixed-point and
// integer targets take part; floats and what is encoded as sRGB do not.
#pragma once

#include "magma_framebuffer.h"
#include "magma_patch_logic.h"
#include "magma_storage.h"

#include "pipe/pipe.h"

namespace magma {

struct context;
struct program;

// What the shader has to know for draws with this blend state; all zero: the host does it, or no
// target takes part.
logic_code logic_code_of(const host_device &dev, const program &p, const pipe_blend_state &b,
                         const pass_formats &f);

// The copies of a lane's targets. Used by the thread of the lane.
class target_copies {
  public:
    ~target_copies();

    // At the head of a draw: ends an open pass and copies what the operation reads. False: one GL
    // error was raised, skip the draw.
    bool begin(context &c);
    // Before the pass opens: their use by the draw.
    void note_use(context &c);
    // In the pass, with the program's layout bound. False: out of memory, skip the draw.
    bool bind(context &c);

  private:
    struct copy {
        storage_ref store;
        VkImageView view = VK_NULL_HANDLE;
    };
    bool take(context &c, copy &k, const attachment &a, VkFormat format);

    copy copies_[PIPE_MAX_COLOR_BUFS]; // by draw buffer
    uint32_t read_ = 0;                // bit per draw buffer: read by the current draw
};

// How many indices a draw may have so that each primitive sees what those before it wrote; 0: the
// draw is not cut, which is logged once where it had to be. `mode` is a list.
uint32_t logic_cut(context &c, const pipe_draw_vbo &p, uint8_t mode);
// Whether the draw reads its targets and therefore goes through lists of indices.
bool logic_reads(context &c);

} // namespace magma
