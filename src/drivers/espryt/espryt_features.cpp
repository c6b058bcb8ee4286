// SPDX-License-Identifier: MIT
// Detects the host's optional features and limits, minus what MGPIPE_HOST_HIDE pretends away.
#include "espryt_features.h"

#include "espryt_public.h"

#include <set>
#include <sstream>

#include "util/env.h"
#include "util/log.h"

namespace espryt {

namespace {

struct feature_row {
    const char *name;
    int core;
    const char *extensions;
};

const feature_row rows[] = {
#define X(name, version, extensions) {#name, version, extensions},
    ESPRYT_FEATURES(X)
#undef X
};

std::set<std::string> split(const char *text, char separator) {
    std::set<std::string> out;
    std::stringstream in(text ? text : "");
    for (std::string word; std::getline(in, word, separator);) {
        if (!word.empty())
            out.insert(word);
    }
    return out;
}

int get(const gles *gl, GLenum name, int fallback = 0) {
    GLint v[4] = {fallback, 0, 0, 0};
    gl->GetIntegerv(name, v);
    return v[0];
}

void probe_limits(const gles *gl, const host_info &h, host_limits *l) {
    auto has = [&](feature f) { return h.has[static_cast<size_t>(f)]; };
    auto on = [&](feature f, GLenum name, int fallback) {
        return has(f) ? get(gl, name, fallback) : fallback;
    };
    l->max_texture_size = get(gl, GL_MAX_TEXTURE_SIZE);
    l->max_3d_texture_size = get(gl, GL_MAX_3D_TEXTURE_SIZE);
    l->max_array_layers = get(gl, GL_MAX_ARRAY_TEXTURE_LAYERS);
    l->max_cube_size = get(gl, GL_MAX_CUBE_MAP_TEXTURE_SIZE);
    l->max_renderbuffer_size = get(gl, GL_MAX_RENDERBUFFER_SIZE);
    l->max_color_attachments = get(gl, GL_MAX_COLOR_ATTACHMENTS);
    l->max_draw_buffers = get(gl, GL_MAX_DRAW_BUFFERS);
    l->max_samples = get(gl, GL_MAX_SAMPLES);
    l->max_integer_samples = get(gl, GL_MAX_INTEGER_SAMPLES, 1);
    l->max_color_samples = get(gl, GL_MAX_COLOR_TEXTURE_SAMPLES, 1);
    l->max_depth_samples = get(gl, GL_MAX_DEPTH_TEXTURE_SAMPLES, 1);
    l->max_vertex_attribs = get(gl, GL_MAX_VERTEX_ATTRIBS);
    l->max_vertex_bindings = get(gl, GL_MAX_VERTEX_ATTRIB_BINDINGS);
    l->max_vertex_stride = get(gl, GL_MAX_VERTEX_ATTRIB_STRIDE, 2048);
    l->max_relative_offset = get(gl, GL_MAX_VERTEX_ATTRIB_RELATIVE_OFFSET);
    l->max_uniform_buffers = get(gl, GL_MAX_UNIFORM_BUFFER_BINDINGS);
    l->max_uniform_block_size = get(gl, GL_MAX_UNIFORM_BLOCK_SIZE);
    l->uniform_alignment = get(gl, GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, 256);
    l->max_combined_uniform_blocks = get(gl, GL_MAX_COMBINED_UNIFORM_BLOCKS);
    l->max_vertex_uniform_blocks = get(gl, GL_MAX_VERTEX_UNIFORM_BLOCKS);
    l->max_fragment_uniform_blocks = get(gl, GL_MAX_FRAGMENT_UNIFORM_BLOCKS);
    l->max_storage_buffers = get(gl, GL_MAX_SHADER_STORAGE_BUFFER_BINDINGS);
    l->storage_alignment = get(gl, GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, 256);
    l->max_vertex_storage = get(gl, GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS);
    l->max_fragment_storage = get(gl, GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS);
    l->max_compute_storage = get(gl, GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS);
    GLint64 size = 0;
    gl->GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &size);
    l->max_storage_size = size;
    l->max_combined_textures = get(gl, GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS);
    l->max_vertex_textures = get(gl, GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS);
    l->max_fragment_textures = get(gl, GL_MAX_TEXTURE_IMAGE_UNITS);
    l->max_fragment_atomics = get(gl, GL_MAX_FRAGMENT_ATOMIC_COUNTERS);
    l->max_image_units = get(gl, GL_MAX_IMAGE_UNITS);
    l->max_vertex_images = get(gl, GL_MAX_VERTEX_IMAGE_UNIFORMS);
    l->max_fragment_images = get(gl, GL_MAX_FRAGMENT_IMAGE_UNIFORMS);
    l->max_compute_images = get(gl, GL_MAX_COMPUTE_IMAGE_UNIFORMS);
    l->max_texture_buffer_size = on(feature::texture_buffer, GL_MAX_TEXTURE_BUFFER_SIZE, 0);
    l->texture_buffer_alignment =
        on(feature::texture_buffer, GL_TEXTURE_BUFFER_OFFSET_ALIGNMENT, 256);
    l->max_varying_vectors = get(gl, GL_MAX_VARYING_VECTORS);
    l->max_vertex_outputs = get(gl, GL_MAX_VERTEX_OUTPUT_COMPONENTS);
    l->max_fragment_inputs = get(gl, GL_MAX_FRAGMENT_INPUT_COMPONENTS);
    l->max_tf_buffers = get(gl, GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS);
    l->max_tf_separate_components = get(gl, GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS);
    l->max_tf_interleaved_components = get(gl, GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS);
    for (unsigned i = 0; i < 3; i++) {
        gl->GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, i, &l->max_compute_groups[i]);
        gl->GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, i, &l->max_compute_size[i]);
    }
    l->max_compute_invocations = get(gl, GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
    l->max_compute_shared = get(gl, GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
    gl->GetIntegerv(GL_MAX_VIEWPORT_DIMS, l->max_viewport);
    l->subpixel_bits = get(gl, GL_SUBPIXEL_BITS);
    l->max_dual_source = on(feature::blend_func_extended, GL_MAX_DUAL_SOURCE_DRAW_BUFFERS_EXT, 0);
    l->max_clip_distances = on(feature::clip_cull_distance, GL_MAX_CLIP_DISTANCES_EXT, 0);
    l->max_patch_vertices = on(feature::tessellation_shader, GL_MAX_PATCH_VERTICES, 0);
    l->max_viewports = on(feature::viewport_array, GL_MAX_VIEWPORTS_OES, 1);
    l->min_texel_offset = get(gl, GL_MIN_PROGRAM_TEXEL_OFFSET, -8);
    l->max_texel_offset = get(gl, GL_MAX_PROGRAM_TEXEL_OFFSET, 7);
    l->min_gather_offset = get(gl, GL_MIN_PROGRAM_TEXTURE_GATHER_OFFSET, -8);
    l->max_gather_offset = get(gl, GL_MAX_PROGRAM_TEXTURE_GATHER_OFFSET, 7);
    l->max_geometry_vertices = on(feature::geometry_shader, GL_MAX_GEOMETRY_OUTPUT_VERTICES, 0);
    l->max_geometry_components =
        on(feature::geometry_shader, GL_MAX_GEOMETRY_TOTAL_OUTPUT_COMPONENTS, 0);
    l->max_framebuffer_layers = on(feature::geometry_shader, GL_MAX_FRAMEBUFFER_LAYERS, 0);
    gl->GetFloatv(GL_ALIASED_POINT_SIZE_RANGE, l->point_size);
    gl->GetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, l->line_width);
    gl->GetFloatv(GL_MAX_TEXTURE_LOD_BIAS, &l->max_lod_bias);
    l->max_anisotropy = 1;
    if (has(feature::anisotropy))
        gl->GetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &l->max_anisotropy);
}

} // namespace

void host_probe(const gles *gl, host_info *info) {
    auto text = [&](GLenum name) {
        const GLubyte *s = gl->GetString(name);
        return std::string(s ? reinterpret_cast<const char *>(s) : "");
    };
    info->renderer = text(GL_RENDERER);
    info->vendor = text(GL_VENDOR);
    info->version_text = text(GL_VERSION);
    int version = get(gl, GL_MAJOR_VERSION, 3) * 100 + get(gl, GL_MINOR_VERSION, 1) * 10;

    std::set<std::string> extensions;
    int n = get(gl, GL_NUM_EXTENSIONS);
    for (int i = 0; i < n; i++) {
        if (const GLubyte *s = gl->GetStringi(GL_EXTENSIONS, static_cast<GLuint>(i)))
            extensions.insert(reinterpret_cast<const char *>(s));
    }
    const char *hide_text = util::env_text(util::Env::HOST_HIDE);
    std::set<std::string> hide = split(hide_text, ',');
    info->hidden = hide_text;
    bool all = hide.count("all") != 0;
    bool no32 = all || hide.count("es32");
    info->version = version >= 320 && !no32 ? 320 : 310;

    for (size_t i = 0; i < static_cast<size_t>(feature::count); i++) {
        const feature_row &row = rows[i];
        bool have = row.core && info->version >= row.core;
        for (const std::string &e : split(row.extensions, ' '))
            have = have || extensions.count(e);
        bool hidden = hide.count(row.name) || (all && row.core != 300);
        info->has[i] = have && !hidden;
    }
    for (const std::string &name : hide) {
        bool known = name.empty() || name == "all";
        for (const feature_row &row : rows)
            known = known || name == row.name;
        if (!known)
            log_warning("espryt",
                        "MGPIPE_HOST_HIDE: no host feature named %s here (mgpipe info has the "
                        "names)",
                        name.c_str());
    }
    probe_limits(gl, *info, &info->limits);
    while (gl->GetError() != GL_NO_ERROR) {
    }
}

} // namespace espryt

const char *espryt_hide_help() {
    static const std::string text = [] {
        std::string out = "  all";
        for (const espryt::feature_row &row : espryt::rows)
            out += std::string(", ") + row.name;
        return out + "\n";
    }();
    return text.c_str();
}
