// SPDX-License-Identifier: MIT
// State objects of a lane and everything that is bound on it, as the client pushed it.
#pragma once

#include "magma_resource.h"

#include "pipe/pipe.h"
#include "pipe/pipe_input.h"

#include <array>
#include <vector>

namespace magma {

struct framebuffer;
struct program;

struct render_state {
    pipe_render_state s = {};
    uint64_t serial = 0; // unique per content of this twin
};

struct vertex_elements {
    std::vector<pipe_vertex_element> elements;
    std::vector<pipe_vertex_binding> bindings;
    uint64_t serial = 0;
};

struct vertex_buffer_slot {
    resource_ref buffer;
    uint64_t offset = 0;
    uint32_t stride = 0;
};

struct buffer_slot {
    resource_ref buffer;
    uint64_t offset = 0, size = 0;
};

struct image_slot {
    pipe_in_shader_images<resource_ref> texture;
    pipe_in_shader_images<pipe_shader_image> desc;
    VkImageView view = VK_NULL_HANDLE; // the resource's, looked up when used
    VkImageViewType view_type = VK_IMAGE_VIEW_TYPE_2D;
    VkBufferView buffer_view = VK_NULL_HANDLE;
    storage_ref store; // of the view
};

struct texture_unit {
    pipe_in_sampler_views<view_ref> view;
    pipe_in_samplers<sampler_ptr> own; // from bind_sampler_states; null: the texture's own
};

struct bound_state {
    pipe_in_render_state<std::shared_ptr<render_state>> render;
    pipe_in_vertex_elements<std::shared_ptr<vertex_elements>> layout;
    pipe_in_dynamic_state<pipe_dynamic_state> dynamic;
    pipe_in_sample_state<pipe_set_sample_state> sample;
    pipe_in_patch_state<pipe_set_patch_state> patch;
    pipe_in_pixel_pack<pipe_set_pixel_pack_state> pack;
    pipe_in_framebuffer_binding<std::shared_ptr<framebuffer>> draw_fb, read_fb;
    bool draw_is_default = false, read_is_default = false;
    pipe_in_vertex_buffers<std::array<vertex_buffer_slot, PIPE_MAX_VERTEX_BUFFERS>> vertex_buffers;
    pipe_in_index_buffer<resource_ref> index_buffer;
    pipe_in_indirect_buffers<resource_ref> draw_indirect, dispatch_indirect, parameter_buffer;
    std::array<texture_unit, PIPE_MAX_TEXTURE_UNITS> units;
    std::array<image_slot, PIPE_MAX_IMAGE_UNITS> images;
    pipe_in_shader_buffers<std::array<std::array<buffer_slot, PIPE_MAX_INDEXED_BUFFERS>, 3>>
        buffers; // by pipe_buffer_class
    pipe_in_vertex_attrib_defaults<std::array<pipe_attrib_value, PIPE_MAX_ATTRIBS>> attribs;
    uint64_t attribs_serial = 1;
    pipe_in_draw_program<std::shared_ptr<program>> draw_program;
    pipe_in_dispatch_program<std::shared_ptr<program>> dispatch_program;
};

void fill_state_entries(pipe_context &table);

} // namespace magma
