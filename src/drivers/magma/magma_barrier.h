// SPDX-License-Identifier: MIT
// What a batch did with each storage, and the barriers that follow from it. Within a batch every
// use is compared with the uses before it; between batches one full barrier stands at the head of
// each submit, where also the layouts that this batch expects are established. So two lanes never
// have to know each other.
#pragma once

#include "magma_storage.h"

#include <cstdint>
#include <vector>

namespace magma {

struct host_device;

// One kind of use. `layout` is ignored for buffers.
struct access {
    VkPipelineStageFlags stages;
    VkAccessFlags flags;
    VkImageLayout layout;
    bool write;
};

access access_transfer_read();
access access_transfer_write();
access access_vertex();
access access_index();
access access_indirect();
access access_uniform(const host_device &dev);
access access_color_attachment(const storage &s);
access access_depth_attachment(const storage &s);
access access_sampled(const host_device &dev, const storage *s);
access access_shader_storage(const host_device &dev, bool write);
access access_capture(bool counter);
access access_host_read();

// Shader stages that the device can name in a barrier (only enabled ones are legal).
VkPipelineStageFlags usable_shader_stages(const host_device &dev);

// Barriers that wait to be recorded in one command.
struct barrier_group {
    VkPipelineStageFlags src = 0, dst = 0;
    VkAccessFlags src_access = 0, dst_access = 0;
    std::vector<VkImageMemoryBarrier> images;

    bool empty() const { return !src && !dst && images.empty(); }
    void record(const host_device &dev, VkCommandBuffer cmd); // and empties
};

// The uses of one lane's current batch.
class use_tracker {
  public:
    // Forgets everything; uses of older batches no longer count.
    void begin_batch() {
        ++batch_;
        touched_.clear();
    }
    // True while the main command buffer has not used the storage: then a transfer may go to the
    // early one.
    bool early_allowed(const storage &s) const {
        const state *u = find(s);
        return !u || !u->in_main;
    }
    // Notes a use and adds what has to be waited for to `out_main` or `out_early`.
    void use(storage &s, const access &a, bool in_main, barrier_group &out_main,
             barrier_group &out_early);
    // True when use() would add a barrier to the main group: then an open pass has to end first.
    bool breaks_pass(const storage &s, const access &a) const;
    // glMemoryBarrier: later shader accesses wait for the shader writes before.
    void full_barrier(barrier_group &out);

    // At submit, under the queue mutex: barriers that bring every image into the layout in which
    // this batch first uses it.
    void settle_layouts(std::vector<VkImageMemoryBarrier> &out);
    // The same at its end: barriers that give images of others back to them.
    void give_back_foreign(std::vector<VkImageMemoryBarrier> &out) const;
    // The batch runs: notes the layout in which it leaves each image.
    void commit_layouts();

  private:
    struct state {
        uint64_t batch = 0;
        VkImageLayout layout, first_layout;
        VkPipelineStageFlags write_stages, read_stages, visible_stages;
        VkAccessFlags write_access, visible_access;
        bool in_main, shader_write;
    };
    const state *find(const storage &s) const {
        if (s.index >= states_.size() || states_[s.index].batch != batch_)
            return nullptr;
        return &states_[s.index];
    }
    static bool hazard(const storage &s, const state &u, const access &a);

    std::vector<state> states_;      // by storage index
    std::vector<storage *> touched_; // images, for settle_layouts
    uint64_t batch_ = 1;
};

} // namespace magma
