// SPDX-License-Identifier: MIT
// Capabilities of a generous OpenGL 4.6 host: everything the pipe knows but what needs memory to
// share.
#include <string.h>

#include "noop_private.h"

namespace noop {

static void fill_features(pipe_caps *caps) {
    for (uint64_t &word : caps->features)
        word = ~0ull;
    const unsigned missing[] = {PIPE_CAP_PERSISTENT_MAP, PIPE_CAP_DMABUF_EXPORT, PIPE_CAP_FENCE_FD};
    for (unsigned bit : missing)
        caps->features[bit / 64] &= ~(1ull << (bit % 64));
}

static void fill_formats(pipe_caps *caps) {
    const uint32_t count = sizeof caps->format / sizeof caps->format[0];
    for (uint32_t f = 1; f < count; ++f) {
        const pipe_format_desc *desc = pipe_format_describe(f);
        uint32_t can = PIPE_FORMAT_CAP_SAMPLE | PIPE_FORMAT_CAP_NATIVE | PIPE_FORMAT_CAP_COPY;
        const bool depth_stencil = desc->is_depth || desc->is_stencil;
        if (!desc->is_integer)
            can |= PIPE_FORMAT_CAP_FILTER;
        if (desc->is_compressed) {
            caps->format[f].caps = can;
            continue;
        }
        can |= PIPE_FORMAT_CAP_MULTISAMPLE | PIPE_FORMAT_CAP_MIPMAP | PIPE_FORMAT_CAP_READ |
               PIPE_FORMAT_CAP_LAYERED_RENDER;
        if (depth_stencil)
            can |= PIPE_FORMAT_CAP_DEPTH_STENCIL;
        else
            can |= PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_BLEND | PIPE_FORMAT_CAP_IMAGE_LOAD |
                   PIPE_FORMAT_CAP_IMAGE_STORE | PIPE_FORMAT_CAP_IMAGE_ATOMIC |
                   PIPE_FORMAT_CAP_TEXTURE_BUFFER | PIPE_FORMAT_CAP_VERTEX;
        caps->format[f].caps = can;
        caps->format[f].sample_counts = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8;
    }
}

static void fill_texture_limits(pipe_caps *caps) {
    caps->max_texture_2d_size = 16384;
    caps->max_texture_3d_size = 2048;
    caps->max_texture_cube_size = 16384;
    caps->max_texture_layers = 2048;
    caps->max_texture_buffer_size = 1u << 27;
    caps->max_renderbuffer_size = 16384;
    caps->max_framebuffer_width = caps->max_framebuffer_height = 16384;
    caps->max_framebuffer_layers = 2048;
    caps->max_samples = caps->max_integer_samples = 8;
    caps->max_color_samples = caps->max_depth_samples = 8;
    caps->max_color_buffers = 8;
    caps->max_dual_source_buffers = 1;
    caps->max_viewports = 16;
    caps->max_viewport_dims[0] = caps->max_viewport_dims[1] = 16384;
    caps->min_texel_offset = -8;
    caps->max_texel_offset = 7;
    caps->min_gather_offset = -32;
    caps->max_gather_offset = 31;
    caps->max_texture_lod_bias = 16;
    caps->max_texture_anisotropy = 16;
}

static void fill_shader_limits(pipe_caps *caps) {
    for (unsigned stage = 0; stage < 6; ++stage) {
        caps->max_samplers_per_stage[stage] = 32;
        caps->max_images_per_stage[stage] = 8;
        caps->max_uniform_blocks_per_stage[stage] = 14;
        caps->max_storage_blocks_per_stage[stage] = 16;
        caps->max_atomic_buffers_per_stage[stage] = 8;
        caps->max_uniform_vectors_per_stage[stage] = 1024;
    }
    caps->max_combined_samplers = 192;
    caps->max_combined_images = 48;
    caps->max_combined_uniform_blocks = 84;
    caps->max_combined_storage_blocks = 96;
    caps->max_varying_vectors = 32;
    caps->max_vertex_output_components = 128;
    caps->max_geometry_input_components = caps->max_geometry_output_components = 128;
    caps->max_geometry_total_output_components = 1024;
    caps->max_geometry_output_vertices = 256;
    caps->max_geometry_invocations = 32;
    caps->max_fragment_input_components = 128;
    caps->max_tess_gen_level = 64;
    caps->max_patch_vertices = 32;
    caps->max_tess_patch_components = 120;
    caps->max_tess_control_output_components = 128;
    caps->max_tess_control_total_output_components = 4096;
    for (unsigned i = 0; i < 3; ++i)
        caps->max_compute_work_group_count[i] = 65535;
    caps->max_compute_work_group_size[0] = caps->max_compute_work_group_size[1] = 1024;
    caps->max_compute_work_group_size[2] = 64;
    caps->max_compute_work_group_invocations = 1024;
    caps->max_compute_shared_memory = 32768;
    caps->max_clip_distances = caps->max_cull_distances = 8;
}

static void fill_buffer_limits(pipe_caps *caps) {
    caps->max_vertex_attribs = caps->max_vertex_buffers = 32;
    caps->max_vertex_stride = 2048;
    caps->max_vertex_attrib_relative_offset = 2047;
    caps->max_uniform_block_size = 65536;
    caps->max_storage_block_size = 1u << 27;
    caps->uniform_buffer_alignment = caps->storage_buffer_alignment = 16;
    caps->texture_buffer_alignment = 16;
    caps->min_map_alignment = 64;
    caps->max_so_buffers = caps->max_so_streams = 4;
    caps->max_so_separate_components = 4;
    caps->max_so_interleaved_components = 64;
    caps->max_buffer_size = 1ull << 32;
}

static void fill_raster_limits(pipe_caps *caps) {
    caps->line_width_range[0] = caps->point_size_range[0] = 1;
    caps->line_width_range[1] = 8;
    caps->point_size_range[1] = 255;
    caps->line_width_granularity = caps->point_size_granularity = 0.125f;
    caps->min_interpolation_offset = -0.5f;
    caps->max_interpolation_offset = 0.4375f;
    caps->interpolation_offset_bits = 4;
    caps->subpixel_bits = caps->viewport_subpixel_bits = 8;
    caps->viewport_bounds_range = 32768;
    caps->timestamp_bits = 64;
    caps->stage_row_alignment = caps->stage_offset_alignment = 4;
}

void fill_caps(pipe_caps *caps) {
    *caps = {};
    fill_features(caps);
    fill_formats(caps);
    fill_texture_limits(caps);
    fill_shader_limits(caps);
    fill_buffer_limits(caps);
    fill_raster_limits(caps);
    caps->device = PIPE_DEVICE_CPU;
    caps->is_software = 1;
    strcpy(reinterpret_cast<char *>(caps->driver_name), "noop");
    strcpy(reinterpret_cast<char *>(caps->device_name), "nothing");
    strcpy(reinterpret_cast<char *>(caps->host_version), "none");
}

} // namespace noop
