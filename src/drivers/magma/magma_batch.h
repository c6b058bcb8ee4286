// SPDX-License-Identifier: MIT
// Command recording of one lane. A batch has three command buffers that run in this order: prologue
// (written at submit: one full barrier and the layouts this batch expects), early (transfers on
// what the main one has not used) and main. Completion is known by submit serial (timeline
// semaphore, else one fence per batch). A recorder is used by one thread at a time; tokens may be
// asked by any thread.
#pragma once

#include "magma_barrier.h"
#include "magma_upload.h"

#include <atomic>
#include <deque>
#include <memory>
#include <vector>

namespace magma {

// Stands for one batch; outlives it.
struct batch_token {
    host_device *dev = nullptr;
    std::atomic<uint64_t> serial{0}; // 0: not submitted
    std::atomic<bool> done{false};
    std::atomic<bool> failed{false};
    VkFence fence = VK_NULL_HANDLE;
    ~batch_token();

    bool submitted() const { return serial.load(std::memory_order_acquire) != 0; }
    bool poll();                    // true: the GPU is done (or lost)
    bool wait(uint64_t timeout_ns); // false: time is over
};
using token_ref = std::shared_ptr<batch_token>;

struct batch {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer prologue = VK_NULL_HANDLE, early = VK_NULL_HANDLE, main = VK_NULL_HANDLE;
    uint64_t epoch = 0;
    token_ref token;
    std::vector<std::unique_ptr<upload_chunk>> chunks;
    std::vector<std::shared_ptr<upload_chunk>> staged; // of stage_alloc, read by this batch
    std::vector<VkDescriptorPool> descriptor_pools;
    std::vector<storage_ref> keep; // storages that only this batch still needs
    uint64_t upload_bytes = 0;
    uint32_t commands = 0; // about
};

// Binary semaphores of one submission. `wait` holds up transfers only.
struct submit_semaphores {
    VkSemaphore wait = VK_NULL_HANDLE, signal = VK_NULL_HANDLE;
};

class recorder {
  public:
    explicit recorder(host_device &dev) : dev(dev) {}
    ~recorder();

    // Opens a batch when there is none; false when the host refuses or is lost.
    bool begin();
    bool recording() const { return cur_ != nullptr; }
    // The command buffer for commands in order; barriers gathered so far are recorded first.
    VkCommandBuffer main();
    VkCommandBuffer early();
    // The main command buffer without recording barriers (inside a pass).
    VkCommandBuffer main_raw() const { return cur_->main; }

    void use(storage &s, const access &a, bool in_main = true) {
        if (in_main)
            uses.use(s, a, true, main_barriers, early_barriers);
        else
            uses.use(s, a, false, early_barriers, early_barriers);
    }

    // Bytes that live until the batch has retired.
    upload_slice upload(VkDeviceSize size, VkDeviceSize alignment);
    // Staged bytes that this batch reads where they lie; a batch is open.
    upload_slice staged(const stage_memory::slice &s, VkDeviceSize bytes);
    VkDescriptorPool descriptor_pool(bool fresh);
    void keep(storage_ref s) { cur_->keep.push_back(std::move(s)); }
    // Commands that make the open batch longer.
    void count(uint32_t commands) { cur_->commands += commands; }
    // True when the open batch should be submitted although nobody asked for it.
    bool full() const { return cur_->commands > max_commands || cur_->upload_bytes > max_upload; }

    // A token of everything recorded so far; null when all of that has already retired or nothing
    // ever was.
    token_ref token();
    // Ends and submits the batch. The caller has ended any open pass. False on a host failure.
    bool submit(const submit_semaphores &semaphores = {});
    // Frees what retired batches held; called at submit and by waits.
    void retire(bool wait_all);

    uint64_t serial() const { return batch_serial_; } // counts batches of this lane

    host_device &dev;
    use_tracker uses;
    barrier_group main_barriers, early_barriers;

    // Of one batch.
    static constexpr uint32_t max_commands = 8192;
    static constexpr uint64_t max_upload = 32ull << 20; // bytes

  private:
    std::unique_ptr<batch> make_batch();
    bool too_many_in_flight() const;
    void recycle(std::unique_ptr<batch> b);
    bool record_prologue();
    void record_epilogue();

    std::unique_ptr<batch> cur_;
    std::deque<std::unique_ptr<batch>> in_flight_;
    uint64_t in_flight_bytes_ = 0; // uploads
    uint64_t in_flight_commands_ = 0;
    std::vector<std::unique_ptr<batch>> spare_;
    std::vector<VkDescriptorPool> spare_pools_;
    token_ref last_token_;
    uint64_t batch_serial_ = 0;
};

} // namespace magma
