// SPDX-License-Identifier: MIT
// Vulkan entry points as a table of pointers. The driver never links libvulkan: the loader is
// opened by name and every function is looked up once, per instance or per device. Optional
// functions are null when neither the core name nor the listed suffix is there.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

// clang-format off
#define MAGMA_VK_INSTANCE(X) \
    X(EnumeratePhysicalDevices) X(GetPhysicalDeviceProperties2) \
    X(GetPhysicalDeviceFeatures2) X(GetPhysicalDeviceQueueFamilyProperties) \
    X(GetPhysicalDeviceMemoryProperties) X(GetPhysicalDeviceFormatProperties) \
    X(GetPhysicalDeviceImageFormatProperties) X(GetPhysicalDeviceFormatProperties2) \
    X(GetPhysicalDeviceImageFormatProperties2) X(EnumerateDeviceExtensionProperties) \
    X(CreateDevice) X(GetDeviceProcAddr)

#define MAGMA_VK_DEVICE(X) \
    X(GetDeviceQueue) X(QueueSubmit) X(DeviceWaitIdle) X(AllocateMemory) X(FreeMemory) \
    X(MapMemory) X(BindBufferMemory) X(BindImageMemory) X(GetBufferMemoryRequirements) \
    X(GetImageMemoryRequirements) X(CreateBuffer) X(DestroyBuffer) X(CreateBufferView) \
    X(DestroyBufferView) X(CreateImage) X(DestroyImage) X(CreateImageView) X(DestroyImageView) \
    X(CreateSampler) X(DestroySampler) X(CreateShaderModule) X(DestroyShaderModule) \
    X(CreatePipelineCache) X(GetPipelineCacheData) X(CreateGraphicsPipelines) \
    X(CreateComputePipelines) X(DestroyPipeline) X(CreatePipelineLayout) \
    X(DestroyPipelineLayout) X(CreateDescriptorSetLayout) X(DestroyDescriptorSetLayout) \
    X(CreateDescriptorPool) X(DestroyDescriptorPool) X(ResetDescriptorPool) \
    X(AllocateDescriptorSets) X(UpdateDescriptorSets) X(CreateFence) X(DestroyFence) \
    X(GetFenceStatus) X(WaitForFences) X(CreateSemaphore) X(DestroySemaphore) X(CreateQueryPool) \
    X(DestroyQueryPool) X(GetQueryPoolResults) X(CreateRenderPass) X(DestroyRenderPass) \
    X(CreateFramebuffer) X(DestroyFramebuffer) X(CreateCommandPool) X(DestroyCommandPool) \
    X(ResetCommandPool) X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) \
    X(CmdBindPipeline) X(CmdSetViewport) X(CmdSetScissor) X(CmdSetLineWidth) X(CmdSetDepthBias) \
    X(CmdSetBlendConstants) X(CmdSetStencilCompareMask) X(CmdSetStencilWriteMask) \
    X(CmdSetStencilReference) X(CmdBindDescriptorSets) X(CmdBindIndexBuffer) \
    X(CmdBindVertexBuffers) X(CmdDraw) X(CmdDrawIndexed) X(CmdDrawIndirect) \
    X(CmdDrawIndexedIndirect) X(CmdDispatch) X(CmdDispatchIndirect) X(CmdCopyBuffer) \
    X(CmdCopyImage) X(CmdBlitImage) X(CmdCopyBufferToImage) X(CmdCopyImageToBuffer) \
    X(CmdUpdateBuffer) X(CmdFillBuffer) X(CmdClearColorImage) X(CmdClearDepthStencilImage) \
    X(CmdClearAttachments) X(CmdResolveImage) X(CmdPipelineBarrier) X(CmdBeginQuery) \
    X(CmdEndQuery) X(CmdResetQueryPool) X(CmdWriteTimestamp) X(CmdCopyQueryPoolResults) \
    X(CmdPushConstants) X(CmdBeginRenderPass) X(CmdEndRenderPass) X(GetImageSubresourceLayout)

// X(name, suffix): tried as vk<name>, then vk<name><suffix>.
#define MAGMA_VK_OPTIONAL(X) \
    X(WaitSemaphores, KHR) X(GetSemaphoreCounterValue, KHR) X(CmdBeginRendering, KHR) \
    X(CmdEndRendering, KHR) X(CmdPushDescriptorSet, KHR) X(CmdSetCullMode, EXT) \
    X(CmdSetFrontFace, EXT) X(CmdSetPrimitiveTopology, EXT) X(CmdBindVertexBuffers2, EXT) \
    X(CmdSetDepthTestEnable, EXT) X(CmdSetDepthWriteEnable, EXT) X(CmdSetDepthCompareOp, EXT) \
    X(CmdSetStencilTestEnable, EXT) X(CmdSetStencilOp, EXT) X(CmdSetDepthBiasEnable, EXT) \
    X(CmdSetRasterizerDiscardEnable, EXT) X(CmdSetPrimitiveRestartEnable, EXT) \
    X(CmdSetVertexInput, EXT) X(CmdSetColorBlendEnable, EXT) \
    X(CmdSetColorBlendEquation, EXT) X(CmdSetColorWriteMask, EXT) \
    X(CmdBindTransformFeedbackBuffers, EXT) \
    X(CmdBeginTransformFeedback, EXT) X(CmdEndTransformFeedback, EXT) \
    X(CmdBeginQueryIndexed, EXT) X(CmdEndQueryIndexed, EXT) X(CmdDrawIndirectByteCount, EXT) \
    X(CmdDrawMulti, EXT) X(CmdDrawMultiIndexed, EXT) X(CmdDrawIndirectCount, KHR) \
    X(CmdDrawIndexedIndirectCount, KHR) X(CmdBeginConditionalRendering, EXT) \
    X(CmdEndConditionalRendering, EXT) X(GetMemoryHostPointerProperties, EXT) \
    X(GetMemoryFdProperties, KHR) X(GetMemoryFd, KHR) \
    X(GetImageDrmFormatModifierProperties, EXT) X(CmdInsertDebugUtilsLabel, EXT)

// Windows: there when the extensions are. By instance, then by device.
#define MAGMA_VK_WINDOW_INSTANCE(X) \
    X(DestroySurfaceKHR) X(GetPhysicalDeviceSurfaceSupportKHR) \
    X(GetPhysicalDeviceSurfaceCapabilitiesKHR) X(GetPhysicalDeviceSurfaceFormatsKHR) \
    X(GetPhysicalDeviceSurfacePresentModesKHR)

#define MAGMA_VK_WINDOW_DEVICE(X) \
    X(CreateSwapchainKHR) X(DestroySwapchainKHR) X(GetSwapchainImagesKHR) X(AcquireNextImageKHR) \
    X(QueuePresentKHR)
// clang-format on

namespace magma {

using PFN_vkCmdPushDescriptorSet = PFN_vkCmdPushDescriptorSetKHR;
using PFN_vkCmdSetVertexInput = PFN_vkCmdSetVertexInputEXT;
using PFN_vkCmdSetColorBlendEnable = PFN_vkCmdSetColorBlendEnableEXT;
using PFN_vkCmdSetColorBlendEquation = PFN_vkCmdSetColorBlendEquationEXT;
using PFN_vkCmdSetColorWriteMask = PFN_vkCmdSetColorWriteMaskEXT;
using PFN_vkCmdBindTransformFeedbackBuffers = PFN_vkCmdBindTransformFeedbackBuffersEXT;
using PFN_vkCmdBeginTransformFeedback = PFN_vkCmdBeginTransformFeedbackEXT;
using PFN_vkCmdEndTransformFeedback = PFN_vkCmdEndTransformFeedbackEXT;
using PFN_vkCmdBeginQueryIndexed = PFN_vkCmdBeginQueryIndexedEXT;
using PFN_vkCmdEndQueryIndexed = PFN_vkCmdEndQueryIndexedEXT;
using PFN_vkCmdDrawIndirectByteCount = PFN_vkCmdDrawIndirectByteCountEXT;
using PFN_vkCmdDrawMulti = PFN_vkCmdDrawMultiEXT;
using PFN_vkCmdDrawMultiIndexed = PFN_vkCmdDrawMultiIndexedEXT;
using PFN_vkCmdBeginConditionalRendering = PFN_vkCmdBeginConditionalRenderingEXT;
using PFN_vkCmdEndConditionalRendering = PFN_vkCmdEndConditionalRenderingEXT;
using PFN_vkCmdInsertDebugUtilsLabel = PFN_vkCmdInsertDebugUtilsLabelEXT;
using PFN_vkGetMemoryHostPointerProperties = PFN_vkGetMemoryHostPointerPropertiesEXT;
using PFN_vkGetMemoryFdProperties = PFN_vkGetMemoryFdPropertiesKHR;
using PFN_vkGetMemoryFd = PFN_vkGetMemoryFdKHR;
using PFN_vkGetImageDrmFormatModifierProperties = PFN_vkGetImageDrmFormatModifierPropertiesEXT;

struct vk_table {
#define MAGMA_MEMBER(name) PFN_vk##name name = nullptr;
#define MAGMA_MEMBER_OPT(name, suffix) PFN_vk##name name = nullptr;
    MAGMA_VK_INSTANCE(MAGMA_MEMBER)
    MAGMA_VK_DEVICE(MAGMA_MEMBER)
    MAGMA_VK_OPTIONAL(MAGMA_MEMBER_OPT)
    MAGMA_VK_WINDOW_INSTANCE(MAGMA_MEMBER)
    MAGMA_VK_WINDOW_DEVICE(MAGMA_MEMBER)
#undef MAGMA_MEMBER
#undef MAGMA_MEMBER_OPT
};

} // namespace magma
