// SPDX-License-Identifier: MIT
// dma-bufs in the Magma driver on a host of this file: which formats it lists, what an import asks
// of the host, who closes the descriptor, and the barriers that take such an image and give it
// back.
#include <catch2/catch.hpp>

#include "magma/magma_barrier.h"
#include "magma/magma_dmabuf.h"
#include "magma/magma_memory.h"
#include "magma/magma_screen.h"
#include "magma/magma_trash.h"

#include "pipe/pipe_fourcc.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace {

constexpr uint64_t tiled = 0x0300000000606010;
constexpr uint32_t argb = pipe_fourcc('A', 'R', '2', '4'), xrgb = pipe_fourcc('X', 'R', '2', '4');

struct Seen {
    VkImageCreateInfo image;
    VkSubresourceLayout plane;
    uint64_t modifier;
    VkDeviceSize allocated;
    VkImage alone;
    int descriptor;
    std::vector<uint64_t> offered; // modifiers of an export
    VkDeviceMemory exported;
} seen;
constexpr VkExternalMemoryFeatureFlags both_ways =
    VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
VkExternalMemoryFeatureFlags features;
VkResult descriptor_result;
VkResult allocation_result;
uintptr_t handles;

template <typename T> const T *in_chain(const void *next, VkStructureType type) {
    for (auto *s = static_cast<const VkBaseInStructure *>(next); s; s = s->pNext)
        if (s->sType == type)
            return reinterpret_cast<const T *>(s);
    return nullptr;
}

VKAPI_ATTR void VKAPI_CALL format_properties(VkPhysicalDevice, VkFormat, VkFormatProperties *out) {
    *out = {};
    out->optimalTilingFeatures = ~0u;
}

VKAPI_ATTR void VKAPI_CALL format_properties2(VkPhysicalDevice, VkFormat format,
                                              VkFormatProperties2 *out) {
    auto *list = const_cast<VkDrmFormatModifierPropertiesListEXT *>(
        in_chain<VkDrmFormatModifierPropertiesListEXT>(
            out->pNext, VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT));
    const VkDrmFormatModifierPropertiesEXT all[] = {
        {0, 1, ~0u}, {tiled, 1, ~0u}, {99, 1, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT}};
    const bool has = format == VK_FORMAT_B8G8R8A8_UNORM;
    if (list->pDrmFormatModifierProperties && has)
        std::copy(std::begin(all), std::end(all), list->pDrmFormatModifierProperties);
    list->drmFormatModifierCount = has ? 3 : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL image_format_properties2(VkPhysicalDevice,
                                                        const VkPhysicalDeviceImageFormatInfo2 *,
                                                        VkImageFormatProperties2 *out) {
    auto *external =
        const_cast<VkExternalImageFormatProperties *>(in_chain<VkExternalImageFormatProperties>(
            out->pNext, VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES));
    external->externalMemoryProperties.externalMemoryFeatures = features;
    out->imageFormatProperties.maxExtent = {64, 64, 1};
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice, const VkImageCreateInfo *info,
                                            const VkAllocationCallbacks *, VkImage *out) {
    const auto *layout = in_chain<VkImageDrmFormatModifierExplicitCreateInfoEXT>(
        info->pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT);
    const auto *external = in_chain<VkExternalMemoryImageCreateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
    const auto *list = in_chain<VkImageDrmFormatModifierListCreateInfoEXT>(
        info->pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT);
    REQUIRE(!layout == !!list);
    REQUIRE(external);
    CHECK(external->handleTypes == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
    seen.image = *info;
    if (list) {
        seen.offered.assign(list->pDrmFormatModifiers,
                            list->pDrmFormatModifiers + list->drmFormatModifierCount);
    } else {
        CHECK(layout->drmFormatModifierPlaneCount == 1);
        seen.plane = layout->pPlaneLayouts[0];
        seen.modifier = layout->drmFormatModifier;
    }
    *out = (VkImage)++handles;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice, VkImage, const VkAllocationCallbacks *) {}

VKAPI_ATTR void VKAPI_CALL requirements(VkDevice, VkImage, VkMemoryRequirements *out) {
    *out = {4096, 1, 3};
}

VKAPI_ATTR VkResult VKAPI_CALL fd_properties(VkDevice, VkExternalMemoryHandleTypeFlagBits, int,
                                             VkMemoryFdPropertiesKHR *out) {
    out->memoryTypeBits = 2;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice, const VkMemoryAllocateInfo *info,
                                        const VkAllocationCallbacks *, VkDeviceMemory *out) {
    const auto *from =
        in_chain<VkImportMemoryFdInfoKHR>(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
    const auto *alone = in_chain<VkMemoryDedicatedAllocateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
    const auto *to = in_chain<VkExportMemoryAllocateInfo>(
        info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
    REQUIRE(!from == !!to);
    REQUIRE(alone);
    if (from) {
        CHECK(info->memoryTypeIndex == 1); // what image and memory both can
        seen.descriptor = from->fd;
    } else {
        CHECK(to->handleTypes == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
    }
    seen.allocated = info->allocationSize;
    seen.alone = alone->image;
    *out = (VkDeviceMemory)++handles;
    return allocation_result;
}

VKAPI_ATTR VkResult VKAPI_CALL get_fd(VkDevice, const VkMemoryGetFdInfoKHR *info, int *out) {
    CHECK(info->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
    seen.exported = info->memory;
    *out = descriptor_result == VK_SUCCESS ? 1234 : -1;
    return descriptor_result;
}
VKAPI_ATTR VkResult VKAPI_CALL chosen(VkDevice, VkImage,
                                      VkImageDrmFormatModifierPropertiesEXT *out) {
    out->drmFormatModifier = seen.offered.back();
    return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL plane_layout(VkDevice, VkImage, const VkImageSubresource *plane,
                                        VkSubresourceLayout *out) {
    CHECK(plane->aspectMask == VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT);
    *out = {512, 4096, 256, 0, 0};
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice, VkDeviceMemory, const VkAllocationCallbacks *) {}
VKAPI_ATTR VkResult VKAPI_CALL bind(VkDevice, VkImage, VkDeviceMemory, VkDeviceSize) {
    return VK_SUCCESS;
}

struct Host {
    magma::host_device dev;
    magma::share_group group;
    int memory;

    Host() {
        seen = {};
        allocation_result = descriptor_result = VK_SUCCESS;
        features = both_ways;
        dev.vk.GetMemoryFd = get_fd;
        dev.vk.GetImageDrmFormatModifierProperties = chosen;
        dev.vk.GetImageSubresourceLayout = plane_layout;
        dev.vk.GetPhysicalDeviceFormatProperties = format_properties;
        dev.vk.GetPhysicalDeviceFormatProperties2 = format_properties2;
        dev.vk.GetPhysicalDeviceImageFormatProperties2 = image_format_properties2;
        dev.vk.CreateImage = create_image;
        dev.vk.DestroyImage = destroy_image;
        dev.vk.DestroyBuffer = [](VkDevice, VkBuffer, const VkAllocationCallbacks *) {};
        dev.vk.GetImageMemoryRequirements = requirements;
        dev.vk.GetMemoryFdProperties = fd_properties;
        dev.vk.AllocateMemory = allocate;
        dev.vk.FreeMemory = free_memory;
        dev.vk.BindImageMemory = bind;
        dev.memory.memoryTypeCount = 2;
        dev.has.dma_buf = dev.has.foreign_queue = true;
        dev.queue_family = 7;
        dev.mem = std::make_unique<magma::memory_manager>(dev);
        dev.trash = std::make_unique<magma::trash_can>(dev);
        group.dev = &dev;
        memory = memfd_create("dma-buf", MFD_CLOEXEC);
        REQUIRE(ftruncate(memory, 64 * 64 * 4) == 0);
    }
    ~Host() { close(memory); }

    pipe_resource_import call(uint32_t fourcc, uint64_t modifier) const {
        pipe_resource_import p{};
        p.desc.resource = {1, 1};
        p.desc.target = PIPE_TEXTURE_2D;
        p.desc.format = static_cast<decltype(p.desc.format)>(pipe_format_of_fourcc(fourcc));
        p.desc.width = 32, p.desc.height = 16;
        p.desc.depth = p.desc.layers = p.desc.levels = 1;
        p.fourcc = fourcc;
        p.num_planes = 1;
        p.modifier = modifier;
        p.offset[0] = 256;
        p.stride[0] = 128;
        p.fd[0] = memory;
        return p;
    }
    pipe_status import(const pipe_resource_import &p) { return resource_import(&group, &p); }
};

pipe_resource_export wish(std::vector<uint64_t> modifiers) {
    pipe_resource_export p{};
    p.desc.resource = {1, 1};
    p.desc.target = PIPE_TEXTURE_2D;
    p.desc.format = PIPE_FORMAT_B8G8R8A8_UNORM;
    p.desc.width = 32, p.desc.height = 16;
    p.desc.depth = p.desc.layers = p.desc.levels = 1;
    p.num_modifiers = uint32_t(modifiers.size());
    std::copy(modifiers.begin(), modifiers.end(), p.modifier);
    return p;
}

bool open_descriptor(int fd) {
    return fcntl(fd, F_GETFD) >= 0;
}

} // namespace

TEST_CASE("formats are those that can be drawn to and sampled") {
    Host h;
    pipe_dmabuf_formats p{};
    pipe_dmabuf_formats_reply out{};
    REQUIRE(dmabuf_formats(&h.group, &p, &out) == PIPE_OK);
    // ARGB and XRGB of two modifiers each: the third modifier cannot, the host has no other format.
    REQUIRE(out.count == 4);
    CHECK(out.total == 4);
    const auto has = [&](uint32_t fourcc, uint64_t modifier) {
        return std::any_of(out.pair, out.pair + out.count, [&](const pipe_dmabuf_format &f) {
            return f.fourcc == fourcc && f.modifier == modifier && f.num_planes == 1;
        });
    };
    CHECK(has(argb, 0));
    CHECK(has(argb, tiled));
    CHECK(has(xrgb, tiled));
    CHECK_FALSE(has(argb, 99));
    p.first = 3;
    REQUIRE(dmabuf_formats(&h.group, &p, &out) == PIPE_OK);
    CHECK(out.count == 1);
    CHECK(out.total == 4);
}

TEST_CASE("an import is the image that was described, in memory of its own") {
    Host h;
    REQUIRE(h.import(h.call(argb, tiled)) == PIPE_OK);
    CHECK(seen.image.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
    CHECK(seen.image.format == VK_FORMAT_B8G8R8A8_UNORM);
    CHECK(seen.image.extent.width == 32);
    CHECK(seen.image.extent.height == 16);
    CHECK_FALSE(seen.image.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
    CHECK(seen.modifier == tiled);
    CHECK(seen.plane.offset == 256);
    CHECK(seen.plane.rowPitch == 128);
    CHECK(seen.plane.size == 0); // as the specification wants it
    CHECK(seen.allocated == 4096);
    CHECK(seen.alone == (VkImage)(handles - 1));
    CHECK(seen.descriptor != h.memory);
    CHECK(open_descriptor(seen.descriptor)); // the host's now
    CHECK(open_descriptor(h.memory));
    close(seen.descriptor);
    const magma::resource_ref r = h.group.find_resource({1, 1});
    REQUIRE(r);
    CHECK(r->st()->foreign == VK_QUEUE_FAMILY_FOREIGN_EXT);
    CHECK(r->st()->layout == VK_IMAGE_LAYOUT_GENERAL);
    // An X format is the A format whose alpha nobody looks at.
    pipe_resource_import x = h.call(xrgb, 0);
    x.desc.resource = {2, 1};
    REQUIRE(h.import(x) == PIPE_OK);
    close(seen.descriptor);
    CHECK(seen.image.format == VK_FORMAT_B8G8R8A8_UNORM);
    CHECK(h.group.find_resource({2, 1})->format->no_alpha);
}

TEST_CASE("no modifier is linear") {
    Host h;
    REQUIRE(h.import(h.call(argb, pipe_modifier_none)) == PIPE_OK);
    close(seen.descriptor);
    CHECK(seen.modifier == 0);
}

TEST_CASE("what cannot be imported") {
    Host h;
    CHECK(h.import(h.call(argb, 99)) == PIPE_DECLINED);
    CHECK(h.import(h.call(pipe_fourcc('R', 'G', '1', '6'), 0)) == PIPE_DECLINED);
    pipe_resource_import p = h.call(argb, 0);
    p.desc.format = PIPE_FORMAT_R8G8B8A8_UNORM; // not what the name says
    CHECK(h.import(p) == PIPE_DECLINED);
    p = h.call(argb, 0);
    p.num_planes = 2;
    CHECK(h.import(p) == PIPE_DECLINED);
    p = h.call(argb, 0);
    p.stride[0] = 64 * 1024;
    CHECK(h.import(p) == PIPE_ERROR);
    p = h.call(argb, tiled);
    p.desc.width = 65; // more than the host has
    CHECK(h.import(p) == PIPE_ERROR);
    p = h.call(argb, tiled);
    p.fd[0] = -1;
    CHECK(h.import(p) == PIPE_ERROR);
    CHECK(seen.allocated == 0);
    allocation_result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
    CHECK(h.import(h.call(argb, tiled)) == PIPE_ERROR);
    CHECK_FALSE(open_descriptor(seen.descriptor)); // it stayed ours
    CHECK_FALSE(magma::pending_failure().call);    // it is an answer
    CHECK_FALSE(h.group.find_resource({1, 1}));
}

TEST_CASE("a batch takes the image from the others and gives it back") {
    Host h;
    REQUIRE(h.import(h.call(argb, tiled)) == PIPE_OK);
    close(seen.descriptor);
    magma::storage &s = *h.group.find_resource({1, 1})->st();
    magma::use_tracker uses;
    magma::barrier_group main, early;
    for (int batch = 0; batch < 2; batch++) {
        uses.begin_batch();
        uses.use(s, magma::access_transfer_read(), true, main, early);
        uses.use(s, magma::access_color_attachment(s), true, main, early);
        std::vector<VkImageMemoryBarrier> taken, given;
        uses.settle_layouts(taken);
        REQUIRE(taken.size() == 1);
        CHECK(taken[0].srcQueueFamilyIndex == VK_QUEUE_FAMILY_FOREIGN_EXT);
        CHECK(taken[0].dstQueueFamilyIndex == 7);
        CHECK(taken[0].oldLayout == VK_IMAGE_LAYOUT_GENERAL);
        CHECK(taken[0].newLayout == VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        uses.give_back_foreign(given);
        REQUIRE(given.size() == 1);
        CHECK(given[0].srcQueueFamilyIndex == 7);
        CHECK(given[0].dstQueueFamilyIndex == VK_QUEUE_FAMILY_FOREIGN_EXT);
        CHECK(given[0].oldLayout == VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        CHECK(given[0].newLayout == VK_IMAGE_LAYOUT_GENERAL);
        uses.commit_layouts();
        CHECK(s.layout == VK_IMAGE_LAYOUT_GENERAL);
    }
    // The control: an image of our own is nobody else's.
    s.foreign = VK_QUEUE_FAMILY_IGNORED;
    s.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    uses.begin_batch();
    uses.use(s, magma::access_transfer_read(), true, main, early);
    std::vector<VkImageMemoryBarrier> none;
    uses.settle_layouts(none);
    uses.give_back_foreign(none);
    CHECK(none.empty());
}

TEST_CASE("an export is an image of a modifier that both sides have, and its memory") {
    Host h;
    pipe_resource_export p = wish({7, tiled, 99, 0});
    pipe_resource_export_reply out{};
    REQUIRE(resource_export(&h.group, &p, &out) == PIPE_OK);
    CHECK(seen.offered == std::vector<uint64_t>{0, tiled}); // 7 is not the host's, 99 cannot
    CHECK(seen.image.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
    CHECK(seen.image.extent.width == 32);
    CHECK(seen.image.usage & VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    CHECK(seen.alone);
    CHECK(out.modifier == tiled);
    CHECK(out.offset == 512);
    CHECK(out.stride == 256);
    CHECK(out.fd == 1234);
    const magma::resource_ref r = h.group.find_resource({1, 1});
    REQUIRE(r);
    CHECK(r->st()->memory.memory == seen.exported);
    CHECK(r->st()->foreign == VK_QUEUE_FAMILY_FOREIGN_EXT);
    // Nobody else has had it before the first batch, somebody has before the second.
    magma::use_tracker uses;
    magma::barrier_group main, early;
    for (int batch = 0; batch < 2; batch++) {
        uses.begin_batch();
        uses.use(*r->st(), magma::access_transfer_write(), true, main, early);
        std::vector<VkImageMemoryBarrier> taken, given;
        uses.settle_layouts(taken);
        REQUIRE(taken.size() == 1);
        CHECK(taken[0].oldLayout ==
              (batch ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED));
        CHECK(taken[0].srcQueueFamilyIndex ==
              (batch ? VK_QUEUE_FAMILY_FOREIGN_EXT : VK_QUEUE_FAMILY_IGNORED));
        uses.give_back_foreign(given);
        REQUIRE(given.size() == 1);
        CHECK(given[0].dstQueueFamilyIndex == VK_QUEUE_FAMILY_FOREIGN_EXT);
        uses.commit_layouts();
    }
}

TEST_CASE("what cannot be exported") {
    Host h;
    pipe_resource_export_reply out{};
    const auto ask = [&](const pipe_resource_export &p) {
        return resource_export(&h.group, &p, &out);
    };
    CHECK(ask(wish({7, 99})) == PIPE_DECLINED);
    pipe_resource_export p = wish({0});
    p.desc.width = 65; // more than the host has
    CHECK(ask(p) == PIPE_DECLINED);
    p = wish({0});
    p.desc.format = PIPE_FORMAT_R8G8B8A8_UNORM; // without modifiers
    CHECK(ask(p) == PIPE_DECLINED);
    features = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    CHECK(ask(wish({0})) == PIPE_DECLINED);
    features = both_ways;
    CHECK(seen.allocated == 0);
    allocation_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    CHECK(ask(wish({0})) == PIPE_DECLINED);
    allocation_result = VK_SUCCESS;
    descriptor_result = VK_ERROR_TOO_MANY_OBJECTS;
    CHECK(ask(wish({0})) == PIPE_DECLINED);
    CHECK_FALSE(magma::pending_failure().call); // it is an answer
    CHECK_FALSE(h.group.find_resource({1, 1}));
}
