// SPDX-License-Identifier: MIT
// Copies between textures, read-back of framebuffers and textures, clears of texture boxes.
#include "magma_transfer.h"

#include "drivers_common/format_convert.h"
#include "magma_context.h"
#include "util/log.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace magma {

namespace {

uint8_t aspects_of_mask(uint32_t mask) {
    uint8_t aspects = 0;
    if (mask & PIPE_BUFFER_DEPTH)
        aspects |= PIPE_ASPECT_DEPTH;
    if (mask & PIPE_BUFFER_STENCIL)
        aspects |= PIPE_ASPECT_STENCIL;
    return aspects ? aspects : uint8_t(PIPE_ASPECT_COLOR);
}

// The attachment that a read of `mask` means.
const attachment *source_of(const framebuffer &fb, uint32_t mask) {
    if (mask & PIPE_BUFFER_DEPTH)
        return fb.depth ? &fb.depth : nullptr;
    if (mask & PIPE_BUFFER_STENCIL)
        return fb.stencil ? &fb.stencil : nullptr;
    return fb.read_attachment();
}

// Reads w x h texels of an attachment; what lies outside it is left alone.
bool read_attachment(context &c, const attachment &a, int32_t x, int32_t y, uint32_t w, uint32_t h,
                     uint8_t aspects, uint32_t format, uint8_t *dst, uint64_t row_stride) {
    VkExtent3D e = a.texture->level_extent(a.desc.level);
    int64_t x0 = std::max<int64_t>(x, 0), y0 = std::max<int64_t>(y, 0);
    int64_t x1 = std::min<int64_t>(int64_t(x) + w, e.width),
            y1 = std::min<int64_t>(int64_t(y) + h, e.height);
    if (x0 >= x1 || y0 >= y1)
        return true;
    texel_box box = {
        a.desc.level,
        {int32_t(x0), int32_t(y0), int32_t(a.desc.layer), int32_t(x1 - x0), int32_t(y1 - y0), 1}};
    const uint32_t bytes = pipe_format_describe(format)->block_bytes;
    dst += uint64_t(y0 - y) * row_stride + uint64_t(x0 - x) * bytes;
    return read_texels(c, *a.texture, box, aspects, format, dst, row_stride, 0);
}

VkImageSubresourceLayers layers_of(const resource &r, uint32_t level, const pipe_box &b) {
    if (r.is_3d())
        return {r.st()->aspects, r.min_level + level, 0, 1};
    return {r.st()->aspects, r.min_level + level, r.min_layer + uint32_t(b.z), uint32_t(b.depth)};
}

bool copy_on_gpu(context &c, resource &dst, resource &src, const pipe_resource_copy_region &p) {
    const pipe_format_desc &a = *pipe_format_describe(src.format->stored);
    const pipe_format_desc &b = *pipe_format_describe(dst.format->stored);
    if (!src.format->exact || !dst.format->exact || a.block_bytes != b.block_bytes ||
        src.st()->samples != dst.st()->samples || src.is_1d() != dst.is_1d())
        return false;
    const bool zs = !(src.st()->aspects & VK_IMAGE_ASPECT_COLOR_BIT) ||
                    !(dst.st()->aspects & VK_IMAGE_ASPECT_COLOR_BIT);
    if (zs && src.st()->format != dst.st()->format)
        return false;
    VkImageCopy copy = {};
    pipe_box to = p.src_box;
    to.z = p.dst_z;
    copy.srcSubresource = layers_of(src, p.src_level, p.src_box);
    copy.dstSubresource = layers_of(dst, p.dst_level, to);
    copy.srcOffset = {p.src_box.x, p.src_box.y, src.is_3d() ? p.src_box.z : 0};
    copy.dstOffset = {p.dst_x, p.dst_y, dst.is_3d() ? p.dst_z : 0};
    copy.extent = {uint32_t(p.src_box.width), uint32_t(p.src_box.height),
                   src.is_3d() || dst.is_3d() ? uint32_t(p.src_box.depth) : 1u};
    const bool same = src.st() == dst.st();
    VkCommandBuffer cmd = same ? begin_transfer(c, {{src.st(), access_transfer_both()}})
                               : begin_transfer(c, {{src.st(), access_transfer_read()},
                                                    {dst.st(), access_transfer_write()}});
    if (!cmd)
        return true;
    c.dev.vk.CmdCopyImage(
        cmd, src.st()->image, same ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        dst.st()->image, same ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
        &copy);
    return true;
}

// Through the CPU: the bytes of the asked formats, reinterpreted.
void copy_on_cpu(context &c, resource &dst, resource &src, const pipe_resource_copy_region &p) {
    const pipe_format_desc &a = *pipe_format_describe(src.format->asked);
    const pipe_box &b = p.src_box;
    uint64_t row = uint64_t((b.width + a.block_width - 1) / a.block_width) * a.block_bytes;
    uint64_t slice = row * uint64_t((b.height + a.block_height - 1) / a.block_height);
    std::vector<uint8_t> data(slice * uint64_t(b.depth));
    if (!read_texels(c, src, {p.src_level, b}, 0, src.format->asked, data.data(), row, slice))
        return;
    const pipe_format_desc &d = *pipe_format_describe(dst.format->asked);
    texel_box to = {p.dst_level, b};
    to.box.x = p.dst_x;
    to.box.y = p.dst_y;
    to.box.z = p.dst_z;
    to.box.width = int32_t((b.width + a.block_width - 1) / a.block_width * d.block_width);
    to.box.height = int32_t((b.height + a.block_height - 1) / a.block_height * d.block_height);
    VkExtent3D e = dst.level_extent(p.dst_level);
    to.box.width = std::min(to.box.width, int32_t(e.width) - to.box.x);
    to.box.height = std::min(to.box.height, int32_t(e.height) - to.box.y);
    write_texels(c, dst, to, 0, data.data(), row, slice);
}

} // namespace

void resource_copy_region(pipe_context *ctx, const pipe_resource_copy_region *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    resource_ref dst = c.find(p->dst), src = c.find(p->src);
    if (!dst || !src || !dst->store || !src->store || dst->bad || src->bad)
        return;
    if (dst->is_buffer() != src->is_buffer())
        return;
    if (!dst->is_buffer()) {
        if (p->src_box.width > 0 && p->src_box.height > 0 && p->src_box.depth > 0 &&
            !copy_on_gpu(c, *dst, *src, *p))
            copy_on_cpu(c, *dst, *src, *p);
        return;
    }
    if (!p->size || p->dst_offset + p->size > dst->st()->size ||
        p->src_offset + p->size > src->st()->size)
        return;
    const bool same = dst->st() == src->st();
    VkCommandBuffer cmd = same ? begin_transfer(c, {{src->st(), access_transfer_both()}})
                               : begin_transfer(c, {{src->st(), access_transfer_read()},
                                                    {dst->st(), access_transfer_write()}});
    VkBufferCopy copy = {p->src_offset, p->dst_offset, p->size};
    if (cmd)
        c.dev.vk.CmdCopyBuffer(cmd, src->st()->buffer, dst->st()->buffer, 1, &copy);
}

pipe_status read_pixels(pipe_context *ctx, const pipe_read_pixels *p, const pipe_out_span *dst) {
    context &c = ctx_of(ctx);
    auto fb = c.find_framebuffer(p->framebuffer, true);
    if (!fb || !ready_framebuffer(*fb))
        return PIPE_ERROR;
    const attachment *a = source_of(*fb, p->mask);
    const uint64_t need =
        p->height ? uint64_t(p->row_stride) * (p->height - 1) +
                        uint64_t(p->width) * pipe_format_describe(p->format)->block_bytes
                  : 0;
    if (!a || dst->size < need)
        return PIPE_ERROR;
    const uint64_t before = c.errors;
    bool ok = read_attachment(c, *a, p->x, p->y, p->width, p->height, aspects_of_mask(p->mask),
                              p->format, static_cast<uint8_t *>(dst->ptr), p->row_stride);
    c.report();
    return ok ? PIPE_OK : c.errors == before ? PIPE_ERROR : PIPE_DECLINED; // told already
}

void read_pixels_to_buffer(pipe_context *ctx, const pipe_read_pixels_to_buffer *p) {
    context &c = ctx_of(ctx);
    auto fb = c.find_framebuffer(p->framebuffer, true);
    resource_ref buffer = c.find(p->buffer);
    if (!fb || !ready_framebuffer(*fb) || !buffer || !buffer->store || !p->width || !p->height)
        return;
    const attachment *a = source_of(*fb, p->mask);
    const uint64_t row = uint64_t(p->width) * pipe_format_describe(p->format)->block_bytes;
    const uint64_t size = uint64_t(p->row_stride) * (p->height - 1) + row;
    if (!a || p->offset + size > buffer->st()->size)
        return;
    // What lies between the rows stays as it is.
    std::vector<uint8_t> data(row * p->height);
    if (!read_attachment(c, *a, p->x, p->y, p->width, p->height, aspects_of_mask(p->mask),
                         p->format, data.data(), row))
        return;
    if (row == p->row_stride) {
        write_buffer(c, *buffer, p->offset, data.size(), data.data(), 0);
        return;
    }
    for (uint32_t y = 0; y < p->height; ++y)
        write_buffer(c, *buffer, p->offset + uint64_t(y) * p->row_stride, row,
                     data.data() + y * row, 0);
}

pipe_status get_texture_image(pipe_context *ctx, const pipe_get_texture_image *p,
                              const pipe_out_span *dst) {
    context &c = ctx_of(ctx);
    resource_ref r = c.find(p->texture);
    if (!r || r->bad)
        return PIPE_ERROR;
    const bool ok = read_texels(c, *r, {p->level, p->box}, p->aspect, p->format, dst->ptr,
                                p->row_stride, p->slice_stride);
    c.report();
    return ok ? PIPE_OK : PIPE_ERROR;
}

void get_texture_image_to_buffer(pipe_context *ctx, const pipe_get_texture_image_to_buffer *p) {
    context &c = ctx_of(ctx);
    resource_ref r = c.find(p->texture), buffer = c.find(p->buffer);
    if (!r || r->bad || !buffer || !buffer->store || p->box.width <= 0 || p->box.height <= 0 ||
        p->box.depth <= 0)
        return;
    const pipe_format_desc &d = *pipe_format_describe(p->format);
    uint64_t row = uint64_t((p->box.width + d.block_width - 1) / d.block_width) * d.block_bytes;
    uint32_t rows = uint32_t((p->box.height + d.block_height - 1) / d.block_height);
    std::vector<uint8_t> data(row * rows * uint32_t(p->box.depth));
    if (!read_texels(c, *r, {p->level, p->box}, p->aspect, p->format, data.data(), row, row * rows))
        return;
    for (int32_t z = 0; z < p->box.depth; ++z)
        for (uint32_t y = 0; y < rows; ++y)
            write_buffer(c, *buffer,
                         p->offset + uint64_t(z) * p->slice_stride + uint64_t(y) * p->row_stride,
                         row, data.data() + (uint64_t(z) * rows + y) * row, 0);
}

void copy_framebuffer_to_texture(pipe_context *ctx, const pipe_copy_framebuffer_to_texture *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    auto fb = c.find_framebuffer(p->framebuffer, true);
    resource_ref dst = c.find(p->texture);
    if (!fb || !dst || !dst->store || dst->bad || !ready_framebuffer(*fb))
        return;
    const attachment *a = source_of(*fb, p->mask);
    if (!a)
        return;
    VkExtent3D e = a->texture->level_extent(a->desc.level);
    int64_t x0 = std::max<int64_t>(p->x, 0), y0 = std::max<int64_t>(p->y, 0);
    int64_t x1 = std::min<int64_t>(int64_t(p->x) + p->width, e.width);
    int64_t y1 = std::min<int64_t>(int64_t(p->y) + p->height, e.height);
    if (x0 >= x1 || y0 >= y1)
        return;
    pipe_resource_copy_region copy = {};
    copy.src_level = a->desc.level;
    copy.dst_level = p->level;
    copy.src_box = {int32_t(x0),      int32_t(y0),      int32_t(a->desc.layer),
                    int32_t(x1 - x0), int32_t(y1 - y0), 1};
    copy.dst_x = p->dst_x + int32_t(x0 - p->x);
    copy.dst_y = p->dst_y + int32_t(y0 - p->y);
    copy.dst_z = p->dst_z;
    resource &src = *a->texture;
    if (src.format->asked == dst->format->asked && src.st()->samples == dst->st()->samples &&
        copy_on_gpu(c, *dst, src, copy))
        return;
    // Another format: convert on the CPU.
    const uint32_t format = dst->format->asked;
    uint64_t row = uint64_t(x1 - x0) * pipe_format_describe(format)->block_bytes;
    std::vector<uint8_t> data(row * uint64_t(y1 - y0));
    texel_box to = {p->level,
                    {copy.dst_x, copy.dst_y, p->dst_z, copy.src_box.width, copy.src_box.height, 1}};
    if (read_texels(c, src, {copy.src_level, copy.src_box}, aspects_of_mask(p->mask), format,
                    data.data(), row, 0))
        write_texels(c, *dst, to, aspects_of_mask(p->mask), data.data(), row, 0);
}

namespace {

// A texture of several samples takes no texels: it is cleared as an attachment, as it is stored.
void clear_samples(context &c, const resource &r, const pipe_clear_texture &p) {
    const bool color = r.format->aspects & VK_IMAGE_ASPECT_COLOR_BIT;
    pipe_input_enter(nullptr); // the framebuffer is our own: nothing of it was pushed
    auto fb = std::make_shared<framebuffer>();
    pipe_set_framebuffer_state &to = fb->desc.fill();
    std::fill(std::begin(to.draw_buffer), std::end(to.draw_buffer), int8_t(-1));
    to.read_buffer = -1;
    pipe_surface_view &view = color ? to.color[0] : to.depth;
    view.kind = PIPE_ATTACHMENT_TEXTURE;
    view.resource = p.texture;
    view.level = uint8_t(p.level);
    view.layer = uint32_t(p.box.z);
    view.num_layers = uint32_t(p.box.depth);
    if (color)
        to.draw_buffer[0] = 0, to.num_draw_buffers = 1;
    else
        to.stencil = to.depth;
    resolve_attachments(c, *fb);
    c.end_pass();
    c.condition.suspended = true; // which clears of textures do not ask
    const bool open = c.begin() && open_pass(c, fb, false, nullptr);
    c.condition.suspended = false;
    if (!open)
        return;
    VkClearAttachment what = {r.format->aspects, 0, {}};
    drivers_common::texel t = {};
    if (color && drivers_common::unpack_texels(r.format->asked, p.texel, &t, 1))
        memcpy(&what.clearValue.color, &t, sizeof what.clearValue.color);
    if (!color) {
        double z = 0;
        uint8_t s = 0;
        drivers_common::unpack_depth(PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, p.texel, &z, 1);
        drivers_common::unpack_stencil(PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, p.texel, &s, 1);
        what.clearValue.depthStencil = {float(std::clamp(z, 0.0, 1.0)), s};
    }
    const VkClearRect area = {
        {{p.box.x, p.box.y}, {uint32_t(p.box.width), uint32_t(p.box.height)}}, 0, fb->layers};
    c.dev.vk.CmdClearAttachments(c.rec.main_raw(), 1, &what, 1, &area);
    c.end_pass();
}

} // namespace

void clear_texture(pipe_context *ctx, const pipe_clear_texture *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    resource_ref r = c.find(p->texture);
    if (!r || !r->store || r->bad || p->box.width <= 0 || p->box.height <= 0 || p->box.depth <= 0)
        return;
    if (r->st()->samples > VK_SAMPLE_COUNT_1_BIT)
        return clear_samples(c, *r, *p);
    const bool color = r->format->aspects & VK_IMAGE_ASPECT_COLOR_BIT;
    const pipe_format_desc &d = *pipe_format_describe(r->format->asked);
    VkExtent3D e = r->level_extent(p->level);
    const bool whole = !p->box.x && !p->box.y && uint32_t(p->box.width) == e.width &&
                       uint32_t(p->box.height) == e.height &&
                       (!r->is_3d() || uint32_t(p->box.depth) == e.depth);
    drivers_common::texel t = {};
    if (whole && color && !d.is_compressed && !d.is_srgb &&
        drivers_common::unpack_texels(r->format->asked, p->texel, &t, 1)) {
        VkClearColorValue value;
        memcpy(&value, &t, sizeof value);
        VkCommandBuffer cmd = begin_transfer(c, {{r->st(), access_transfer_write()}});
        if (!cmd)
            return;
        VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, r->min_level + p->level, 1, 0,
                                         1};
        if (!r->is_3d()) {
            range.baseArrayLayer = r->min_layer + uint32_t(p->box.z);
            range.layerCount = uint32_t(p->box.depth);
        }
        c.dev.vk.CmdClearColorImage(cmd, r->st()->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    &value, 1, &range);
        return;
    }
    if (!color && whole) {
        double z = 0;
        uint8_t s = 0;
        drivers_common::unpack_depth(PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, p->texel, &z, 1);
        drivers_common::unpack_stencil(PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, p->texel, &s, 1);
        VkClearDepthStencilValue value = {float(std::clamp(z, 0.0, 1.0)), s};
        VkCommandBuffer cmd = begin_transfer(c, {{r->st(), access_transfer_write()}});
        if (!cmd)
            return;
        VkImageSubresourceRange range = {r->st()->aspects, r->min_level + p->level, 1,
                                         r->min_layer + uint32_t(p->box.z), uint32_t(p->box.depth)};
        c.dev.vk.CmdClearDepthStencilImage(cmd, r->st()->image,
                                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &range);
        return;
    }
    // A box: rows of the texel, uploaded.
    uint8_t texel[16];
    memcpy(texel, p->texel, sizeof texel);
    if (!color) {
        drivers_common::texel_rect to = {texel, r->format->asked, 16, 16},
                                   from = {const_cast<uint8_t *>(p->texel),
                                           PIPE_FORMAT_Z32_FLOAT_S8X24_UINT, 16, 16};
        drivers_common::convert_texels(to, from, 1, 1, 1);
    }
    uint64_t row = uint64_t((p->box.width + d.block_width - 1) / d.block_width) * d.block_bytes;
    std::vector<uint8_t> bytes(row);
    for (uint64_t i = 0; i < row; ++i)
        bytes[i] = texel[i % d.block_bytes];
    write_texels(c, *r, {p->level, p->box}, 0, bytes.data(), 0, 0); // stride 0: the same row again
}

} // namespace magma
