// SPDX-License-Identifier: MIT
// Resources: storage is made at creation; a refusal marks the twin bad and raises one
// GL_OUT_OF_MEMORY.
#include "magma_resource.h"

#include "magma_context.h"
#include "magma_query.h"
#include "magma_trash.h"
#include "util/log.h"

#include <algorithm>

namespace magma {

namespace {

VkImageType image_type(uint8_t target) {
    switch (target) {
    case PIPE_TEXTURE_1D:
    case PIPE_TEXTURE_1D_ARRAY: return VK_IMAGE_TYPE_1D;
    case PIPE_TEXTURE_3D: return VK_IMAGE_TYPE_3D;
    default: return VK_IMAGE_TYPE_2D;
    }
}

// Fills the description of the image of a texture.
VkImageCreateInfo image_info(host_device &dev, const pipe_resource_desc &d, const format_info &f) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = image_type(d.target);
    info.format = f.vk;
    info.extent = {std::max(d.width, 1u), std::max(d.height, 1u), std::max(d.depth, 1u)};
    if (info.imageType != VK_IMAGE_TYPE_3D)
        info.extent.depth = 1;
    if (info.imageType == VK_IMAGE_TYPE_1D)
        info.extent.height = 1;
    info.mipLevels = std::max<uint32_t>(d.levels, 1);
    info.arrayLayers = info.imageType == VK_IMAGE_TYPE_3D ? 1 : std::max(d.layers, 1u);
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    if (d.samples > 1) {
        VkSampleCountFlags have = sample_counts(dev, f);
        uint32_t s = 1;
        while (s < d.samples)
            s *= 2;
        while (s < 64 && !(have & s))
            s *= 2;
        info.samples = have & s ? VkSampleCountFlagBits(s) : VK_SAMPLE_COUNT_1_BIT;
    }
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (f.features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)
        info.usage |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (f.features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT)
        info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (f.features & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)
        info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    const bool multisampled = info.samples != VK_SAMPLE_COUNT_1_BIT;
    if ((f.features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) && d.target != PIPE_RENDERBUFFER &&
        (!multisampled || dev.has.core.shaderStorageImageMultisample))
        info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
    if (f.aspects & VK_IMAGE_ASPECT_COLOR_BIT) // blocks, too, have views, decoded and not
        info.flags |= VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
    if (info.flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT && f.vk != f.vk_linear)
        info.flags |= VK_IMAGE_CREATE_EXTENDED_USAGE_BIT; // storage through the linear twin
    if (info.imageType == VK_IMAGE_TYPE_2D && info.extent.width == info.extent.height &&
        info.arrayLayers >= 6 && !multisampled)
        info.flags |= VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    if (info.imageType == VK_IMAGE_TYPE_3D)
        info.flags |= VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
    return info;
}

// Gives `r` a storage of its own as its description says.
void make_storage(context &c, resource &r) {
    VkResult result = VK_SUCCESS;
    const pipe_resource_desc &d = r.desc;
    if (d.target == PIPE_BUFFER) {
        r.store = create_buffer_storage(c.dev, d.size, all_buffer_usages(c.dev), memory_use::device,
                                        result);
    } else {
        r.format = &format_of(c.dev, d.format);
        if (r.format->stored == PIPE_FORMAT_NONE) {
            result = VK_ERROR_FORMAT_NOT_SUPPORTED;
        } else {
            if (!r.format->exact)
                emulated(emulation::wide_format);
            VkImageCreateInfo info = image_info(c.dev, d, *r.format);
            r.store = create_image_storage(c.dev, info, r.format->aspects, result);
        }
    }
    if (result != VK_SUCCESS) {
        r.bad = true;
        c.scr.gl_error(c.lane, gl_out_of_memory,
                       "no memory for resource %u (%s %ux%ux%u, %llu bytes): %s", d.gl_name,
                       pipe_format_name(d.format), d.width, d.height, d.depth,
                       (unsigned long long)d.size, result_name(result));
    }
}

resource_ref make_resource(context &c, const pipe_resource_desc &d) {
    auto r = std::make_shared<resource>();
    r->dev = &c.dev;
    r->desc = d;
    if (d.target == PIPE_TEXTURE_BUFFER) {
        r->format = &format_of(c.dev, d.format);
        r->owner = c.find(d.buffer);
    } else if (d.flags & PIPE_RESOURCE_VIEW) {
        r->owner = c.find(d.view_of);
        r->format = &format_of(c.dev, d.format);
        const storage *s = r->owner ? r->owner->st() : nullptr;
        // An image of others has one format.
        const bool foreign = s && s->is_foreign() && s->format != r->format->vk;
        if (!r->owner || r->owner->bad || r->format->stored == PIPE_FORMAT_NONE || foreign) {
            r->bad = true;
        } else {
            r->store = r->owner->store;
            r->min_level = r->owner->min_level + d.view_min_level;
            r->min_layer = r->owner->min_layer + d.view_min_layer;
        }
    } else {
        make_storage(c, *r);
    }
    return r;
}

// Copies the levels of `mask` from one storage to another of the same format.
void keep_levels(context &c, resource &to, resource &from, uint32_t mask) {
    if (!to.store || !from.store || !to.st()->is_image() || !from.st()->is_image() || !c.begin())
        return;
    c.end_pass();
    c.rec.use(*from.st(), access_transfer_read());
    c.rec.use(*to.st(), access_transfer_write());
    VkCommandBuffer cmd = c.rec.main();
    for (uint32_t level = 0; level < std::min(to.levels(), from.levels()); ++level) {
        if (!(mask & 1u << level))
            continue;
        VkExtent3D e = to.level_extent(level), o = from.level_extent(level);
        VkImageCopy copy = {};
        copy.srcSubresource = {from.st()->aspects, level, 0,
                               std::min(to.st()->layers, from.st()->layers)};
        copy.dstSubresource = copy.srcSubresource;
        copy.extent = {std::min(e.width, o.width), std::min(e.height, o.height),
                       std::min(e.depth, o.depth)};
        c.dev.vk.CmdCopyImage(cmd, from.st()->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                              to.st()->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    }
    c.dirty |= dirty_uses;
}

} // namespace

resource::~resource() {
    if (dev)
        images.drop(*dev);
}

VkExtent3D resource::level_extent(uint32_t level) const {
    auto shrink = [&](uint32_t v) { return std::max(v >> level, 1u); };
    VkExtent3D e = {shrink(std::max(desc.width, 1u)), shrink(std::max(desc.height, 1u)),
                    shrink(std::max(desc.depth, 1u))};
    if (desc.target == PIPE_TEXTURE_1D || desc.target == PIPE_TEXTURE_1D_ARRAY)
        e.height = 1;
    if (desc.target != PIPE_TEXTURE_3D)
        e.depth = 1;
    return e;
}

void resource_create(pipe_context *ctx, const pipe_resource_create *p) {
    context &c = ctx_of(ctx);
    resource_ref r = make_resource(c, p->desc);
    std::lock_guard lock(c.scr.mutex);
    c.scr.resources.put(p->desc.resource, std::move(r));
}

void resource_respecify(pipe_context *ctx, const pipe_resource_respecify *p) {
    context &c = ctx_of(ctx);
    resource_ref old = c.find(p->desc.resource);
    resource_ref fresh = make_resource(c, p->desc);
    if (!old) {
        std::lock_guard lock(c.scr.mutex);
        c.scr.resources.put(p->desc.resource, std::move(fresh));
        return;
    }
    if (p->keep_levels && fresh->store && old->store)
        keep_levels(c, *fresh, *old, p->keep_levels);
    // The twin stays, so that bindings that hold it see the new storage.
    std::lock_guard lock(c.scr.mutex);
    old->desc = fresh->desc;
    old->format = fresh->format;
    old->store = std::move(fresh->store);
    old->owner = std::move(fresh->owner);
    old->min_level = fresh->min_level;
    old->min_layer = fresh->min_layer;
    old->bad = fresh->bad;
    c.scr.store_epoch.fetch_add(1);
}

void resource_destroy(pipe_context *ctx, const pipe_resource_destroy *p) {
    context &c = ctx_of(ctx);
    resource_ref gone;
    std::lock_guard lock(c.scr.mutex);
    gone = c.scr.resources.take(p->resource);
}

void resource_invalidate(pipe_context *, const pipe_resource_invalidate *) {
    // A hint: contents may stay as they are.
}

void destroy_object(pipe_context *ctx, const pipe_destroy_object *p) {
    context &c = ctx_of(ctx);
    switch (p->kind) {
    case PIPE_HANDLE_FRAMEBUFFER: c.framebuffers.take(p->object); break;
    case PIPE_HANDLE_QUERY: c.queries.take(p->object); break;
    case PIPE_HANDLE_STREAM_OUTPUT: c.stream_outputs.take(p->object); break;
    default: log_debug("magma", "destroy_object of kind %u is not known", p->kind); break;
    }
}

} // namespace magma
