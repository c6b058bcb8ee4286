// SPDX-License-Identifier: MIT
// glBlitFramebuffer: a raw copy where it is one, a host resolve where it is one, else drawn with a
// small shader, which also clips, mirrors, scales, converts and takes depth, stencil and
// multisampled sources.
#include "magma_blit.h"

#include "magma_context.h"
#include "magma_meta.h"
#include "magma_query.h"
#include "magma_transfer.h"
#include "magma_trash.h"
#include "util/log.h"

#include <algorithm>
#include <cmath>

namespace magma {

namespace {

struct rect {
    int64_t x0, y0, x1, y1;
    bool empty() const { return x0 >= x1 || y0 >= y1; }
};

// What both ends of a blit come down to: an ascending destination, its clip, and the source that
// belongs to it.
struct blit_plan {
    rect dst, clip;
    float sx0, sy0, sx1, sy1; // source at dst.x0 .. dst.x1
    bool one_to_one = false;  // same size, not mirrored
};

blit_plan make_plan(const context &c, const pipe_blit &p, const framebuffer &dst) {
    blit_plan b;
    pipe_blit_box s = p.src_box, d = p.dst_box;
    if (d.x0 > d.x1) {
        std::swap(d.x0, d.x1);
        std::swap(s.x0, s.x1);
    }
    if (d.y0 > d.y1) {
        std::swap(d.y0, d.y1);
        std::swap(s.y0, s.y1);
    }
    b.dst = {d.x0, d.y0, d.x1, d.y1};
    b.sx0 = float(s.x0), b.sy0 = float(s.y0), b.sx1 = float(s.x1), b.sy1 = float(s.y1);
    b.one_to_one =
        int64_t(s.x1) - s.x0 == b.dst.x1 - b.dst.x0 && int64_t(s.y1) - s.y0 == b.dst.y1 - b.dst.y0;
    b.clip = {std::max<int64_t>(b.dst.x0, 0), std::max<int64_t>(b.dst.y0, 0),
              std::min<int64_t>(b.dst.x1, dst.width), std::min<int64_t>(b.dst.y1, dst.height)};
    const pipe_scissor_state &sc = c.st.dynamic->scissor;
    if (sc.enable_mask & 1) {
        const pipe_scissor &x = sc.scissor;
        b.clip.x0 = std::max<int64_t>(b.clip.x0, x.x);
        b.clip.y0 = std::max<int64_t>(b.clip.y0, x.y);
        b.clip.x1 = std::min<int64_t>(b.clip.x1, int64_t(x.x) + x.width);
        b.clip.y1 = std::min<int64_t>(b.clip.y1, int64_t(x.y) + x.height);
    }
    return b;
}

// Texels outside the source are not written: the clip shrinks to where the source has some.
void clip_to_source(blit_plan &b, float width, float height) {
    auto axis = [](int64_t d0, int64_t d1, float s0, float s1, float limit, int64_t &c0,
                   int64_t &c1) {
        if (d1 <= d0 || s0 == s1)
            return;
        double scale = double(s1 - s0) / double(d1 - d0);
        // Destination positions where the source coordinate is 0 and where it is `limit`.
        double a = double(d0) + (0 - double(s0)) / scale,
               z = double(d0) + (double(limit) - double(s0)) / scale;
        if (a > z)
            std::swap(a, z);
        // Only texel centres inside count.
        c0 = std::max<int64_t>(c0, int64_t(std::ceil(a - 0.5)));
        c1 = std::min<int64_t>(c1, int64_t(std::floor(z - 0.5)) + 1);
    };
    axis(b.dst.x0, b.dst.x1, b.sx0, b.sx1, width, b.clip.x0, b.clip.x1);
    axis(b.dst.y0, b.dst.y1, b.sy0, b.sy1, height, b.clip.y0, b.clip.y1);
}

VkImageSubresourceLayers layers_of(const attachment &a, VkImageAspectFlags aspect) {
    const bool slices = a.texture->is_3d();
    return {aspect, a.level, slices ? 0 : a.layer, 1};
}

int32_t slice_of(const attachment &a) {
    return a.texture->is_3d() ? int32_t(a.layer) : 0;
}

// Same format, same samples, not scaled or mirrored: bits move.
bool copy_raw(context &c, const attachment &src, const attachment &dst, const blit_plan &b,
              VkImageAspectFlags aspect) {
    storage &s = *src.texture->st(), &d = *dst.texture->st();
    if (!b.one_to_one || s.format != d.format || s.samples != d.samples || src.format != s.format ||
        dst.format != d.format || &s == &d || src.no_alpha != dst.no_alpha)
        return false;
    // Hosts move both aspects of several samples although they are asked for one.
    if (s.samples != VK_SAMPLE_COUNT_1_BIT && aspect != s.aspects)
        return false;
    VkCommandBuffer cmd =
        begin_transfer(c, {{&s, access_transfer_read()}, {&d, access_transfer_write()}});
    if (!cmd)
        return true;
    VkImageCopy copy = {};
    copy.srcSubresource = layers_of(src, aspect);
    copy.dstSubresource = layers_of(dst, aspect);
    copy.srcOffset = {int32_t(int64_t(b.sx0) + b.clip.x0 - b.dst.x0),
                      int32_t(int64_t(b.sy0) + b.clip.y0 - b.dst.y0), slice_of(src)};
    copy.dstOffset = {int32_t(b.clip.x0), int32_t(b.clip.y0), slice_of(dst)};
    copy.extent = {uint32_t(b.clip.x1 - b.clip.x0), uint32_t(b.clip.y1 - b.clip.y0), 1};
    c.dev.vk.CmdCopyImage(cmd, s.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, d.image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    return true;
}

bool resolve_on_host(context &c, const attachment &src, const attachment &dst, const blit_plan &b) {
    storage &s = *src.texture->st(), &d = *dst.texture->st();
    if (!b.one_to_one || s.samples == VK_SAMPLE_COUNT_1_BIT || d.samples != VK_SAMPLE_COUNT_1_BIT ||
        s.format != d.format || src.format != s.format || dst.format != d.format ||
        src.format != src.format_linear || src.no_alpha != dst.no_alpha)
        return false;
    VkCommandBuffer cmd =
        begin_transfer(c, {{&s, access_transfer_read()}, {&d, access_transfer_write()}});
    if (!cmd)
        return true;
    VkImageResolve r = {};
    r.srcSubresource = layers_of(src, VK_IMAGE_ASPECT_COLOR_BIT);
    r.dstSubresource = layers_of(dst, VK_IMAGE_ASPECT_COLOR_BIT);
    r.srcOffset = {int32_t(int64_t(b.sx0) + b.clip.x0 - b.dst.x0),
                   int32_t(int64_t(b.sy0) + b.clip.y0 - b.dst.y0), 0};
    r.dstOffset = {int32_t(b.clip.x0), int32_t(b.clip.y0), slice_of(dst)};
    r.extent = {uint32_t(b.clip.x1 - b.clip.x0), uint32_t(b.clip.y1 - b.clip.y0), 1};
    c.dev.vk.CmdResolveImage(cmd, s.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, d.image,
                             VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &r);
    return true;
}

// The source as something a shader can sample; slices of 3D textures and overlapping sources are
// copied first.
struct shader_source {
    storage_ref store;
    VkImageView view = VK_NULL_HANDLE;
};

shader_source make_source(context &c, const attachment &src, VkImageAspectFlags aspect, bool srgb,
                          bool copy) {
    storage *s = src.texture->st();
    shader_source out;
    uint32_t level = src.level, layer = src.layer;
    out.store = src.texture->store;
    if (copy || src.texture->is_3d() || s->type == VK_IMAGE_TYPE_1D) {
        VkExtent3D e = src.texture->level_extent(src.desc.level);
        VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = s->format;
        info.extent = {e.width, e.height, 1};
        info.mipLevels = info.arrayLayers = 1;
        info.samples = s->samples;
        info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
        if (s->samples != VK_SAMPLE_COUNT_1_BIT)
            info.usage |= s->usage & (VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                      VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
        info.flags = s->flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT;
        VkResult result;
        out.store = create_image_storage(c.dev, info, s->aspects, result);
        if (!out.store)
            return {};
        VkCommandBuffer cmd = begin_transfer(
            c, {{s, access_transfer_read()}, {out.store.get(), access_transfer_write()}});
        if (!cmd)
            return {};
        VkImageCopy region = {};
        region.srcSubresource = layers_of(src, s->aspects);
        region.srcOffset = {0, 0, slice_of(src)};
        region.dstSubresource = {s->aspects, 0, 0, 1};
        region.extent = info.extent;
        c.dev.vk.CmdCopyImage(cmd, s->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, out.store->image,
                              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        level = layer = 0;
    }
    const bool multi = out.store->samples != VK_SAMPLE_COUNT_1_BIT;
    VkFormat format = aspect & VK_IMAGE_ASPECT_COLOR_BIT ? (srgb ? src.format : src.format_linear)
                                                         : out.store->format;
    VkComponentMapping map = {};
    if (src.no_alpha)
        map.a = VK_COMPONENT_SWIZZLE_ONE;
    out.view = make_image_view(c.dev, *out.store.get(),
                               multi ? VK_IMAGE_VIEW_TYPE_2D : VK_IMAGE_VIEW_TYPE_2D_ARRAY, format,
                               aspect, level, 1, layer, 1, map, VK_IMAGE_USAGE_SAMPLED_BIT);
    return out;
}

void draw_part(context &c, const attachment &src, const std::shared_ptr<framebuffer> &dst,
               const blit_plan &b, const pipe_blit &p, uint32_t mask, VkImageAspectFlags aspect) {
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT && src.texture->st()->aspects == 0)
        return;
    const bool srgb = !c.st.render || c.st.render->s.raster.framebuffer_srgb;
    bool overlap = false;
    auto same = [&](const attachment &a) { return a && a.texture->st() == src.texture->st(); };
    for (const attachment &a : dst->color)
        overlap |= same(a);
    overlap |= same(dst->depth) || same(dst->stencil);
    shader_source from = make_source(c, src, aspect, srgb, overlap);
    if (!from.view && pending_failure().call)
        return;
    if (!from.view) {
        log_error_once("magma", "blit: the source cannot be sampled");
        return;
    }
    c.end_pass();
    access a = access_sampled(c.dev, from.store.get());
    c.rec.use(*from.store.get(), a);
    const uncounted own(c);
    // The condition was looked at before; this pass may open by itself.
    c.condition.suspended = true;
    const bool open = open_pass(c, dst, srgb, nullptr);
    c.condition.suspended = false;
    if (!open)
        return;
    VkExtent3D e = src.texture->level_extent(src.desc.level);
    const pipe_format_desc &d =
        *pipe_format_describe(src.desc.format ? src.desc.format : src.texture->desc.format);
    meta_blit m = {};
    m.source = from.view;
    m.layout = a.layout;
    m.value_class = !d.is_integer ? PIPE_VALUE_FLOAT
                    : d.is_signed ? PIPE_VALUE_SINT
                                  : PIPE_VALUE_UINT;
    m.samples = from.store->samples;
    m.x0 = b.sx0, m.y0 = b.sy0, m.x1 = b.sx1, m.y1 = b.sy1;
    m.dst_x0 = int32_t(b.dst.x0), m.dst_y0 = int32_t(b.dst.y0), m.dst_x1 = int32_t(b.dst.x1),
    m.dst_y1 = int32_t(b.dst.y1);
    m.clip = {{int32_t(b.clip.x0), int32_t(b.clip.y0)},
              {uint32_t(b.clip.x1 - b.clip.x0), uint32_t(b.clip.y1 - b.clip.y0)}};
    m.linear = p.filter == PIPE_TEX_FILTER_LINEAR && aspect == VK_IMAGE_ASPECT_COLOR_BIT &&
               m.value_class == PIPE_VALUE_FLOAT;
    m.width = float(e.width), m.height = float(e.height);
    m.mask = mask;
    draw_blit(c, m);
    if (c.condition.state == render_condition::on_gpu)
        c.end_pass();
    c.rec.keep(from.store);
    c.dev.trash->throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, from.view);
    c.dirty |= dirty_uses;
}

void blit_color(context &c, const framebuffer &src, const std::shared_ptr<framebuffer> &dst,
                const pipe_blit &p) {
    const attachment *from = src.read_attachment();
    if (!from)
        return;
    VkExtent3D e = from->texture->level_extent(from->desc.level);
    blit_plan b = make_plan(c, p, *dst);
    clip_to_source(b, float(e.width), float(e.height));
    if (b.clip.empty())
        return;
    uint32_t drawn = 0;
    pass_formats f = formats_of(*dst, true);
    for (uint32_t i = 0; i < PIPE_MAX_COLOR_BUFS; ++i) {
        if (!f.color[i])
            continue;
        const attachment &to = dst->color[dst->desc->draw_buffer[i]];
        if (!copy_raw(c, *from, to, b, VK_IMAGE_ASPECT_COLOR_BIT) &&
            !resolve_on_host(c, *from, to, b))
            drawn |= PIPE_BUFFER_COLOR0 << i;
    }
    if (drawn)
        draw_part(c, *from, dst, b, p, drawn, VK_IMAGE_ASPECT_COLOR_BIT);
}

void blit_zs(context &c, const framebuffer &src, const std::shared_ptr<framebuffer> &dst,
             const pipe_blit &p, uint32_t bit) {
    const bool depth = bit == PIPE_BUFFER_DEPTH;
    const attachment &from = depth ? src.depth : src.stencil;
    const attachment &to = depth ? dst->depth : dst->stencil;
    if (!from || !to)
        return;
    VkImageAspectFlags aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_STENCIL_BIT;
    VkExtent3D e = from.texture->level_extent(from.desc.level);
    blit_plan b = make_plan(c, p, *dst);
    clip_to_source(b, float(e.width), float(e.height));
    if (b.clip.empty() || copy_raw(c, from, to, b, aspect))
        return;
    draw_part(c, from, dst, b, p, bit, aspect);
}

} // namespace

void blit(pipe_context *ctx, const pipe_blit *p) {
    context &c = ctx_of(ctx);
    c.relieve();
    if (!condition_allows_now(c))
        return;
    auto src = c.find_framebuffer(p->src, true), dst = c.find_framebuffer(p->dst, false);
    if (!src || !dst || !c.begin() || !ready_framebuffer(*src) || !ready_framebuffer(*dst))
        return;
    const uint32_t colors = PIPE_BUFFER_DEPTH - 1;
    if (p->mask & colors)
        blit_color(c, *src, dst, *p);
    if (p->mask & PIPE_BUFFER_DEPTH)
        blit_zs(c, *src, dst, *p, PIPE_BUFFER_DEPTH);
    if (p->mask & PIPE_BUFFER_STENCIL)
        blit_zs(c, *src, dst, *p, PIPE_BUFFER_STENCIL);
}

} // namespace magma
