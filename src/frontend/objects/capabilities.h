// SPDX-License-Identifier: MIT
// What a context offers: limits, features, version and extensions, all computed once from the
// driver's frozen caps (capabilities.cpp holds the one table GL feature -> caps needed).
#pragma once

#include "objects/gltypes.h"
#include "pipe/pipe.h"

#include <array>

namespace gl {

// name, GL version that needs it (10 * major + minor; 0: none does, GL has a way to say "not
// here"), extension string or null
#define GL_FEATURES(X)                                                                             \
    X(depth_clamp, 0, "GL_ARB_depth_clamp")                                                        \
    X(seamless_cube, 0, "GL_ARB_seamless_cube_map")                                                \
    X(seamless_per_texture, 0, "GL_ARB_seamless_cubemap_per_texture")                              \
    X(geometry_shader, 32, nullptr)                                                                \
    X(texture_multisample, 0, "GL_ARB_texture_multisample")                                        \
    X(timer_query, 0, "GL_ARB_timer_query")                                                        \
    X(dual_source_blend, 33, "GL_ARB_blend_func_extended")                                         \
    X(blend_indexed, 40, "GL_ARB_draw_buffers_blend")                                              \
    X(cube_array, 40, "GL_ARB_texture_cube_map_array")                                             \
    X(sample_shading, 40, "GL_ARB_sample_shading")                                                 \
    X(tessellation, 40, "GL_ARB_tessellation_shader")                                              \
    X(draw_indirect, 40, "GL_ARB_draw_indirect")                                                   \
    X(fp64, 40, "GL_ARB_gpu_shader_fp64")                                                          \
    X(gpu_shader5, 40, "GL_ARB_gpu_shader5")                                                       \
    X(xfb2, 40, "GL_ARB_transform_feedback2")                                                      \
    X(xfb3, 40, "GL_ARB_transform_feedback3")                                                      \
    X(subroutines, 40, "GL_ARB_shader_subroutine")                                                 \
    X(texture_buffer_rgb32, 40, "GL_ARB_texture_buffer_object_rgb32")                              \
    X(viewport_array, 41, "GL_ARB_viewport_array")                                                 \
    X(vertex_attrib_64bit, 41, "GL_ARB_vertex_attrib_64bit")                                       \
    X(images, 42, "GL_ARB_shader_image_load_store")                                                \
    X(atomic_counters, 42, "GL_ARB_shader_atomic_counters")                                        \
    X(base_instance, 42, "GL_ARB_base_instance")                                                   \
    X(compute, 43, "GL_ARB_compute_shader")                                                        \
    X(storage_buffers, 43, "GL_ARB_shader_storage_buffer_object")                                  \
    X(multi_draw_indirect, 43, "GL_ARB_multi_draw_indirect")                                       \
    X(texture_view, 43, "GL_ARB_texture_view")                                                     \
    X(stencil_texturing, 43, "GL_ARB_stencil_texturing")                                           \
    X(copy_image, 43, "GL_ARB_copy_image")                                                         \
    X(buffer_storage, 44, "GL_ARB_buffer_storage")                                                 \
    X(clear_texture, 44, "GL_ARB_clear_texture")                                                   \
    X(query_buffer, 44, "GL_ARB_query_buffer_object")                                              \
    X(mirror_clamp, 44, "GL_ARB_texture_mirror_clamp_to_edge")                                     \
    X(clip_control, 45, "GL_ARB_clip_control")                                                     \
    X(cull_distance, 45, "GL_ARB_cull_distance")                                                   \
    X(texture_barrier, 45, "GL_ARB_texture_barrier")                                               \
    X(conditional_inverted, 45, "GL_ARB_conditional_render_inverted")                              \
    X(anisotropy, 46, "GL_ARB_texture_filter_anisotropic")                                         \
    X(polygon_offset_clamp, 46, "GL_ARB_polygon_offset_clamp")                                     \
    X(spirv, 46, "GL_ARB_gl_spirv")                                                                \
    X(indirect_parameters, 46, "GL_ARB_indirect_parameters")                                       \
    X(draw_parameters, 46, "GL_ARB_shader_draw_parameters")                                        \
    X(pipeline_statistics, 0, "GL_ARB_pipeline_statistics_query")                                  \
    X(xfb_overflow, 46, "GL_ARB_transform_feedback_overflow_query")                                \
    X(egl_image, 0, "GL_OES_EGL_image")                                                            \
    X(egl_image_storage, 0, "GL_EXT_EGL_image_storage")                                            \
    X(polygon_mode, 0, nullptr)                                                                    \
    X(logic_op, 0, nullptr)                                                                        \
    X(line_wide, 0, nullptr)                                                                       \
    X(conditional_render, 0, nullptr)

struct Features {
#define X(name, core, ext) bool name = false;
    GL_FEATURES(X)
#undef X
};

struct Limits {
    GLint texture_size = 16384, texture_3d_size = 2048, cube_size = 16384, rectangle_size = 16384,
          array_layers = 2048, renderbuffer_size = 16384, texture_buffer_size = 65536,
          texture_buffer_alignment = 256;
    GLint viewports = 16, viewport_width = 16384, viewport_height = 16384, subpixel_bits = 4;
    float viewport_bounds[2] = {-32768, 32767};
    GLint draw_buffers = 8, color_attachments = 8, dual_source_draw_buffers = 1, samples = 4,
          color_samples = 4, depth_samples = 4, integer_samples = 4, sample_mask_words = 1,
          framebuffer_width = 16384, framebuffer_height = 16384, framebuffer_layers = 2048,
          framebuffer_samples = 4;
    GLint vertex_attribs = 16, attrib_bindings = 16, attrib_stride = 2048,
          attrib_relative_offset = 2047, elements_vertices = 1 << 20, elements_indices = 1 << 20;
    int64_t element_index = 0xffffffff;
    GLint stage_texture_units[6] = {16, 16, 16, 16, 16, 16}, combined_texture_units = 96;
    GLint stage_uniform_components[6] = {4096, 4096, 4096, 4096, 4096, 4096},
          stage_uniform_blocks[6] = {14, 14, 14, 14, 14, 14};
    GLint stage_images[6] = {}, stage_storage_blocks[6] = {}, stage_atomic_counters[6] = {},
          stage_atomic_buffers[6] = {};
    GLint uniform_bindings = 84, combined_uniform_blocks = 84, uniform_block_size = 16384,
          uniform_alignment = 256, uniform_locations = 4096;
    GLint storage_bindings = 0, combined_storage_blocks = 0, storage_alignment = 256;
    int64_t storage_block_size = 0;
    GLint image_units = 0, combined_images = 0, image_samples = 0, combined_shader_outputs = 8;
    GLint atomic_bindings = 0, combined_atomic_counters = 0, combined_atomic_buffers = 0,
          atomic_buffer_size = 0;
    GLint varying_components = 60, varying_vectors = 15, vertex_output_components = 64,
          geometry_input_components = 64, geometry_output_components = 128,
          geometry_output_vertices = 256, geometry_total_components = 1024,
          geometry_invocations = 32, fragment_input_components = 128, vertex_streams = 1,
          clip_distances = 8, cull_distances = 0, combined_clip_cull = 8;
    GLint patch_vertices = 0, tess_level = 0, tess_patch_components = 0, tcs_output_components = 0,
          tcs_input_components = 0, tcs_total_components = 0, tes_input_components = 0,
          tes_output_components = 0;
    GLint xfb_buffers = 4, xfb_interleaved = 64, xfb_separate = 4, xfb_separate_components = 4;
    GLint compute_count[3] = {}, compute_size[3] = {}, compute_invocations = 0, compute_shared = 0;
    float point_range[2] = {1, 64}, point_granularity = 0.125f, line_range[2] = {1, 1},
          line_granularity = 0.125f, anisotropy = 1, lod_bias = 15;
    GLint min_texel_offset = -8, max_texel_offset = 7, min_gather_offset = -8,
          max_gather_offset = 7;
    float min_interp_offset = -0.5f, max_interp_offset = 0.4375f;
    GLint interp_bits = 4, map_alignment = 64, label_length = 256, debug_message_length = 4096,
          debug_messages = 256, debug_groups = 64, subroutines = 256, subroutine_locations = 1024,
          timestamp_bits = 64;
};

struct Capabilities { // immutable per share group
    Features has;
    Limits limits;
    int version = 33; // 10 * major + minor
    int glsl = 330;
    int glsl_accepted = 330; // highest #version: more than `glsl` where only the API is behind
    std::vector<std::string> extensions;
    std::array<uint32_t, 2> shader_extensions{}; // those of them that shaders may ask for
    std::string renderer, vendor, version_string, glsl_string;
    int next_version = 0;                 // the version after `version`; 0 behind the last
    std::vector<std::string> next_driver; // what it needs and the driver or its host lacks
    std::vector<std::string> next_here;   // what it needs and this frontend does not have yet
};
// Fills everything from caps; `version` is the highest that every needed feature allows (at least
// 31).
void compute_capabilities(const pipe_caps &caps, Capabilities &out);
} // namespace gl
