// SPDX-License-Identifier: MIT
// Host storage of a resource: one VkBuffer or one VkImage with its memory. Reference counted by
// resources, views and bindings; the last reference throws it into the trash can, so batches need
// no references.
#pragma once

#include "magma_memory.h"
#include "magma_vk.h"

#include <atomic>
#include <cstdint>

namespace magma {

struct host_device;

struct storage {
    host_device *dev = nullptr;
    std::atomic<uint32_t> refs{1};
    uint32_t index = 0; // dense, see trash_can::take_index
    allocation memory;

    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize size = 0; // buffers: bytes

    VkImage image = VK_NULL_HANDLE;
    VkFormat format = VK_FORMAT_UNDEFINED;
    VkImageType type = VK_IMAGE_TYPE_2D;
    VkImageAspectFlags aspects = 0;
    VkImageUsageFlags usage = 0;
    VkImageCreateFlags flags = 0;
    VkExtent3D extent = {};
    uint32_t levels = 1, layers = 1;
    VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
    VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED; // in queue order; under the queue mutex
    // An image of others: the queue family that has it, in GENERAL, while no batch of ours runs.
    uint32_t foreign = VK_QUEUE_FAMILY_IGNORED;
    bool is_foreign() const { return foreign != VK_QUEUE_FAMILY_IGNORED; }
    std::atomic<bool> general{
        false}; // sticky: shaders and attachments use GENERAL (feedback, image stores)

    // The program has the address of its memory: a write never gets another storage instead.
    std::atomic<bool> pinned{false};
    void pin();

    bool is_image() const { return image != VK_NULL_HANDLE; }
};

// A reference to a storage; copying counts.
class storage_ref {
  public:
    storage_ref() = default;
    explicit storage_ref(storage *adopted) : s_(adopted) {}
    storage_ref(const storage_ref &o) : s_(o.s_) { retain(); }
    storage_ref(storage_ref &&o) noexcept : s_(o.s_) { o.s_ = nullptr; }
    storage_ref &operator=(storage_ref o) noexcept {
        storage *t = s_;
        s_ = o.s_;
        o.s_ = t;
        return *this;
    }
    ~storage_ref() { release(); }
    storage *get() const { return s_; }
    storage *operator->() const { return s_; }
    explicit operator bool() const { return s_ != nullptr; }

  private:
    void retain() {
        if (s_)
            s_->refs.fetch_add(1, std::memory_order_relaxed);
    }
    void release();
    storage *s_ = nullptr;
};

// Null and a VkResult in `result` when the host refuses.
storage_ref create_buffer_storage(host_device &dev, VkDeviceSize size, VkBufferUsageFlags usage,
                                  memory_use use, VkResult &result);
// A buffer in shared pages of somebody else, who may unmap them: ours is a mapping of its own.
storage_ref import_buffer_storage(host_device &dev, VkDeviceSize size, VkBufferUsageFlags usage,
                                  void *pages, VkDeviceSize pages_size, VkResult &result);
storage_ref create_image_storage(host_device &dev, const VkImageCreateInfo &info,
                                 VkImageAspectFlags aspects, VkResult &result);
// An image as `info` says, in a dma-buf whose memory lies as the info's chain says; `fd` stays the
// caller's.
storage_ref import_image_storage(host_device &dev, const VkImageCreateInfo &info,
                                 VkImageAspectFlags aspects, int fd, VkResult &result);
// An image whose memory can be a dma-buf of others.
storage_ref create_exported_storage(host_device &dev, const VkImageCreateInfo &info,
                                    VkImageAspectFlags aspects, VkResult &result);

// Usage of every GL buffer: GL lets any buffer be bound to any target.
VkBufferUsageFlags all_buffer_usages(const host_device &dev);

} // namespace magma
