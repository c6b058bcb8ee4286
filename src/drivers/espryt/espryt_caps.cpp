// SPDX-License-Identifier: MIT
// pipe_caps from what the host said. Nothing is promised here that the tables do not do.
#include <algorithm>
#include <cstring>

#include "espryt_caps.h"
#include "espryt_dmabuf.h"
#include "espryt_shadow.h"
#include "espryt_texel_buffer.h"

namespace espryt {

namespace {

void set(pipe_caps *c, unsigned bit, bool on) {
    if (on)
        c->features[bit / 64] |= 1ull << (bit % 64);
}

void features(const host *h, pipe_caps *c) {
    auto has = [&](feature f) { return h->has(f); };
    const host_limits &l = h->info.limits;
    set(c, PIPE_CAP_GEOMETRY_SHADER,
        has(feature::geometry_shader) && has(feature::shader_io_blocks));
    set(c, PIPE_CAP_TESSELLATION_SHADER,
        has(feature::tessellation_shader) && has(feature::shader_io_blocks));
    set(c, PIPE_CAP_COMPUTE_SHADER, true);
    set(c, PIPE_CAP_BASE_INSTANCE, true);   // attributes are moved at worst
    set(c, PIPE_CAP_DRAW_PARAMETERS, true); // uniforms
    set(c, PIPE_CAP_MULTI_DRAW_INDIRECT, true);
    set(c, PIPE_CAP_STREAM_OUTPUT, true);
    set(c, PIPE_CAP_STREAM_OUTPUT_PAUSE, true);
    set(c, PIPE_CAP_OCCLUSION_PREDICATE, true);
    set(c, PIPE_CAP_OCCLUSION_COUNT, l.max_fragment_atomics > 0); // the fragment stage counts
    set(c, PIPE_CAP_TIMER_QUERY, true);                           // timed by the CPU at worst
    set(c, PIPE_CAP_PRIMITIVES_GENERATED, true);                  // counted by the CPU at worst
    set(c, PIPE_CAP_RENDER_CONDITION, has(feature::conditional_render));
    set(c, PIPE_CAP_INDEPENDENT_BLEND, has(feature::draw_buffers_indexed));
    set(c, PIPE_CAP_INDEPENDENT_BLEND_FUNC, has(feature::draw_buffers_indexed));
    set(c, PIPE_CAP_DUAL_SOURCE_BLEND, has(feature::blend_func_extended));
    set(c, PIPE_CAP_POLYGON_MODE, has(feature::polygon_mode));
    set(c, PIPE_CAP_DEPTH_CLAMP, true); // clamped by the fragment stage at worst
    set(c, PIPE_CAP_DEPTH_CLIP_HALFZ, has(feature::clip_control));
    set(c, PIPE_CAP_CLIP_DISTANCE, true); // discarded by the fragment stage at worst
    set(c, PIPE_CAP_CULL_DISTANCE, has(feature::clip_cull_distance));
    set(c, PIPE_CAP_POLYGON_OFFSET_CLAMP, has(feature::polygon_offset_clamp));
    set(c, PIPE_CAP_PROVOKING_VERTEX_LAST, true);
    set(c, PIPE_CAP_WIDE_LINES, l.line_width[1] > 1);
    set(c, PIPE_CAP_VIEWPORT_ARRAY, has(feature::viewport_array) && has(feature::geometry_shader));
    set(c, PIPE_CAP_SAMPLE_SHADING, has(feature::sample_shading) && has(feature::sample_variables));
    set(c, PIPE_CAP_TEXTURE_MULTISAMPLE, has(feature::multisample_array));
    set(c, PIPE_CAP_TEXTURE_BUFFER, true); // copied to other textures at worst
    set(c, PIPE_CAP_TEXTURE_BUFFER_RANGE, true);
    set(c, PIPE_CAP_TEXTURE_CUBE_ARRAY, has(feature::cube_map_array));
    // Views of formats that are stored wider would show other bits.
    set(c, PIPE_CAP_TEXTURE_VIEW, has(feature::texture_view) && has(feature::norm16));
    set(c, PIPE_CAP_TEXTURE_SWIZZLE, true);
    set(c, PIPE_CAP_TEXTURE_BORDER_COLOR, has(feature::border_clamp));
    set(c, PIPE_CAP_TEXTURE_MIRROR_CLAMP, has(feature::mirror_clamp));
    set(c, PIPE_CAP_TEXTURE_ANISOTROPY, has(feature::anisotropy));
    set(c, PIPE_CAP_TEXTURE_GATHER, true);
    set(c, PIPE_CAP_TEXTURE_QUERY_LOD, has(feature::query_lod));
    set(c, PIPE_CAP_TEXTURE_STENCIL8, has(feature::stencil8));
    set(c, PIPE_CAP_STENCIL_TEXTURING, true);
    set(c, PIPE_CAP_SRGB_DECODE_CONTROL, has(feature::srgb_decode));
    set(c, PIPE_CAP_SRGB_WRITE_CONTROL, has(feature::srgb_write_control));
    set(c, PIPE_CAP_SHADER_IMAGES, has(feature::es32) || has(feature::shader_image_atomic));
    set(c, PIPE_CAP_SHADER_STORAGE, true);
    set(c, PIPE_CAP_ATOMIC_COUNTERS, true); // as storage buffers
    set(c, PIPE_CAP_COPY_IMAGE, true);
    set(c, PIPE_CAP_CLEAR_TEXTURE, true);
    set(c, PIPE_CAP_PERSISTENT_MAP, has(feature::buffer_storage));
    set(c, PIPE_CAP_DMABUF_IMPORT, dmabuf_import(h));
    set(c, PIPE_CAP_ROBUST_ACCESS, h->robust);
    set(c, PIPE_CAP_FRAMEBUFFER_NO_ATTACHMENTS, true);
    set(c, PIPE_CAP_RUN_AHEAD, true);
    set(c, PIPE_CAP_COMPRESSED_S3TC,
        has(feature::compression_s3tc) && has(feature::compression_s3tc_srgb));
    set(c, PIPE_CAP_COMPRESSED_RGTC, has(feature::compression_rgtc));
    set(c, PIPE_CAP_COMPRESSED_BPTC, has(feature::compression_bptc));
    set(c, PIPE_CAP_COMPRESSED_ETC2, true);
}

uint32_t u(int v) {
    return v > 0 ? static_cast<uint32_t>(v) : 0;
}

void sizes(const host *h, pipe_caps *c) {
    const host_limits &l = h->info.limits;
    c->max_texture_2d_size = u(l.max_texture_size);
    c->max_texture_3d_size = u(l.max_3d_texture_size);
    c->max_texture_cube_size = u(l.max_cube_size);
    c->max_texture_layers = u(l.max_array_layers);
    c->max_texture_buffer_size = h->has(feature::texture_buffer)
                                     ? u(l.max_texture_buffer_size)
                                     : texel_columns * u(l.max_texture_size);
    c->max_renderbuffer_size = u(l.max_renderbuffer_size);
    c->max_framebuffer_width = c->max_framebuffer_height =
        std::min(c->max_texture_2d_size, c->max_renderbuffer_size);
    c->max_framebuffer_layers = u(l.max_framebuffer_layers);
    c->max_samples = u(l.max_samples);
    c->max_integer_samples = u(l.max_integer_samples);
    c->max_color_samples = u(l.max_color_samples);
    c->max_depth_samples = u(l.max_depth_samples);
    c->max_color_buffers =
        std::min<uint32_t>(8, u(std::min(l.max_color_attachments, l.max_draw_buffers)));
    c->max_dual_source_buffers = u(l.max_dual_source);
    bool arrays = h->has(feature::viewport_array) && h->has(feature::geometry_shader);
    c->max_viewports = arrays ? std::min<uint32_t>(PIPE_MAX_VIEWPORTS, u(l.max_viewports)) : 1;
    c->max_viewport_dims[0] = u(l.max_viewport[0]);
    c->max_viewport_dims[1] = u(l.max_viewport[1]);
    c->max_clip_distances = std::max(8u, u(l.max_clip_distances));
    c->max_cull_distances = u(l.max_clip_distances);
    c->max_vertex_attribs = std::min<uint32_t>(max_host_attribs, u(l.max_vertex_attribs));
    c->max_vertex_buffers = std::min<uint32_t>(max_host_attribs, u(l.max_vertex_bindings));
    c->max_vertex_stride = u(l.max_vertex_stride);
    c->max_vertex_attrib_relative_offset = u(l.max_relative_offset);
    c->max_uniform_block_size = u(l.max_uniform_block_size);
    c->max_storage_block_size =
        static_cast<uint32_t>(std::min<int64_t>(l.max_storage_size, 0x7fffffff));
    c->uniform_buffer_alignment = u(l.uniform_alignment);
    c->storage_buffer_alignment = u(l.storage_alignment);
    c->texture_buffer_alignment = u(l.texture_buffer_alignment);
    c->min_map_alignment = 64;
    c->max_buffer_size = 1ull << 31;
}

void stages(const host *h, pipe_caps *c) {
    const host_limits &l = h->info.limits;
    for (int s = 0; s < int(PIPE_SHADER_STAGES); s++) {
        bool vs = s == PIPE_SHADER_VERTEX, fs = s == PIPE_SHADER_FRAGMENT,
             cs = s == PIPE_SHADER_COMPUTE;
        bool other = !vs && !fs && !cs;
        bool absent = other && !h->has(s == PIPE_SHADER_GEOMETRY ? feature::geometry_shader
                                                                 : feature::tessellation_shader);
        if (absent)
            continue;
        c->max_samplers_per_stage[s] = u(vs ? l.max_vertex_textures : l.max_fragment_textures);
        c->max_samplers_per_stage[s] = std::min<uint32_t>(32, c->max_samplers_per_stage[s]);
        int images = vs   ? l.max_vertex_images
                     : cs ? l.max_compute_images
                     : fs ? l.max_fragment_images
                          : 0;
        c->max_images_per_stage[s] = std::min<uint32_t>(8, u(images));
        // One point of each stage is the default block's.
        int blocks = vs ? l.max_vertex_uniform_blocks : l.max_fragment_uniform_blocks;
        c->max_uniform_blocks_per_stage[s] = std::min<uint32_t>(14, u(blocks - 1));
        int store = vs   ? l.max_vertex_storage
                    : cs ? l.max_compute_storage
                    : fs ? l.max_fragment_storage
                         : 0;
        // Atomic counter buffers take a share of the storage buffers.
        c->max_atomic_buffers_per_stage[s] = std::min<uint32_t>(8, u(store) / 2);
        c->max_storage_blocks_per_stage[s] =
            std::min<uint32_t>(16, u(store) - c->max_atomic_buffers_per_stage[s]);
        c->max_uniform_vectors_per_stage[s] =
            std::min<uint32_t>(1024, c->max_uniform_block_size / 16);
    }
    c->max_combined_samplers = std::min<uint32_t>(max_units - 1, u(l.max_combined_textures) - 1);
    c->max_combined_images = std::min<uint32_t>(32, u(l.max_image_units));
    c->max_combined_uniform_blocks = std::min<uint32_t>(
        84, u(std::min(l.max_combined_uniform_blocks, l.max_uniform_buffers) - 1));
    c->max_combined_storage_blocks = std::min<uint32_t>(48, u(l.max_storage_buffers) / 2);
}

void shaders(const host *h, pipe_caps *c) {
    const host_limits &l = h->info.limits;
    // Hosts count the position and the point size too.
    c->max_vertex_output_components = std::max(64u, u(l.max_vertex_outputs) - 8);
    c->max_varying_vectors =
        std::min(c->max_vertex_output_components / 4, u(l.max_varying_vectors));
    c->max_fragment_input_components = u(l.max_fragment_inputs);
    if (h->has(feature::geometry_shader)) {
        c->max_geometry_input_components = 64;
        c->max_geometry_output_components = 128;
        c->max_geometry_total_output_components = u(l.max_geometry_components);
        c->max_geometry_output_vertices = u(l.max_geometry_vertices);
        c->max_geometry_invocations = 32;
    }
    if (h->has(feature::tessellation_shader)) {
        c->max_tess_gen_level = 64;
        c->max_patch_vertices = u(l.max_patch_vertices);
        c->max_tess_patch_components = 120;
        c->max_tess_control_output_components = 128;
        c->max_tess_control_total_output_components = 4096;
    }
    for (int i = 0; i < 3; i++) {
        c->max_compute_work_group_count[i] = u(l.max_compute_groups[i]);
        c->max_compute_work_group_size[i] = u(l.max_compute_size[i]);
    }
    c->max_compute_work_group_invocations = u(l.max_compute_invocations);
    c->max_compute_shared_memory = u(l.max_compute_shared);
    c->max_so_buffers = u(l.max_tf_buffers);
    c->max_so_streams = 1;
    c->max_so_separate_components = u(l.max_tf_separate_components);
    c->max_so_interleaved_components = u(l.max_tf_interleaved_components);
    c->min_texel_offset = l.min_texel_offset;
    c->max_texel_offset = l.max_texel_offset;
    c->min_gather_offset = l.min_gather_offset;
    c->max_gather_offset = l.max_gather_offset;
    c->max_texture_lod_bias = l.max_lod_bias;
    c->max_texture_anisotropy = l.max_anisotropy;
    memcpy(c->line_width_range, l.line_width, sizeof(l.line_width));
    c->line_width_granularity = 0.125f;
    memcpy(c->point_size_range, l.point_size, sizeof(l.point_size));
    c->point_size_granularity = 0.125f;
    c->min_interpolation_offset = -0.5f;
    c->max_interpolation_offset = 0.4375f;
    c->interpolation_offset_bits = 4;
    c->subpixel_bits = u(l.subpixel_bits);
    c->viewport_subpixel_bits = 0;
    c->viewport_bounds_range = 32768;
    c->timestamp_bits = 64;
    c->stage_row_alignment = 4;
    c->stage_offset_alignment = 16;
}

void text(uint8_t *out, size_t size, const std::string &s) {
    size_t n = std::min(size - 1, s.size());
    memcpy(out, s.data(), n);
    out[n] = 0;
}

} // namespace

void fill_caps(const host *h, pipe_caps *c) {
    memset(c, 0, sizeof(*c));
    features(h, c);
    sizes(h, c);
    stages(h, c);
    shaders(h, c);
    const std::string &r = h->info.renderer;
    bool soft = r.find("llvmpipe") != std::string::npos ||
                r.find("softpipe") != std::string::npos ||
                r.find("SwiftShader") != std::string::npos;
    c->device = soft ? PIPE_DEVICE_CPU : PIPE_DEVICE_UNKNOWN;
    c->is_software = soft;
    text(c->driver_name, sizeof(c->driver_name), "espryt");
    text(c->device_name, sizeof(c->device_name), r);
    text(c->host_version, sizeof(c->host_version), h->info.version_text);
    for (uint32_t f = 0; f < PIPE_FORMAT_COUNT; f++) {
        c->format[f].caps = format_of(f).caps;
        c->format[f].sample_counts = format_of(f).internal ? format_of(f).sample_counts | 1 : 0;
    }
    // Vertex fetch reads floats and integers of these shapes.
    for (uint32_t f : {PIPE_FORMAT_R32_FLOAT, PIPE_FORMAT_R32G32_FLOAT, PIPE_FORMAT_R32G32B32_FLOAT,
                       PIPE_FORMAT_R32G32B32A32_FLOAT, PIPE_FORMAT_R8G8B8A8_UNORM})
        c->format[f].caps |= PIPE_FORMAT_CAP_VERTEX;
}

} // namespace espryt
