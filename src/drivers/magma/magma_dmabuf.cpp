// SPDX-License-Identifier: MIT
// See magma_dmabuf.h.
#include "magma_dmabuf.h"

#include "magma_format.h"
#include "magma_resource.h"
#include "magma_screen.h"

#include "pipe/pipe_fourcc.h"
#include "util/log.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace magma {

namespace {

constexpr VkFormatFeatureFlags needed_features =
    VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT |
    VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags usage =
    VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
    VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr auto handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;

// What is stored has the bytes of what was asked for, but for an alpha that is not looked at.
bool same_bytes(uint32_t asked, uint32_t stored) {
    const pipe_format_desc &a = *pipe_format_describe(asked), &b = *pipe_format_describe(stored);
    if (a.block_bytes != b.block_bytes || a.layout != b.layout)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (a.channel_of[i] != b.channel_of[i])
            return false;
    return true;
}

// The largest image of a format and modifier for that use of its memory; 0, 0 where there is none.
VkExtent2D largest(host_device &dev, VkFormat format, uint64_t modifier,
                   VkExternalMemoryFeatureFlags use = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) {
    VkPhysicalDeviceImageDrmFormatModifierInfoEXT layout = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT};
    layout.drmFormatModifier = modifier;
    layout.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    VkPhysicalDeviceExternalImageFormatInfo external = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, &layout, handle_type};
    VkPhysicalDeviceImageFormatInfo2 info = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                             &external};
    info.format = format;
    info.type = VK_IMAGE_TYPE_2D;
    info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    info.usage = usage;
    VkExternalImageFormatProperties can = {VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
    VkImageFormatProperties2 props = {VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, &can};
    if (VK_ASK(&dev, GetPhysicalDeviceImageFormatProperties2(dev.physical, &info, &props)) !=
            VK_SUCCESS ||
        !(can.externalMemoryProperties.externalMemoryFeatures & use))
        return {};
    return {props.imageFormatProperties.maxExtent.width,
            props.imageFormatProperties.maxExtent.height};
}

std::vector<VkDrmFormatModifierPropertiesEXT> modifiers_of(host_device &dev, VkFormat format) {
    VkDrmFormatModifierPropertiesListEXT list = {
        VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
    VkFormatProperties2 props = {VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &list};
    dev.vk.GetPhysicalDeviceFormatProperties2(dev.physical, format, &props);
    std::vector<VkDrmFormatModifierPropertiesEXT> modifiers(list.drmFormatModifierCount);
    list.pDrmFormatModifierProperties = modifiers.data();
    if (!modifiers.empty())
        dev.vk.GetPhysicalDeviceFormatProperties2(dev.physical, format, &props);
    modifiers.resize(std::min<size_t>(modifiers.size(), list.drmFormatModifierCount));
    return modifiers;
}

void add_modifiers(host_device &dev, uint32_t fourcc, VkFormat format) {
    for (const VkDrmFormatModifierPropertiesEXT &m : modifiers_of(dev, format))
        if ((m.drmFormatModifierTilingFeatures & needed_features) == needed_features &&
            m.drmFormatModifierPlaneCount <= 4 && largest(dev, format, m.drmFormatModifier).width)
            dev.dmabuf_formats.push_back(
                {fourcc, m.drmFormatModifierPlaneCount, m.drmFormatModifier});
}

const std::vector<pipe_dmabuf_format> &formats(host_device &dev) {
    const std::lock_guard lock(dev.dmabuf_mutex);
    if (!dev.dmabuf_asked)
        for (const pipe_fourcc_row &row : pipe_fourcc_rows()) {
            const format_info &f = format_of(dev, row.format);
            if (f.vk != VK_FORMAT_UNDEFINED && same_bytes(row.format, f.stored))
                add_modifiers(dev, row.fourcc, f.vk);
        }
    dev.dmabuf_asked = true;
    return dev.dmabuf_formats;
}

// Descriptors of one and the same dma-buf: planes of several would need an image whose planes are
// bound apart.
bool one_memory(const pipe_resource_import &p, uint64_t *size) {
    struct stat first, other;
    if (fstat(p.fd[0], &first))
        return false;
    for (uint32_t i = 1; i < p.num_planes; i++)
        if (fstat(p.fd[i], &other) || other.st_ino != first.st_ino || other.st_dev != first.st_dev)
            return false;
    const off_t end = lseek(p.fd[0], 0, SEEK_END);
    *size = end > 0 ? uint64_t(end) : 0;
    return true;
}

// Without one it is zero (EGL_EXT_image_dma_buf_import_modifiers).
uint64_t modifier_of(const pipe_resource_import &p) {
    return p.modifier == pipe_modifier_none ? pipe_modifier_linear : p.modifier;
}

// One level of an image that others have, too; `layout` says how it lies in memory.
VkImageCreateInfo image_of(const pipe_resource_desc &desc, const format_info &f,
                           const VkExternalMemoryImageCreateInfo *layout) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, layout};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = f.vk;
    info.extent = {desc.width, desc.height, 1};
    info.mipLevels = info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    info.usage = usage;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    return info;
}

storage_ref make_storage(host_device &dev, const pipe_resource_import &p, const format_info &f,
                         VkResult &result) {
    VkSubresourceLayout planes[4] = {};
    for (uint32_t i = 0; i < p.num_planes; i++) {
        planes[i].offset = p.offset[i];
        planes[i].rowPitch = p.stride[i];
    }
    VkImageDrmFormatModifierExplicitCreateInfoEXT layout = {
        VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT};
    layout.drmFormatModifier = modifier_of(p);
    layout.drmFormatModifierPlaneCount = p.num_planes;
    layout.pPlaneLayouts = planes;
    VkExternalMemoryImageCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                                                &layout, handle_type};
    return import_image_storage(dev, image_of(p.desc, f, &external), f.aspects, p.fd[0], result);
}

// Those of the modifiers that the host has for such an image, of one plane.
std::vector<uint64_t> usable(host_device &dev, const pipe_resource_export &p, VkFormat format) {
    constexpr VkFormatFeatureFlags needed = needed_features | VK_FORMAT_FEATURE_BLIT_DST_BIT;
    std::vector<uint64_t> out;
    for (const VkDrmFormatModifierPropertiesEXT &m : modifiers_of(dev, format)) {
        if (m.drmFormatModifierPlaneCount != 1 ||
            (m.drmFormatModifierTilingFeatures & needed) != needed ||
            !std::count(p.modifier, p.modifier + p.num_modifiers, m.drmFormatModifier))
            continue;
        const VkExtent2D most = largest(dev, format, m.drmFormatModifier,
                                        VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT);
        if (p.desc.width <= most.width && p.desc.height <= most.height)
            out.push_back(m.drmFormatModifier);
    }
    return out;
}

storage_ref make_exported(host_device &dev, const pipe_resource_export &p, const format_info &f,
                          const std::vector<uint64_t> &modifiers, VkResult &result) {
    VkImageDrmFormatModifierListCreateInfoEXT list = {
        VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT};
    list.drmFormatModifierCount = uint32_t(modifiers.size());
    list.pDrmFormatModifiers = modifiers.data();
    VkExternalMemoryImageCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
                                                &list, handle_type};
    return create_exported_storage(dev, image_of(p.desc, f, &external), f.aspects, result);
}

// What others must know of the image, and a descriptor of its memory.
VkResult tell(host_device &dev, const storage &s, pipe_resource_export_reply *out) {
    VkImageDrmFormatModifierPropertiesEXT chosen = {
        VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_PROPERTIES_EXT};
    VkResult result =
        VK_ASK(&dev, GetImageDrmFormatModifierProperties(dev.device, s.image, &chosen));
    if (result != VK_SUCCESS)
        return result;
    const VkImageSubresource plane = {VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT, 0, 0};
    VkSubresourceLayout layout = {};
    dev.vk.GetImageSubresourceLayout(dev.device, s.image, &plane, &layout);
    out->modifier = chosen.drmFormatModifier;
    out->offset = uint32_t(layout.offset);
    out->stride = uint32_t(layout.rowPitch);
    VkMemoryGetFdInfoKHR get = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, s.memory.memory,
                                handle_type};
    return VK_ASK(&dev, GetMemoryFd(dev.device, &get, &out->fd));
}

} // namespace

pipe_status resource_import(pipe_screen *ps, const pipe_resource_import *p) {
    share_group &s = screen_of(ps);
    host_device &dev = *s.dev;
    const std::vector<pipe_dmabuf_format> &list = formats(dev);
    const bool taken = std::any_of(list.begin(), list.end(), [&](const pipe_dmabuf_format &f) {
        return f.fourcc == p->fourcc && f.modifier == modifier_of(*p) &&
               f.num_planes == p->num_planes;
    });
    if (!taken || p->desc.format != pipe_format_of_fourcc(p->fourcc)) {
        log_info("magma", "no image of a dma-buf of format 0x%08x and modifier 0x%llx", p->fourcc,
                 (unsigned long long)p->modifier);
        return PIPE_DECLINED;
    }
    const format_info &f = format_of(dev, p->desc.format);
    const VkExtent2D most = largest(dev, f.vk, modifier_of(*p));
    uint64_t size = 0;
    if (!one_memory(*p, &size) || !pipe_import_fits(*p, size) || p->desc.width > most.width ||
        p->desc.height > most.height)
        return PIPE_ERROR;
    VkResult result = VK_SUCCESS;
    const attempt trial;
    auto r = std::make_shared<resource>();
    r->dev = &dev;
    r->desc = p->desc;
    r->format = &f;
    r->store = make_storage(dev, *p, f, result);
    if (!r->store) {
        trial.got_by(); // it is the caller's to say
        log_info("magma", "the host refuses the memory of a dma-buf: %s", result_name(result));
        return PIPE_ERROR;
    }
    const std::lock_guard lock(s.mutex);
    s.resources.put(p->desc.resource, std::move(r));
    return PIPE_OK;
}

pipe_status resource_export(pipe_screen *ps, const pipe_resource_export *p,
                            pipe_resource_export_reply *out) {
    share_group &s = screen_of(ps);
    host_device &dev = *s.dev;
    *out = {};
    const format_info &f = format_of(dev, p->desc.format);
    if (f.vk == VK_FORMAT_UNDEFINED || !same_bytes(p->desc.format, f.stored))
        return PIPE_DECLINED;
    const std::vector<uint64_t> modifiers = usable(dev, *p, f.vk);
    if (modifiers.empty())
        return PIPE_DECLINED;
    const attempt trial;
    VkResult result = VK_SUCCESS;
    auto r = std::make_shared<resource>();
    r->dev = &dev;
    r->desc = p->desc;
    r->format = &f;
    r->store = make_exported(dev, *p, f, modifiers, result);
    if (r->store)
        result = tell(dev, *r->store.get(), out);
    if (result != VK_SUCCESS) {
        trial.got_by(); // frames go another way
        log_info("magma", "the host makes no dma-buf of %ux%u: %s", p->desc.width, p->desc.height,
                 result_name(result));
        return PIPE_DECLINED;
    }
    const std::lock_guard lock(s.mutex);
    s.resources.put(p->desc.resource, std::move(r));
    return PIPE_OK;
}

pipe_status dmabuf_formats(pipe_screen *ps, const pipe_dmabuf_formats *p,
                           pipe_dmabuf_formats_reply *out) {
    const std::vector<pipe_dmabuf_format> &list = formats(*screen_of(ps).dev);
    *out = {};
    out->total = uint32_t(list.size());
    for (size_t i = p->first; i < list.size() && out->count < std::size(out->pair); i++)
        out->pair[out->count++] = list[i];
    return PIPE_OK;
}

} // namespace magma
