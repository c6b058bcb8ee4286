// SPDX-License-Identifier: MIT
// Textures that a draw samples and draws to. GL leaves such texels undefined, but the draw has to
// be legal, and a depth buffer may be read while it is only tested. With dynamic rendering both
// uses share the layout GENERAL; a render pass object forbids them, so there the draw samples a
// copy that is made before the pass begins.
#pragma once

#include "magma_resource.h"

#include <vector>

namespace magma {

struct context;

// The copies of a lane's current draw. Used by the thread of the lane.
class feedback_copies {
  public:
    ~feedback_copies();

    // The view's texels are among those that the current framebuffer draws to, and this host needs
    // a copy.
    static bool needed(const context &c, const sampler_view &v);
    // Around the views of one draw: begin(), add() for each that needs a copy, end().
    void begin();
    // False: an open pass has to end first. A copy that cannot be made is left out.
    bool add(context &c, const view_ref &v);
    // True when descriptors may name something else than before.
    bool end();

    // The pass has ended: what it drew is not in the copies.
    void pass_ended() { fresh_ = false; }
    // What is sampled instead of the view's own storage; null: nothing else.
    storage *store_of(const sampler_view &v) const;
    VkImageView view_of(const sampler_view &v, uint32_t form);

  private:
    struct copy {
        view_ref of;
        storage_ref source, store;
        VkImageView views[view_forms] = {};
        bool wanted = true;
    };
    copy *find(const sampler_view &v);
    const copy *find(const sampler_view &v) const;
    static bool make(context &c, copy &k);
    static void drop(copy &k);

    std::vector<copy> copies_;
    bool fresh_ = false; // made for the pass that is open
    bool changed_ = false;
};

} // namespace magma
