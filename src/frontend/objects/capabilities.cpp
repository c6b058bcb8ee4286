// SPDX-License-Identifier: MIT
// From the driver's frozen caps to what GL offers: one table feature -> caps, then version,
// extensions and limits.
#include "objects/capabilities.h"

#include "compiler/compiler.h"
#include "objects/missing.h"
#include "util/log.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>

namespace gl {
namespace {

constexpr int kNone = -1;
// Feature -> up to three caps that must all be there, and one call of the catalogue (opcode) or 0.
struct Need {
    bool Features::*feature;
    int cap[3];
    uint32_t call;
};
#define NEED(feature, a, b, c, call)                                                               \
    { &Features::feature, {a, b, c}, call }

const Need needs[] = {
    NEED(depth_clamp, PIPE_CAP_DEPTH_CLAMP, kNone, kNone, 0),
    NEED(seamless_cube, kNone, kNone, kNone, 0),
    NEED(seamless_per_texture, PIPE_CAP_SEAMLESS_CUBE_PER_TEXTURE, kNone, kNone, 0),
    NEED(geometry_shader, PIPE_CAP_GEOMETRY_SHADER, kNone, kNone, 0),
    NEED(texture_multisample, PIPE_CAP_TEXTURE_MULTISAMPLE, kNone, kNone, 0),
    NEED(timer_query, PIPE_CAP_TIMER_QUERY, kNone, kNone, 0),
    NEED(dual_source_blend, PIPE_CAP_DUAL_SOURCE_BLEND, kNone, kNone, 0),
    NEED(blend_indexed, PIPE_CAP_INDEPENDENT_BLEND_FUNC, kNone, kNone, 0),
    NEED(cube_array, PIPE_CAP_TEXTURE_CUBE_ARRAY, kNone, kNone, 0),
    NEED(sample_shading, PIPE_CAP_SAMPLE_SHADING, kNone, kNone, 0),
    NEED(tessellation, PIPE_CAP_TESSELLATION_SHADER, kNone, kNone, 0),
    NEED(draw_indirect, kNone, kNone, kNone, PIPE_OP_SET_INDIRECT_BUFFERS),
    NEED(fp64, PIPE_CAP_FP64, kNone, kNone, 0),
    NEED(gpu_shader5, PIPE_CAP_TEXTURE_GATHER, kNone, kNone, 0),
    NEED(xfb2, PIPE_CAP_STREAM_OUTPUT, PIPE_CAP_STREAM_OUTPUT_PAUSE, kNone, 0),
    NEED(xfb3, PIPE_CAP_STREAM_OUTPUT, PIPE_CAP_STREAM_OUTPUT_PAUSE, PIPE_CAP_STREAM_OUTPUT_STREAMS,
         0),
    NEED(viewport_array, PIPE_CAP_VIEWPORT_ARRAY, kNone, kNone, 0),
    NEED(vertex_attrib_64bit, PIPE_CAP_FP64_VERTEX, kNone, kNone, 0),
    NEED(images, PIPE_CAP_SHADER_IMAGES, kNone, kNone, 0),
    NEED(atomic_counters, PIPE_CAP_ATOMIC_COUNTERS, kNone, kNone, 0),
    NEED(base_instance, PIPE_CAP_BASE_INSTANCE, kNone, kNone, 0),
    NEED(compute, PIPE_CAP_COMPUTE_SHADER, kNone, kNone, PIPE_OP_LAUNCH_GRID),
    NEED(storage_buffers, PIPE_CAP_SHADER_STORAGE, kNone, kNone, 0),
    NEED(multi_draw_indirect, PIPE_CAP_MULTI_DRAW_INDIRECT, kNone, kNone,
         PIPE_OP_SET_INDIRECT_BUFFERS),
    NEED(texture_view, PIPE_CAP_TEXTURE_VIEW, kNone, kNone, 0),
    NEED(stencil_texturing, PIPE_CAP_STENCIL_TEXTURING, kNone, kNone, 0),
    NEED(copy_image, PIPE_CAP_COPY_IMAGE, kNone, kNone, PIPE_OP_RESOURCE_COPY_REGION),
    NEED(egl_image, PIPE_CAP_TEXTURE_VIEW, PIPE_CAP_COPY_IMAGE, kNone,
         PIPE_OP_RESOURCE_COPY_REGION),
    NEED(egl_image_storage, PIPE_CAP_TEXTURE_VIEW, PIPE_CAP_COPY_IMAGE, kNone,
         PIPE_OP_RESOURCE_COPY_REGION),
    NEED(buffer_storage, kNone, kNone, kNone, 0),
    NEED(clear_texture, PIPE_CAP_CLEAR_TEXTURE, kNone, kNone, PIPE_OP_CLEAR_TEXTURE),
    NEED(query_buffer, PIPE_CAP_QUERY_BUFFER, kNone, kNone, PIPE_OP_QUERY_RESULT_TO_BUFFER),
    NEED(mirror_clamp, PIPE_CAP_TEXTURE_MIRROR_CLAMP, kNone, kNone, 0),
    NEED(clip_control, PIPE_CAP_DEPTH_CLIP_HALFZ, kNone, kNone, 0),
    NEED(cull_distance, PIPE_CAP_CULL_DISTANCE, kNone, kNone, 0),
    NEED(texture_barrier, PIPE_CAP_TEXTURE_BARRIER, kNone, kNone, PIPE_OP_TEXTURE_BARRIER),
    NEED(conditional_inverted, kNone, kNone, kNone, 0),
    NEED(anisotropy, PIPE_CAP_TEXTURE_ANISOTROPY, kNone, kNone, 0),
    NEED(polygon_offset_clamp, PIPE_CAP_POLYGON_OFFSET_CLAMP, kNone, kNone, 0),
    NEED(indirect_parameters, PIPE_CAP_INDIRECT_PARAMETERS, kNone, kNone, 0),
    NEED(draw_parameters, PIPE_CAP_DRAW_PARAMETERS, kNone, kNone, 0),
    NEED(pipeline_statistics, PIPE_CAP_PIPELINE_STATISTICS, kNone, kNone, 0),
    NEED(polygon_mode, PIPE_CAP_POLYGON_MODE, kNone, kNone, 0),
    NEED(logic_op, PIPE_CAP_LOGIC_OP, kNone, kNone, 0),
    NEED(line_wide, PIPE_CAP_WIDE_LINES, kNone, kNone, 0),
    NEED(xfb_overflow, PIPE_CAP_STREAM_OUTPUT_STREAMS, kNone, kNone, 0),
    NEED(conditional_render, PIPE_CAP_RENDER_CONDITION, kNone, kNone, PIPE_OP_SET_RENDER_CONDITION),
};

// Not written in this frontend yet, whatever the driver has.
bool Features::*const unwritten[] = {&Features::subroutines, &Features::spirv};

struct Row {
    bool Features::*feature;
    int core;
    const char *extension;
    const char *name;
};
const Row rows[] = {
#define X(name, core, ext) {&Features::name, core, ext, #name},
    GL_FEATURES(X)
#undef X
};

// What every host can carry; the tracker decodes blocks that the host lacks.
const char *const always[] = {
    "GL_AMD_conservative_depth",
    "GL_ARB_ES2_compatibility",
    "GL_ARB_ES3_compatibility",
    "GL_ARB_arrays_of_arrays",
    "GL_ARB_clear_buffer_object",
    "GL_ARB_compressed_texture_pixel_storage",
    "GL_ARB_conservative_depth",
    "GL_ARB_copy_buffer",
    "GL_ARB_debug_output",
    "GL_ARB_depth_buffer_float",
    "GL_ARB_direct_state_access",
    "GL_ARB_draw_buffers",
    "GL_ARB_draw_elements_base_vertex",
    "GL_ARB_draw_instanced",
    "GL_ARB_enhanced_layouts",
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_explicit_uniform_location",
    "GL_ARB_fragment_coord_conventions",
    "GL_ARB_framebuffer_object",
    "GL_ARB_framebuffer_sRGB",
    "GL_ARB_get_program_binary",
    "GL_ARB_get_texture_sub_image",
    "GL_ARB_half_float_pixel",
    "GL_ARB_half_float_vertex",
    "GL_ARB_instanced_arrays",
    "GL_ARB_internalformat_query",
    "GL_ARB_internalformat_query2",
    "GL_ARB_invalidate_subdata",
    "GL_ARB_map_buffer_alignment",
    "GL_ARB_map_buffer_range",
    "GL_ARB_multi_bind",
    "GL_ARB_occlusion_query2",
    "GL_ARB_parallel_shader_compile",
    "GL_ARB_pixel_buffer_object",
    "GL_ARB_point_sprite",
    "GL_ARB_program_interface_query",
    "GL_ARB_provoking_vertex",
    "GL_ARB_robustness",
    "GL_ARB_sampler_objects",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_shader_bit_encoding",
    "GL_ARB_shader_texture_lod",
    "GL_ARB_shading_language_420pack",
    "GL_ARB_shading_language_packing",
    "GL_ARB_sync",
    "GL_ARB_texture_border_clamp",
    "GL_ARB_texture_buffer_object",
    "GL_ARB_texture_buffer_range",
    "GL_ARB_texture_compression_bptc",
    "GL_ARB_texture_compression_rgtc",
    "GL_ARB_texture_float",
    "GL_ARB_texture_mirrored_repeat",
    "GL_ARB_texture_non_power_of_two",
    "GL_ARB_texture_query_levels",
    "GL_ARB_texture_rectangle",
    "GL_ARB_texture_rg",
    "GL_ARB_texture_rgb10_a2ui",
    "GL_ARB_texture_storage",
    "GL_ARB_texture_storage_multisample",
    "GL_ARB_texture_swizzle",
    "GL_ARB_uniform_buffer_object",
    "GL_ARB_vertex_array_bgra",
    "GL_ARB_vertex_array_object",
    "GL_ARB_vertex_attrib_binding",
    "GL_ARB_vertex_buffer_object",
    "GL_ARB_vertex_type_10f_11f_11f_rev",
    "GL_ARB_vertex_type_2_10_10_10_rev",
    "GL_EXT_abgr",
    "GL_EXT_framebuffer_blit",
    "GL_EXT_framebuffer_multisample",
    "GL_EXT_framebuffer_object",
    "GL_EXT_framebuffer_sRGB",
    "GL_EXT_packed_depth_stencil",
    "GL_EXT_packed_float",
    "GL_EXT_shader_integer_mix",
    "GL_EXT_texture_array",
    "GL_EXT_texture_compression_bptc",
    "GL_EXT_texture_compression_rgtc",
    "GL_EXT_texture_compression_s3tc",
    "GL_EXT_texture_compression_s3tc_srgb",
    "GL_EXT_texture_integer",
    "GL_EXT_texture_sRGB",
    "GL_EXT_texture_shared_exponent",
    "GL_EXT_texture_snorm",
    "GL_EXT_texture_swizzle",
    "GL_EXT_transform_feedback",
    "GL_KHR_context_flush_control",
    "GL_KHR_debug",
    "GL_KHR_no_error",
    "GL_KHR_parallel_shader_compile",
    "GL_KHR_robustness",
    "GL_KHR_texture_compression_astc_ldr",
    "GL_KHR_texture_compression_astc_sliced_3d",
    "GL_NV_conditional_render",
};

GLint take(uint32_t v, GLint least, GLint most = INT32_MAX) {
    return std::clamp(GLint(std::min<uint32_t>(v, INT32_MAX)), least, most);
}

void framebuffer_limits(const pipe_caps &c, Limits &l) {
    l.draw_buffers = l.color_attachments = take(c.max_color_buffers, 1, kMaxDrawBuffers);
    l.dual_source_draw_buffers = take(c.max_dual_source_buffers, 0);
    l.samples = take(c.max_samples, 1);
    l.color_samples = take(c.max_color_samples, 1);
    l.depth_samples = take(c.max_depth_samples, 1);
    l.integer_samples = take(c.max_integer_samples, 1);
    l.framebuffer_width = take(c.max_framebuffer_width, 1024);
    l.framebuffer_height = take(c.max_framebuffer_height, 1024);
    l.framebuffer_layers = take(c.max_framebuffer_layers, 256);
    l.framebuffer_samples = l.samples;
    l.viewports = take(c.max_viewports, 1, kMaxViewports);
    l.viewport_width = take(c.max_viewport_dims[0], 1024);
    l.viewport_height = take(c.max_viewport_dims[1], 1024);
    if (c.viewport_bounds_range) {
        l.viewport_bounds[0] = -float(c.viewport_bounds_range);
        l.viewport_bounds[1] = float(c.viewport_bounds_range);
    }
    l.subpixel_bits = take(c.subpixel_bits, 4);
}

void texture_limits(const pipe_caps &c, Limits &l) {
    l.texture_size = l.rectangle_size =
        take(c.max_texture_2d_size, 1024, 1 << (kMaxTextureLevels - 1));
    l.texture_3d_size = take(c.max_texture_3d_size, 256, 1 << (kMaxTextureLevels - 1));
    l.cube_size = take(c.max_texture_cube_size, 1024, 1 << (kMaxTextureLevels - 1));
    l.array_layers = take(c.max_texture_layers, 256);
    l.renderbuffer_size = take(c.max_renderbuffer_size, 1024);
    l.texture_buffer_size = take(c.max_texture_buffer_size, 65536);
    l.texture_buffer_alignment = take(c.texture_buffer_alignment, 1);
    l.lod_bias = c.max_texture_lod_bias > 0 ? GLint(c.max_texture_lod_bias) : 2;
    l.anisotropy = std::max(c.max_texture_anisotropy, 1.0f);
    l.min_texel_offset = std::min(c.min_texel_offset, -8);
    l.max_texel_offset = std::max(c.max_texel_offset, 7);
    l.min_gather_offset = std::min(c.min_gather_offset, -8);
    l.max_gather_offset = std::max(c.max_gather_offset, 7);
    l.min_interp_offset = std::min(c.min_interpolation_offset, -0.5f);
    l.max_interp_offset = std::max(c.max_interpolation_offset, 0.4375f);
    l.interp_bits = take(c.interpolation_offset_bits, 4);
}

// The frontend's own storage bounds some binding counts.
void stage_limits(const pipe_caps &c, Limits &l) {
    for (unsigned s = 0; s < 6; s++) {
        l.stage_texture_units[s] = take(c.max_samplers_per_stage[s], s == 3 ? 0 : 16, 32);
        l.stage_images[s] = take(c.max_images_per_stage[s], 0, kMaxImageUnits);
        l.stage_uniform_blocks[s] = take(c.max_uniform_blocks_per_stage[s], 12, 16);
        l.stage_storage_blocks[s] = take(c.max_storage_blocks_per_stage[s], 0, 32);
        l.stage_atomic_buffers[s] = take(c.max_atomic_buffers_per_stage[s], 0, kMaxAtomicBuffers);
        l.stage_atomic_counters[s] = l.stage_atomic_buffers[s] ? 4096 : 0;
        l.stage_uniform_components[s] = take(c.max_uniform_vectors_per_stage[s], 256, 1 << 20) * 4;
    }
    l.combined_texture_units = take(c.max_combined_samplers, 48, kMaxTextureUnits);
    l.combined_uniform_blocks = take(c.max_combined_uniform_blocks, 36, kMaxUniformBuffers);
    l.uniform_bindings = std::clamp(l.combined_uniform_blocks, 36, GLint(kMaxUniformBuffers));
    l.uniform_block_size = take(c.max_uniform_block_size, 16384);
    l.uniform_alignment = take(c.uniform_buffer_alignment, 1);
    l.combined_storage_blocks = take(c.max_combined_storage_blocks, 0, kMaxStorageBuffers);
    l.storage_bindings = l.combined_storage_blocks;
    l.storage_alignment = take(c.storage_buffer_alignment, 1);
    l.storage_block_size = c.max_storage_block_size;
    l.combined_images = take(c.max_combined_images, 0);
    l.image_units = std::min(l.combined_images, GLint(kMaxImageUnits));
    l.combined_shader_outputs = l.draw_buffers + l.combined_images + l.combined_storage_blocks;
    GLint atomics = *std::max_element(l.stage_atomic_buffers, l.stage_atomic_buffers + 6);
    l.atomic_bindings = l.combined_atomic_buffers = atomics;
    l.combined_atomic_counters = atomics ? 4096 : 0;
    l.atomic_buffer_size = atomics ? 16384 : 0;
}

void geometry_limits(const pipe_caps &c, Limits &l) {
    l.vertex_attribs = take(c.max_vertex_attribs, 16, kMaxVertexAttribs);
    l.attrib_bindings = take(c.max_vertex_buffers, 16, kMaxVertexBindings);
    l.attrib_stride = take(c.max_vertex_stride, 2048);
    l.attrib_relative_offset = take(c.max_vertex_attrib_relative_offset, 2047);
    l.varying_vectors = take(c.max_varying_vectors, 15);
    l.varying_components = l.varying_vectors * 4;
    l.vertex_output_components = take(c.max_vertex_output_components, 64);
    l.geometry_input_components = take(c.max_geometry_input_components, 0);
    l.geometry_output_components = take(c.max_geometry_output_components, 0);
    l.geometry_total_components = take(c.max_geometry_total_output_components, 0);
    l.geometry_output_vertices = take(c.max_geometry_output_vertices, 0);
    l.geometry_invocations = take(c.max_geometry_invocations, 0);
    l.fragment_input_components = take(c.max_fragment_input_components, 60);
    l.vertex_streams = take(c.max_so_streams, 1, kMaxStreams);
    l.clip_distances = take(c.max_clip_distances, 0, kMaxClipDistances);
    l.cull_distances = take(c.max_cull_distances, 0, kMaxClipDistances);
    l.combined_clip_cull = std::max(l.clip_distances, l.cull_distances);
    l.patch_vertices = take(c.max_patch_vertices, 0);
    l.tess_level = take(c.max_tess_gen_level, 0);
    l.tess_patch_components = take(c.max_tess_patch_components, 0);
    l.tcs_output_components = take(c.max_tess_control_output_components, 0);
    l.tcs_total_components = take(c.max_tess_control_total_output_components, 0);
    l.tcs_input_components = l.tes_input_components = l.tes_output_components =
        l.tcs_output_components;
    l.xfb_buffers = take(c.max_so_buffers, 4, kMaxXfbBuffers);
    l.xfb_separate = take(c.max_so_buffers, 4, kMaxXfbBuffers);
    l.xfb_interleaved = take(c.max_so_interleaved_components, 64);
    l.xfb_separate_components = take(c.max_so_separate_components, 4);
}

void other_limits(const pipe_caps &c, Limits &l) {
    for (unsigned i = 0; i < 3; i++) {
        l.compute_count[i] = take(c.max_compute_work_group_count[i], 0);
        l.compute_size[i] = take(c.max_compute_work_group_size[i], 0);
    }
    l.compute_invocations = take(c.max_compute_work_group_invocations, 0);
    l.compute_shared = take(c.max_compute_shared_memory, 0);
    if (c.point_size_range[1] > 0)
        l.point_range[0] = c.point_size_range[0], l.point_range[1] = c.point_size_range[1];
    if (c.line_width_range[1] > 0)
        l.line_range[0] = c.line_width_range[0], l.line_range[1] = c.line_width_range[1];
    l.point_granularity = c.point_size_granularity;
    l.line_granularity = c.line_width_granularity;
    l.map_alignment = take(c.min_map_alignment, 64);
    l.timestamp_bits = take(c.timestamp_bits, 0, 64);
}

std::string text_of(const uint8_t *bytes, size_t size) {
    return std::string(reinterpret_cast<const char *>(bytes),
                       strnlen(reinterpret_cast<const char *>(bytes), size));
}

// Version by version; at the first that lacks something, what it lacks.
void find_version(Capabilities &out) {
    static const int versions[] = {32, 33, 40, 41, 42, 43, 44, 45, 46};
    out.version = 31;
    for (int v : versions) {
        for (const Row &r : rows) {
            if (r.core != v || out.has.*r.feature)
                continue;
            const bool here = std::find(std::begin(unwritten), std::end(unwritten), r.feature) !=
                              std::end(unwritten);
            (here ? out.next_here : out.next_driver).push_back(r.extension ? r.extension : r.name);
            log_debug("gl", "no OpenGL %d.%d: %s is missing", v / 10, v % 10, r.name);
        }
        if (!out.next_here.empty() || !out.next_driver.empty()) {
            out.next_version = v;
            return;
        }
        out.version = v;
    }
}

int glsl_of(int version) {
    return version == 31 ? 140 : version == 32 ? 150 : version * 10;
}

// A program may hand over texts of a later version than the context's when the host can do all
// that they may say (double precision aside, which is refused where it is used).
int glsl_accepted(const Features &has, int glsl) {
    if (!has.gpu_shader5 || !has.cube_array || !has.sample_shading || !has.tessellation ||
        !has.geometry_shader)
        return glsl;
    if (!has.viewport_array)
        return std::max(glsl, 400);
    if (!has.images || !has.atomic_counters)
        return std::max(glsl, 410);
    return std::max(glsl, has.compute && has.storage_buffers ? 430 : 420);
}
} // namespace

std::vector<MissingFeature> missing_features(const pipe_caps &caps, const Capabilities &offered) {
    std::vector<MissingFeature> out;
    for (const Row &r : rows) {
        if (offered.has.*r.feature)
            continue;
        MissingFeature m{r.extension ? r.extension : r.name, {}};
        for (const Need &n : needs)
            for (int cap : n.cap)
                if (n.feature == r.feature && cap != kNone && !pipe_caps_has(&caps, pipe_cap(cap)))
                    m.caps.push_back(cap);
        out.push_back(std::move(m));
    }
    std::sort(out.begin(), out.end(),
              [](const MissingFeature &a, const MissingFeature &b) { return a.name < b.name; });
    return out;
}

void compute_capabilities(const pipe_caps &caps, Capabilities &out) {
    for (const Need &n : needs) {
        bool ok = !n.call || pipe_caps_has_call(&caps, n.call);
        for (int cap : n.cap)
            ok = ok && (cap == kNone || pipe_caps_has(&caps, pipe_cap(cap)));
        out.has.*n.feature = ok;
    }
    Limits &l = out.limits;
    framebuffer_limits(caps, l);
    texture_limits(caps, l);
    stage_limits(caps, l);
    geometry_limits(caps, l);
    other_limits(caps, l);
    l.uniform_locations = 4095; // glslang's own ceiling
    if (!out.has.viewport_array)
        l.viewports = 1;
    if (!out.has.tessellation)
        l.patch_vertices = l.tess_level = 0;
    if (!out.has.timer_query)
        l.timestamp_bits = 0;

    out.has.texture_buffer_rgb32 = true;
    for (pipe_format f :
         {PIPE_FORMAT_R32G32B32_FLOAT, PIPE_FORMAT_R32G32B32_SINT, PIPE_FORMAT_R32G32B32_UINT})
        if (!(caps.format[f].caps & PIPE_FORMAT_CAP_TEXTURE_BUFFER))
            out.has.texture_buffer_rgb32 = false;

    find_version(out);
    out.glsl = glsl_of(out.version);
    out.glsl_accepted = glsl_accepted(out.has, out.glsl);
    for (const char *name : always)
        out.extensions.push_back(name);
    for (const Row &r : rows)
        if (r.extension && out.has.*r.feature)
            out.extensions.push_back(r.extension);
    if (pipe_caps_has(&caps, PIPE_CAP_FRAMEBUFFER_NO_ATTACHMENTS))
        out.extensions.push_back("GL_ARB_framebuffer_no_attachments");
    if (out.has.gpu_shader5)
        out.extensions.push_back("GL_ARB_texture_gather");
    if (out.has.stencil_texturing &&
        (caps.format[PIPE_FORMAT_S8_UINT].caps & PIPE_FORMAT_CAP_SAMPLE))
        out.extensions.push_back("GL_ARB_texture_stencil8");
    if (out.has.anisotropy)
        out.extensions.push_back("GL_EXT_texture_filter_anisotropic");
    if (pipe_caps_has(&caps, PIPE_CAP_SRGB_DECODE_CONTROL))
        out.extensions.push_back("GL_EXT_texture_sRGB_decode");
    if (out.has.compute && out.has.images)
        out.extensions.push_back("GL_ARB_shader_image_size");
    std::sort(out.extensions.begin(), out.extensions.end());
    out.shader_extensions = compiler::offered_extensions(out.extensions);

    std::string driver = text_of(caps.driver_name, sizeof caps.driver_name);
    if (!driver.empty())
        driver[0] = char(toupper(driver[0]));
    out.vendor = "MGPipe";
    out.renderer =
        "MGPipe " + driver + " (" + text_of(caps.device_name, sizeof caps.device_name) + ")";
    char text[64];
    snprintf(text, sizeof text, "%d.%d (Core Profile) MGPipe", out.version / 10, out.version % 10);
    out.version_string = text;
    std::string host = text_of(caps.host_version, sizeof caps.host_version);
    if (!host.empty())
        out.version_string += " on " + host;
    snprintf(text, sizeof text, "%d.%02d", out.glsl / 100, out.glsl % 100);
    out.glsl_string = text;
}
} // namespace gl
