// SPDX-License-Identifier: MIT
// Mipmap generation: blits from level to level; in a copy where the texture is not filtered as its
// storage is; on the CPU where the host cannot blit the format.
#include "magma_blit.h"

#include "drivers_common/level_filter.h"
#include "magma_context.h"
#include "magma_transfer.h"
#include "util/log.h"

#include <algorithm>
#include <vector>

namespace magma {

namespace {

// What is to be filled, with levels and layers of the storage.
struct mip_range {
    resource &r;
    uint32_t format;     // as which the texels are filtered
    uint32_t base, last; // levels of the resource
    uint32_t first_layer, layers;
    bool linear;

    storage &s() const { return *r.st(); }
    uint32_t level(uint32_t n) const { return r.min_level + n; }
    VkImageSubresourceLayers sub(uint32_t n) const {
        return {s().aspects, level(n), r.is_3d() ? 0 : r.min_layer + first_layer, layers};
    }
};

void between_levels(const host_device &dev, VkCommandBuffer cmd) {
    VkMemoryBarrier barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    dev.vk.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                              0, 1, &barrier, 0, nullptr, 0, nullptr);
}

VkOffset3D corner(VkExtent3D e) {
    return {int32_t(e.width), int32_t(e.height), int32_t(e.depth)};
}

// Level after level by blits in `image`, whose level and layer 0 are `level0` and `layer0`.
void blit_chain(const host_device &dev, VkCommandBuffer cmd, const mip_range &m, VkImage image,
                uint32_t level0, uint32_t layer0) {
    for (uint32_t n = m.base + 1; n <= m.last; ++n) {
        VkImageBlit region = {};
        region.srcSubresource = {m.s().aspects, level0 + n - 1 - m.base, layer0, m.layers};
        region.dstSubresource = {m.s().aspects, level0 + n - m.base, layer0, m.layers};
        region.srcOffsets[1] = corner(m.r.level_extent(n - 1));
        region.dstOffsets[1] = corner(m.r.level_extent(n));
        dev.vk.CmdBlitImage(cmd, image, VK_IMAGE_LAYOUT_GENERAL, image, VK_IMAGE_LAYOUT_GENERAL, 1,
                            &region, m.linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
        between_levels(dev, cmd);
    }
}

void copy_level(const host_device &dev, VkCommandBuffer cmd, const mip_range &m, uint32_t n,
                VkImage copy, bool back) {
    VkImageCopy region = {};
    const VkImageSubresourceLayers own = m.sub(n), other = {m.s().aspects, n - m.base, 0, m.layers};
    region.srcSubresource = back ? other : own;
    region.dstSubresource = back ? own : other;
    region.extent = m.r.level_extent(n);
    dev.vk.CmdCopyImage(cmd, back ? copy : m.s().image, VK_IMAGE_LAYOUT_GENERAL,
                        back ? m.s().image : copy, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

// The chain of an image of another format, which the bits are copied to and from.
void generate_in_copy(context &c, const mip_range &m, VkFormat format) {
    emulated(emulation::mipmap_copy);
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = m.s().type;
    info.format = format;
    info.extent = m.r.level_extent(m.base);
    info.mipLevels = m.last - m.base + 1;
    info.arrayLayers = m.layers;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkResult result;
    storage_ref copy = create_image_storage(c.dev, info, m.s().aspects, result);
    if (!copy)
        return;
    VkCommandBuffer cmd =
        begin_transfer(c, {{&m.s(), access_transfer_both()}, {copy.get(), access_transfer_both()}});
    if (!cmd)
        return;
    copy_level(c.dev, cmd, m, m.base, copy->image, false);
    between_levels(c.dev, cmd);
    blit_chain(c.dev, cmd, m, copy->image, 0, 0);
    for (uint32_t n = m.base + 1; n <= m.last; ++n)
        copy_level(c.dev, cmd, m, n, copy->image, true);
    c.rec.keep(copy);
}

// ---- on the CPU ---------------------------------------------------------------------------------

pipe_box box_of(const mip_range &m, uint32_t level) {
    const VkExtent3D e = m.r.level_extent(level);
    pipe_box b = {
        0, 0, int32_t(m.first_layer), int32_t(e.width), int32_t(e.height), int32_t(m.layers)};
    if (m.r.is_3d()) {
        b.z = 0;
        b.depth = int32_t(e.depth);
    }
    return b;
}

bool read_level(context &c, const mip_range &m, drivers_common::level_texels &out) {
    const pipe_box b = box_of(m, m.base);
    const uint32_t w = uint32_t(b.width), h = uint32_t(b.height), layers = uint32_t(b.depth);
    const uint64_t row = uint64_t(w) * pipe_format_describe(m.format)->block_bytes;
    std::vector<uint8_t> raw(row * h * layers);
    return read_texels(c, m.r, {m.base, b}, 0, m.r.format->asked, raw.data(), row, row * h) &&
           drivers_common::unpack_level(m.format, raw.data(), w, h, layers, out);
}

bool write_level(context &c, const mip_range &m, uint32_t n,
                 const drivers_common::level_texels &level) {
    const uint64_t row = uint64_t(level.width) * pipe_format_describe(m.format)->block_bytes;
    std::vector<uint8_t> raw;
    return drivers_common::pack_level(m.format, level, raw) &&
           write_texels(c, m.r, {n, box_of(m, n)}, 0, raw.data(), row, row * level.height);
}

bool generate_on_cpu(context &c, const mip_range &m) {
    if (!drivers_common::filters_level(m.format) ||
        pipe_format_describe(m.format)->block_bytes !=
            pipe_format_describe(m.r.format->asked)->block_bytes)
        return false;
    emulated(emulation::mipmap_convert);
    drivers_common::level_texels level;
    if (!read_level(c, m, level))
        return false;
    for (uint32_t n = m.base + 1; n <= m.last; ++n) {
        const VkExtent3D e = m.r.level_extent(n);
        level = drivers_common::halve_level(level, e.width, e.height, e.depth, m.r.is_3d());
        if (!write_level(c, m, n, level))
            return false;
    }
    return true;
}

// The format as which the texture is filtered: its own, which for a view is not that of the
// storage; without the sRGB encoding where decoding is skipped.
uint32_t filter_format(const resource &r, uint32_t own) {
    const sampler_ptr &params = r.own_sampler;
    const uint32_t format = own != PIPE_FORMAT_NONE ? own : r.desc.format;
    return params && !params->state.srgb_decode ? linear_twin(format) : format;
}

} // namespace

void generate_mipmap(pipe_context *ctx, const pipe_generate_mipmap *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    resource_ref r = c.find(p->texture);
    if (!r || !r->store || r->bad || !r->st()->is_image() ||
        r->st()->samples != VK_SAMPLE_COUNT_1_BIT)
        return;
    storage &s = *r->st();
    const uint32_t first = std::min(p->first_layer, r->layers() - 1);
    mip_range m = {*r,
                   filter_format(*r, p->format),
                   p->base_level,
                   std::min(p->last_level, r->levels() - 1),
                   first,
                   r->is_3d() ? 1 : std::min(std::max(p->num_layers, 1u), r->layers() - first),
                   false};
    if (m.last <= m.base)
        return;
    const format_info &f = format_of(c.dev, m.format);
    const VkFormatFeatureFlags need =
        VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT;
    const bool blits = (f.features & need) == need && !c.dev.forced(emulation::mipmap_convert);
    m.linear = f.features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT &&
               s.aspects & VK_IMAGE_ASPECT_COLOR_BIT;
    if (!blits) {
        if (!generate_on_cpu(c, m))
            log_warning_once("magma", "no mipmap generation for %s on this host",
                             pipe_format_name(m.format));
        return;
    }
    if (f.vk != s.format || c.dev.forced(emulation::mipmap_copy))
        return generate_in_copy(c, m, f.vk);
    if (VkCommandBuffer cmd = begin_transfer(c, {{&s, access_transfer_both()}}))
        blit_chain(c.dev, cmd, m, s.image, m.level(m.base), m.sub(m.base).baseArrayLayer);
}

} // namespace magma
