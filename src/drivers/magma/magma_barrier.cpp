// SPDX-License-Identifier: MIT
// Hazards between uses within a batch.
#include "magma_barrier.h"

#include "magma_instance.h"

namespace magma {

namespace {

constexpr VkPipelineStageFlags fragment_tests =
    VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;

constexpr VkAccessFlags shader_access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

VkImageLayout or_general(const storage *s, VkImageLayout layout) {
    return s && s->general.load(std::memory_order_relaxed) ? VK_IMAGE_LAYOUT_GENERAL : layout;
}

} // namespace

VkPipelineStageFlags usable_shader_stages(const host_device &dev) {
    VkPipelineStageFlags stages = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |
                                  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |
                                  VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    if (dev.has.core.geometryShader)
        stages |= VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT;
    if (dev.has.core.tessellationShader)
        stages |= VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT |
                  VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT;
    return stages;
}

access access_transfer_read() {
    return {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT,
            VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, false};
}
access access_transfer_write() {
    return {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, true};
}
access access_vertex() {
    return {VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT,
            VK_IMAGE_LAYOUT_UNDEFINED, false};
}
access access_index() {
    return {VK_PIPELINE_STAGE_VERTEX_INPUT_BIT, VK_ACCESS_INDEX_READ_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
            false};
}
access access_indirect() {
    return {VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
            VK_IMAGE_LAYOUT_UNDEFINED, false};
}
access access_uniform(const host_device &dev) {
    return {usable_shader_stages(dev), VK_ACCESS_UNIFORM_READ_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
            false};
}
access access_color_attachment(const storage &s) {
    return {VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
            VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
            or_general(&s, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL), true};
}
access access_depth_attachment(const storage &s) {
    return {fragment_tests,
            VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
            or_general(&s, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL), true};
}
access access_sampled(const host_device &dev, const storage *s) {
    return {usable_shader_stages(dev), VK_ACCESS_SHADER_READ_BIT,
            or_general(s, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL), false};
}
access access_shader_storage(const host_device &dev, bool write) {
    return {usable_shader_stages(dev),
            write ? shader_access : VkAccessFlags(VK_ACCESS_SHADER_READ_BIT),
            VK_IMAGE_LAYOUT_GENERAL, write};
}
access access_capture(bool counter) {
    if (counter)
        return {VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT |
                    VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT,
                VK_IMAGE_LAYOUT_UNDEFINED, true};
    return {VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT,
            VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT, VK_IMAGE_LAYOUT_UNDEFINED, true};
}
access access_host_read() {
    return {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT, VK_IMAGE_LAYOUT_GENERAL, false};
}

void barrier_group::record(const host_device &dev, VkCommandBuffer cmd) {
    if (empty())
        return;
    VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    memory.srcAccessMask = src_access;
    memory.dstAccessMask = dst_access;
    dev.vk.CmdPipelineBarrier(
        cmd, src ? src : VkPipelineStageFlags(VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT),
        dst ? dst : VkPipelineStageFlags(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT), 0, 1, &memory, 0,
        nullptr, uint32_t(images.size()), images.data());
    src = dst = 0;
    src_access = dst_access = 0;
    images.clear();
}

// A write after a shader write by shaders alone is the program's business (glMemoryBarrier), not
// ours.
bool use_tracker::hazard(const storage &s, const state &u, const access &a) {
    if (s.is_image() && u.layout != a.layout)
        return true;
    bool shader_only = !(a.flags & ~shader_access) && u.shader_write;
    if (shader_only)
        return false;
    if (a.write)
        return u.write_stages || u.read_stages;
    return u.write_stages && ((a.stages & ~u.visible_stages) || (a.flags & ~u.visible_access));
}

bool use_tracker::breaks_pass(const storage &s, const access &a) const {
    const state *u = find(s);
    return u && u->in_main && hazard(s, *u, a);
}

void use_tracker::use(storage &s, const access &a, bool in_main, barrier_group &out_main,
                      barrier_group &out_early) {
    if (s.index >= states_.size())
        states_.resize(s.index + 64);
    state &u = states_[s.index];
    const bool shader_write = a.write && !(a.flags & ~shader_access);
    if (u.batch != batch_) {
        u = {};
        u.batch = batch_;
        u.layout = u.first_layout = a.layout;
        if (s.is_image())
            touched_.push_back(&s);
    } else if (hazard(s, u, a)) {
        // What only the early buffer used so far can be waited for at the end of the early buffer.
        barrier_group &out = in_main && u.in_main ? out_main : out_early;
        VkPipelineStageFlags src = u.write_stages;
        const bool transition = s.is_image() && u.layout != a.layout;
        if (a.write || transition)
            src |= u.read_stages;
        out.src |= src;
        out.dst |= a.stages;
        out.src_access |= u.write_access;
        out.dst_access |= a.flags;
        if (transition) {
            VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
            b.srcAccessMask = u.write_access;
            b.dstAccessMask = a.flags;
            b.oldLayout = u.layout;
            b.newLayout = a.layout;
            b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
            b.image = s.image;
            b.subresourceRange = {s.aspects, 0, VK_REMAINING_MIP_LEVELS, 0,
                                  VK_REMAINING_ARRAY_LAYERS};
            out.images.push_back(b);
            u.layout = a.layout;
            // A transition is a write that this use already waits for.
            u.write_stages = a.stages;
            u.write_access = 0;
            u.read_stages = 0;
            u.visible_stages = u.visible_access = 0;
        }
        u.visible_stages |= a.stages;
        u.visible_access |= a.flags;
    }
    u.in_main |= in_main;
    if (a.write) {
        if (!(shader_write && u.shader_write)) {
            u.write_stages = u.read_stages = u.visible_stages = 0;
            u.write_access = u.visible_access = 0;
        }
        u.write_stages |= a.stages;
        u.write_access |=
            a.flags &
            ~VkAccessFlags(VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
                           VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
                           VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT);
        u.shader_write = shader_write;
    } else {
        u.read_stages |= a.stages;
    }
}

void use_tracker::full_barrier(barrier_group &out) {
    out.src |= VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    out.dst |= VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    out.src_access |= VK_ACCESS_MEMORY_WRITE_BIT;
    out.dst_access |= VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
}

static VkImageMemoryBarrier whole_image(const storage &s, VkImageLayout from, VkImageLayout to) {
    VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    b.oldLayout = from;
    b.newLayout = to;
    b.srcQueueFamilyIndex = b.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    b.image = s.image;
    b.subresourceRange = {s.aspects, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
    return b;
}

void use_tracker::settle_layouts(std::vector<VkImageMemoryBarrier> &out) {
    for (storage *s : touched_) {
        const state &u = states_[s->index];
        if (s->layout == u.first_layout && !s->is_foreign())
            continue;
        VkImageMemoryBarrier b = whole_image(*s, s->layout, u.first_layout);
        b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        if (s->is_foreign()) {
            if (s->layout != VK_IMAGE_LAYOUT_UNDEFINED) { // nobody else has it yet
                b.srcQueueFamilyIndex = s->foreign;
                b.dstQueueFamilyIndex = s->dev->queue_family;
            }
        } else {
            b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        }
        out.push_back(b);
    }
}

void use_tracker::give_back_foreign(std::vector<VkImageMemoryBarrier> &out) const {
    for (const storage *s : touched_) {
        if (!s->is_foreign())
            continue;
        VkImageMemoryBarrier b = whole_image(*s, states_[s->index].layout, VK_IMAGE_LAYOUT_GENERAL);
        b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        b.srcQueueFamilyIndex = s->dev->queue_family;
        b.dstQueueFamilyIndex = s->foreign;
        out.push_back(b);
    }
}

void use_tracker::commit_layouts() {
    for (storage *s : touched_)
        s->layout = s->is_foreign() ? VK_IMAGE_LAYOUT_GENERAL : states_[s->index].layout;
}

} // namespace magma
