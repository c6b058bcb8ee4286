// SPDX-License-Identifier: MIT
// The driver's own draws.
#include "magma_meta.h"

#include "magma_context.h"
#include "magma_patch.h"
#include "util/log.h"

#include "magma_blit_depth_frag.h"
#include "magma_blit_float_frag.h"
#include "magma_blit_sint_frag.h"
#include "magma_blit_stencil_frag.h"
#include "magma_blit_uint_frag.h"
#include "magma_clear_float_frag.h"
#include "magma_clear_sint_frag.h"
#include "magma_clear_uint_frag.h"
#include "magma_fullscreen_vert.h"
#include "magma_layer_geom.h"
#include "magma_resolve_depth_frag.h"
#include "magma_resolve_float_frag.h"
#include "magma_resolve_sint_frag.h"
#include "magma_resolve_stencil_frag.h"
#include "magma_resolve_uint_frag.h"
#include "magma_sample_depth_frag.h"
#include "magma_sample_stencil_frag.h"

#include <cstring>
#include <map>
#include <mutex>
#include <span>

namespace magma {

namespace {

enum shader_id : uint8_t {
    clear_float,
    clear_sint,
    clear_uint,
    blit_float,
    blit_sint,
    blit_uint,
    blit_depth,
    blit_stencil,
    resolve_float,
    resolve_sint,
    resolve_uint,
    resolve_depth,
    resolve_stencil,
    sample_depth,
    sample_stencil,
    no_shader,
};

std::span<const uint32_t> code_of(uint8_t id) {
    switch (id) {
    case clear_float: return magma_clear_float_frag;
    case clear_sint: return magma_clear_sint_frag;
    case clear_uint: return magma_clear_uint_frag;
    case blit_float: return magma_blit_float_frag;
    case blit_sint: return magma_blit_sint_frag;
    case blit_uint: return magma_blit_uint_frag;
    case blit_depth: return magma_blit_depth_frag;
    case blit_stencil: return magma_blit_stencil_frag;
    case resolve_float: return magma_resolve_float_frag;
    case resolve_sint: return magma_resolve_sint_frag;
    case resolve_uint: return magma_resolve_uint_frag;
    case resolve_depth: return magma_resolve_depth_frag;
    case resolve_stencil: return magma_resolve_stencil_frag;
    case sample_depth: return magma_sample_depth_frag;
    case sample_stencil: return magma_sample_stencil_frag;
    default: return {};
    }
}

struct meta_key {
    pass_formats formats;
    uint8_t shader;
    uint8_t depth_write;
    uint8_t stencil_write; // mask; 0: off
    uint8_t stencil_zero;  // replace by zero instead of the reference
    uint8_t layered;       // an instance for each layer
    uint8_t color_mask[PIPE_MAX_COLOR_BUFS];
    bool operator<(const meta_key &o) const { return memcmp(this, &o, sizeof o) < 0; }
};

struct meta_push {
    uint32_t color[4];
    float source[4];
    float size[4];
};

// Shared by all lanes of the process.
struct meta_state {
    std::mutex mutex;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkShaderModule vertex = VK_NULL_HANDLE, geometry = VK_NULL_HANDLE;
    VkSampler nearest = VK_NULL_HANDLE, linear = VK_NULL_HANDLE;
    std::map<meta_key, VkPipeline> pipelines;
    bool ready = false;
};

meta_state &meta() {
    static auto *m = new meta_state;
    return *m;
}

VkShaderModule make_module(host_device &dev, std::span<const uint32_t> code) {
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = code.size_bytes();
    info.pCode = code.data();
    VkShaderModule out = VK_NULL_HANDLE;
    return VK_TRY(&dev, CreateShaderModule(dev.device, &info, nullptr, &out)) == VK_SUCCESS
               ? out
               : VK_NULL_HANDLE;
}

bool prepare(host_device &dev, meta_state &m) {
    if (m.ready)
        return true;
    VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                                            VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo set = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    if (dev.has.push_descriptor)
        set.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    set.bindingCount = 1;
    set.pBindings = &binding;
    if (!m.set_layout && VK_TRY(&dev, CreateDescriptorSetLayout(dev.device, &set, nullptr,
                                                                &m.set_layout)) != VK_SUCCESS)
        return false;
    VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                 sizeof(meta_push)};
    VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &m.set_layout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    if (!m.layout &&
        VK_TRY(&dev, CreatePipelineLayout(dev.device, &info, nullptr, &m.layout)) != VK_SUCCESS)
        return false;
    VkSamplerCreateInfo sampler = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    sampler.addressModeU = sampler.addressModeV = sampler.addressModeW =
        VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    if (!m.nearest &&
        VK_TRY(&dev, CreateSampler(dev.device, &sampler, nullptr, &m.nearest)) != VK_SUCCESS)
        return false;
    sampler.magFilter = sampler.minFilter = VK_FILTER_LINEAR;
    if (!m.linear &&
        VK_TRY(&dev, CreateSampler(dev.device, &sampler, nullptr, &m.linear)) != VK_SUCCESS)
        return false;
    if (!m.vertex)
        m.vertex = make_module(dev, magma_fullscreen_vert);
    if (!m.geometry && dev.has.core.geometryShader)
        m.geometry = make_module(dev, magma_layer_geom);
    m.ready = m.vertex && (m.geometry || !dev.has.core.geometryShader);
    return m.ready;
}

// The shader writes eight outputs; those that this draw leaves alone are dropped.
VkShaderModule make_fragment(host_device &dev, const meta_key &key) {
    auto parsed = spirv::module::parse(code_of(key.shader));
    if (!parsed)
        return VK_NULL_HANDLE;
    uint32_t dropped = 0;
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        if (!key.color_mask[i])
            dropped |= 1u << i;
    drop_outputs(*parsed, dropped);
    return make_module(dev, parsed->write());
}

VkPipeline make_pipeline(host_device &dev, meta_state &m, const meta_key &key) {
    VkPipelineShaderStageCreateInfo stages[3] = {};
    uint32_t stage_count = 1;
    stages[0] = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[0].module = m.vertex;
    stages[0].pName = "main";
    VkShaderModule fragment = VK_NULL_HANDLE;
    auto add_stage = [&](VkShaderStageFlagBits stage, VkShaderModule module) {
        stages[stage_count] = stages[0];
        stages[stage_count].stage = stage;
        stages[stage_count++].module = module;
    };
    if (key.layered)
        add_stage(VK_SHADER_STAGE_GEOMETRY_BIT, m.geometry);
    if (key.shader != no_shader) {
        fragment = make_fragment(dev, key);
        if (!fragment)
            return VK_NULL_HANDLE;
        add_stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment);
    }
    VkPipelineVertexInputStateCreateInfo vertex = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo viewport = {
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo raster = {
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1.0f;
    VkPipelineMultisampleStateCreateInfo multisample = {
        VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    multisample.rasterizationSamples = VkSampleCountFlagBits(key.formats.samples);
    VkPipelineDepthStencilStateCreateInfo depth = {
        VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    depth.depthTestEnable = depth.depthWriteEnable = key.depth_write;
    depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    depth.stencilTestEnable = key.stencil_write != 0;
    depth.front.passOp = depth.front.failOp = depth.front.depthFailOp =
        key.stencil_zero ? VK_STENCIL_OP_ZERO : VK_STENCIL_OP_REPLACE;
    depth.front.compareOp = VK_COMPARE_OP_ALWAYS;
    depth.front.compareMask = 0xff;
    depth.front.writeMask = key.stencil_write;
    depth.back = depth.front;
    VkPipelineColorBlendAttachmentState rt[PIPE_MAX_COLOR_BUFS] = {};
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
        rt[i].colorWriteMask = key.color_mask[i];
    VkPipelineColorBlendStateCreateInfo blend = {
        VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = key.formats.color_count;
    blend.pAttachments = rt;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                     VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    VkPipelineDynamicStateCreateInfo dynamic = {
        VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 3;
    dynamic.pDynamicStates = states;
    VkPipelineRenderingCreateInfo rendering = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = key.formats.color_count;
    rendering.pColorAttachmentFormats = key.formats.color;
    rendering.depthAttachmentFormat = key.formats.depth;
    rendering.stencilAttachmentFormat = key.formats.stencil;
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.stageCount = stage_count;
    info.pStages = stages;
    info.pVertexInputState = &vertex;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &multisample;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = m.layout;
    if (dev.has.dynamic_rendering)
        info.pNext = &rendering;
    else
        info.renderPass = compatible_render_pass(dev, key.formats);
    VkPipeline out = VK_NULL_HANDLE;
    VkResult result = VK_TRY(
        &dev, CreateGraphicsPipelines(dev.device, dev.pipeline_cache, 1, &info, nullptr, &out));
    dev.vk.DestroyShaderModule(dev.device, fragment, nullptr);
    return result == VK_SUCCESS ? out : VK_NULL_HANDLE;
}

bool bind(context &c, const meta_key &key) {
    meta_state &m = meta();
    std::lock_guard lock(m.mutex);
    if (!prepare(c.dev, m))
        return false;
    auto it = m.pipelines.find(key);
    if (it == m.pipelines.end()) {
        VkPipeline p = make_pipeline(c.dev, m, key);
        if (!p)
            return false;
        it = m.pipelines.emplace(key, p).first;
    }
    stop_capture(c);
    c.dev.vk.CmdBindPipeline(c.rec.main_raw(), VK_PIPELINE_BIND_POINT_GRAPHICS, it->second);
    return true;
}

void draw(context &c, const meta_push &push, const VkRect2D &area, const VkRect2D &clip,
          uint32_t layers = 1) {
    VkCommandBuffer cmd = c.rec.main_raw();
    VkViewport viewport = {float(area.offset.x),
                           float(area.offset.y),
                           float(area.extent.width),
                           float(area.extent.height),
                           0,
                           1};
    c.dev.vk.CmdSetViewport(cmd, 0, 1, &viewport);
    c.dev.vk.CmdSetScissor(cmd, 0, 1, &clip);
    c.dev.vk.CmdPushConstants(cmd, meta().layout,
                              VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                              sizeof push, &push);
    c.dev.vk.CmdDraw(cmd, 3, layers, 0, 0);
}

// The program's own state has to be recorded again.
void forget_state(context &c) {
    c.bound_pipeline = VK_NULL_HANDLE;
    c.last_topology = c.last_restart = -1;
    c.recorded.forget();
    c.push_recorded = c.input_recorded = false;
    c.descriptors[0].layout.reset();
    c.dirty |= dirty_all & ~uint32_t(dirty_uses);
}

void key_of(const context &c, meta_key &key) {
    memset(static_cast<void *>(&key), 0, sizeof key);
    memcpy(&key.formats, &c.pass.formats, sizeof key.formats);
    key.formats.no_alpha = key.formats.no_blend = 0;
}

} // namespace

void draw_masked_clear(context &c, const pass_clears &values, const pipe_clear &p, uint32_t mask,
                       const VkRect2D &rect) {
    meta_key key;
    key_of(c, key);
    const pipe_render_state &s = c.st.render->s;
    key.shader = no_shader;
    const uint32_t layers = c.dev.has.core.geometryShader ? c.pass.fb->layers : 1;
    key.layered = layers > 1;
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i) {
        if (!(mask & PIPE_BUFFER_COLOR0 << i))
            continue;
        key.shader = uint8_t(clear_float + p.cls % 3);
        key.color_mask[i] = s.blend.rt[s.blend.independent ? i : 0].colormask & 15;
    }
    if (mask & PIPE_BUFFER_STENCIL)
        key.stencil_write = s.depth_stencil.front.writemask;
    meta_push push = {};
    memcpy(push.color, p.color.word, sizeof push.color);
    push.size[2] = values.depth_stencil.depthStencil.depth;
    if (!bind(c, key))
        return;
    c.dev.vk.CmdSetStencilReference(c.rec.main_raw(), VK_STENCIL_FACE_FRONT_AND_BACK, p.stencil);
    draw(c, push, rect, rect, layers);
    forget_state(c);
}

bool draw_blit(context &c, const meta_blit &b) {
    meta_key key;
    key_of(c, key);
    const bool multi = b.samples > 1;
    uint8_t first = multi ? uint8_t(resolve_float) : uint8_t(blit_float);
    uint32_t passes = 1;
    const bool each = multi && c.pass.formats.samples > 1 && c.dev.has.core.sampleRateShading;
    if (b.mask & PIPE_BUFFER_DEPTH) {
        key.shader = each ? uint8_t(sample_depth) : uint8_t(first + 3);
        key.depth_write = 1;
    } else if (b.mask & PIPE_BUFFER_STENCIL) {
        key.shader = each ? uint8_t(sample_stencil) : uint8_t(first + 4);
        passes = 9; // all to zero, then each bit
    } else {
        key.shader = uint8_t(first + b.value_class % 3);
        for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i)
            if (b.mask & PIPE_BUFFER_COLOR0 << i)
                key.color_mask[i] = 15;
    }
    meta_push push = {};
    push.color[0] = b.linear;
    push.color[1] = b.samples;
    push.source[0] = b.x0, push.source[1] = b.y0, push.source[2] = b.x1, push.source[3] = b.y1;
    push.size[0] = b.width, push.size[1] = b.height;
    VkRect2D area = {{b.dst_x0, b.dst_y0},
                     {uint32_t(b.dst_x1 - b.dst_x0), uint32_t(b.dst_y1 - b.dst_y0)}};
    VkCommandBuffer cmd = c.rec.main_raw();
    for (uint32_t n = 0; n < passes; ++n) {
        meta_key k = key;
        if (passes > 1) {
            k.stencil_write = n ? uint8_t(1u << (n - 1)) : 0xff;
            k.stencil_zero = n == 0;
            if (n == 0)
                k.shader = no_shader;
            push.color[2] = n ? 1u << (n - 1) : 0;
        }
        if (!bind(c, k))
            return false;
        VkDescriptorImageInfo image = {b.linear ? meta().linear : meta().nearest, b.source,
                                       b.layout};
        VkWriteDescriptorSet write = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        write.pImageInfo = &image;
        if (c.dev.has.push_descriptor) {
            c.dev.vk.CmdPushDescriptorSet(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, meta().layout, 0, 1,
                                          &write);
        } else {
            write.dstSet = allocate_set(c, meta().set_layout);
            if (!write.dstSet)
                return false;
            c.dev.vk.UpdateDescriptorSets(c.dev.device, 1, &write, 0, nullptr);
            c.dev.vk.CmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, meta().layout, 0,
                                           1, &write.dstSet, 0, nullptr);
        }
        c.dev.vk.CmdSetStencilReference(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, 0xff);
        draw(c, push, area, b.clip);
    }
    forget_state(c);
    return true;
}

} // namespace magma
