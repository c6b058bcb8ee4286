// SPDX-License-Identifier: MIT
// The host floor: what a native Vulkan program pays for the commands of drawoverhead's first rows.
// Draws go to a colour attachment of the same size, in batches of one render pass each, with two
// batches in flight. For each row it prints
//   ROW draws_per_second recorded_per_second
// where the second number counts the time of recording and submitting only, without the waits for
// the host's execution.
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <dlfcn.h>
#include <time.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "floor_frag.h"
#include "floor_vert.h"

namespace {

#define INSTANCE_CALLS(X)                                                                          \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetPhysicalDeviceMemoryProperties) X(CreateDevice) X(GetDeviceProcAddr)
#define DEVICE_CALLS(X)                                                                            \
    X(GetDeviceQueue)                                                                              \
    X(CreateImage)                                                                                 \
    X(GetImageMemoryRequirements)                                                                  \
    X(BindImageMemory) X(CreateImageView) X(CreateBuffer) X(GetBufferMemoryRequirements)           \
        X(BindBufferMemory) X(AllocateMemory) X(MapMemory) X(CreateRenderPass)                     \
            X(CreateFramebuffer) X(CreateShaderModule) X(CreateDescriptorSetLayout)                \
                X(CreatePipelineLayout) X(CreateGraphicsPipelines) X(CreateSampler)                \
                    X(CreateDescriptorPool) X(AllocateDescriptorSets) X(UpdateDescriptorSets)      \
                        X(CreateCommandPool) X(AllocateCommandBuffers) X(CreateFence)              \
                            X(WaitForFences) X(ResetFences) X(BeginCommandBuffer)                  \
                                X(EndCommandBuffer) X(QueueSubmit) X(QueueWaitIdle)                \
                                    X(CmdBeginRenderPass) X(CmdEndRenderPass) X(CmdBindPipeline)   \
                                        X(CmdBindVertexBuffers) X(CmdBindIndexBuffer)              \
                                            X(CmdBindDescriptorSets) X(CmdSetViewport) X(CmdDraw)  \
                                                X(CmdDrawIndexed) X(CmdPipelineBarrier)

struct {
#define X(name) PFN_vk##name name;
    INSTANCE_CALLS(X) DEVICE_CALLS(X)
#undef X
} vk;

constexpr uint32_t target_size = 300, texture_size = 16, uniform_stride = 256;
constexpr uint32_t batch_draws = 1000;
constexpr int in_flight = 2;

[[noreturn]] void fail(const char *what) {
    fprintf(stderr, "vulkan_floor: %s\n", what);
    exit(1);
}

void check(VkResult r, const char *what) {
    if (r != VK_SUCCESS)
        fail(what);
}
#define CHECK(call) check(vk.call, #call)

double seconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

// --- the device ----------------------------------------------------------------------------------

VkPhysicalDevice physical;
VkDevice device;
VkQueue queue;
VkPhysicalDeviceMemoryProperties memory_properties;

void open_device() {
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail("no Vulkan loader");
    auto get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
    auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
    VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &app;
    VkInstance instance;
    check(create(&info, nullptr, &instance), "vkCreateInstance");
#define X(name) vk.name = reinterpret_cast<PFN_vk##name>(get(instance, "vk" #name));
    INSTANCE_CALLS(X)
#undef X
    uint32_t count = 1;
    if (vk.EnumeratePhysicalDevices(instance, &count, &physical) < 0 || !count)
        fail("no device");
    vk.GetPhysicalDeviceMemoryProperties(physical, &memory_properties);
    const float priority = 1;
    VkDeviceQueueCreateInfo queues = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    VkDeviceCreateInfo d = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    d.queueCreateInfoCount = 1;
    d.pQueueCreateInfos = &queues;
    CHECK(CreateDevice(physical, &d, nullptr, &device));
#define X(name) vk.name = reinterpret_cast<PFN_vk##name>(vk.GetDeviceProcAddr(device, "vk" #name));
    DEVICE_CALLS(X)
#undef X
    vk.GetDeviceQueue(device, 0, 0, &queue);
}

VkDeviceMemory allocate(const VkMemoryRequirements &need, VkMemoryPropertyFlags flags) {
    for (uint32_t i = 0; i < memory_properties.memoryTypeCount; ++i) {
        if (!(need.memoryTypeBits >> i & 1) ||
            (memory_properties.memoryTypes[i].propertyFlags & flags) != flags)
            continue;
        VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
        info.allocationSize = need.size;
        info.memoryTypeIndex = i;
        VkDeviceMemory memory;
        CHECK(AllocateMemory(device, &info, nullptr, &memory));
        return memory;
    }
    fail("no memory type");
}

VkBuffer buffer(VkBufferUsageFlags usage, VkDeviceSize size, const void *bytes, size_t count) {
    VkBufferCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = size;
    info.usage = usage;
    VkBuffer b;
    CHECK(CreateBuffer(device, &info, nullptr, &b));
    VkMemoryRequirements need;
    vk.GetBufferMemoryRequirements(device, b, &need);
    VkDeviceMemory memory =
        allocate(need, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    CHECK(BindBufferMemory(device, b, memory, 0));
    void *map;
    CHECK(MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &map));
    memset(map, 0, size);
    memcpy(map, bytes, count);
    return b;
}

struct Image {
    VkImage image;
    VkImageView view;
};

Image image(uint32_t size, VkImageUsageFlags usage) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = VK_FORMAT_R8G8B8A8_UNORM;
    info.extent = {size, size, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = usage;
    Image i;
    CHECK(CreateImage(device, &info, nullptr, &i.image));
    VkMemoryRequirements need;
    vk.GetImageMemoryRequirements(device, i.image, &need);
    CHECK(BindImageMemory(device, i.image, allocate(need, 0), 0));
    VkImageViewCreateInfo view = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = i.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = info.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    CHECK(CreateImageView(device, &view, nullptr, &i.view));
    return i;
}

// --- the scene -----------------------------------------------------------------------------------

VkRenderPass pass;
VkFramebuffer framebuffer;
VkPipelineLayout layout;
VkPipeline pipelines[2];
VkBuffer vertices, indices, uniforms;
Image textures[2];
VkDescriptorSet sets[2]; // one per texture; the uniform range is a dynamic offset
VkCommandBuffer commands[in_flight];
VkFence fences[in_flight];

void make_target() {
    const Image target = image(target_size, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    VkAttachmentDescription a = {};
    a.format = VK_FORMAT_R8G8B8A8_UNORM;
    a.samples = VK_SAMPLE_COUNT_1_BIT;
    a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    a.finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription sub = {};
    sub.colorAttachmentCount = 1;
    sub.pColorAttachments = &color;
    VkRenderPassCreateInfo info = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = info.subpassCount = 1;
    info.pAttachments = &a;
    info.pSubpasses = &sub;
    CHECK(CreateRenderPass(device, &info, nullptr, &pass));
    VkFramebufferCreateInfo fb = {VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
    fb.renderPass = pass;
    fb.attachmentCount = 1;
    fb.pAttachments = &target.view;
    fb.width = fb.height = target_size;
    fb.layers = 1;
    CHECK(CreateFramebuffer(device, &fb, nullptr, &framebuffer));
}

void make_data() {
    const float corners[] = {0, 0, 1, 0, 0, 1};
    const uint32_t three[] = {0, 1, 2};
    vertices = buffer(VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, sizeof corners, corners, sizeof corners);
    indices = buffer(VK_BUFFER_USAGE_INDEX_BUFFER_BIT, sizeof three, three, sizeof three);
    uniforms = buffer(VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, 2 * uniform_stride, corners, 0);
    for (Image &t : textures)
        t = image(texture_size, VK_IMAGE_USAGE_SAMPLED_BIT);
}

void make_descriptors() {
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_VERTEX_BIT, nullptr},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}};
    VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = 2;
    info.pBindings = bindings;
    VkDescriptorSetLayout set_layout;
    CHECK(CreateDescriptorSetLayout(device, &info, nullptr, &set_layout));
    VkPipelineLayoutCreateInfo l = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    l.setLayoutCount = 1;
    l.pSetLayouts = &set_layout;
    CHECK(CreatePipelineLayout(device, &l, nullptr, &layout));
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 2},
                                          {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2}};
    VkDescriptorPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool_info.maxSets = pool_info.poolSizeCount = 2;
    pool_info.pPoolSizes = sizes;
    VkDescriptorPool pool;
    CHECK(CreateDescriptorPool(device, &pool_info, nullptr, &pool));
    const VkDescriptorSetLayout both[] = {set_layout, set_layout};
    VkDescriptorSetAllocateInfo allocation = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocation.descriptorPool = pool;
    allocation.descriptorSetCount = 2;
    allocation.pSetLayouts = both;
    CHECK(AllocateDescriptorSets(device, &allocation, sets));
    VkSamplerCreateInfo s = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    VkSampler sampler;
    CHECK(CreateSampler(device, &s, nullptr, &sampler));
    for (int i = 0; i < 2; ++i) {
        const VkDescriptorBufferInfo range = {uniforms, 0, 16};
        const VkDescriptorImageInfo picture = {sampler, textures[i].view,
                                               VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        VkWriteDescriptorSet w[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET},
                                     {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET}};
        for (uint32_t b = 0; b < 2; ++b) {
            w[b].dstSet = sets[i];
            w[b].dstBinding = b;
            w[b].descriptorCount = 1;
            w[b].descriptorType = bindings[b].descriptorType;
        }
        w[0].pBufferInfo = &range;
        w[1].pImageInfo = &picture;
        vk.UpdateDescriptorSets(device, 2, w, 0, nullptr);
    }
}

VkShaderModule module_of(const uint32_t *words, size_t bytes) {
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = bytes;
    info.pCode = words;
    VkShaderModule m;
    CHECK(CreateShaderModule(device, &info, nullptr, &m));
    return m;
}

void make_pipelines() {
    VkPipelineShaderStageCreateInfo stages[2] = {
        {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO},
        {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO}};
    stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages[0].module = module_of(floor_vert, sizeof floor_vert);
    stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[1].module = module_of(floor_frag, sizeof floor_frag);
    stages[0].pName = stages[1].pName = "main";
    const VkVertexInputBindingDescription binding = {0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
    VkPipelineVertexInputStateCreateInfo input = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    input.vertexBindingDescriptionCount = input.vertexAttributeDescriptionCount = 1;
    input.pVertexBindingDescriptions = &binding;
    input.pVertexAttributeDescriptions = &attribute;
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const VkRect2D scissor = {{0, 0}, {target_size, target_size}};
    VkPipelineViewportStateCreateInfo viewport = {
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    viewport.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster = {
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples = {
        VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState blend = {};
    blend.colorWriteMask = 15;
    blend.srcColorBlendFactor = blend.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    VkPipelineColorBlendStateCreateInfo blending = {
        VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blending.attachmentCount = 1;
    blending.pAttachments = &blend;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT};
    VkPipelineDynamicStateCreateInfo dynamic = {
        VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 1;
    dynamic.pDynamicStates = states;
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blending;
    info.pDynamicState = &dynamic;
    info.layout = layout;
    info.renderPass = pass;
    for (uint32_t i = 0; i < 2; ++i) {
        blend.blendEnable = i;
        CHECK(CreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipelines[i]));
    }
}

// The textures' contents do not matter, their layout does.
void make_commands() {
    VkCommandPoolCreateInfo pool_info = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    VkCommandPool pool;
    CHECK(CreateCommandPool(device, &pool_info, nullptr, &pool));
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.commandBufferCount = in_flight;
    CHECK(AllocateCommandBuffers(device, &info, commands));
    const VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    CHECK(BeginCommandBuffer(commands[0], &begin));
    for (const Image &t : textures) {
        VkImageMemoryBarrier b = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
        b.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        b.dstAccessMask = VK_ACCESS_SHADER_READ_BIT;
        b.image = t.image;
        b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vk.CmdPipelineBarrier(commands[0], VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
                              VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 0, nullptr, 0, nullptr, 1,
                              &b);
    }
    CHECK(EndCommandBuffer(commands[0]));
    VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = commands;
    CHECK(QueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(QueueWaitIdle(queue));
    VkFenceCreateInfo fence = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    fence.flags = VK_FENCE_CREATE_SIGNALED_BIT;
    for (VkFence &f : fences)
        CHECK(CreateFence(device, &fence, nullptr, &f));
}

// --- rows ----------------------------------------------------------------------------------------

enum class Row { arrays, elements, uniform_buffer, texture, blend, viewport };

void record(VkCommandBuffer c, Row row) {
    VkCommandBufferBeginInfo begin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    CHECK(BeginCommandBuffer(c, &begin));
    const VkClearValue clear = {};
    VkRenderPassBeginInfo info = {VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
    info.renderPass = pass;
    info.framebuffer = framebuffer;
    info.renderArea.extent = {target_size, target_size};
    info.clearValueCount = 1;
    info.pClearValues = &clear;
    vk.CmdBeginRenderPass(c, &info, VK_SUBPASS_CONTENTS_INLINE);
    VkViewport viewport = {0, 0, target_size, target_size, 0, 1};
    const VkDeviceSize zero = 0;
    uint32_t offset = 0;
    vk.CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[0]);
    vk.CmdSetViewport(c, 0, 1, &viewport);
    vk.CmdBindVertexBuffers(c, 0, 1, &vertices, &zero);
    vk.CmdBindIndexBuffer(c, indices, 0, VK_INDEX_TYPE_UINT32);
    vk.CmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &sets[0], 1,
                             &offset);
    for (uint32_t i = 0; i < batch_draws; ++i) {
        const uint32_t odd = i & 1;
        switch (row) {
        case Row::arrays: vk.CmdDraw(c, 3, 1, 0, 0); continue;
        case Row::elements: break;
        case Row::uniform_buffer:
            offset = odd * uniform_stride;
            vk.CmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &sets[0], 1,
                                     &offset);
            break;
        case Row::texture:
            vk.CmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &sets[odd],
                                     1, &offset);
            break;
        case Row::blend:
            vk.CmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[odd]);
            break;
        case Row::viewport:
            viewport.height = float(target_size - odd);
            vk.CmdSetViewport(c, 0, 1, &viewport);
            break;
        }
        vk.CmdDrawIndexed(c, 3, 1, 0, 0, 0);
    }
    vk.CmdEndRenderPass(c);
    CHECK(EndCommandBuffer(c));
}

void run(const char *name, Row row, double duration) {
    uint64_t draws = 0;
    double waited = 0;
    const double start = seconds();
    for (unsigned i = 0; seconds() - start < duration; ++i) {
        const unsigned slot = i % in_flight;
        const double before = seconds();
        CHECK(WaitForFences(device, 1, &fences[slot], VK_TRUE, UINT64_MAX));
        waited += seconds() - before;
        CHECK(ResetFences(device, 1, &fences[slot]));
        record(commands[slot], row);
        VkSubmitInfo submit = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &commands[slot];
        CHECK(QueueSubmit(queue, 1, &submit, fences[slot]));
        draws += batch_draws;
    }
    const double recorded = seconds() - start - waited;
    CHECK(QueueWaitIdle(queue));
    printf("%s %.0f %.0f\n", name, double(draws) / (seconds() - start), double(draws) / recorded);
    fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
    const double duration = argc > 1 ? atof(argv[1]) : 1.0;
    open_device();
    make_target();
    make_data();
    make_descriptors();
    make_pipelines();
    make_commands();
    run("warm-up", Row::arrays, duration / 4);
    run("arrays", Row::arrays, duration);
    run("elements", Row::elements, duration);
    run("ubo", Row::uniform_buffer, duration);
    run("texture", Row::texture, duration);
    run("blend", Row::blend, duration);
    run("viewport", Row::viewport, duration);
    return 0;
}
