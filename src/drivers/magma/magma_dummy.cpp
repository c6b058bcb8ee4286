// SPDX-License-Identifier: MIT
// Stand-ins for unbound descriptors.
#include "magma_dummy.h"

#include "magma_context.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace magma {

namespace {

struct dummy {
    storage_ref store;
    VkImageView view = VK_NULL_HANDLE;
    bool cleared = false; // by a batch that was submitted
    // Batches that clear it until then: whichever is submitted first, no look-up precedes a clear.
    std::vector<std::pair<const recorder *, uint64_t>> clearing; // by whom, in which batch
    bool needs_clear(const context &c);
};

bool dummy::needs_clear(const context &c) {
    if (cleared)
        return false;
    for (const auto &k : clearing) {
        if (k.first != &c.rec)
            continue;
        if (k.second == c.rec.serial())
            return false;
        cleared = true;
        clearing = {};
        return false;
    }
    clearing.emplace_back(&c.rec, c.rec.serial());
    return true;
}

struct dummies {
    std::mutex mutex;
    std::map<uint32_t, dummy> images;
    std::map<uint8_t, std::pair<storage_ref, VkBufferView>> texels;
    VkSampler sampler = VK_NULL_HANDLE;
};

dummies &all() {
    static auto *d = new dummies;
    return *d;
}

VkFormat format_for(const program_binding &b) {
    if (b.shadow)
        return VK_FORMAT_D16_UNORM;
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32G32B32A32_SINT,
                                       VK_FORMAT_R32G32B32A32_UINT};
    return formats[b.value_class % 3];
}

bool make(context &c, const program_binding &b, dummy &d) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = b.dim == 0   ? VK_IMAGE_TYPE_1D
                     : b.dim == 2 ? VK_IMAGE_TYPE_3D
                                  : VK_IMAGE_TYPE_2D;
    info.format = format_for(b);
    info.extent = {1, 1, 1};
    info.mipLevels = 1;
    info.arrayLayers = b.dim == 3 ? 6 : 1;
    info.samples = b.multisampled ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT;
    const bool store = b.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 (store ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT);
    if (b.multisampled)
        info.usage |= b.shadow ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                               : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (b.dim == 3)
        info.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    VkImageAspectFlags aspect = b.shadow ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    VkResult result;
    d.store = create_image_storage(c.dev, info, aspect, result);
    if (!d.store)
        return false;
    d.store->general = true; // sampled and stored in GENERAL, whoever uses it first
    VkImageViewType type = VK_IMAGE_VIEW_TYPE_2D;
    if (b.dim == 0)
        type = b.arrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    else if (b.dim == 2)
        type = VK_IMAGE_VIEW_TYPE_3D;
    else if (b.dim == 3)
        type = b.arrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    else if (b.arrayed)
        type = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    d.view = make_image_view(c.dev, *d.store.get(), type, info.format, aspect, 0, 1, 0,
                             info.arrayLayers, {}, info.usage);
    return d.view != VK_NULL_HANDLE;
}

// In the early command buffer: it runs before any draw of this batch, and after what batches before
// it look up. Only first batches do it, so the image is kept out of the use tracker and its layout
// is set by hand.
void clear(context &c, const program_binding &b, dummy &d) {
    VkCommandBuffer cmd = c.rec.early();
    VkImageMemoryBarrier barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    barrier.newLayout = VK_IMAGE_LAYOUT_GENERAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = d.store->image;
    barrier.subresourceRange = {d.store->aspects, 0, 1, 0, d.store->layers};
    c.dev.vk.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                                &barrier);
    if (b.shadow) {
        VkClearDepthStencilValue value = {0, 0};
        c.dev.vk.CmdClearDepthStencilImage(cmd, d.store->image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
                                           &barrier.subresourceRange);
    } else {
        VkClearColorValue value = {};
        if (b.value_class == PIPE_VALUE_FLOAT)
            value.float32[3] = 1.0f;
        else
            value.uint32[3] = 1;
        c.dev.vk.CmdClearColorImage(cmd, d.store->image, VK_IMAGE_LAYOUT_GENERAL, &value, 1,
                                    &barrier.subresourceRange);
    }
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    c.dev.vk.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0, nullptr, 1,
                                &barrier);
}

} // namespace

VkDescriptorImageInfo dummy_image(context &c, const program_binding &b) {
    dummies &d = all();
    std::lock_guard lock(d.mutex);
    const bool store = b.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    uint32_t key = b.dim | uint32_t(b.arrayed) << 8 | uint32_t(b.multisampled) << 9 |
                   uint32_t(b.shadow) << 10 | uint32_t(store) << 11 | uint32_t(b.value_class) << 12;
    dummy &entry = d.images[key];
    if (!entry.view && !make(c, b, entry))
        return {};
    if (entry.needs_clear(c))
        clear(c, b, entry);
    VkSampler sampler = VK_NULL_HANDLE;
    if (!store) {
        if (!d.sampler) {
            VkSamplerCreateInfo info = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
            if (VK_TRY(&c.dev, CreateSampler(c.dev.device, &info, nullptr, &d.sampler)) !=
                VK_SUCCESS)
                d.sampler = VK_NULL_HANDLE;
        }
        sampler = d.sampler;
    }
    return {sampler, entry.view, VK_IMAGE_LAYOUT_GENERAL};
}

VkSampler dummy_sampler(context &c) {
    program_binding b;
    b.type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    return dummy_image(c, b).sampler;
}

VkBufferView dummy_texel_buffer(context &c, uint8_t value_class) {
    dummies &d = all();
    std::lock_guard lock(d.mutex);
    auto &entry = d.texels[value_class];
    if (entry.second)
        return entry.second;
    VkResult result;
    entry.first =
        create_buffer_storage(c.dev, 16, all_buffer_usages(c.dev), memory_use::device, result);
    if (!entry.first)
        return VK_NULL_HANDLE;
    static const VkFormat formats[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT,
                                       VK_FORMAT_R32G32B32A32_UINT};
    VkBufferViewCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = entry.first->buffer;
    info.format = formats[value_class % 3];
    info.range = 16;
    if (VK_TRY(&c.dev, CreateBufferView(c.dev.device, &info, nullptr, &entry.second)) != VK_SUCCESS)
        entry.second = VK_NULL_HANDLE;
    return entry.second;
}

} // namespace magma
