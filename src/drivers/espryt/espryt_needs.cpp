// SPDX-License-Identifier: MIT
// Which host feature each cap of the pipe asks for, and what is declined without one; printed by
// `mgpipe info --missing`.
#include "espryt_public.h"
#include "pipe/pipe.h"

namespace {

struct need {
    unsigned cap;
    const char *host;
};

constexpr need needs[] = {
    {PIPE_CAP_GEOMETRY_SHADER, "GL_EXT_geometry_shader and GL_EXT_shader_io_blocks"},
    {PIPE_CAP_TESSELLATION_SHADER, "GL_EXT_tessellation_shader and GL_EXT_shader_io_blocks"},
    {PIPE_CAP_INDEPENDENT_BLEND_FUNC, "GL_EXT_draw_buffers_indexed"},
    {PIPE_CAP_DUAL_SOURCE_BLEND, "GL_EXT_blend_func_extended"},
    {PIPE_CAP_POLYGON_MODE, "GL_NV_polygon_mode (drawn by a geometry stage or as lists)"},
    {PIPE_CAP_DEPTH_CLIP_HALFZ, "GL_EXT_clip_control"},
    {PIPE_CAP_CULL_DISTANCE, "GL_EXT_clip_cull_distance"},
    {PIPE_CAP_POLYGON_OFFSET_CLAMP, "GL_EXT_polygon_offset_clamp"},
    {PIPE_CAP_WIDE_LINES, "lines wider than 1"},
    {PIPE_CAP_VIEWPORT_ARRAY, "GL_OES_viewport_array and geometry shaders"},
    {PIPE_CAP_SAMPLE_SHADING, "GL_OES_sample_shading and GL_OES_sample_variables"},
    {PIPE_CAP_TEXTURE_MULTISAMPLE, "GL_OES_texture_storage_multisample_2d_array"},
    {PIPE_CAP_TEXTURE_CUBE_ARRAY, "GL_EXT_texture_cube_map_array"},
    {PIPE_CAP_TEXTURE_VIEW, "GL_EXT_texture_view and GL_EXT_texture_norm16"},
    {PIPE_CAP_TEXTURE_MIRROR_CLAMP, "GL_EXT_texture_mirror_clamp_to_edge"},
    {PIPE_CAP_TEXTURE_ANISOTROPY, "GL_EXT_texture_filter_anisotropic"},
    {PIPE_CAP_SHADER_IMAGES, "OpenGL ES 3.2 or GL_OES_shader_image_atomic"},
    {PIPE_CAP_RENDER_CONDITION, "GL_NV_conditional_render (decided once per begin)"},
    {PIPE_CAP_STREAM_OUTPUT_STREAMS, "several vertex streams, which no OpenGL ES has"},
    {PIPE_CAP_FP64, "doubles in shaders, which no OpenGL ES has"},
    {PIPE_CAP_FP64_VERTEX, "doubles in shaders, which no OpenGL ES has"},
    {PIPE_CAP_QUERY_BUFFER, "query results in buffers, which no OpenGL ES has"},
    {PIPE_CAP_TEXTURE_BARRIER, "texture barriers, which no OpenGL ES has"},
    {PIPE_CAP_INDIRECT_PARAMETERS, "draw counts in buffers, which no OpenGL ES has"},
    {PIPE_CAP_PIPELINE_STATISTICS, "pipeline statistics, which no OpenGL ES has"},
    {PIPE_CAP_SEAMLESS_CUBE_PER_TEXTURE,
     "cube maps without seamless filtering, which no OpenGL ES has"},
    {PIPE_CAP_LOGIC_OP, "GL_EXT_shader_framebuffer_fetch (done in shaders)"},
};

} // namespace

const char *espryt_cap_needs(unsigned cap) {
    for (const need &n : needs)
        if (n.cap == cap)
            return n.host;
    return nullptr;
}

const char *espryt_declines() {
    return "GL_MULTISAMPLE disabled in multisample framebuffers: GL_EXT_multisample_compatibility\n"
           "image stores without a format qualifier: stores without a format, which no OpenGL ES "
           "has\n"
           "logic operations on layered and multisample targets: GL_EXT_shader_framebuffer_fetch\n"
           "some varyings that share locations, as arrays or in arrays of blocks: "
           "GL_ARB_enhanced_layouts, which no OpenGL ES has\n";
}
