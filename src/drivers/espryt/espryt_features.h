// SPDX-License-Identifier: MIT
// What the host can do: one row per optional feature {name, core version, extensions}, and the
// host's limits. MGPIPE_HOST_HIDE=name,... (or "all") makes a feature absent everywhere, since
// nothing else asks the host.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>

#include "espryt_gl.h"

namespace espryt {

// X(name, core since ES version or 0, "extensions, any of them is enough")
#define ESPRYT_FEATURES(X)                                                                         \
    X(base_instance, 0, "GL_EXT_base_instance")                                                    \
    X(blend_func_extended, 0, "GL_EXT_blend_func_extended")                                        \
    X(buffer_storage, 0, "GL_EXT_buffer_storage")                                                  \
    X(clear_texture, 0, "GL_EXT_clear_texture")                                                    \
    X(clip_control, 0, "GL_EXT_clip_control")                                                      \
    X(clip_cull_distance, 0, "GL_EXT_clip_cull_distance")                                          \
    X(conditional_render, 0, "GL_NV_conditional_render")                                           \
    X(copy_image, 320, "GL_EXT_copy_image GL_OES_copy_image")                                      \
    X(debug, 320, "GL_KHR_debug")                                                                  \
    X(depth_clamp, 0, "GL_EXT_depth_clamp")                                                        \
    X(draw_buffers_indexed, 320, "GL_EXT_draw_buffers_indexed GL_OES_draw_buffers_indexed")        \
    X(base_vertex, 320, "GL_EXT_draw_elements_base_vertex GL_OES_draw_elements_base_vertex")       \
    X(framebuffer_fetch, 0, "GL_EXT_shader_framebuffer_fetch")                                     \
    X(egl_image, 0, "GL_OES_EGL_image")                                                            \
    X(float_blend, 320, "GL_EXT_float_blend")                                                      \
    X(geometry_shader, 320, "GL_EXT_geometry_shader GL_OES_geometry_shader")                       \
    X(image_formats, 0, "GL_NV_image_formats")                                                     \
    X(multisample_compat, 0, "GL_EXT_multisample_compatibility")                                   \
    X(noperspective, 0, "GL_NV_shader_noperspective_interpolation")                                \
    X(polygon_mode, 0, "GL_NV_polygon_mode")                                                       \
    X(polygon_offset_clamp, 0, "GL_EXT_polygon_offset_clamp")                                      \
    X(read_depth, 0, "GL_NV_read_depth")                                                           \
    X(read_stencil, 0, "GL_NV_read_stencil")                                                       \
    X(sample_shading, 320, "GL_OES_sample_shading")                                                \
    X(sample_variables, 320, "GL_OES_sample_variables")                                            \
    X(seamless_cube, 300, "")                                                                      \
    X(shader_image_atomic, 320, "GL_OES_shader_image_atomic")                                      \
    X(shader_io_blocks, 320, "GL_EXT_shader_io_blocks GL_OES_shader_io_blocks")                    \
    X(srgb_decode, 0, "GL_EXT_texture_sRGB_decode")                                                \
    X(srgb_write_control, 0, "GL_EXT_sRGB_write_control")                                          \
    X(tessellation_shader, 320, "GL_EXT_tessellation_shader GL_OES_tessellation_shader")           \
    X(border_clamp, 320, "GL_EXT_texture_border_clamp GL_OES_texture_border_clamp")                \
    X(texture_buffer, 320, "GL_EXT_texture_buffer GL_OES_texture_buffer")                          \
    X(compression_bptc, 0, "GL_EXT_texture_compression_bptc")                                      \
    X(compression_rgtc, 0, "GL_EXT_texture_compression_rgtc")                                      \
    X(compression_s3tc, 0, "GL_EXT_texture_compression_s3tc")                                      \
    X(compression_s3tc_srgb, 0, "GL_EXT_texture_compression_s3tc_srgb GL_NV_sRGB_formats")         \
    X(cube_map_array, 320, "GL_EXT_texture_cube_map_array GL_OES_texture_cube_map_array")          \
    X(anisotropy, 0, "GL_EXT_texture_filter_anisotropic")                                          \
    X(float_linear, 0, "GL_OES_texture_float_linear")                                              \
    X(mirror_clamp, 0, "GL_EXT_texture_mirror_clamp_to_edge")                                      \
    X(norm16, 0, "GL_EXT_texture_norm16")                                                          \
    X(query_lod, 0, "GL_EXT_texture_query_lod")                                                    \
    X(stencil8, 320, "GL_OES_texture_stencil8")                                                    \
    X(multisample_array, 320, "GL_OES_texture_storage_multisample_2d_array")                       \
    X(texture_view, 0, "GL_EXT_texture_view GL_OES_texture_view")                                  \
    X(timer_query, 0, "GL_EXT_disjoint_timer_query")                                               \
    X(viewport_array, 0, "GL_OES_viewport_array GL_NV_viewport_array")                             \
    X(es32, 320, "")

enum class feature : unsigned {
#define X(name, version, extensions) name,
    ESPRYT_FEATURES(X)
#undef X
        count
};

struct host_limits {
    int max_texture_size, max_3d_texture_size, max_array_layers, max_cube_size,
        max_renderbuffer_size;
    int max_color_attachments, max_draw_buffers, max_samples, max_integer_samples,
        max_color_samples, max_depth_samples;
    int max_vertex_attribs, max_vertex_bindings, max_vertex_stride, max_relative_offset;
    int max_uniform_buffers, max_uniform_block_size, uniform_alignment;
    int max_combined_uniform_blocks, max_vertex_uniform_blocks, max_fragment_uniform_blocks;
    int max_storage_buffers, storage_alignment, max_vertex_storage, max_fragment_storage,
        max_compute_storage;
    int64_t max_storage_size;
    int max_combined_textures, max_vertex_textures, max_fragment_textures;
    int max_fragment_atomics;
    int max_image_units, max_vertex_images, max_fragment_images, max_compute_images;
    int max_texture_buffer_size, texture_buffer_alignment;
    int max_varying_vectors, max_vertex_outputs, max_fragment_inputs;
    int max_tf_buffers, max_tf_separate_components, max_tf_interleaved_components;
    int max_compute_groups[3], max_compute_size[3], max_compute_invocations, max_compute_shared;
    int max_viewport[2], subpixel_bits, max_dual_source, max_clip_distances, max_patch_vertices,
        max_viewports;
    int min_texel_offset, max_texel_offset, min_gather_offset, max_gather_offset;
    int max_geometry_vertices, max_geometry_components;
    int max_framebuffer_layers;
    float point_size[2], line_width[2], max_anisotropy, max_lod_bias;
};

struct host_info {
    int version = 0; // 310 or 320; at most what MGPIPE_HOST_HIDE leaves
    std::bitset<static_cast<size_t>(feature::count)> has;
    host_limits limits{};
    std::string renderer, vendor, version_text, hidden;
};

// Asks the context that is current on this thread. Called once per process and host.
void host_probe(const gles *gl, host_info *info);

} // namespace espryt
