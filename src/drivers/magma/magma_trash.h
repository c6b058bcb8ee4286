// SPDX-License-Identifier: MIT
// Deferred destruction. Every batch (recording or in flight) is an epoch; what is thrown away is
// destroyed when all epochs that were open at that moment have ended. Thread safe.
#pragma once

#include "magma_memory.h"
#include "magma_vk.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace magma {

struct host_device;
struct storage;

struct trash_can {
    explicit trash_can(host_device &device);
    ~trash_can();

    uint64_t open_epoch();
    void close_epoch(uint64_t epoch); // then destroys what has become free

    // Handles are cast: throw_away(VK_OBJECT_TYPE_IMAGE, image). Null handles are ignored.
    template <class T> void throw_away(VkObjectType type, T handle) {
        put(type, (uint64_t)handle, {}, nullptr);
    }
    void throw_away(const allocation &memory) { put(VK_OBJECT_TYPE_UNKNOWN, 0, memory, nullptr); }
    // The storage with its host objects, its memory and its index.
    void throw_away(storage *s) { put(VK_OBJECT_TYPE_UNKNOWN, 0, {}, s); }

    // Memory of what waits to be destroyed.
    uint64_t waiting_bytes() const { return waiting_bytes_.load(std::memory_order_relaxed); }

    // Dense numbers of storages; reused only when no batch can know the old owner.
    uint32_t take_index();

  private:
    struct item {
        uint64_t epoch;
        VkObjectType type;
        uint64_t handle;
        allocation memory;
        storage *owner;
    };
    void put(VkObjectType type, uint64_t handle, const allocation &memory, storage *owner);
    void collect_locked();
    void destroy(const item &i);

    host_device &dev_;
    std::mutex mutex_;
    uint64_t counter_ = 0;
    std::vector<uint64_t> open_; // ascending
    std::deque<item> items_;
    std::atomic<uint64_t> waiting_bytes_{0};
    std::vector<uint32_t> free_indices_;
    uint32_t next_index_ = 0;
};

} // namespace magma
