// SPDX-License-Identifier: MIT
// Which host feature each cap of the pipe asks for, and what is declined without one; printed by
// `mgpipe info --missing`.
#include "magma_public.h"
#include "pipe/pipe.h"

namespace {

struct need {
    unsigned cap;
    const char *host;
};

constexpr need needs[] = {
    {PIPE_CAP_GEOMETRY_SHADER, "geometryShader"},
    {PIPE_CAP_TESSELLATION_SHADER, "tessellationShader"},
    {PIPE_CAP_BASE_INSTANCE, "drawIndirectFirstInstance and shaderDrawParameters"},
    {PIPE_CAP_DRAW_PARAMETERS, "shaderDrawParameters"},
    {PIPE_CAP_INDIRECT_PARAMETERS, "VK_KHR_draw_indirect_count"},
    {PIPE_CAP_STREAM_OUTPUT, "VK_EXT_transform_feedback"},
    {PIPE_CAP_STREAM_OUTPUT_PAUSE, "transformFeedbackDraw"},
    {PIPE_CAP_STREAM_OUTPUT_STREAMS, "geometryStreams and four transform feedback streams"},
    {PIPE_CAP_TIMER_QUERY, "timestamps of the queue (timestampValidBits)"},
    {PIPE_CAP_PIPELINE_STATISTICS, "pipelineStatisticsQuery"},
    {PIPE_CAP_INDEPENDENT_BLEND_FUNC, "independentBlend"},
    {PIPE_CAP_DUAL_SOURCE_BLEND, "dualSrcBlend"},
    {PIPE_CAP_POLYGON_MODE, "fillModeNonSolid or geometryShader"},
    {PIPE_CAP_DEPTH_CLAMP, "depthClamp"},
    {PIPE_CAP_CULL_DISTANCE, "shaderCullDistance"},
    {PIPE_CAP_POLYGON_OFFSET_CLAMP, "depthBiasClamp"},
    {PIPE_CAP_WIDE_LINES, "wideLines or geometryShader"},
    {PIPE_CAP_VIEWPORT_ARRAY, "multiViewport"},
    {PIPE_CAP_SAMPLE_SHADING, "sampleRateShading"},
    {PIPE_CAP_TEXTURE_CUBE_ARRAY, "imageCubeArray"},
    {PIPE_CAP_TEXTURE_MIRROR_CLAMP, "VK_KHR_sampler_mirror_clamp_to_edge"},
    {PIPE_CAP_TEXTURE_ANISOTROPY, "samplerAnisotropy"},
    {PIPE_CAP_TEXTURE_GATHER, "shaderImageGatherExtended"},
    {PIPE_CAP_SEAMLESS_CUBE_PER_TEXTURE, "VK_EXT_non_seamless_cube_map"},
    {PIPE_CAP_SHADER_IMAGES, "fragmentStoresAndAtomics and shaderStorageImageExtendedFormats"},
    {PIPE_CAP_SHADER_STORAGE, "fragmentStoresAndAtomics"},
    {PIPE_CAP_ATOMIC_COUNTERS, "fragmentStoresAndAtomics"},
    {PIPE_CAP_FP64, "shaderFloat64"},
    {PIPE_CAP_FP64_VERTEX, "vertex formats of doubles"},
};

} // namespace

const char *magma_cap_needs(unsigned cap) {
    for (const need &n : needs)
        if (n.cap == cap)
            return n.host;
    return nullptr;
}

const char *magma_declines() {
    return "GL_MULTISAMPLE disabled in multisample framebuffers: rasterisation with fewer samples "
           "than the target has; no extension that keeps coverage full\n";
}
