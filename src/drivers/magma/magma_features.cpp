// SPDX-License-Identifier: MIT
// Device creation: queries every optional feature, masks what is hidden, enables the rest.
#include "magma_features.h"

#include "magma_public.h"
#include "util/log.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace magma {

namespace {

// Core features that are asked for; the others stay off.
// clang-format off
#define MAGMA_CORE_FEATURES(X) \
    X(fullDrawIndexUint32) X(imageCubeArray) X(independentBlend) X(geometryShader) \
    X(tessellationShader) X(sampleRateShading) X(dualSrcBlend) X(logicOp) X(multiDrawIndirect) \
    X(drawIndirectFirstInstance) X(depthClamp) X(depthBiasClamp) X(fillModeNonSolid) X(wideLines) \
    X(largePoints) X(alphaToOne) X(multiViewport) X(samplerAnisotropy) X(textureCompressionETC2) \
    X(textureCompressionBC) X(occlusionQueryPrecise) X(pipelineStatisticsQuery) \
    X(vertexPipelineStoresAndAtomics) X(fragmentStoresAndAtomics) \
    X(shaderTessellationAndGeometryPointSize) X(shaderImageGatherExtended) \
    X(shaderStorageImageExtendedFormats) X(shaderStorageImageMultisample) \
    X(shaderStorageImageReadWithoutFormat) X(shaderStorageImageWriteWithoutFormat) \
    X(shaderUniformBufferArrayDynamicIndexing) X(shaderSampledImageArrayDynamicIndexing) \
    X(shaderStorageBufferArrayDynamicIndexing) X(shaderStorageImageArrayDynamicIndexing) \
    X(shaderClipDistance) X(shaderCullDistance) X(shaderFloat64) X(shaderInt64)
// clang-format on

// No OpenGL 3.3, and no window, without these, and no way around them: the minimal profile keeps
// them.
bool needed_by_gl33(const char *name) {
    return !strcmp(name, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME) ||
           !strcmp(name, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
}

// Collects extensions and the feature chain of one device.
struct wish_list {
    host_device &dev;
    std::vector<VkExtensionProperties> available;
    std::vector<const char *> enabled;
    std::vector<const char *> asked; // for, listed or not
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    void *tail = nullptr; // last chained struct

    explicit wish_list(host_device &d) : dev(d) {
        uint32_t count = 0;
        d.vk.EnumerateDeviceExtensionProperties(d.physical, nullptr, &count, nullptr);
        available.resize(count);
        d.vk.EnumerateDeviceExtensionProperties(d.physical, nullptr, &count, available.data());
        features.features.robustBufferAccess = VK_TRUE;
    }
    bool listed(const char *name) const {
        return std::any_of(available.begin(), available.end(), [&](const VkExtensionProperties &e) {
            return !strcmp(e.extensionName, name);
        });
    }
    // Usable as an extension, or as a part of core from `core_version` on (0: never core).
    bool extension(const char *name, uint32_t core_version = 0) {
        asked.push_back(name);
        if (hidden(dev.options, name) || (hidden(dev.options, "vk11-min") && !needed_by_gl33(name)))
            return false;
        if (core_version && dev.api_version >= core_version)
            return true;
        if (!listed(name))
            return false;
        enabled.push_back(name);
        return true;
    }
    // Reads the feature struct from the device; the caller then clears the bits that it does not
    // want and calls keep().
    template <class T> T query(VkStructureType type) {
        T features = {};
        features.sType = type;
        VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
        dev.vk.GetPhysicalDeviceFeatures2(dev.physical, &all);
        features.pNext = nullptr;
        return features;
    }
    template <class T> void keep(T &chained) {
        chained.pNext = features.pNext;
        features.pNext = &chained;
    }
};

void pick_core(wish_list &w) {
    VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    w.dev.vk.GetPhysicalDeviceFeatures2(w.dev.physical, &all);
    const bool minimal = hidden(w.dev.options, "vk11-min");
#define MAGMA_WANT(name)                                                                           \
    w.features.features.name = all.features.name && !hidden(w.dev.options, #name) && !minimal;
    MAGMA_CORE_FEATURES(MAGMA_WANT)
#undef MAGMA_WANT
    // The minimal profile keeps what no OpenGL 3.3 can do without.
    if (minimal) {
        w.features.features.fullDrawIndexUint32 = all.features.fullDrawIndexUint32;
        w.features.features.geometryShader = all.features.geometryShader;
        w.features.features.independentBlend = all.features.independentBlend;
        w.features.features.dualSrcBlend = all.features.dualSrcBlend;
        w.features.features.shaderClipDistance = all.features.shaderClipDistance;
        w.features.features.depthClamp = all.features.depthClamp;
        w.features.features.occlusionQueryPrecise = all.features.occlusionQueryPrecise;
        w.features.features.pipelineStatisticsQuery = all.features.pipelineStatisticsQuery;
    }
    w.features.features.robustBufferAccess = VK_TRUE;
    w.dev.has.core = w.features.features;
}

// The optional feature structs; they live until the device is made. Each function asks for one
// group: is the extension there, does its feature bit say so, then keep only the wanted bits.
struct feature_chain {
    wish_list &w;
    host_device &dev;
    host_features &has;
    VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {};
    VkPhysicalDeviceShaderDrawParametersFeatures draw_params = {};
    VkPhysicalDeviceDynamicRenderingFeatures rendering = {};
    VkPhysicalDeviceExtendedDynamicStateFeaturesEXT eds1 = {};
    VkPhysicalDeviceExtendedDynamicState2FeaturesEXT eds2 = {};
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT eds3 = {};
    VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT vids = {};
    VkPhysicalDeviceDepthClipControlFeaturesEXT clip_control = {};
    VkPhysicalDeviceCustomBorderColorFeaturesEXT border = {};
    VkPhysicalDeviceBorderColorSwizzleFeaturesEXT border_swizzle = {};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT xfb = {};
    VkPhysicalDeviceIndexTypeUint8FeaturesEXT index8 = {};
    VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT list = {};
    VkPhysicalDeviceMultiDrawFeaturesEXT multi = {};
    VkPhysicalDeviceLineRasterizationFeaturesEXT line = {};
    VkPhysicalDeviceProvokingVertexFeaturesEXT provoking = {};
    VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional = {};
    VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT divisor = {};
    VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated = {};
    VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT seamless = {};
    VkPhysicalDeviceImage2DViewOf3DFeaturesEXT slices = {};
    VkPhysicalDevice4444FormatsFeaturesEXT packed4 = {};

    void submission();
    void dynamic_state();
    void raster();
    void capture_and_draw();
    void primitives();
    void images();
};

void feature_chain::submission() {
    timeline = w.query<VkPhysicalDeviceTimelineSemaphoreFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES);
    if (timeline.timelineSemaphore && w.extension("VK_KHR_timeline_semaphore", VK_API_VERSION_1_2))
        has.timeline_semaphore = true, w.keep(timeline);

    draw_params = w.query<VkPhysicalDeviceShaderDrawParametersFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES);
    if (draw_params.shaderDrawParameters && !hidden(dev.options, "shaderDrawParameters"))
        has.draw_parameters = true, w.keep(draw_params);

    rendering = w.query<VkPhysicalDeviceDynamicRenderingFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES);
    // The extension needs depth_stencil_resolve, and that create_renderpass2; all are core in 1.2.
    if (rendering.dynamicRendering && dev.api_version >= VK_API_VERSION_1_2 &&
        w.extension("VK_KHR_dynamic_rendering", VK_API_VERSION_1_3))
        has.dynamic_rendering = true, w.keep(rendering);
}

void feature_chain::dynamic_state() {
    eds1 = w.query<VkPhysicalDeviceExtendedDynamicStateFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT);
    bool eds1_core = dev.api_version >= VK_API_VERSION_1_3;
    if ((eds1.extendedDynamicState || eds1_core) &&
        w.extension("VK_EXT_extended_dynamic_state", VK_API_VERSION_1_3)) {
        has.eds1 = true;
        if (!eds1_core)
            w.keep(eds1);
    }
    eds2 = w.query<VkPhysicalDeviceExtendedDynamicState2FeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT);
    if (w.listed("VK_EXT_extended_dynamic_state2") && eds2.extendedDynamicState2 &&
        w.extension("VK_EXT_extended_dynamic_state2")) {
        has.eds2 = true;
        eds2.extendedDynamicState2LogicOp = VK_FALSE;
        eds2.extendedDynamicState2PatchControlPoints = VK_FALSE;
        w.keep(eds2);
    }
    eds3 = w.query<VkPhysicalDeviceExtendedDynamicState3FeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT);
    if (w.listed("VK_EXT_extended_dynamic_state3") && eds3.extendedDynamicState3ColorBlendEnable &&
        eds3.extendedDynamicState3ColorBlendEquation && eds3.extendedDynamicState3ColorWriteMask &&
        w.extension("VK_EXT_extended_dynamic_state3")) {
        has.eds3_blend = true;
        VkPhysicalDeviceExtendedDynamicState3FeaturesEXT only = {eds3.sType};
        only.extendedDynamicState3ColorBlendEnable = VK_TRUE;
        only.extendedDynamicState3ColorBlendEquation = VK_TRUE;
        only.extendedDynamicState3ColorWriteMask = VK_TRUE;
        eds3 = only;
        w.keep(eds3);
    }
    vids = w.query<VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT);
    if (vids.vertexInputDynamicState && w.extension("VK_EXT_vertex_input_dynamic_state"))
        has.vertex_input_dynamic = true, w.keep(vids);
}

void feature_chain::raster() {
    clip_control = w.query<VkPhysicalDeviceDepthClipControlFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT);
    if (clip_control.depthClipControl && w.extension("VK_EXT_depth_clip_control"))
        has.depth_clip_control = true, w.keep(clip_control);

    border = w.query<VkPhysicalDeviceCustomBorderColorFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUSTOM_BORDER_COLOR_FEATURES_EXT);
    if (border.customBorderColors && border.customBorderColorWithoutFormat &&
        w.extension("VK_EXT_custom_border_color"))
        has.custom_border_color = true, w.keep(border);

    // Borders behind a view's swizzle, as GL has them.
    border_swizzle = w.query<VkPhysicalDeviceBorderColorSwizzleFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BORDER_COLOR_SWIZZLE_FEATURES_EXT);
    if (has.custom_border_color && border_swizzle.borderColorSwizzle &&
        w.extension("VK_EXT_border_color_swizzle")) {
        has.border_swizzle = true;
        if (hidden(dev.options, "borderColorSwizzleFromImage"))
            border_swizzle.borderColorSwizzleFromImage = VK_FALSE;
        has.border_swizzle_from_view = border_swizzle.borderColorSwizzleFromImage;
        w.keep(border_swizzle);
    }
}

void feature_chain::capture_and_draw() {
    xfb = w.query<VkPhysicalDeviceTransformFeedbackFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT);
    if (xfb.transformFeedback && w.extension("VK_EXT_transform_feedback")) {
        has.transform_feedback = true;
        has.geometry_streams = xfb.geometryStreams;
        w.keep(xfb);
    }
    index8 = w.query<VkPhysicalDeviceIndexTypeUint8FeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT);
    if (index8.indexTypeUint8 && w.extension("VK_EXT_index_type_uint8"))
        has.index_uint8 = true, w.keep(index8);

    list = w.query<VkPhysicalDevicePrimitiveTopologyListRestartFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVE_TOPOLOGY_LIST_RESTART_FEATURES_EXT);
    if (list.primitiveTopologyListRestart &&
        w.extension("VK_EXT_primitive_topology_list_restart")) {
        has.list_restart = true;
        has.patch_list_restart = list.primitiveTopologyPatchListRestart;
        w.keep(list);
    }
    multi = w.query<VkPhysicalDeviceMultiDrawFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTI_DRAW_FEATURES_EXT);
    if (multi.multiDraw && w.extension("VK_EXT_multi_draw"))
        has.multi_draw = true, w.keep(multi);
}

void feature_chain::primitives() {
    line = w.query<VkPhysicalDeviceLineRasterizationFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT);
    if (line.bresenhamLines && w.extension("VK_EXT_line_rasterization"))
        has.bresenham_lines = true, w.keep(line);

    provoking = w.query<VkPhysicalDeviceProvokingVertexFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT);
    if (provoking.provokingVertexLast && w.extension("VK_EXT_provoking_vertex"))
        has.provoking_vertex = true, w.keep(provoking);

    conditional = w.query<VkPhysicalDeviceConditionalRenderingFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT);
    if (conditional.conditionalRendering && w.extension("VK_EXT_conditional_rendering")) {
        has.conditional_rendering = true;
        conditional.inheritedConditionalRendering = VK_FALSE;
        w.keep(conditional);
    }
    divisor = w.query<VkPhysicalDeviceVertexAttributeDivisorFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT);
    if (divisor.vertexAttributeInstanceRateDivisor &&
        w.extension("VK_EXT_vertex_attribute_divisor")) {
        has.attribute_divisor = true;
        divisor.vertexAttributeInstanceRateZeroDivisor = VK_FALSE;
        w.keep(divisor);
    }
}

void feature_chain::images() {
    generated = w.query<VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT);
    if (generated.primitivesGeneratedQuery &&
        generated.primitivesGeneratedQueryWithRasterizerDiscard && has.transform_feedback &&
        w.extension("VK_EXT_primitives_generated_query"))
        has.primitives_generated_query = true, w.keep(generated);

    seamless = w.query<VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT);
    if (seamless.nonSeamlessCubeMap && w.extension("VK_EXT_non_seamless_cube_map"))
        has.non_seamless_cube = true, w.keep(seamless);

    slices = w.query<VkPhysicalDeviceImage2DViewOf3DFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT);
    if (slices.image2DViewOf3D && w.extension("VK_EXT_image_2d_view_of_3d"))
        has.image_2d_view_of_3d = true, w.keep(slices);
    packed4 = w.query<VkPhysicalDevice4444FormatsFeaturesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT);
    if (packed4.formatA4B4G4R4 && w.listed("VK_EXT_4444_formats") &&
        w.extension("VK_EXT_4444_formats"))
        w.keep(packed4);
}

// Images in memory of others: all of it, or nothing is enabled.
bool wants_dma_buf(wish_list &w) {
    const char *const memory = "VK_EXT_external_memory_dma_buf";
    const char *const descriptors = "VK_KHR_external_memory_fd";
    const char *const layouts = "VK_EXT_image_drm_format_modifier";
    return w.listed(memory) && w.listed(descriptors) && w.listed(layouts) &&
           !hidden(w.dev.options, memory) && !hidden(w.dev.options, descriptors) &&
           !hidden(w.dev.options, layouts) &&
           w.extension("VK_KHR_image_format_list", VK_API_VERSION_1_2) && w.extension(memory) &&
           w.extension(descriptors) && w.extension(layouts);
}

// Hosts on top of another API tell what they cannot do; VK_KHR_portability_subset has to be enabled
// where it is listed. (Its structure is in vulkan_beta.h.)
struct portability_features {
    VkStructureType type = VkStructureType(1000163000);
    void *next = nullptr;
    VkBool32 constant_alpha, events, format_reinterpretation, format_swizzle, view_2d_of_3d;
    VkBool32 multisample_array, mutable_compare, point_polygons, sampler_lod_bias;
    VkBool32 separate_stencil_reference, sample_rate_functions, tessellation_isolines;
    VkBool32 tessellation_point_mode, triangle_fans, vertex_access_beyond_stride;
};

bool has_triangle_fans(wish_list &w) {
    if (hidden(w.dev.options, "triangleFans") || hidden(w.dev.options, "vk11-min"))
        return false;
    if (!w.listed("VK_KHR_portability_subset"))
        return true;
    portability_features f = {};
    VkPhysicalDeviceFeatures2 all = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f};
    w.dev.vk.GetPhysicalDeviceFeatures2(w.dev.physical, &all);
    return f.triangle_fans;
}

void query_limits(host_device &dev) {
    VkPhysicalDevicePushDescriptorPropertiesKHR push = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR};
    VkPhysicalDeviceVertexAttributeDivisorPropertiesEXT divisor = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_PROPERTIES_EXT};
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT pages = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 props = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    auto chain = [&](auto &entry) {
        entry.pNext = props.pNext;
        props.pNext = &entry;
    };
    if (dev.has.push_descriptor)
        chain(push);
    if (dev.has.attribute_divisor)
        chain(divisor);
    if (dev.has.host_pointers)
        chain(pages);
    if (dev.has.transform_feedback) {
        dev.xfb.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT;
        chain(dev.xfb);
    }
    dev.vk.GetPhysicalDeviceProperties2(dev.physical, &props);
    dev.xfb.pNext = nullptr;
    dev.max_push_descriptors = push.maxPushDescriptors;
    dev.import_alignment = pages.minImportedHostPointerAlignment;
    dev.max_vertex_divisor = divisor.maxVertexAttribDivisor;
}

// What can be hidden beside the extensions of the device.
const char *const words[] = {
#define X(name) #name,
    MAGMA_CORE_FEATURES(X)
#undef X
        "shaderDrawParameters",
    "borderColorSwizzleFromImage",
    "hostMaps",
    "triangleFans",
    "linearDepthFilter",
    VK_KHR_SURFACE_EXTENSION_NAME,
    "VK_KHR_xcb_surface",
    "VK_KHR_wayland_surface",
    "vulkan12",
    "vulkan13",
    "vk11-min",
    "all"};

std::string_view strip(std::string_view s) {
    return s.substr(0, 3) == "VK_" ? s.substr(3) : s;
}

// A misspelt word would hide nothing in silence.
void check_words(const wish_list &w) {
    std::string_view list = w.dev.options.hide;
    const auto known = [&](std::string_view item) {
        const auto same = [&](const char *name) { return strip(name) == strip(item); };
        return std::any_of(std::begin(words), std::end(words), same) ||
               std::any_of(w.asked.begin(), w.asked.end(), same) ||
               std::any_of(w.available.begin(), w.available.end(),
                           [&](const VkExtensionProperties &e) { return same(e.extensionName); });
    };
    while (!list.empty()) {
        const std::string_view item = list.substr(0, list.find(','));
        list.remove_prefix(std::min(item.size() + 1, list.size()));
        if (!item.empty() && !known(item))
            log_warning("magma",
                        "MGPIPE_HOST_HIDE: no host feature named %.*s here (mgpipe info has the "
                        "names)",
                        int(item.size()), item.data());
    }
}

} // namespace

bool hidden(const host_options &options, const char *name) {
    std::string_view list = options.hide, want = name;
    while (!list.empty()) {
        size_t comma = list.find(',');
        std::string_view item = list.substr(0, comma);
        if (strip(item) == strip(want) || (item == "all" && want == "vk11-min"))
            return true;
        if (comma == std::string_view::npos)
            break;
        list.remove_prefix(comma + 1);
    }
    return false;
}

bool create_device(host_device &dev) {
    wish_list w(dev);
    host_features &has = dev.has;
    pick_core(w);
    feature_chain f{w, dev, has};
    f.submission();
    f.dynamic_state();
    f.raster();
    f.capture_and_draw();
    f.primitives();
    f.images();

    has.push_descriptor = w.extension("VK_KHR_push_descriptor");
    has.host_maps = !hidden(dev.options, "hostMaps");
    has.host_pointers = w.extension("VK_EXT_external_memory_host");
    has.dma_buf = wants_dma_buf(w);
    has.foreign_queue = has.dma_buf && w.extension("VK_EXT_queue_family_foreign");
    has.draw_indirect_count =
        w.listed("VK_KHR_draw_indirect_count") && w.extension("VK_KHR_draw_indirect_count");
    has.mirror_clamp = w.listed("VK_KHR_sampler_mirror_clamp_to_edge") &&
                       w.extension("VK_KHR_sampler_mirror_clamp_to_edge");
    has.triangle_fans = has_triangle_fans(w);
    has.swapchain =
        (has.window_x11 || has.window_wayland) && w.extension(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    has.incremental_present =
        has.swapchain && w.extension(VK_KHR_INCREMENTAL_PRESENT_EXTENSION_NAME);
    has.viewport_layer = w.listed("VK_EXT_shader_viewport_index_layer") &&
                         w.extension("VK_EXT_shader_viewport_index_layer");

    check_words(w);
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueFamilyIndex = dev.queue_family;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &w.features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = uint32_t(w.enabled.size());
    info.ppEnabledExtensionNames = w.enabled.data();
    VkResult result = VK_TRY(&dev, CreateDevice(dev.physical, &info, nullptr, &dev.device));
    if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_OUT_OF_HOST_MEMORY) {
        log_warning("magma", "vkCreateDevice failed: %s; once more", result_name(result));
        result = VK_TRY(&dev, CreateDevice(dev.physical, &info, nullptr, &dev.device));
    }
    if (result != VK_SUCCESS) {
        log_error("magma", "vkCreateDevice on %s: %s", dev.props.deviceName, result_name(result));
        return false;
    }
    query_limits(dev);
    return true;
}

void settle_features(host_device &dev) {
    host_features &has = dev.has;
    const vk_table &vk = dev.vk;
    has.push_descriptor =
        has.push_descriptor && vk.CmdPushDescriptorSet && dev.max_push_descriptors;
    has.dynamic_rendering = has.dynamic_rendering && vk.CmdBeginRendering && vk.CmdEndRendering;
    has.feedback_loops = has.dynamic_rendering;
    has.host_pointers = has.host_pointers && vk.GetMemoryHostPointerProperties;
    has.dma_buf = has.dma_buf && vk.GetMemoryFdProperties && vk.GetMemoryFd &&
                  vk.GetImageDrmFormatModifierProperties;
    has.timeline_semaphore =
        has.timeline_semaphore && vk.WaitSemaphores && vk.GetSemaphoreCounterValue;
    has.eds1 = has.eds1 && vk.CmdSetCullMode && vk.CmdSetStencilOp && vk.CmdBindVertexBuffers2;
    has.eds2 = has.eds2 && vk.CmdSetPrimitiveRestartEnable && vk.CmdSetRasterizerDiscardEnable &&
               vk.CmdSetDepthBiasEnable;
    has.eds3_blend = has.eds3_blend && vk.CmdSetColorBlendEnable && vk.CmdSetColorBlendEquation &&
                     vk.CmdSetColorWriteMask;
    has.vertex_input_dynamic = has.vertex_input_dynamic && vk.CmdSetVertexInput;
    has.multi_draw = has.multi_draw && vk.CmdDrawMulti && vk.CmdDrawMultiIndexed;
    has.draw_indirect_count = has.draw_indirect_count && vk.CmdDrawIndirectCount;
    has.transform_feedback = has.transform_feedback && vk.CmdBeginTransformFeedback;
    has.conditional_rendering = has.conditional_rendering && vk.CmdBeginConditionalRendering;
    has.swapchain = has.swapchain && vk.CreateSwapchainKHR && vk.QueuePresentKHR;
    has.debug_utils = has.debug_utils && vk.CmdInsertDebugUtilsLabel;
    apply_forced(dev);
    // Geometry stages of our own must not count what they make.
    if (has.core.pipelineStatisticsQuery && has.core.geometryShader &&
        !(has.core.wideLines && has.core.largePoints && has.core.fillModeNonSolid))
        has.primitives_generated_query = false;
}

} // namespace magma

const char *magma_hide_help() {
    static const std::string text = [] {
        std::string out = "  extensions of the device";
        for (const char *word : magma::words)
            out += std::string(", ") + word;
        return out + "\n";
    }();
    return text.c_str();
}
