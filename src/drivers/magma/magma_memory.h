// SPDX-License-Identifier: MIT
// Device memory in blocks. One allocation of the host is shared by many buffers or by many images
// (the two never share a block, so bufferImageGranularity does not matter). Thread safe.
#pragma once

#include "magma_vk.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace magma {

struct host_device;

enum class memory_use : uint8_t {
    device,   // device local, not mapped
    upload,   // host visible and coherent, written in order
    readback, // host visible and coherent, cached where possible
};

struct allocation {
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    VkDeviceSize size = 0;
    uint8_t *map = nullptr; // first byte; null when not host visible
    uint32_t block = 0;     // internal
};

struct memory_manager {
    explicit memory_manager(host_device &device);
    ~memory_manager();

    // Memory is ready to be bound: of the best type for the use, of the next best one when the host
    // has no more of it. On failure `out` is unchanged.
    VkResult allocate(const VkMemoryRequirements &req, memory_use use, bool image, allocation &out);
    // Shared pages of somebody else (MAP_SHARED, all of `size`), mapped once more; the host's
    // alignment for such memory divides both. On failure `out` is unchanged.
    VkResult import(const VkMemoryRequirements &req, void *pages, VkDeviceSize size,
                    allocation &out);
    // The memory of a dma-buf, for one image alone; `fd` stays the caller's. On failure `out` is
    // unchanged.
    VkResult import_dmabuf(const VkMemoryRequirements &req, int fd, VkImage image, allocation &out);
    // Memory for one image alone that a dma-buf can be made of. On failure `out` is unchanged.
    VkResult allocate_dmabuf(const VkMemoryRequirements &req, VkImage image, allocation &out);
    VkMemoryPropertyFlags properties(const allocation &a);
    // The caller proves that the GPU is done with it.
    void free(const allocation &a);
    // A host that draws with the CPU frees blocks into the heap of the process, and many of them
    // stay resident there: they go back to the system, once a second at most. Now and then.
    void trim() {
        if (untrimmed_.load(std::memory_order_relaxed) >= trim_from)
            trim_heap();
    }

    uint64_t total_device_memory() const;
    uint64_t bytes_allocated() const { return allocated_; }

  private:
    static constexpr uint64_t trim_from = 32ull << 20;
    void trim_heap();

    struct span {
        VkDeviceSize offset, size;
    };
    struct block {
        VkDeviceMemory memory = VK_NULL_HANDLE;
        VkDeviceSize size = 0;
        uint8_t *map = nullptr;
        uint32_t type = 0;
        bool image = false, dedicated = false;
        bool imported = false;  // `map` is a mapping of ours
        std::vector<span> free; // sorted by offset
        bool is_empty() const { return free.size() == 1 && free[0].size == size; }
    };
    bool has_another_empty(const block &b) const;
    int find_type(uint32_t bits, memory_use use) const; // -1: none
    VkResult allocate_of(uint32_t type, const VkMemoryRequirements &req, bool image,
                         allocation &out);
    // `chain`: where the memory comes from, or what becomes of it.
    VkResult allocate_alone(const VkMemoryRequirements &req, uint32_t type, VkImage image,
                            const void *chain, allocation &out);
    VkResult new_block(uint32_t type, bool image, VkDeviceSize size, bool dedicated,
                       uint32_t &index);
    uint32_t put(std::unique_ptr<block> b); // its index
    bool carve(block &b, VkDeviceSize size, VkDeviceSize alignment, VkDeviceSize &offset);

    host_device &dev_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<block>>
        blocks_; // index + 1 is allocation::block; null entries are reused
    uint64_t allocated_ = 0;
    std::atomic<uint64_t> untrimmed_{0}, trimmed_at_ns_{0}; // bytes freed since then
};

} // namespace magma
