// SPDX-License-Identifier: MIT
// Epochs and the queue of what waits for them.
#include "magma_trash.h"

#include "magma_instance.h"
#include "magma_storage.h"

#include <algorithm>

namespace magma {

namespace {

uint64_t bytes_of(const allocation &memory, const storage *owner) {
    return memory.size + (owner ? owner->memory.size : 0);
}

} // namespace

trash_can::trash_can(host_device &device) : dev_(device) {}

trash_can::~trash_can() {
    for (const item &i : items_)
        destroy(i);
}

uint64_t trash_can::open_epoch() {
    std::lock_guard lock(mutex_);
    open_.push_back(++counter_);
    return counter_;
}

void trash_can::close_epoch(uint64_t epoch) {
    std::lock_guard lock(mutex_);
    auto it = std::lower_bound(open_.begin(), open_.end(), epoch);
    if (it != open_.end() && *it == epoch)
        open_.erase(it);
    collect_locked();
}

void trash_can::put(VkObjectType type, uint64_t handle, const allocation &memory, storage *owner) {
    if (!handle && !memory.block && !owner)
        return;
    std::lock_guard lock(mutex_);
    item i = {counter_, type, handle, memory, owner};
    if (open_.empty() && items_.empty()) {
        destroy(i);
        return;
    }
    waiting_bytes_ += bytes_of(memory, owner);
    items_.push_back(i);
}

void trash_can::collect_locked() {
    uint64_t oldest = open_.empty() ? UINT64_MAX : open_.front();
    while (!items_.empty() && items_.front().epoch < oldest) {
        waiting_bytes_ -= bytes_of(items_.front().memory, items_.front().owner);
        destroy(items_.front());
        items_.pop_front();
    }
}

uint32_t trash_can::take_index() {
    std::lock_guard lock(mutex_);
    if (free_indices_.empty())
        return next_index_++;
    uint32_t index = free_indices_.back();
    free_indices_.pop_back();
    return index;
}

void trash_can::destroy(const item &i) {
    VkDevice d = dev_.device;
    const vk_table &vk = dev_.vk;
    switch (i.type) {
    case VK_OBJECT_TYPE_BUFFER: vk.DestroyBuffer(d, (VkBuffer)i.handle, nullptr); break;
    case VK_OBJECT_TYPE_BUFFER_VIEW:
        vk.DestroyBufferView(d, (VkBufferView)i.handle, nullptr);
        break;
    case VK_OBJECT_TYPE_IMAGE: vk.DestroyImage(d, (VkImage)i.handle, nullptr); break;
    case VK_OBJECT_TYPE_IMAGE_VIEW: vk.DestroyImageView(d, (VkImageView)i.handle, nullptr); break;
    case VK_OBJECT_TYPE_SAMPLER: vk.DestroySampler(d, (VkSampler)i.handle, nullptr); break;
    case VK_OBJECT_TYPE_FRAMEBUFFER:
        vk.DestroyFramebuffer(d, (VkFramebuffer)i.handle, nullptr);
        break;
    case VK_OBJECT_TYPE_RENDER_PASS:
        vk.DestroyRenderPass(d, (VkRenderPass)i.handle, nullptr);
        break;
    case VK_OBJECT_TYPE_PIPELINE: vk.DestroyPipeline(d, (VkPipeline)i.handle, nullptr); break;
    case VK_OBJECT_TYPE_SHADER_MODULE:
        vk.DestroyShaderModule(d, (VkShaderModule)i.handle, nullptr);
        break;
    case VK_OBJECT_TYPE_QUERY_POOL: vk.DestroyQueryPool(d, (VkQueryPool)i.handle, nullptr); break;
    case VK_OBJECT_TYPE_PIPELINE_LAYOUT:
        vk.DestroyPipelineLayout(d, (VkPipelineLayout)i.handle, nullptr);
        break;
    case VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT:
        vk.DestroyDescriptorSetLayout(d, (VkDescriptorSetLayout)i.handle, nullptr);
        break;
    case VK_OBJECT_TYPE_DESCRIPTOR_POOL:
        vk.DestroyDescriptorPool(d, (VkDescriptorPool)i.handle, nullptr);
        break;
    case VK_OBJECT_TYPE_COMMAND_POOL:
        vk.DestroyCommandPool(d, (VkCommandPool)i.handle, nullptr);
        break;
    default: break;
    }
    dev_.mem->free(i.memory);
    if (i.owner) {
        if (i.owner->pinned)
            dev_.pinned_stores.fetch_sub(1);
        vk.DestroyBuffer(d, i.owner->buffer, nullptr);
        vk.DestroyImage(d, i.owner->image, nullptr);
        dev_.mem->free(i.owner->memory);
        free_indices_.push_back(i.owner->index);
        delete i.owner;
    }
}

} // namespace magma
