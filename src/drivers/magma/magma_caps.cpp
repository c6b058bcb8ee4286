// SPDX-License-Identifier: MIT
// Capabilities: what the device and this driver can do, in the words of the pipe.
#include "magma_screen.h"

#include "magma_expand.h"
#include "magma_format.h"
#include "magma_memory.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace magma {

namespace {

void set(pipe_caps &c, pipe_cap bit, bool on = true) {
    if (on)
        c.features[bit / 64] |= 1ull << (bit % 64);
}

bool format_has(const pipe_caps &c, uint32_t format, uint32_t bits) {
    return (c.format[format].caps & bits) == bits;
}

void fill_features(const host_device &dev, pipe_caps &c) {
    const host_features &h = dev.has;
    const VkPhysicalDeviceFeatures &f = h.core;
    set(c, PIPE_CAP_GEOMETRY_SHADER, f.geometryShader);
    set(c, PIPE_CAP_TESSELLATION_SHADER, f.tessellationShader);
    set(c, PIPE_CAP_COMPUTE_SHADER);
    set(c, PIPE_CAP_BASE_INSTANCE, f.drawIndirectFirstInstance && h.draw_parameters);
    set(c, PIPE_CAP_DRAW_PARAMETERS, h.draw_parameters);
    set(c, PIPE_CAP_MULTI_DRAW_INDIRECT);
    set(c, PIPE_CAP_INDIRECT_PARAMETERS, h.draw_indirect_count);
    set(c, PIPE_CAP_STREAM_OUTPUT, h.transform_feedback);
    set(c, PIPE_CAP_STREAM_OUTPUT_PAUSE, h.transform_feedback && dev.xfb.transformFeedbackDraw);
    set(c, PIPE_CAP_STREAM_OUTPUT_STREAMS,
        h.geometry_streams && dev.xfb.maxTransformFeedbackStreams >= 4);
    set(c, PIPE_CAP_OCCLUSION_COUNT, f.occlusionQueryPrecise);
    set(c, PIPE_CAP_OCCLUSION_PREDICATE);
    set(c, PIPE_CAP_TIMER_QUERY, dev.timestamp_bits != 0);
    set(c, PIPE_CAP_PRIMITIVES_GENERATED,
        h.primitives_generated_query || f.pipelineStatisticsQuery);
    set(c, PIPE_CAP_RENDER_CONDITION);
    set(c, PIPE_CAP_PIPELINE_STATISTICS, f.pipelineStatisticsQuery);
    set(c, PIPE_CAP_QUERY_BUFFER);
    set(c, PIPE_CAP_INDEPENDENT_BLEND, f.independentBlend);
    set(c, PIPE_CAP_INDEPENDENT_BLEND_FUNC, f.independentBlend);
    set(c, PIPE_CAP_DUAL_SOURCE_BLEND, f.dualSrcBlend);
    set(c, PIPE_CAP_LOGIC_OP, true);
    set(c, PIPE_CAP_POLYGON_MODE, f.fillModeNonSolid || f.geometryShader);
    set(c, PIPE_CAP_DEPTH_CLAMP, f.depthClamp);
    set(c, PIPE_CAP_DEPTH_CLIP_HALFZ);
    set(c, PIPE_CAP_CLIP_DISTANCE, f.shaderClipDistance);
    set(c, PIPE_CAP_CULL_DISTANCE, f.shaderCullDistance);
    set(c, PIPE_CAP_POLYGON_OFFSET_CLAMP, f.depthBiasClamp);
    set(c, PIPE_CAP_PROVOKING_VERTEX_FIRST);
    set(c, PIPE_CAP_PROVOKING_VERTEX_LAST, h.provoking_vertex);
    set(c, PIPE_CAP_WIDE_LINES, f.wideLines || f.geometryShader);
    set(c, PIPE_CAP_VIEWPORT_ARRAY, f.multiViewport);
    set(c, PIPE_CAP_LAYER_VIEWPORT_FROM_VERTEX, h.viewport_layer);
    set(c, PIPE_CAP_SAMPLE_SHADING, f.sampleRateShading);
    set(c, PIPE_CAP_TEXTURE_MULTISAMPLE);
    set(c, PIPE_CAP_TEXTURE_BUFFER);
    set(c, PIPE_CAP_TEXTURE_BUFFER_RANGE);
    set(c, PIPE_CAP_TEXTURE_CUBE_ARRAY, f.imageCubeArray);
    set(c, PIPE_CAP_TEXTURE_VIEW);
    set(c, PIPE_CAP_TEXTURE_SWIZZLE);
    set(c, PIPE_CAP_TEXTURE_BORDER_COLOR);
    set(c, PIPE_CAP_TEXTURE_MIRROR_CLAMP, h.mirror_clamp);
    set(c, PIPE_CAP_TEXTURE_LOD_BIAS);
    set(c, PIPE_CAP_TEXTURE_ANISOTROPY, f.samplerAnisotropy);
    set(c, PIPE_CAP_TEXTURE_GATHER, f.shaderImageGatherExtended);
    set(c, PIPE_CAP_TEXTURE_QUERY_LOD);
    set(c, PIPE_CAP_TEXTURE_STENCIL8,
        format_has(c, PIPE_FORMAT_S8_UINT, PIPE_FORMAT_CAP_DEPTH_STENCIL));
    set(c, PIPE_CAP_STENCIL_TEXTURING);
    set(c, PIPE_CAP_SRGB_DECODE_CONTROL);
    set(c, PIPE_CAP_SRGB_WRITE_CONTROL);
    set(c, PIPE_CAP_SEAMLESS_CUBE_PER_TEXTURE, h.non_seamless_cube);
    set(c, PIPE_CAP_SHADER_IMAGES,
        f.fragmentStoresAndAtomics && f.shaderStorageImageExtendedFormats);
    set(c, PIPE_CAP_SHADER_STORAGE, f.fragmentStoresAndAtomics);
    set(c, PIPE_CAP_ATOMIC_COUNTERS, f.fragmentStoresAndAtomics);
    set(c, PIPE_CAP_FP64, f.shaderFloat64);
    set(c, PIPE_CAP_COPY_IMAGE);
    set(c, PIPE_CAP_CLEAR_TEXTURE);
    set(c, PIPE_CAP_PERSISTENT_MAP, h.host_maps);
    set(c, PIPE_CAP_DMABUF_IMPORT, h.dma_buf);
    set(c, PIPE_CAP_ROBUST_ACCESS);
    set(c, PIPE_CAP_RESET_STATUS);
    set(c, PIPE_CAP_TEXTURE_BARRIER);
    set(c, PIPE_CAP_FRAMEBUFFER_NO_ATTACHMENTS);
    set(c, PIPE_CAP_BLIT_MS_SCALED);
    set(c, PIPE_CAP_COMPRESSED_S3TC, f.textureCompressionBC);
    set(c, PIPE_CAP_COMPRESSED_RGTC, f.textureCompressionBC);
    set(c, PIPE_CAP_COMPRESSED_BPTC, f.textureCompressionBC);
    set(c, PIPE_CAP_COMPRESSED_ETC2, f.textureCompressionETC2);
}

uint32_t highest(VkSampleCountFlags flags) {
    uint32_t n = 1;
    for (uint32_t s = 2; s <= 16; s *= 2)
        if (flags & s)
            n = s;
    return n;
}

void fill_sizes(const host_device &dev, pipe_caps &c) {
    const VkPhysicalDeviceLimits &l = dev.props.limits;
    c.max_texture_2d_size = std::min(l.maxImageDimension2D, 16384u);
    c.max_texture_3d_size = std::min(l.maxImageDimension3D, 2048u);
    c.max_texture_cube_size = std::min(l.maxImageDimensionCube, 16384u);
    c.max_texture_layers = std::min(l.maxImageArrayLayers, 2048u);
    c.max_texture_buffer_size = l.maxTexelBufferElements;
    c.max_renderbuffer_size = c.max_texture_2d_size;
    c.max_framebuffer_width = std::min(l.maxFramebufferWidth, 16384u);
    c.max_framebuffer_height = std::min(l.maxFramebufferHeight, 16384u);
    c.max_framebuffer_layers = std::min(l.maxFramebufferLayers, 2048u);
    c.max_color_samples = highest(l.framebufferColorSampleCounts & l.sampledImageColorSampleCounts);
    c.max_depth_samples = highest(l.framebufferDepthSampleCounts & l.sampledImageDepthSampleCounts);
    c.max_integer_samples =
        highest(l.sampledImageIntegerSampleCounts & l.framebufferColorSampleCounts);
    c.max_samples = std::min(c.max_color_samples, c.max_depth_samples);
    c.max_color_buffers = std::min(l.maxColorAttachments, PIPE_MAX_COLOR_BUFS);
    c.max_dual_source_buffers =
        dev.has.core.dualSrcBlend ? std::min(l.maxFragmentDualSrcAttachments, 1u) : 0;
    c.max_viewports = dev.has.core.multiViewport ? std::min(l.maxViewports, PIPE_MAX_VIEWPORTS) : 1;
    c.max_viewport_dims[0] = std::min(l.maxViewportDimensions[0], 16384u);
    c.max_viewport_dims[1] = std::min(l.maxViewportDimensions[1], 16384u);
    c.max_clip_distances = dev.has.core.shaderClipDistance ? std::min(l.maxClipDistances, 8u) : 0;
    c.max_cull_distances = dev.has.core.shaderCullDistance ? std::min(l.maxCullDistances, 8u) : 0;
    // One more binding is ours: the current attribute values.
    c.max_vertex_attribs = std::min(l.maxVertexInputAttributes, 16u);
    c.max_vertex_buffers = std::min(l.maxVertexInputBindings, 17u) - 1;
    c.max_vertex_stride = l.maxVertexInputBindingStride;
    c.max_vertex_attrib_relative_offset = std::min(l.maxVertexInputAttributeOffset, 2047u);
    c.max_uniform_block_size = std::min(l.maxUniformBufferRange, 65536u);
    c.max_storage_block_size = std::min<uint32_t>(l.maxStorageBufferRange, 0x7fffffffu);
    c.uniform_buffer_alignment = uint32_t(l.minUniformBufferOffsetAlignment);
    c.storage_buffer_alignment = uint32_t(l.minStorageBufferOffsetAlignment);
    c.texture_buffer_alignment = uint32_t(l.minTexelBufferOffsetAlignment);
    c.min_map_alignment = 64;
    c.max_buffer_size = std::min<uint64_t>(
        0x7fffffffull, dev.mem->total_device_memory() ? dev.mem->total_device_memory() : ~0ull);
}

void fill_stages(const host_device &dev, pipe_caps &c) {
    const VkPhysicalDeviceLimits &l = dev.props.limits;
    const bool store = dev.has.core.fragmentStoresAndAtomics,
               vertex_store = dev.has.core.vertexPipelineStoresAndAtomics;
    uint32_t samplers =
        std::min({l.maxPerStageDescriptorSamplers, l.maxPerStageDescriptorSampledImages, 40u});
    if (!dev.has.core.logicOp) // which copies of the targets stand in for
        samplers = std::max(samplers, 16u + PIPE_MAX_COLOR_BUFS) - PIPE_MAX_COLOR_BUFS;
    samplers = std::min(samplers, 32u);
    // The default block takes one uniform buffer.
    uint32_t blocks = std::min(l.maxPerStageDescriptorUniformBuffers - 1, 14u);
    uint32_t storage = std::min(l.maxPerStageDescriptorStorageBuffers, 24u),
             images = std::min(l.maxPerStageDescriptorStorageImages, 8u);
    for (unsigned s = 0; s < PIPE_SHADER_STAGES; ++s) {
        bool there = s == PIPE_SHADER_GEOMETRY ? dev.has.core.geometryShader
                     : s == PIPE_SHADER_TESS_CTRL || s == PIPE_SHADER_TESS_EVAL
                         ? dev.has.core.tessellationShader
                         : true;
        bool stores =
            s == PIPE_SHADER_COMPUTE || (s == PIPE_SHADER_FRAGMENT ? store : vertex_store);
        c.max_samplers_per_stage[s] = there ? samplers : 0;
        c.max_uniform_blocks_per_stage[s] = there ? blocks : 0;
        c.max_uniform_vectors_per_stage[s] = there ? 1024 : 0;
        c.max_storage_blocks_per_stage[s] =
            there && stores ? std::min(storage - std::min(storage, 8u), 16u) : 0;
        c.max_images_per_stage[s] = there && stores ? images : 0;
        c.max_atomic_buffers_per_stage[s] = there && stores ? std::min(storage, 8u) : 0;
    }
    c.max_combined_samplers =
        std::min({l.maxDescriptorSetSamplers, samplers * 6, PIPE_MAX_TEXTURE_UNITS});
    c.max_combined_uniform_blocks =
        std::min({l.maxDescriptorSetUniformBuffers - 1, blocks * 6, 84u});
    c.max_combined_storage_blocks = std::min({l.maxDescriptorSetStorageBuffers, 96u});
    c.max_combined_images = std::min({l.maxDescriptorSetStorageImages, PIPE_MAX_IMAGE_UNITS});
    // Vulkan counts the position and the point size too.
    c.max_vertex_output_components = std::max(64u, l.maxVertexOutputComponents - 8);
    c.max_varying_vectors =
        std::min(c.max_vertex_output_components, l.maxFragmentInputComponents) / 4;
    c.max_varying_vectors = std::min(c.max_varying_vectors, 32u);
    c.max_geometry_input_components = l.maxGeometryInputComponents;
    c.max_geometry_output_components = l.maxGeometryOutputComponents;
    c.max_geometry_total_output_components = l.maxGeometryTotalOutputComponents;
    c.max_geometry_output_vertices = l.maxGeometryOutputVertices;
    c.max_geometry_invocations = l.maxGeometryShaderInvocations;
    c.max_fragment_input_components = l.maxFragmentInputComponents;
    c.max_tess_gen_level = l.maxTessellationGenerationLevel;
    c.max_patch_vertices = std::min(l.maxTessellationPatchSize, 32u);
    c.max_tess_patch_components = l.maxTessellationControlPerPatchOutputComponents;
    c.max_tess_control_output_components = l.maxTessellationControlPerVertexOutputComponents;
    c.max_tess_control_total_output_components = l.maxTessellationControlTotalOutputComponents;
    for (int i = 0; i < 3; ++i) {
        c.max_compute_work_group_count[i] = l.maxComputeWorkGroupCount[i];
        c.max_compute_work_group_size[i] = l.maxComputeWorkGroupSize[i];
    }
    c.max_compute_work_group_invocations = l.maxComputeWorkGroupInvocations;
    c.max_compute_shared_memory = l.maxComputeSharedMemorySize;
    if (dev.has.transform_feedback) {
        c.max_so_buffers = std::min(dev.xfb.maxTransformFeedbackBuffers, PIPE_MAX_SO_BUFFERS);
        c.max_so_streams =
            dev.has.geometry_streams ? std::min(dev.xfb.maxTransformFeedbackStreams, 4u) : 1;
        c.max_so_separate_components = 4;
        // A capture may name every output: the point size comes on top, and a copy of the position
        // where that changes at the end of the stage.
        const uint32_t on_top = dev.has.depth_clip_control ? 4 : 8;
        const uint32_t outputs = dev.has.core.geometryShader ? l.maxGeometryOutputComponents
                                                             : l.maxVertexOutputComponents;
        c.max_so_interleaved_components = std::min({dev.xfb.maxTransformFeedbackBufferDataSize / 4,
                                                    128u, std::max(64u, outputs - on_top)});
    }
}

void fill_raster(const host_device &dev, pipe_caps &c) {
    const VkPhysicalDeviceLimits &l = dev.props.limits;
    c.min_texel_offset = l.minTexelOffset;
    c.max_texel_offset = int32_t(l.maxTexelOffset);
    c.min_gather_offset = l.minTexelGatherOffset;
    c.max_gather_offset = int32_t(l.maxTexelGatherOffset);
    c.max_texture_lod_bias = l.maxSamplerLodBias;
    c.max_texture_anisotropy = dev.has.core.samplerAnisotropy ? l.maxSamplerAnisotropy : 1.0f;
    const VkPhysicalDeviceFeatures &core = dev.has.core;
    const float quads = core.geometryShader ? max_quad_size : 1.0f;
    c.line_width_range[0] = core.wideLines ? l.lineWidthRange[0] : 1.0f;
    c.line_width_range[1] = core.wideLines ? l.lineWidthRange[1] : quads;
    c.line_width_granularity = core.wideLines ? l.lineWidthGranularity : 1.0f;
    c.point_size_range[0] = core.largePoints ? std::max(l.pointSizeRange[0], 0.0f) : 1.0f;
    c.point_size_range[1] = core.largePoints ? l.pointSizeRange[1] : quads;
    c.point_size_granularity = core.largePoints ? l.pointSizeGranularity : 1.0f;
    c.min_interpolation_offset = l.minInterpolationOffset;
    c.max_interpolation_offset = l.maxInterpolationOffset;
    c.interpolation_offset_bits = l.subPixelInterpolationOffsetBits;
    c.subpixel_bits = l.subPixelPrecisionBits;
    c.viewport_subpixel_bits = l.viewportSubPixelBits;
    c.viewport_bounds_range = uint32_t(std::min(-l.viewportBoundsRange[0], 32768.0f));
    c.timestamp_bits = dev.timestamp_bits;
    c.stage_row_alignment = 1;
    c.stage_offset_alignment = 16;
}

} // namespace

void fill_caps(host_device &dev, pipe_caps &c) {
    memset(&c, 0, sizeof c);
    fill_format_caps(dev, c);
    fill_features(dev, c);
    fill_sizes(dev, c);
    fill_stages(dev, c);
    fill_raster(dev, c);
    switch (dev.props.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_CPU: c.device = PIPE_DEVICE_CPU; break;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: c.device = PIPE_DEVICE_INTEGRATED; break;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: c.device = PIPE_DEVICE_DISCRETE; break;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: c.device = PIPE_DEVICE_VIRTUAL; break;
    default: c.device = PIPE_DEVICE_UNKNOWN; break;
    }
    c.is_software = c.device == PIPE_DEVICE_CPU;
    c.video_memory = dev.mem->total_device_memory();
    snprintf(reinterpret_cast<char *>(c.driver_name), sizeof c.driver_name, "magma");
    snprintf(reinterpret_cast<char *>(c.device_name), sizeof c.device_name, "%.120s",
             dev.props.deviceName);
    snprintf(reinterpret_cast<char *>(c.host_version), sizeof c.host_version, "Vulkan %u.%u",
             VK_API_VERSION_MAJOR(dev.api_version), VK_API_VERSION_MINOR(dev.api_version));
    memcpy(c.driver_uuid, dev.props.pipelineCacheUUID, sizeof c.driver_uuid);
}

} // namespace magma
