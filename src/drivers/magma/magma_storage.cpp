// SPDX-License-Identifier: MIT
// Creation and death of buffers and images.
#include "magma_storage.h"

#include "magma_instance.h"
#include "magma_trash.h"
#include "util/stats.h"

#include <algorithm>

namespace magma {

static util::Counter count_storages("magma.storages", "buffers and images of the host alive");

void storage_ref::release() {
    if (!s_ || s_->refs.fetch_sub(1, std::memory_order_acq_rel) != 1)
        return;
    count_storages.level(-1);
    s_->dev->trash->throw_away(s_);
}

void storage::pin() {
    if (!pinned.exchange(true))
        dev->pinned_stores.fetch_add(1);
}

namespace {

// A buffer in the memory that `allocate` finds for it; null and `result` else.
template <class Allocate>
storage_ref make_buffer(host_device &dev, VkBufferCreateInfo &info, VkDeviceSize size,
                        VkResult &result, Allocate allocate) {
    VkBuffer buffer = VK_NULL_HANDLE;
    result = VK_TRY(&dev, CreateBuffer(dev.device, &info, nullptr, &buffer));
    if (result != VK_SUCCESS)
        return {};
    VkMemoryRequirements req;
    dev.vk.GetBufferMemoryRequirements(dev.device, buffer, &req);
    // GL_MIN_MAP_BUFFER_ALIGNMENT, should the program map it.
    req.alignment = std::max<VkDeviceSize>(req.alignment, 64);
    allocation memory;
    result = allocate(req, memory);
    if (result == VK_SUCCESS)
        result = VK_TRY(&dev, BindBufferMemory(dev.device, buffer, memory.memory, memory.offset));
    if (result != VK_SUCCESS) {
        dev.vk.DestroyBuffer(dev.device, buffer, nullptr);
        dev.mem->free(memory);
        return {};
    }
    storage *s = new storage;
    s->dev = &dev;
    s->index = dev.trash->take_index();
    count_storages.level(1);
    s->memory = memory;
    s->buffer = buffer;
    s->size = size;
    return storage_ref(s);
}

// An image in the memory that `allocate` finds for it; null and `result` else.
template <class Allocate>
storage_ref make_image(host_device &dev, const VkImageCreateInfo &info, VkImageAspectFlags aspects,
                       VkResult &result, Allocate allocate) {
    VkImage image = VK_NULL_HANDLE;
    result = VK_TRY(&dev, CreateImage(dev.device, &info, nullptr, &image));
    if (result != VK_SUCCESS)
        return {};
    VkMemoryRequirements req;
    dev.vk.GetImageMemoryRequirements(dev.device, image, &req);
    allocation memory;
    result = allocate(image, req, memory);
    if (result == VK_SUCCESS)
        result = VK_TRY(&dev, BindImageMemory(dev.device, image, memory.memory, memory.offset));
    if (result != VK_SUCCESS) {
        dev.vk.DestroyImage(dev.device, image, nullptr);
        dev.mem->free(memory);
        return {};
    }
    storage *s = new storage;
    s->dev = &dev;
    s->index = dev.trash->take_index();
    count_storages.level(1);
    s->memory = memory;
    s->image = image;
    s->format = info.format;
    s->type = info.imageType;
    s->aspects = aspects;
    s->usage = info.usage;
    s->flags = info.flags;
    s->extent = info.extent;
    s->levels = info.mipLevels;
    s->layers = info.arrayLayers;
    s->samples = info.samples;
    return storage_ref(s);
}

VkBufferCreateInfo buffer_info(VkDeviceSize size, VkBufferUsageFlags usage) {
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = std::max<VkDeviceSize>((size + 15) & ~VkDeviceSize(15), 16);
    info.usage = usage;
    return info;
}

} // namespace

storage_ref create_buffer_storage(host_device &dev, VkDeviceSize size, VkBufferUsageFlags usage,
                                  memory_use use, VkResult &result) {
    VkBufferCreateInfo info = buffer_info(size, usage);
    return make_buffer(dev, info, size, result,
                       [&](const VkMemoryRequirements &req, allocation &memory) {
                           return dev.mem->allocate(req, use, false, memory);
                       });
}

storage_ref import_buffer_storage(host_device &dev, VkDeviceSize size, VkBufferUsageFlags usage,
                                  void *pages, VkDeviceSize pages_size, VkResult &result) {
    VkExternalMemoryBufferCreateInfo external = {
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    VkBufferCreateInfo info = buffer_info(size, usage);
    info.pNext = &external;
    return make_buffer(dev, info, size, result,
                       [&](const VkMemoryRequirements &req, allocation &memory) {
                           return dev.mem->import(req, pages, pages_size, memory);
                       });
}

storage_ref create_image_storage(host_device &dev, const VkImageCreateInfo &info,
                                 VkImageAspectFlags aspects, VkResult &result) {
    return make_image(dev, info, aspects, result,
                      [&](VkImage, const VkMemoryRequirements &req, allocation &memory) {
                          return dev.mem->allocate(req, memory_use::device, true, memory);
                      });
}

static void leave_to_others(storage &s, VkImageLayout layout) {
    s.foreign = s.dev->has.foreign_queue ? VK_QUEUE_FAMILY_FOREIGN_EXT : VK_QUEUE_FAMILY_EXTERNAL;
    s.layout = layout;
}

storage_ref import_image_storage(host_device &dev, const VkImageCreateInfo &info,
                                 VkImageAspectFlags aspects, int fd, VkResult &result) {
    storage_ref s =
        make_image(dev, info, aspects, result,
                   [&](VkImage image, const VkMemoryRequirements &req, allocation &memory) {
                       return dev.mem->import_dmabuf(req, fd, image, memory);
                   });
    if (s)
        leave_to_others(*s.get(), VK_IMAGE_LAYOUT_GENERAL);
    return s;
}

storage_ref create_exported_storage(host_device &dev, const VkImageCreateInfo &info,
                                    VkImageAspectFlags aspects, VkResult &result) {
    storage_ref s =
        make_image(dev, info, aspects, result,
                   [&](VkImage image, const VkMemoryRequirements &req, allocation &memory) {
                       return dev.mem->allocate_dmabuf(req, image, memory);
                   });
    if (s)
        leave_to_others(*s.get(), VK_IMAGE_LAYOUT_UNDEFINED);
    return s;
}

VkBufferUsageFlags all_buffer_usages(const host_device &dev) {
    VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
        VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
        VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
        VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
        VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    if (dev.has.transform_feedback)
        usage |= VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT |
                 VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT;
    if (dev.has.conditional_rendering)
        usage |= VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT;
    return usage;
}

} // namespace magma
