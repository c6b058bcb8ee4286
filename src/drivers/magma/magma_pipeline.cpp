// SPDX-License-Identifier: MIT
// Pipelines: key, look-up, creation.
#include "magma_pipeline.h"

#include "drivers_common/pass_control.h"
#include "magma_context.h"
#include "magma_emulation.h"
#include "magma_expand.h"
#include "magma_patch.h"
#include "magma_trash.h"
#include "util/disk_cache.h"
#include "util/hash.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>
#include <cstring>

namespace magma {

static util::Counter count_pipelines("magma.pipelines", "graphics pipelines made");
static util::Counter count_memo_hits("magma.memo_hits", "draws with the pipeline of the last one");
static util::Counter count_memo_misses("magma.memo_misses", "draws that looked a pipeline up");

VkCompareOp vk_compare(uint8_t func) {
    return VkCompareOp(func & 7); // same order as GL's
}

VkPrimitiveTopology vk_topology(uint8_t prim) {
    switch (prim) {
    case PIPE_PRIM_POINTS: return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case PIPE_PRIM_LINES: return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case PIPE_PRIM_LINE_LOOP:
    case PIPE_PRIM_LINE_STRIP: return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    case PIPE_PRIM_TRIANGLE_STRIP: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    case PIPE_PRIM_TRIANGLE_FAN: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    case PIPE_PRIM_LINES_ADJACENCY: return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
    case PIPE_PRIM_LINE_STRIP_ADJACENCY: return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
    case PIPE_PRIM_TRIANGLES_ADJACENCY: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    case PIPE_PRIM_TRIANGLE_STRIP_ADJACENCY:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY;
    case PIPE_PRIM_PATCHES: return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    default: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

bool pipeline_key::operator==(const pipeline_key &o) const {
    return !memcmp(this, &o, sizeof o);
}

namespace {

// One topology stands for its class where the host sets the exact one dynamically.
VkPrimitiveTopology class_of(VkPrimitiveTopology t) {
    switch (t) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST: return t;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY: return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST: return t;
    default: return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

VkBlendFactor vk_factor(uint8_t f) {
    static const VkBlendFactor table[] = {
        VK_BLEND_FACTOR_ZERO,
        VK_BLEND_FACTOR_ONE,
        VK_BLEND_FACTOR_SRC_COLOR,
        VK_BLEND_FACTOR_ONE_MINUS_SRC_COLOR,
        VK_BLEND_FACTOR_DST_COLOR,
        VK_BLEND_FACTOR_ONE_MINUS_DST_COLOR,
        VK_BLEND_FACTOR_SRC_ALPHA,
        VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
        VK_BLEND_FACTOR_DST_ALPHA,
        VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
        VK_BLEND_FACTOR_CONSTANT_COLOR,
        VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_COLOR,
        VK_BLEND_FACTOR_CONSTANT_ALPHA,
        VK_BLEND_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
        VK_BLEND_FACTOR_SRC_ALPHA_SATURATE,
        VK_BLEND_FACTOR_SRC1_COLOR,
        VK_BLEND_FACTOR_ONE_MINUS_SRC1_COLOR,
        VK_BLEND_FACTOR_SRC1_ALPHA,
        VK_BLEND_FACTOR_ONE_MINUS_SRC1_ALPHA,
    };
    return f < sizeof table / sizeof table[0] ? table[f] : VK_BLEND_FACTOR_ONE;
}

// The factor for a target whose alpha reads as 1 although it is stored.
VkBlendFactor without_alpha(VkBlendFactor f, bool alpha) {
    switch (f) {
    case VK_BLEND_FACTOR_DST_ALPHA: return VK_BLEND_FACTOR_ONE;
    case VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA: return VK_BLEND_FACTOR_ZERO;
    case VK_BLEND_FACTOR_SRC_ALPHA_SATURATE:
        return alpha ? VK_BLEND_FACTOR_ONE : VK_BLEND_FACTOR_ZERO;
    default: return f;
    }
}

VkBlendOp vk_blend_op(uint8_t f) {
    static const VkBlendOp table[] = {VK_BLEND_OP_ADD, VK_BLEND_OP_SUBTRACT,
                                      VK_BLEND_OP_REVERSE_SUBTRACT, VK_BLEND_OP_MIN,
                                      VK_BLEND_OP_MAX};
    return table[f < 5 ? f : 0];
}

VkStencilOp vk_stencil_op(uint8_t op) {
    static const VkStencilOp table[] = {VK_STENCIL_OP_KEEP,
                                        VK_STENCIL_OP_ZERO,
                                        VK_STENCIL_OP_REPLACE,
                                        VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                                        VK_STENCIL_OP_DECREMENT_AND_CLAMP,
                                        VK_STENCIL_OP_INCREMENT_AND_WRAP,
                                        VK_STENCIL_OP_DECREMENT_AND_WRAP,
                                        VK_STENCIL_OP_INVERT};
    return table[op & 7];
}

} // namespace

VkStencilOpState vk_stencil(const pipe_stencil_face &f) {
    VkStencilOpState s = {};
    s.failOp = vk_stencil_op(f.fail_op);
    s.passOp = vk_stencil_op(f.zpass_op);
    s.depthFailOp = vk_stencil_op(f.zfail_op);
    s.compareOp = vk_compare(f.func);
    return s;
}

namespace {

VkPolygonMode vk_polygon(const host_device &dev, uint8_t mode) {
    if (mode == PIPE_POLYGON_MODE_FILL || !dev.has.core.fillModeNonSolid)
        return VK_POLYGON_MODE_FILL;
    return mode == PIPE_POLYGON_MODE_LINE ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_POINT;
}

} // namespace

bool bias_enabled(const pipe_raster_state &r) {
    return r.fill_front == PIPE_POLYGON_MODE_FILL   ? r.offset_fill
           : r.fill_front == PIPE_POLYGON_MODE_LINE ? r.offset_line
                                                    : r.offset_point;
}

pipe_raster_state expanded_raster(const pipe_raster_state &r, uint32_t expanded) {
    pipe_raster_state out = r;
    if (!expanded)
        return out;
    out.cull_face = 0;
    out.front_ccw = 1;
    const bool polygon = (expanded & 3) == 3;
    out.offset_fill = polygon && bias_enabled(r);
    out.fill_front = out.fill_back = PIPE_POLYGON_MODE_FILL;
    return out;
}

// Row 0 is y 0, so what GL calls counter-clockwise is clockwise in Vulkan's framebuffer
// coordinates, unless clip control turned the y axis already.
VkFrontFace front_face(const pipe_raster_state &r) {
    return bool(r.front_ccw) != bool(r.clip_upper_left) ? VK_FRONT_FACE_CLOCKWISE
                                                        : VK_FRONT_FACE_COUNTER_CLOCKWISE;
}

VkCullModeFlags cull_mode(const pipe_raster_state &r) {
    return VkCullModeFlags(r.cull_face & 3); // same bits
}

namespace {

uint32_t sample_mask_of(const context &c, uint32_t samples) {
    const pipe_set_sample_state &s = c.st.sample;
    uint32_t mask = s.mask_enable ? s.mask[0] : 0xffffffffu;
    if (s.coverage_enable) {
        uint32_t n = uint32_t(float(samples) * s.coverage_value + 0.5f);
        uint32_t covered = n >= 32 ? 0xffffffffu : (1u << n) - 1;
        mask &= s.coverage_invert ? ~covered : covered;
    }
    return mask;
}

// Zeroes what this device sets dynamically and what has no effect.
void mask_state(const host_device &dev, const pass_formats &f, pipe_render_state &s) {
    pipe_blend_state &b = s.blend;
    if (!b.independent)
        for (int i = 1; i < 8; ++i)
            b.rt[i] = b.rt[0];
    for (uint32_t i = 0; i < 8; ++i)
        if (i >= f.color_count || dev.has.eds3_blend)
            b.rt[i] = {};
    b.independent = b.dither = 0;
    b.advanced_equation = 0;
    if (!b.logicop_enable)
        b.logicop = 0;
    pipe_depth_stencil_state &d = s.depth_stencil;
    if (dev.has.eds1) {
        d = {};
    } else {
        d.front.valuemask = d.front.writemask = d.back.valuemask = d.back.writemask = 0;
        if (!f.depth)
            d.depth_enable = d.depth_write = d.depth_func = 0;
        if (!f.stencil)
            d.stencil_enable = 0;
        if (!d.stencil_enable)
            d.front = d.back = {};
    }
    pipe_raster_state &r = s.raster;
    uint8_t bias = bias_enabled(r);
    if (dev.has.eds1)
        r.cull_face = r.front_ccw = r.clip_upper_left = 0;
    r.offset_line = r.offset_point = 0;
    r.offset_fill = dev.has.eds2 ? 0 : bias;
    if (dev.has.eds2)
        r.discard = 0;
    r.clip_enable = r.program_point_size = r.point_sprite_upper_left = 0;
    r.framebuffer_srgb = r.line_stipple = r.line_smooth = r.polygon_smooth = 0;
    r.fill_back = r.fill_front;
    if (!dev.has.core.depthClamp)
        r.depth_clamp_near = r.depth_clamp_far = 0;
    if (!dev.has.provoking_vertex)
        r.flatshade_first = 0;
    if (!dev.has.depth_clip_control)
        r.clip_halfz = 0;
    if (f.samples <= 1 || !s.multisample.enable) {
        uint8_t keep = s.multisample.alpha_to_coverage && f.samples > 1 && s.multisample.enable;
        s.multisample = {};
        s.multisample.alpha_to_coverage = keep;
    }
    s.restart.patch_vertices = 0;
    s.restart.fixed_index = 0;
    s.restart.enable = 0; // draws say it
}

// Everything that one vkCreateGraphicsPipelines needs, in one place so that the pointers stay
// valid.
struct pipeline_builder {
    context &c;
    const pipeline_key &key;
    program &prog;
    bool restart;
    expansion expanded;
    VkPipelineShaderStageCreateInfo stages[5] = {};
    VkPipelineVertexInputStateCreateInfo vertex = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineVertexInputDivisorStateCreateInfoEXT divisor = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    VkPipelineTessellationStateCreateInfo tess = {
        VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
    VkPipelineTessellationDomainOriginStateCreateInfo origin = {
        VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO};
    VkPipelineViewportStateCreateInfo viewport = {
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineViewportDepthClipControlCreateInfoEXT clip_control = {
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT};
    VkPipelineRasterizationStateCreateInfo raster = {
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    VkPipelineRasterizationLineStateCreateInfoEXT line = {
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
    VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT};
    VkPipelineMultisampleStateCreateInfo multisample = {
        VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    VkSampleMask sample_mask[2] = {};
    VkPipelineDepthStencilStateCreateInfo depth = {
        VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineColorBlendAttachmentState blend_rt[PIPE_MAX_COLOR_BUFS] = {};
    VkPipelineColorBlendStateCreateInfo blend = {
        VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    std::vector<VkDynamicState> dynamic_list;
    VkPipelineDynamicStateCreateInfo dynamic = {
        VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    VkPipelineRenderingCreateInfo rendering = {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};

    bool alpha_by_shader() const {
        return key.state.multisample.alpha_to_one && !c.dev.has.core.alphaToOne;
    }
    stage_variant variant(unsigned stage) const;
    uint32_t fill_stages();
    void fill_geometry();
    void fill_raster();
    void fill_output();
    void fill_dynamic();
    VkPipeline create(); // null when the host refuses, after one GL error
};

// Locations of fragment outputs that no attachment of their type takes: legal in GL, their values
// go nowhere. The one that alpha to coverage reads stays.
uint32_t outputs_to_nowhere(const program &p, const pipeline_key &key) {
    const pass_formats &f = key.formats;
    uint32_t mask = 0;
    for (const fragment_output &o : p.outputs) {
        bool used = !o.location && key.state.multisample.alpha_to_coverage;
        for (uint32_t i = o.location; i < uint32_t(o.location) + o.count; ++i)
            used |= i < f.color_count && f.color[i] &&
                    (value_class_of(f.color[i]) == PIPE_VALUE_FLOAT) ==
                        (o.value_class == PIPE_VALUE_FLOAT); // signs may differ: bits are bits
        if (!used)
            mask |= 1u << (o.location & 31);
    }
    // Without multisampling GL does not look at the mask, Vulkan does.
    if (p.writes_sample_mask && !key.state.multisample.enable)
        mask |= drop_sample_mask;
    return mask;
}

stage_variant pipeline_builder::variant(unsigned stage) const {
    stage_variant v;
    if (stage == PIPE_SHADER_GEOMETRY)
        v.held = key.held;
    if (v.held)
        emulated(emulation::hold_vertices);
    if (stage != PIPE_SHADER_FRAGMENT)
        return v;
    v.dropped = outputs_to_nowhere(prog, key);
    v.logic = logic_code_of(c.dev, prog, key.state.blend, key.formats);
    if (alpha_by_shader()) {
        emulated(emulation::alpha_to_one);
        v.alpha_one = 1;
        if (key.state.multisample.alpha_to_coverage)
            v.coverage = key.formats.samples;
    }
    if (expanded.corners && expanded.quads)
        v.point_coord = prog.point_coord;
    if (expanded.from == 3)
        v.front_face = prog.front_face;
    return v;
}

uint32_t pipeline_builder::fill_stages() {
    static const VkShaderStageFlagBits flags[] = {
        VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
        VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_SHADER_STAGE_GEOMETRY_BIT,
        VK_SHADER_STAGE_FRAGMENT_BIT};
    uint32_t count = 0;
    for (unsigned s = 0; s < 5; ++s) {
        VkShaderModule module = prog.modules[s];
        if (s == PIPE_SHADER_GEOMETRY && expanded) {
            module = expansion_module(c.dev, prog, expanded);
        } else if (s == PIPE_SHADER_TESS_CTRL && drivers_common::lacks_control(prog.archive)) {
            emulated(emulation::pass_control);
            module = control_module(c.dev, prog, key.patch_vertices);
        } else if (!module) {
            continue;
        } else if (key.borders) {
            module = bordered_module(c.dev, prog, s, variant(s), key.borders);
        } else {
            module = variant_module(c.dev, prog, s, variant(s));
        }
        if (!module)
            return 0;
        stages[count] = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stages[count].stage = flags[s];
        stages[count].module = module;
        stages[count].pName = "main";
        ++count;
    }
    return count;
}

void pipeline_builder::fill_geometry() {
    const vertex_input &in = c.input;
    const bool here = !c.dev.has.vertex_input_dynamic;
    vertex.vertexBindingDescriptionCount = here ? uint32_t(in.bindings.size()) : 0;
    vertex.pVertexBindingDescriptions = in.bindings.data();
    vertex.vertexAttributeDescriptionCount = here ? uint32_t(in.attributes.size()) : 0;
    vertex.pVertexAttributeDescriptions = in.attributes.data();
    if (here && !in.divisors.empty()) {
        divisor.vertexBindingDivisorCount = uint32_t(in.divisors.size());
        divisor.pVertexBindingDivisors = in.divisors.data();
        vertex.pNext = &divisor;
    }
    assembly.topology = VkPrimitiveTopology(key.topology);
    assembly.primitiveRestartEnable = restart;
    tess.patchControlPoints = key.patch_vertices;
    origin.domainOrigin = VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
    tess.pNext = &origin;
    viewport.viewportCount = viewport.scissorCount = key.viewports;
    if (c.dev.has.depth_clip_control) {
        clip_control.negativeOneToOne = !key.state.raster.clip_halfz;
        viewport.pNext = &clip_control;
    }
}

void pipeline_builder::fill_raster() {
    const pipe_raster_state &r = key.state.raster;
    raster.depthClampEnable = r.depth_clamp_near || r.depth_clamp_far;
    raster.rasterizerDiscardEnable = r.discard;
    raster.polygonMode = vk_polygon(c.dev, r.fill_front);
    raster.cullMode = cull_mode(r);
    raster.frontFace = front_face(r);
    raster.depthBiasEnable = r.offset_fill;
    raster.lineWidth = 1.0f;
    if (c.dev.has.bresenham_lines && key.formats.samples <= 1) {
        line.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
        line.pNext = raster.pNext;
        raster.pNext = &line;
    }
    if (c.dev.has.provoking_vertex && !r.flatshade_first) {
        provoking.provokingVertexMode = VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
        provoking.pNext = raster.pNext;
        raster.pNext = &provoking;
    }
    const pipe_multisample_state &m = key.state.multisample;
    multisample.rasterizationSamples = VkSampleCountFlagBits(key.formats.samples);
    multisample.alphaToCoverageEnable = m.alpha_to_coverage && !alpha_by_shader();
    multisample.alphaToOneEnable = m.alpha_to_one && c.dev.has.core.alphaToOne;
    multisample.sampleShadingEnable = m.sample_shading && c.dev.has.core.sampleRateShading;
    multisample.minSampleShading = m.min_sample_shading;
    sample_mask[0] = sample_mask[1] = key.sample_mask;
    multisample.pSampleMask = sample_mask;
}

void pipeline_builder::fill_output() {
    const pipe_depth_stencil_state &d = key.state.depth_stencil;
    depth.depthTestEnable = d.depth_enable;
    depth.depthWriteEnable = d.depth_enable && d.depth_write;
    depth.depthCompareOp = vk_compare(d.depth_func);
    depth.stencilTestEnable = d.stencil_enable;
    depth.front = vk_stencil(d.front);
    depth.back = vk_stencil(d.back);
    for (uint32_t i = 0; i < key.formats.color_count; ++i)
        blend_rt[i] = blend_of(key.state.blend, key.state.blend.rt[i], key.formats, i);
    blend.attachmentCount = key.formats.color_count;
    blend.pAttachments = blend_rt;
    blend.logicOpEnable = key.state.blend.logicop_enable && c.dev.has.core.logicOp;
    blend.logicOp = VkLogicOp(key.state.blend.logicop);
}

void pipeline_builder::fill_dynamic() {
    dynamic_list = {VK_DYNAMIC_STATE_VIEWPORT,           VK_DYNAMIC_STATE_SCISSOR,
                    VK_DYNAMIC_STATE_LINE_WIDTH,         VK_DYNAMIC_STATE_DEPTH_BIAS,
                    VK_DYNAMIC_STATE_BLEND_CONSTANTS,    VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK,
                    VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, VK_DYNAMIC_STATE_STENCIL_REFERENCE};
    auto add = [&](std::initializer_list<VkDynamicState> list) {
        dynamic_list.insert(dynamic_list.end(), list);
    };
    const host_features &has = c.dev.has;
    if (has.eds1)
        add({VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_FRONT_FACE,
             VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
             VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
             VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_OP});
    if (has.eds2)
        add({VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
             VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE});
    if (has.eds3_blend)
        add({VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
             VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT});
    if (has.vertex_input_dynamic)
        add({VK_DYNAMIC_STATE_VERTEX_INPUT_EXT});
    dynamic.dynamicStateCount = uint32_t(dynamic_list.size());
    dynamic.pDynamicStates = dynamic_list.data();
}

VkPipeline pipeline_builder::create() {
    info.stageCount = fill_stages();
    if (!info.stageCount) {
        c.scr.gl_error(c.lane, gl_out_of_memory, "program %u cannot be used on this host: %s",
                       prog.gl_name, failure_text().c_str());
        return VK_NULL_HANDLE;
    }
    fill_geometry();
    fill_raster();
    fill_output();
    fill_dynamic();
    info.pStages = stages;
    info.pVertexInputState = &vertex;
    info.pInputAssemblyState = &assembly;
    info.pTessellationState = &tess;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &multisample;
    info.pDepthStencilState = &depth;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = prog.layout->pipeline;
    if (c.dev.has.dynamic_rendering) {
        rendering.colorAttachmentCount = key.formats.color_count;
        rendering.pColorAttachmentFormats = key.formats.color;
        rendering.depthAttachmentFormat = key.formats.depth;
        rendering.stencilAttachmentFormat = key.formats.stencil;
        info.pNext = &rendering;
    } else {
        info.renderPass = compatible_render_pass(c.dev, key.formats);
        if (!info.renderPass)
            return VK_NULL_HANDLE;
    }
    VkPipeline out = VK_NULL_HANDLE;
    VkResult result = VK_TRY(&c.dev, CreateGraphicsPipelines(c.dev.device, c.dev.pipeline_cache, 1,
                                                             &info, nullptr, &out));
    if (result == VK_SUCCESS) {
        count_pipelines.add();
        return out;
    }
    c.scr.gl_error(c.lane, gl_out_of_memory, "pipeline of program %u refused: %s", prog.gl_name,
                   result_name(result));
    return VK_NULL_HANDLE;
}

void make_key(context &c, VkPrimitiveTopology topology, bool restart, const expansion &expanded,
              pipeline_key &key) {
    memset(static_cast<void *>(&key), 0, sizeof key);
    if (c.st.render)
        key.state = c.st.render->s;
    key.expanded = expanded.bits();
    key.borders = c.borders;
    key.state.raster = expanded_raster(key.state.raster, key.expanded);
    memcpy(&key.formats, &c.pass.formats, sizeof key.formats);
    mask_state(c.dev, c.pass.formats, key.state);
    key.held = !c.dev.has.provoking_vertex && c.st.draw_program->shows_provoking &&
               !(c.st.render && c.st.render->s.raster.flatshade_first);
    key.vertex_layout = c.dev.has.vertex_input_dynamic ? 0 : c.input.id;
    key.topology = uint8_t(c.dev.has.eds1 ? class_of(topology) : topology);
    if (topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
        key.patch_vertices = uint8_t(std::clamp<uint32_t>(c.st.patch->vertices, 1, 32));
    key.viewports = 1;
    for (const pipe_archive_stage &s : c.st.draw_program->archive.stages)
        if (s.writes_viewport_index && c.dev.has.core.multiViewport)
            key.viewports =
                uint8_t(std::min<uint32_t>(PIPE_MAX_VIEWPORTS, c.dev.props.limits.maxViewports));
    key.sample_mask =
        key.formats.samples > 1 ? sample_mask_of(c, key.formats.samples) : 0xffffffffu;
    if (restart && !c.dev.has.eds2)
        key.state.restart.enable = 1;
}

} // namespace

VkPipelineColorBlendAttachmentState blend_of(const pipe_blend_state &s, const pipe_rt_blend &b,
                                             const pass_formats &f, uint32_t i) {
    VkPipelineColorBlendAttachmentState out = {};
    out.colorWriteMask = b.colormask & 15;
    out.blendEnable = b.enable && !(f.no_blend & 1u << i) && f.color[i] && !s.logicop_enable;
    out.srcColorBlendFactor = vk_factor(b.rgb_src);
    out.dstColorBlendFactor = vk_factor(b.rgb_dst);
    out.srcAlphaBlendFactor = vk_factor(b.alpha_src);
    out.dstAlphaBlendFactor = vk_factor(b.alpha_dst);
    out.colorBlendOp = vk_blend_op(b.rgb_func);
    out.alphaBlendOp = vk_blend_op(b.alpha_func);
    if (f.no_alpha & 1u << i) {
        emulated(emulation::dst_alpha_one);
        out.srcColorBlendFactor = without_alpha(out.srcColorBlendFactor, false);
        out.dstColorBlendFactor = without_alpha(out.dstColorBlendFactor, false);
        out.colorWriteMask &= ~VkColorComponentFlags(VK_COLOR_COMPONENT_A_BIT);
    }
    return out;
}

bool bind_pipeline(context &c, VkPrimitiveTopology topology, bool restart) {
    program &p = *c.st.draw_program.get();
    pipeline_key key;
    const expansion expanded = expansion_for(c, topology);
    make_key(c, topology, restart, expanded, key);
    if (c.last_key.expanded != key.expanded)
        c.dirty |= dirty_raster;
    const bool known = c.last_key_program == &p && c.last_key == key;
    (known ? count_memo_hits : count_memo_misses).add();
    if (!known) {
        std::lock_guard lock(p.mutex);
        auto it = p.pipelines->find(key);
        if (it == p.pipelines->end()) {
            pipeline_builder builder{c, key, p, restart, expanded};
            it = p.pipelines->emplace(key, builder.create()).first;
        }
        c.last_pipeline = it->second;
        c.last_key = key;
        c.last_key_program = &p;
    }
    if (!c.last_pipeline)
        return false;
    if (c.bound_pipeline != c.last_pipeline) {
        // A capture belongs to one pipeline layout of outputs; it goes on after the bind.
        c.dev.vk.CmdBindPipeline(c.rec.main_raw(), VK_PIPELINE_BIND_POINT_GRAPHICS,
                                 c.last_pipeline);
        c.bound_pipeline = c.last_pipeline;
    }
    return true;
}

bool bind_compute_pipeline(context &c) {
    program &p = *c.st.dispatch_program.get();
    std::lock_guard lock(p.mutex);
    if (!p.compute) {
        VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = p.modules[PIPE_SHADER_COMPUTE];
        info.stage.pName = "main";
        info.layout = p.layout->pipeline;
        VkResult result = VK_TRY(&c.dev, CreateComputePipelines(c.dev.device, c.dev.pipeline_cache,
                                                                1, &info, nullptr, &p.compute));
        if (result != VK_SUCCESS) {
            p.compute = VK_NULL_HANDLE;
            c.scr.gl_error(c.lane, gl_out_of_memory, "compute pipeline of program %u refused: %s",
                           p.gl_name, result_name(result));
            return false;
        }
    }
    c.dev.vk.CmdBindPipeline(c.rec.main_raw(), VK_PIPELINE_BIND_POINT_COMPUTE, p.compute);
    return true;
}

// ---- cache on disk ------------------------------------------------------------------------------

namespace {

util::Hash128 cache_key(const host_device &dev) {
    util::Hasher h;
    h.value(dev.props.vendorID).value(dev.props.deviceID).value(dev.props.driverVersion);
    h.add(dev.props.pipelineCacheUUID, VK_UUID_SIZE);
    return h.finish128();
}

util::DiskCache &disk() {
    static auto *cache = new util::DiskCache("vulkan");
    return *cache;
}

} // namespace

void load_pipeline_cache(host_device &dev) {
    attempt setup;
    std::optional<std::vector<uint8_t>> data;
    if (disk().enabled())
        data = disk().get(cache_key(dev));
    VkPipelineCacheCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    if (data) {
        info.initialDataSize = data->size();
        info.pInitialData = data->data();
    }
    if (VK_TRY(&dev, CreatePipelineCache(dev.device, &info, nullptr, &dev.pipeline_cache)) !=
        VK_SUCCESS)
        dev.pipeline_cache = VK_NULL_HANDLE; // slower, nothing else
    setup.got_by();
}

void save_pipeline_cache(host_device &dev) {
    if (!dev.pipeline_cache || !disk().enabled())
        return;
    size_t size = 0;
    if (dev.vk.GetPipelineCacheData(dev.device, dev.pipeline_cache, &size, nullptr) != VK_SUCCESS ||
        size <= 32)
        return;
    std::vector<uint8_t> data(size);
    if (dev.vk.GetPipelineCacheData(dev.device, dev.pipeline_cache, &size, data.data()) ==
        VK_SUCCESS)
        disk().put(cache_key(dev), std::span(data.data(), size));
}

} // namespace magma
