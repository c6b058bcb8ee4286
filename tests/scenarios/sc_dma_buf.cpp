// SPDX-License-Identifier: MIT
// Images in dma-bufs (EGL_EXT_image_dma_buf_import and its modifiers). The dma-bufs are made by a
// Vulkan device of the machine, opened here as another program would; where there is none that
// exports them, or the driver imports none, these skip.
#include "scenario.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using namespace scenario;

namespace {

constexpr uint32_t width = 48, height = 32;
constexpr EGLint argb8888 = 0x34325241; // DRM_FORMAT_ARGB8888: bytes B G R A
constexpr VkFormat vulkan_format = VK_FORMAT_B8G8R8A8_UNORM;
constexpr VkImageUsageFlags vulkan_usage =
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr auto handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
const char *const device_extensions[] = {
    "VK_KHR_external_memory_fd", "VK_EXT_external_memory_dma_buf",
    "VK_EXT_image_drm_format_modifier", "VK_EXT_queue_family_foreign"};

using ImageTarget = void (*)(GLenum, GLeglImageOES);

template <typename F> F proc(const char *name) {
    return reinterpret_cast<F>(eglGetProcAddress(name));
}

bool imports() {
    const char *list = eglQueryString(display(), EGL_EXTENSIONS);
    return list && strstr(list, "EGL_EXT_image_dma_buf_import_modifiers");
}

std::vector<uint64_t> modifiers_of(EGLint fourcc) {
    const auto query = proc<PFNEGLQUERYDMABUFMODIFIERSEXTPROC>("eglQueryDmaBufModifiersEXT");
    EGLint count = 0;
    std::vector<EGLuint64KHR> list;
    std::vector<EGLBoolean> external;
    if (query(display(), fourcc, 0, nullptr, nullptr, &count) && count > 0) {
        list.resize(size_t(count));
        external.resize(list.size());
        EXPECT(query(display(), fourcc, count, list.data(), external.data(), &count));
    }
    std::vector<uint64_t> out;
    for (size_t i = 0; i < list.size(); i++)
        if (!external[i])
            out.push_back(list[i]);
    return out;
}

// A texel of the pattern, as bytes in memory.
std::array<uint8_t, 4> texel(uint32_t x, uint32_t y) {
    return {uint8_t(x * 5), uint8_t(y * 7), uint8_t((x ^ y) * 4), uint8_t(255 - x)};
}

// A device of another program.
struct Exporter {
    PFN_vkGetInstanceProcAddr get = nullptr;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties memory{};

    template <typename F> F of(const char *name) const {
        return reinterpret_cast<F>(get(instance, name));
    }
#define CALL(name) of<PFN_vk##name>("vk" #name)

    bool open() {
        void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library)
            get = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
                dlsym(library, "vkGetInstanceProcAddr"));
        return get && make_instance() && find_device() && make_device();
    }
    ~Exporter() {
        if (device) {
            CALL(DeviceWaitIdle)(device);
            CALL(DestroyCommandPool)(device, pool, nullptr);
            CALL(DestroyDevice)(device, nullptr);
        }
        if (instance)
            CALL(DestroyInstance)(instance, nullptr);
    }

    bool make_instance() {
        VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO};
        app.apiVersion = VK_API_VERSION_1_2;
        VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        info.pApplicationInfo = &app;
        return CALL(CreateInstance)(&info, nullptr, &instance) == VK_SUCCESS;
    }
    bool able(VkPhysicalDevice d) const {
        VkPhysicalDeviceProperties props;
        CALL(GetPhysicalDeviceProperties)(d, &props);
        uint32_t count = 0;
        CALL(EnumerateDeviceExtensionProperties)(d, nullptr, &count, nullptr);
        std::vector<VkExtensionProperties> all(count);
        CALL(EnumerateDeviceExtensionProperties)(d, nullptr, &count, all.data());
        return props.apiVersion >= VK_API_VERSION_1_2 &&
               std::all_of(std::begin(device_extensions), std::end(device_extensions),
                           [&](const char *name) {
                               return std::any_of(all.begin(), all.end(), [&](const auto &e) {
                                   return !strcmp(e.extensionName, name);
                               });
                           });
    }
    bool find_device() {
        uint32_t count = 0;
        CALL(EnumeratePhysicalDevices)(instance, &count, nullptr);
        std::vector<VkPhysicalDevice> all(count);
        CALL(EnumeratePhysicalDevices)(instance, &count, all.data());
        const auto found =
            std::find_if(all.begin(), all.end(), [this](VkPhysicalDevice d) { return able(d); });
        if (found == all.end())
            return false;
        physical = *found;
        CALL(GetPhysicalDeviceMemoryProperties)(physical, &memory);
        return true;
    }
    bool make_device() {
        const float priority = 1;
        VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
        queues.queueCount = 1; // family 0 does transfers on every device
        queues.pQueuePriorities = &priority;
        VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queues;
        info.enabledExtensionCount = uint32_t(std::size(device_extensions));
        info.ppEnabledExtensionNames = device_extensions;
        if (CALL(CreateDevice)(physical, &info, nullptr, &device) != VK_SUCCESS)
            return false;
        CALL(GetDeviceQueue)(device, 0, 0, &queue);
        VkCommandPoolCreateInfo pools{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        return CALL(CreateCommandPool)(device, &pools, nullptr, &pool) == VK_SUCCESS;
    }

    int type_of(uint32_t bits, VkMemoryPropertyFlags flags) const {
        for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
            if (bits >> i & 1 && (memory.memoryTypes[i].propertyFlags & flags) == flags)
                return int(i);
        return -1;
    }

    // Modifiers of one plane whose images can be exported.
    std::vector<uint64_t> modifiers() const {
        VkDrmFormatModifierPropertiesListEXT list{
            VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
        VkFormatProperties2 props{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &list};
        CALL(GetPhysicalDeviceFormatProperties2)(physical, vulkan_format, &props);
        std::vector<VkDrmFormatModifierPropertiesEXT> all(list.drmFormatModifierCount);
        list.pDrmFormatModifierProperties = all.data();
        CALL(GetPhysicalDeviceFormatProperties2)(physical, vulkan_format, &props);
        std::vector<uint64_t> out;
        for (const auto &m : all)
            if (m.drmFormatModifierPlaneCount == 1 && exports(m.drmFormatModifier))
                out.push_back(m.drmFormatModifier);
        return out;
    }
    bool exports(uint64_t modifier) const {
        VkPhysicalDeviceImageDrmFormatModifierInfoEXT layout{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT};
        layout.drmFormatModifier = modifier;
        VkPhysicalDeviceExternalImageFormatInfo external{
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, &layout, handle_type};
        VkPhysicalDeviceImageFormatInfo2 info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                              &external};
        info.format = vulkan_format;
        info.type = VK_IMAGE_TYPE_2D;
        info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
        info.usage = vulkan_usage;
        VkExternalImageFormatProperties can{VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
        VkImageFormatProperties2 props{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, &can};
        return CALL(GetPhysicalDeviceImageFormatProperties2)(physical, &info, &props) ==
                   VK_SUCCESS &&
               can.externalMemoryProperties.externalMemoryFeatures &
                   VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
    }
};

// An image of the exporter's with a buffer for its texels.
struct Exported {
    Exporter &x;
    uint64_t modifier;
    VkImage image = VK_NULL_HANDLE;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory image_memory = VK_NULL_HANDLE, buffer_memory = VK_NULL_HANDLE;
    uint8_t *texels = nullptr;
    VkSubresourceLayout layout{};

    template <typename F> F of(const char *name) const { return x.of<F>(name); }

    Exported(Exporter &exporter, uint64_t m) : x(exporter), modifier(m) {}
    ~Exported() {
        CALL(DestroyImage)(x.device, image, nullptr);
        CALL(DestroyBuffer)(x.device, buffer, nullptr);
        CALL(FreeMemory)(x.device, image_memory, nullptr);
        CALL(FreeMemory)(x.device, buffer_memory, nullptr);
    }

    bool make() { return make_image() && make_buffer(); }
    bool make_image() {
        VkImageDrmFormatModifierListCreateInfoEXT choice{
            VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT};
        choice.drmFormatModifierCount = 1;
        choice.pDrmFormatModifiers = &modifier;
        VkExternalMemoryImageCreateInfo external{
            VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO, &choice, handle_type};
        VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, &external};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = vulkan_format;
        info.extent = {width, height, 1};
        info.mipLevels = info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
        info.usage = vulkan_usage;
        if (CALL(CreateImage)(x.device, &info, nullptr, &image) != VK_SUCCESS)
            return false;
        VkMemoryRequirements req;
        CALL(GetImageMemoryRequirements)(x.device, image, &req);
        VkMemoryDedicatedAllocateInfo alone{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
        alone.image = image;
        VkExportMemoryAllocateInfo out{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &alone,
                                       handle_type};
        VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &out, req.size,
                                    uint32_t(x.type_of(req.memoryTypeBits, 0))};
        const VkImageSubresource plane{VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, 0, 0};
        if (CALL(AllocateMemory)(x.device, &memory, nullptr, &image_memory) != VK_SUCCESS ||
            CALL(BindImageMemory)(x.device, image, image_memory, 0) != VK_SUCCESS)
            return false;
        CALL(GetImageSubresourceLayout)(x.device, image, &plane, &layout);
        return true;
    }
    bool make_buffer() {
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = width * height * 4;
        info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
        if (CALL(CreateBuffer)(x.device, &info, nullptr, &buffer) != VK_SUCCESS)
            return false;
        VkMemoryRequirements req;
        CALL(GetBufferMemoryRequirements)(x.device, buffer, &req);
        const int type = x.type_of(req.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
        VkMemoryAllocateInfo memory{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, req.size,
                                    uint32_t(type)};
        void *map = nullptr;
        if (type < 0 ||
            CALL(AllocateMemory)(x.device, &memory, nullptr, &buffer_memory) != VK_SUCCESS ||
            CALL(BindBufferMemory)(x.device, buffer, buffer_memory, 0) != VK_SUCCESS ||
            CALL(MapMemory)(x.device, buffer_memory, 0, VK_WHOLE_SIZE, 0, &map) != VK_SUCCESS)
            return false;
        texels = static_cast<uint8_t *>(map);
        return true;
    }

    VkImageMemoryBarrier barrier(VkImageLayout from, VkImageLayout to, uint32_t owner,
                                 uint32_t next) const {
        VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
        b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        b.oldLayout = from;
        b.newLayout = to;
        b.srcQueueFamilyIndex = owner;
        b.dstQueueFamilyIndex = next;
        b.image = image;
        b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        return b;
    }
    // Takes the image, copies between it and the buffer, and gives it to others.
    bool copy(bool to_image, bool was_foreign) {
        VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr,
                                         x.pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        VkCommandBuffer cmd;
        if (CALL(AllocateCommandBuffers)(x.device, &info, &cmd) != VK_SUCCESS)
            return false;
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        CALL(BeginCommandBuffer)(cmd, &begin);
        const VkImageLayout ours =
            to_image ? VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
        const auto wait = [&](const VkImageMemoryBarrier &b) {
            CALL(CmdPipelineBarrier)
            (cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
             nullptr, 0, nullptr, 1, &b);
        };
        wait(was_foreign ? barrier(VK_IMAGE_LAYOUT_GENERAL, ours, VK_QUEUE_FAMILY_FOREIGN_EXT, 0)
                         : barrier(VK_IMAGE_LAYOUT_UNDEFINED, ours, VK_QUEUE_FAMILY_IGNORED,
                                   VK_QUEUE_FAMILY_IGNORED));
        VkBufferImageCopy region{};
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        region.imageExtent = {width, height, 1};
        if (to_image)
            CALL(CmdCopyBufferToImage)(cmd, buffer, image, ours, 1, &region);
        else
            CALL(CmdCopyImageToBuffer)(cmd, image, ours, buffer, 1, &region);
        wait(barrier(ours, VK_IMAGE_LAYOUT_GENERAL, 0, VK_QUEUE_FAMILY_FOREIGN_EXT));
        CALL(EndCommandBuffer)(cmd);
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &cmd;
        return CALL(QueueSubmit)(x.queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
               CALL(QueueWaitIdle)(x.queue) == VK_SUCCESS;
    }
    void fill() {
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t i = 0; i < width; i++)
                memcpy(texels + (y * width + i) * 4, texel(i, y).data(), 4);
        EXPECT(copy(true, false));
    }
    int descriptor() const {
        VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, image_memory,
                                  handle_type};
        int fd = -1;
        CALL(GetMemoryFdKHR)(x.device, &info, &fd);
        return fd;
    }
};
#undef CALL

EGLImage import(int fd, EGLAttrib offset, EGLAttrib pitch, uint64_t modifier) {
    const EGLAttrib attribs[] = {EGL_WIDTH,
                                 width,
                                 EGL_HEIGHT,
                                 height,
                                 EGL_LINUX_DRM_FOURCC_EXT,
                                 argb8888,
                                 EGL_DMA_BUF_PLANE0_FD_EXT,
                                 fd,
                                 EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                                 offset,
                                 EGL_DMA_BUF_PLANE0_PITCH_EXT,
                                 pitch,
                                 EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT,
                                 EGLAttrib(modifier & 0xffffffff),
                                 EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT,
                                 EGLAttrib(modifier >> 32),
                                 EGL_NONE};
    return eglCreateImage(display(), EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, nullptr, attribs);
}

GLuint texture_of(EGLImage image) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    proc<ImageTarget>("glEGLImageTargetTexture2DOES")(GL_TEXTURE_2D, image);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return t;
}

// Calls f(exported, image) for what both sides can, a few modifiers of it.
template <typename F> void each_image(F f) {
    if (!imports())
        skip("the driver imports no dma-bufs");
    Exporter x;
    if (!x.open())
        skip("no Vulkan device exports dma-bufs");
    constexpr unsigned enough = 4;
    unsigned done = 0;
    const std::vector<uint64_t> ours = modifiers_of(argb8888);
    for (uint64_t modifier : x.modifiers()) {
        if (done == enough || !std::count(ours.begin(), ours.end(), modifier))
            continue;
        Exported exported(x, modifier);
        EXPECT(exported.make());
        exported.fill();
        const int fd = exported.descriptor();
        EXPECT(fd >= 0);
        const EGLImage image = import(fd, EGLAttrib(exported.layout.offset),
                                      EGLAttrib(exported.layout.rowPitch), modifier);
        EXPECT(image != EGL_NO_IMAGE);
        close(fd); // EGL has its own by now
        if (image == EGL_NO_IMAGE)
            continue;
        f(exported, image);
        glFinish();
        EXPECT(eglDestroyImage(display(), image));
        done++;
    }
    if (!done)
        skip("no modifier that the exporter and the driver both have");
}

} // namespace

SCENARIO(dma_buf_is_sampled) {
    each_image([](Exported &, EGLImage image) {
        const GLuint t = texture_of(image);
        const Target target = scenario::target(width, height);
        const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
        glUseProgram(p);
        draw_fill();
        const std::vector<uint8_t> got = read_rgba8(0, 0, width, height);
        unsigned wrong = 0;
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t i = 0; i < width; i++) {
                const auto want = texel(i, y); // B G R A
                const uint8_t *g = got.data() + (y * width + i) * 4;
                wrong += g[0] != want[2] || g[1] != want[1] || g[2] != want[0] || g[3] != want[3];
            }
        EXPECT_EQ(wrong, 0u);
        glDeleteProgram(p);
        glDeleteTextures(1, &t);
        glDeleteFramebuffers(1, &target.fbo);
    });
}

SCENARIO(dma_buf_is_drawn_to) {
    each_image([](Exported &exported, EGLImage image) {
        GLuint rb, fbo;
        glGenRenderbuffers(1, &rb);
        glBindRenderbuffer(GL_RENDERBUFFER, rb);
        proc<ImageTarget>("glEGLImageTargetRenderbufferStorageOES")(GL_RENDERBUFFER, image);
        glGenFramebuffers(1, &fbo);
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, rb);
        EXPECT(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
        clear_color(0, 0, 1, 1);
        glEnable(GL_SCISSOR_TEST);
        glScissor(8, 4, 8, 4);
        clear_color(1, 0, 0, 1);
        glDisable(GL_SCISSOR_TEST);
        glFinish();
        EXPECT(exported.copy(false, true));
        unsigned wrong = 0;
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t i = 0; i < width; i++) {
                const bool inside = i >= 8 && i < 16 && y >= 4 && y < 8;
                const uint8_t want[4] = {uint8_t(inside ? 0 : 255), 0, uint8_t(inside ? 255 : 0),
                                         255};
                wrong += memcmp(exported.texels + (y * width + i) * 4, want, 4) != 0;
            }
        EXPECT_EQ(wrong, 0u);
        glDeleteFramebuffers(1, &fbo);
        glDeleteRenderbuffers(1, &rb);
    });
}

// What the exporter writes later is seen by the next draw.
SCENARIO(dma_buf_changes) {
    each_image([](Exported &exported, EGLImage image) {
        const GLuint t = texture_of(image);
        const Target target = scenario::target(width, height);
        const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
        glUseProgram(p);
        draw_fill();
        glFinish();
        memset(exported.texels, 0x80, width * height * 4);
        EXPECT(exported.copy(true, true));
        draw_fill();
        EXPECT_RECT(0, 0, int(width), int(height), 128 / 255.f, 128 / 255.f, 128 / 255.f,
                    128 / 255.f);
        glDeleteProgram(p);
        glDeleteTextures(1, &t);
        glDeleteFramebuffers(1, &target.fbo);
    });
}

// Memory that is no dma-buf, layouts that do not fit, formats and modifiers that nobody has. Where
// the driver imports none at all there is no such target.
SCENARIO(dma_buf_refusals) {
    const int fd = memfd_create("no-dma-buf", MFD_CLOEXEC);
    EXPECT(ftruncate(fd, width * height * 4) == 0);
    const auto error_of = [](EGLImage image) {
        EXPECT(image == EGL_NO_IMAGE);
        return eglGetError();
    };
    if (!imports()) {
        EXPECT_EQ(error_of(import(fd, 0, width * 4, 0)), EGL_BAD_PARAMETER);
        close(fd);
        return;
    }
    EXPECT_EQ(error_of(import(fd, 0, width * 4 - 4, 0)), EGL_BAD_ACCESS); // rows overlap
    EXPECT_EQ(error_of(import(fd, 4, width * 4, 0)), EGL_BAD_ACCESS);     // ends outside
    EXPECT_EQ(error_of(import(fd + 1000, 0, width * 4, 0)), EGL_BAD_PARAMETER);
    EXPECT_EQ(error_of(import(fd, 0, width * 4, 0x00f0123456789abc)), EGL_BAD_MATCH);
    // The first modifier that the driver takes, with memory that it cannot.
    const std::vector<uint64_t> ours = modifiers_of(argb8888);
    if (!ours.empty()) {
        const EGLint error = error_of(import(fd, 0, width * 4, ours[0]));
        EXPECT(error == EGL_BAD_ACCESS || error == EGL_BAD_MATCH);
    }
    close(fd);
}
