// SPDX-License-Identifier: MIT
// Layouts by content.
#include "magma_layout.h"

#include "magma_instance.h"
#include "magma_program.h"
#include "magma_trash.h"

#include <map>
#include <mutex>

namespace magma {

namespace {

bool make_sets(host_device &dev, const std::vector<program_binding> &bindings,
               program_layout &out) {
    std::vector<VkDescriptorSetLayoutBinding> sets[2];
    for (const program_binding &b : bindings)
        sets[b.set].push_back({b.binding, b.type, b.count, b.stages, nullptr});
    for (int i = 0; i < 2; ++i) {
        VkDescriptorSetLayoutCreateInfo info = {
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        if (i == 0 && dev.has.push_descriptor)
            info.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
        info.bindingCount = uint32_t(sets[i].size());
        info.pBindings = sets[i].data();
        if (VK_TRY(&dev, CreateDescriptorSetLayout(dev.device, &info, nullptr, &out.sets[i])) !=
            VK_SUCCESS) {
            out.sets[i] = VK_NULL_HANDLE;
            return false;
        }
    }
    return true;
}

// Graphics layouts of hosts without logic operations have the set of copies, too.
bool make_logic_set(host_device &dev, program_layout &out) {
    VkDescriptorSetLayoutBinding bindings[PIPE_MAX_COLOR_BUFS] = {};
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        bindings[i] = {i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                       VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = PIPE_MAX_COLOR_BUFS;
    info.pBindings = bindings;
    VkDescriptorSetLayout &set = out.sets[logic_set];
    if (VK_TRY(&dev, CreateDescriptorSetLayout(dev.device, &info, nullptr, &set)) == VK_SUCCESS)
        return true;
    set = VK_NULL_HANDLE;
    return false;
}

layout_ref make_layout(host_device &dev, const std::vector<program_binding> &bindings,
                       bool compute) {
    auto out = std::make_shared<program_layout>();
    out->dev = &dev;
    const bool logic = !compute && !dev.has.core.logicOp;
    if (!make_sets(dev, bindings, *out) || (logic && !make_logic_set(dev, *out)))
        return nullptr;
    VkPushConstantRange range = {};
    range.stageFlags = compute ? VkShaderStageFlags(VK_SHADER_STAGE_COMPUTE_BIT)
                               : VkShaderStageFlags(VK_SHADER_STAGE_ALL_GRAPHICS);
    range.size = sizeof(push_block);
    VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = logic ? 3 : 2;
    info.pSetLayouts = out->sets;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    if (VK_TRY(&dev, CreatePipelineLayout(dev.device, &info, nullptr, &out->pipeline)) !=
        VK_SUCCESS) {
        out->pipeline = VK_NULL_HANDLE;
        return nullptr;
    }
    return out;
}

} // namespace

program_layout::~program_layout() {
    dev->trash->throw_away(VK_OBJECT_TYPE_PIPELINE_LAYOUT, pipeline);
    for (VkDescriptorSetLayout l : sets)
        dev->trash->throw_away(VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, l);
}

layout_ref find_layout(host_device &dev, const std::vector<program_binding> &bindings,
                       bool compute) {
    static std::mutex mutex;
    static auto *known = new std::map<std::vector<uint32_t>, std::weak_ptr<program_layout>>;
    std::vector<uint32_t> key = {compute};
    for (const program_binding &b : bindings)
        key.insert(key.end(), {b.set, b.binding, b.count, uint32_t(b.type), b.stages});
    std::lock_guard lock(mutex);
    std::weak_ptr<program_layout> &entry = (*known)[key];
    layout_ref out = entry.lock();
    if (!out)
        entry = out = make_layout(dev, bindings, compute);
    return out;
}

} // namespace magma
