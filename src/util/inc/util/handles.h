// SPDX-License-Identifier: MIT
// Mints {slot, generation} pairs, dense per kind, starting at slot 1. A generation moves only when
// its slot is used again, so an old pair is recognised as stale. mint() and release() are thread
// safe; mint() without a free slot is one atomic add.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace util {

struct SlotGen {
    uint32_t slot = 0, gen = 0; // {0, 0} is null
    bool operator==(const SlotGen &) const = default;
    explicit operator bool() const { return slot | gen; }
};

class SlotAllocator {
  public:
    // Slots are minted in [first, limit).
    explicit SlotAllocator(uint32_t limit = 1u << 24, uint32_t first = 1)
        : next_(first), limit_(limit) {}

    ~SlotAllocator();
    SlotAllocator(const SlotAllocator &) = delete;
    SlotAllocator &operator=(const SlotAllocator &) = delete;

    // Null when all slots are in use.
    SlotGen mint();
    // The pair must have come from mint() and not have been released since; {0, 0} is ignored.
    void release(SlotGen handle);

    uint32_t alive() const { return alive_.load(std::memory_order_relaxed); }

  private:
    std::atomic<uint32_t> next_;
    std::atomic<uint32_t> free_count_{0};
    std::atomic<uint32_t> alive_{0};
    const uint32_t limit_;
    std::mutex mutex_;
    std::vector<SlotGen>
        free_; // generation already moved on; last in, first out keeps tables dense
};

} // namespace util
