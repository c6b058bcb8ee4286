// SPDX-License-Identifier: MIT
// Uploads and buffer transfers.
#include "magma_transfer.h"

#include "drivers_common/format_convert.h"
#include "magma_context.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace magma {

static util::Counter count_copied("magma.upload_copied",
                                  "bytes of uploads copied into memory that the GPU reads");

access access_transfer_both() {
    return {VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_IMAGE_LAYOUT_GENERAL,
            true};
}

VkCommandBuffer begin_transfer(context &c, std::initializer_list<transfer_use> uses) {
    if (!c.begin())
        return VK_NULL_HANDLE;
    bool early = true;
    for (const transfer_use &u : uses)
        early &= c.rec.uses.early_allowed(*u.s);
    if (!early)
        c.end_pass();
    for (const transfer_use &u : uses)
        c.rec.use(*u.s, u.a, !early);
    c.rec.count(1);
    if (early)
        return c.rec.early();
    c.dirty |= dirty_uses;
    return c.rec.main();
}

namespace {

// Replaces the storage of a buffer whose old contents are not needed, so that the write need not
// wait for the GPU.
bool rename_buffer(context &c, resource &r) {
    VkResult result;
    attempt rename; // without it the write waits
    storage_ref fresh = create_buffer_storage(c.dev, r.desc.size, all_buffer_usages(c.dev),
                                              memory_use::device, result);
    rename.got_by();
    if (!fresh)
        return false;
    std::lock_guard lock(c.scr.mutex);
    r.store = std::move(fresh);
    c.scr.store_epoch.fetch_add(1);
    return true;
}

VkImageAspectFlags vk_aspects(const resource &r, uint8_t aspects) {
    if (r.format->aspects & VK_IMAGE_ASPECT_COLOR_BIT)
        return VK_IMAGE_ASPECT_COLOR_BIT;
    VkImageAspectFlags out = 0;
    if (aspects & PIPE_ASPECT_DEPTH)
        out |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (aspects & PIPE_ASPECT_STENCIL)
        out |= VK_IMAGE_ASPECT_STENCIL_BIT;
    const pipe_format_desc &d = *pipe_format_describe(r.format->asked);
    VkImageAspectFlags asked = (d.is_depth ? VK_IMAGE_ASPECT_DEPTH_BIT : 0) |
                               (d.is_stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
    out &= r.format->aspects & asked;
    return out ? out : r.format->aspects & asked;
}

VkBufferImageCopy copy_info(const resource &r, const texel_box &w, VkImageAspectFlags aspect,
                            VkDeviceSize offset) {
    VkBufferImageCopy copy = {};
    copy.bufferOffset = offset;
    copy.imageSubresource = {aspect, r.min_level + w.level, 0, 1};
    copy.imageOffset = {w.box.x, w.box.y, 0};
    copy.imageExtent = {uint32_t(w.box.width), uint32_t(w.box.height), 1};
    if (r.is_3d()) {
        copy.imageOffset.z = w.box.z;
        copy.imageExtent.depth = uint32_t(w.box.depth);
    } else {
        copy.imageSubresource.baseArrayLayer = r.min_layer + uint32_t(w.box.z);
        copy.imageSubresource.layerCount = uint32_t(w.box.depth);
    }
    return copy;
}

bool inside(const resource &r, const texel_box &w) {
    const pipe_box &b = w.box;
    if (w.level >= r.levels() || b.x < 0 || b.y < 0 || b.z < 0 || b.width <= 0 || b.height <= 0 ||
        b.depth <= 0)
        return false;
    VkExtent3D e = r.level_extent(w.level);
    uint32_t depth = r.is_3d() ? e.depth : r.layers();
    return uint64_t(b.x) + b.width <= e.width && uint64_t(b.y) + b.height <= e.height &&
           uint64_t(b.z) + b.depth <= depth;
}

struct packed_size {
    uint64_t row, slice;
};

packed_size packed(uint32_t format, uint32_t width, uint32_t height) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    uint64_t row = uint64_t((width + d.block_width - 1) / d.block_width) * d.block_bytes;
    return {row, row * ((height + d.block_height - 1) / d.block_height)};
}

VkDeviceSize copy_alignment(uint32_t format) {
    return std::max<VkDeviceSize>(pipe_format_describe(format)->block_bytes, 1) * 4;
}

bool ensure_readback(context &c, VkDeviceSize size) {
    if (c.readback && c.readback->size >= size)
        return true;
    VkResult result;
    c.readback =
        create_buffer_storage(c.dev, std::max<VkDeviceSize>(size, 64 << 10),
                              VK_BUFFER_USAGE_TRANSFER_DST_BIT, memory_use::readback, result);
    if (!c.readback || !c.readback->memory.map) {
        c.readback = {};
        return false;
    }
    return true;
}

// Submits what was recorded into the read-back buffer and waits for it.
bool wait_readback(context &c) {
    c.end_pass();
    c.rec.use(*c.readback.get(), access_host_read());
    token_ref token = c.rec.token();
    return c.flush() && token->wait(UINT64_MAX) && !c.dev.lost && !token->failed;
}

} // namespace

bool write_buffer(context &c, resource &r, uint64_t offset, uint64_t size, const void *src,
                  uint32_t flags, const stage_memory::slice *staged) {
    if (!r.store || offset > r.st()->size || size > r.st()->size - offset)
        return false;
    if (!size)
        return true;
    c.relieve();
    if (!c.begin())
        return false;
    const bool whole = flags & PIPE_SUBDATA_DISCARD_WHOLE || (!offset && size == r.st()->size);
    if (whole && !r.st()->pinned && !c.rec.uses.early_allowed(*r.st()))
        rename_buffer(c, r);
    upload_slice s = staged ? c.rec.staged(*staged, size) : c.rec.upload(size, 16);
    if (!s.map)
        return false;
    if (!staged) {
        memcpy(s.map, src, size);
        count_copied.add(size);
    }
    VkCommandBuffer cmd = begin_transfer(c, {{r.st(), access_transfer_write()}});
    VkBufferCopy copy = {s.offset, offset, size};
    c.dev.vk.CmdCopyBuffer(cmd, s.buffer, r.st()->buffer, 1, &copy);
    return true;
}

// Texels that lie in a buffer of the host in the image's own format.
struct strided_source {
    VkBuffer buffer;
    uint64_t offset, row, slice;
};

// Whether the host can copy them as they are.
static bool copies_directly(const resource &r, const strided_source &from, const texel_box &w) {
    const pipe_format_desc &d = *pipe_format_describe(r.format->stored);
    return r.format->aspects & VK_IMAGE_ASPECT_COLOR_BIT && r.format->exact &&
           !(from.offset % d.block_bytes) && !(from.offset & 3) && !(from.row % d.block_bytes) &&
           from.row && (w.box.depth == 1 || !(from.slice % from.row));
}

static void copy_strided(context &c, resource &r, VkCommandBuffer cmd, const strided_source &from,
                         const texel_box &w) {
    const pipe_format_desc &d = *pipe_format_describe(r.format->stored);
    VkBufferImageCopy copy = copy_info(r, w, VK_IMAGE_ASPECT_COLOR_BIT, from.offset);
    copy.bufferRowLength = uint32_t(from.row / d.block_bytes * d.block_width);
    if (w.box.depth > 1)
        copy.bufferImageHeight = uint32_t(from.slice / from.row * d.block_height);
    c.dev.vk.CmdCopyBufferToImage(cmd, from.buffer, r.st()->image,
                                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
}

bool read_buffer(context &c, resource &r, uint64_t offset, uint64_t size, void *dst) {
    return r.store && read_buffer(c, *r.st(), offset, size, dst);
}

bool read_buffer(context &c, storage &s, uint64_t offset, uint64_t size, void *dst) {
    if (offset > s.size || size > s.size - offset || !ensure_readback(c, size))
        return false;
    if (!size)
        return true;
    VkCommandBuffer cmd = begin_transfer(
        c, {{&s, access_transfer_read()}, {c.readback.get(), access_transfer_write()}});
    if (!cmd)
        return false;
    VkBufferCopy copy = {offset, 0, size};
    c.dev.vk.CmdCopyBuffer(cmd, s.buffer, c.readback->buffer, 1, &copy);
    if (!wait_readback(c))
        return false;
    memcpy(dst, c.readback->memory.map, size);
    return true;
}

bool write_texels(context &c, resource &r, const texel_box &w, uint8_t aspects, const void *src,
                  uint64_t row_stride, uint64_t slice_stride) {
    if (!r.store || !r.st()->is_image() || r.st()->samples != VK_SAMPLE_COUNT_1_BIT ||
        !inside(r, w))
        return false;
    c.relieve();
    if (!c.begin())
        return false;
    const pipe_box &b = w.box;
    VkImageAspectFlags todo = vk_aspects(r, aspects);
    for (VkImageAspectFlags bit = 1; bit <= VK_IMAGE_ASPECT_STENCIL_BIT; bit <<= 1) {
        if (!(todo & bit))
            continue;
        uint32_t to = r.format->copy_format(bit);
        packed_size size = packed(to, uint32_t(b.width), uint32_t(b.height));
        upload_slice s = c.rec.upload(size.slice * uint32_t(b.depth), copy_alignment(to));
        if (!s.map)
            return false;
        drivers_common::texel_rect from = {const_cast<void *>(src), r.format->asked, row_stride,
                                           slice_stride};
        drivers_common::texel_rect out = {s.map, to, size.row, size.slice};
        if (!drivers_common::convert_texels(out, from, uint32_t(b.width), uint32_t(b.height),
                                            uint32_t(b.depth))) {
            log_error_once("magma", "no conversion from %s to %s",
                           pipe_format_name(r.format->asked), pipe_format_name(to));
            return false;
        }
        count_copied.add(size.slice * uint32_t(b.depth));
        VkCommandBuffer cmd = begin_transfer(c, {{r.st(), access_transfer_write()}});
        VkBufferImageCopy copy = copy_info(r, w, bit, s.offset);
        c.dev.vk.CmdCopyBufferToImage(cmd, s.buffer, r.st()->image,
                                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    }
    return true;
}

namespace {

// The image to copy from: the texture itself, or a resolved copy of a multisampled one.
storage_ref single_sampled(context &c, resource &r, const texel_box &w) {
    storage *s = r.st();
    if (s->samples == VK_SAMPLE_COUNT_1_BIT)
        return r.store;
    if (!(s->aspects & VK_IMAGE_ASPECT_COLOR_BIT))
        return {};
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = s->type;
    info.format = s->format;
    info.extent = s->extent;
    info.mipLevels = 1;
    info.arrayLayers = s->layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkResult result;
    storage_ref out = create_image_storage(c.dev, info, s->aspects, result);
    if (!out)
        return {};
    VkCommandBuffer cmd =
        begin_transfer(c, {{s, access_transfer_read()}, {out.get(), access_transfer_write()}});
    if (!cmd)
        return {};
    VkImageResolve region = {};
    region.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, r.min_layer + uint32_t(w.box.z),
                             uint32_t(w.box.depth)};
    region.dstSubresource = region.srcSubresource;
    region.extent = s->extent;
    c.dev.vk.CmdResolveImage(cmd, s->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out->image,
                             VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    return out;
}

// Converts one aspect that lies packed in the read-back buffer.
bool deliver(const resource &r, uint32_t from, const uint8_t *data, packed_size size,
             const pipe_box &b, uint32_t format, void *dst, uint64_t row_stride,
             uint64_t slice_stride) {
    const uint32_t w = uint32_t(b.width), h = uint32_t(b.height), d = uint32_t(b.depth);
    drivers_common::texel_rect in = {const_cast<uint8_t *>(data), from, size.row, size.slice};
    drivers_common::texel_rect out = {dst, format, row_stride, slice_stride};
    const pipe_format_desc &asked = *pipe_format_describe(r.format->asked);
    const bool color = !asked.is_depth && !asked.is_stencil;
    // Stored wider than asked: components that were not asked for read as their defaults.
    std::vector<uint8_t> narrow;
    if (color && from != r.format->asked && format != r.format->asked && from != format + 0u) {
        packed_size n = packed(r.format->asked, w, h);
        narrow.resize(n.slice * d);
        drivers_common::texel_rect mid = {narrow.data(), r.format->asked, n.row, n.slice};
        if (!drivers_common::convert_texels(mid, in, w, h, d))
            return false;
        in = mid;
    } else if (color && from != r.format->asked && from == format && r.format->no_alpha) {
        packed_size n = packed(r.format->asked, w, h);
        narrow.resize(n.slice * d);
        drivers_common::texel_rect mid = {narrow.data(), r.format->asked, n.row, n.slice};
        if (!drivers_common::convert_texels(mid, in, w, h, d))
            return false;
        in = mid;
    }
    return drivers_common::convert_texels(out, in, w, h, d);
}

} // namespace

bool read_texels(context &c, resource &r, const texel_box &w, uint8_t aspects, uint32_t format,
                 void *dst, uint64_t row_stride, uint64_t slice_stride) {
    if (!r.store || !r.st()->is_image() || !inside(r, w) || !c.begin())
        return false;
    storage_ref from = single_sampled(c, r, w);
    if (!from)
        return false;
    const pipe_format_desc &want = *pipe_format_describe(format);
    VkImageAspectFlags todo = vk_aspects(r, aspects);
    if (want.is_depth || want.is_stencil) {
        if (!want.is_depth)
            todo &= ~VkImageAspectFlags(VK_IMAGE_ASPECT_DEPTH_BIT);
        if (!want.is_stencil)
            todo &= ~VkImageAspectFlags(VK_IMAGE_ASPECT_STENCIL_BIT);
    }
    const pipe_box &b = w.box;
    bool ok = todo != 0;
    for (VkImageAspectFlags bit = 1; bit <= VK_IMAGE_ASPECT_STENCIL_BIT && ok; bit <<= 1) {
        if (!(todo & bit))
            continue;
        uint32_t copied = r.format->copy_format(bit);
        packed_size size = packed(copied, uint32_t(b.width), uint32_t(b.height));
        if (!ensure_readback(c, size.slice * uint32_t(b.depth)))
            return false;
        VkCommandBuffer cmd = begin_transfer(
            c, {{from.get(), access_transfer_read()}, {c.readback.get(), access_transfer_write()}});
        if (!cmd)
            return false;
        VkBufferImageCopy copy = copy_info(r, w, bit, 0);
        c.dev.vk.CmdCopyImageToBuffer(cmd, from->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                      c.readback->buffer, 1, &copy);
        if (!wait_readback(c))
            return false;
        ok = deliver(r, copied, c.readback->memory.map, size, b, format, dst, row_stride,
                     slice_stride);
    }
    if (!ok)
        log_error_once("magma", "read-back of %s as %s failed", pipe_format_name(r.desc.format),
                       pipe_format_name(format));
    return ok;
}

// Texels that whoever made the record wrote into memory of ours. False: they need a conversion.
static bool write_in_place(context &c, resource &r, const texel_box &w,
                           const stage_memory::slice &staged, const pipe_region &g) {
    if (!r.store || !r.st()->is_image() || r.st()->samples != VK_SAMPLE_COUNT_1_BIT ||
        !inside(r, w))
        return false;
    strided_source from = {VK_NULL_HANDLE, staged.offset + g.offset, g.row_stride, g.slice_stride};
    c.relieve();
    const packed_size tight =
        packed(r.format->asked, uint32_t(w.box.width), uint32_t(w.box.height));
    const uint64_t bytes = g.slice_stride * uint64_t(w.box.depth - 1) +
                           g.row_stride * (tight.slice / tight.row - 1) + tight.row;
    if (!copies_directly(r, from, w) || g.offset + bytes > staged.size || !c.begin())
        return false;
    from.buffer = c.rec.staged(staged, bytes).buffer;
    VkCommandBuffer cmd = begin_transfer(c, {{r.st(), access_transfer_write()}});
    if (cmd)
        copy_strided(c, r, cmd, from, w);
    return cmd != VK_NULL_HANDLE;
}

void resource_subdata(pipe_context *ctx, const pipe_resource_subdata *p, const pipe_region *regions,
                      const pipe_host_span *data) {
    context &c = ctx_of(ctx);
    stage_memory::slice staged;
    if (data && data->seg == PIPE_SEG_DRIVER)
        staged = c.scr.stage.take(data->offset);
    if (staged.chunk) { // the bytes may begin behind the start
        const auto *start = staged.chunk->buffer->memory.map + staged.offset;
        const auto lead = uint64_t(static_cast<const uint8_t *>(data->ptr) - start);
        staged.offset += lead;
        staged.size -= lead;
    }
    resource_ref r = c.find(p->resource);
    if (!r || r->bad || !data || !data->ptr)
        return;
    if (r->is_buffer()) {
        if (p->size <= data->size)
            write_buffer(c, *r, p->offset, p->size, data->ptr, p->flags,
                         staged.chunk ? &staged : nullptr);
        return;
    }
    const uint8_t *base = static_cast<const uint8_t *>(data->ptr);
    for (uint32_t i = 0; i < p->num_regions; ++i) {
        const pipe_region &g = regions[i];
        if (staged.chunk && write_in_place(c, *r, {p->level, g.box}, staged, g))
            continue;
        if (g.offset < data->size)
            write_texels(c, *r, {p->level, g.box}, p->aspect, base + g.offset, g.row_stride,
                         g.slice_stride);
    }
}

pipe_status resource_readback(pipe_context *ctx, const pipe_resource_readback *p,
                              const pipe_out_span *dst) {
    context &c = ctx_of(ctx);
    resource_ref r = c.find(p->resource);
    if (!r || r->bad || dst->size < p->size)
        return PIPE_ERROR;
    const bool ok = read_buffer(c, *r, p->offset, p->size, dst->ptr);
    c.report();
    return ok ? PIPE_OK : PIPE_ERROR;
}

void clear_buffer(pipe_context *ctx, const pipe_clear_buffer *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    resource_ref r = c.find(p->buffer);
    if (!r || !r->store || !p->size || !p->pattern_size || p->offset + p->size > r->st()->size)
        return;
    uint32_t word = p->pattern[0];
    if (p->pattern_size == 1)
        word = (word & 0xff) * 0x01010101u;
    else if (p->pattern_size == 2)
        word = (word & 0xffff) * 0x00010001u;
    if (p->pattern_size <= 4 && !(p->offset & 3) && !(p->size & 3)) {
        VkCommandBuffer cmd = begin_transfer(c, {{r->st(), access_transfer_write()}});
        if (cmd)
            c.dev.vk.CmdFillBuffer(cmd, r->st()->buffer, p->offset, p->size, word);
        return;
    }
    std::vector<uint8_t> bytes(p->size);
    const uint8_t *pattern = reinterpret_cast<const uint8_t *>(p->pattern);
    for (uint64_t i = 0; i < p->size; ++i)
        bytes[i] = pattern[i % p->pattern_size];
    write_buffer(c, *r, p->offset, p->size, bytes.data(), 0);
}

void copy_buffer_to_texture(pipe_context *ctx, const pipe_copy_buffer_to_texture *p,
                            const pipe_region *regions) {
    context &c = ctx_of(ctx);
    resource_ref t = c.find(p->texture), b = c.find(p->buffer);
    if (!t || t->bad || !t->store || !b || !b->store)
        return;
    for (uint32_t i = 0; i < p->num_regions; ++i) {
        c.relieve();
        const pipe_region &g = regions[i];
        texel_box w = {p->level, g.box};
        const uint64_t offset = p->buffer_offset + g.offset;
        packed_size tight = packed(t->format->asked, uint32_t(g.box.width), uint32_t(g.box.height));
        uint64_t rows = tight.row ? tight.slice / tight.row : 0;
        uint64_t bytes =
            g.slice_stride * uint64_t(g.box.depth - 1) + g.row_stride * (rows - 1) + tight.row;
        if (!inside(*t, w) || offset + bytes > b->st()->size)
            continue;
        const strided_source from = {b->st()->buffer, offset, g.row_stride, g.slice_stride};
        if (copies_directly(*t, from, w)) {
            VkCommandBuffer cmd = begin_transfer(
                c, {{b->st(), access_transfer_read()}, {t->st(), access_transfer_write()}});
            if (!cmd)
                return;
            copy_strided(c, *t, cmd, from, w);
            continue;
        }
        std::vector<uint8_t> data(bytes);
        if (read_buffer(c, *b, offset, bytes, data.data()))
            write_texels(c, *t, w, p->aspect, data.data(), g.row_stride, g.slice_stride);
    }
}

} // namespace magma
