// SPDX-License-Identifier: MIT
// Graphics pipelines. The key is everything that this device cannot set dynamically: fields that
// are dynamic are zeroed in it, so that changing them neither makes nor looks up a pipeline.
#pragma once

#include "magma_framebuffer.h"
#include "magma_program.h"

#include "pipe/pipe.h"

namespace magma {

struct context;

struct pipeline_key {
    pipe_render_state state; // masked
    pass_formats formats;
    uint32_t vertex_layout; // interned, 0: dynamic
    uint8_t topology;       // VkPrimitiveTopology, the class when it is dynamic
    uint8_t patch_vertices;
    uint8_t viewports; // used viewports
    uint8_t held;      // the last vertex provokes, by the geometry stage
    uint32_t sample_mask;
    uint32_t expanded; // expansion::bits()
    uint32_t borders;  // number of the program's set of borders
    bool operator==(const pipeline_key &o) const;
};

// An array that the host cannot fetch where and as it is, one element after the other.
struct converted_array {
    std::vector<uint8_t> data;
};

// The vertex input of one (layout, program, strides).
struct vertex_input {
    std::vector<VkVertexInputBindingDescription> bindings;
    std::vector<VkVertexInputBindingDivisorDescriptionEXT> divisors;
    std::vector<VkVertexInputAttributeDescription> attributes;
    // Vulkan binding -> vertex buffer slot; 0x80 + n: converted array n; 0xff: current attribute
    // values.
    std::vector<uint8_t> slots;
    std::vector<converted_array> converted;
    uint32_t id = 0; // interned content
};

// Finds or makes the pipeline for a draw of `topology` in the open pass and binds it; false: skip
// the draw.
bool bind_pipeline(context &c, VkPrimitiveTopology topology, bool restart);

// Blending by `b`, of draw buffer `i`, as this pass can do it.
VkPipelineColorBlendAttachmentState blend_of(const pipe_blend_state &s, const pipe_rt_blend &b,
                                             const pass_formats &f, uint32_t i);

// Builds the vertex input from what is bound. May read buffers back, which submits the open batch.
void build_vertex_input(context &c, vertex_input &out);
// Records layout and buffers; false: out of memory.
bool emit_vertex_input(context &c);

bool bind_compute_pipeline(context &c);

// The process-wide pipeline cache, loaded from and saved to disk.
void load_pipeline_cache(host_device &dev);
void save_pipeline_cache(host_device &dev);

VkCompareOp vk_compare(uint8_t func);
VkStencilOpState vk_stencil(const pipe_stencil_face &f); // without masks and reference
bool bias_enabled(const pipe_raster_state &r);
// What the host sees of a state that is expanded: quads of our own face the viewer.
pipe_raster_state expanded_raster(const pipe_raster_state &r, uint32_t expanded);
VkFrontFace front_face(const pipe_raster_state &r);
VkCullModeFlags cull_mode(const pipe_raster_state &r);
VkPrimitiveTopology vk_topology(uint8_t prim);

} // namespace magma
