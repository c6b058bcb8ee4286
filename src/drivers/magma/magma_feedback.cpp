// SPDX-License-Identifier: MIT
// Copies for draws that sample what they draw to; see magma_feedback.h.
#include "magma_feedback.h"

#include "magma_context.h"
#include "magma_emulation.h"
#include "magma_transfer.h"
#include "magma_trash.h"

#include <algorithm>

namespace magma {

namespace {

bool meet(uint32_t a, uint32_t a_count, uint32_t b, uint32_t b_count) {
    return a < b + b_count && b < a + a_count;
}

// Levels and layers that the view shows, in the storage.
VkImageSubresourceRange range_of(const sampler_view &v, const storage &s) {
    VkImageSubresourceRange r = {s.aspects, uint32_t(v.texture->min_level) + v.desc.first_level,
                                 std::max<uint32_t>(v.desc.num_levels, 1),
                                 uint32_t(v.texture->min_layer) + v.desc.first_layer,
                                 std::max<uint32_t>(v.desc.num_layers, 1)};
    if (s.type == VK_IMAGE_TYPE_3D)
        r.baseArrayLayer = 0, r.layerCount = 1;
    r.levelCount = std::min(r.levelCount, s.levels - std::min(s.levels, r.baseMipLevel));
    r.layerCount = std::min(r.layerCount, s.layers - std::min(s.layers, r.baseArrayLayer));
    return r;
}

storage_ref make_store(host_device &dev, const storage &s) {
    VkImageCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.flags = s.flags;
    info.imageType = s.type;
    info.format = s.format;
    info.extent = s.extent;
    info.mipLevels = s.levels;
    info.arrayLayers = s.layers;
    info.samples = s.samples;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    VkResult result;
    attempt without; // then the storage itself is sampled
    storage_ref out = create_image_storage(dev, info, s.aspects, result);
    without.got_by();
    return out;
}

} // namespace

feedback_copies::~feedback_copies() {
    for (copy &k : copies_)
        drop(k);
}

bool feedback_copies::needed(const context &c, const sampler_view &v) {
    const framebuffer *fb = c.st.draw_fb.get().get();
    if (c.dev.has.feedback_loops || !fb || !v.texture || v.texture->is_texture_buffer())
        return false;
    const storage *s = v.texture->st();
    if (!s || !s->is_image())
        return false;
    const VkImageSubresourceRange r = range_of(v, *s);
    const auto drawn = [&](const attachment &a) {
        return a && a.texture->st() == s && meet(r.baseMipLevel, r.levelCount, a.level, 1) &&
               (s->type == VK_IMAGE_TYPE_3D ||
                meet(r.baseArrayLayer, r.layerCount, a.layer, a.layers));
    };
    return std::any_of(std::begin(fb->color), std::end(fb->color), drawn) || drawn(fb->depth) ||
           drawn(fb->stencil);
}

void feedback_copies::begin() {
    changed_ = false;
    for (copy &k : copies_)
        k.wanted = false;
}

bool feedback_copies::add(context &c, const view_ref &v) {
    copy *k = find(*v);
    if (k && k->source.get() != v->texture->st()) {
        drop(*k);
        copies_.erase(copies_.begin() + (k - copies_.data()));
        k = nullptr;
    }
    const bool same_pass =
        c.pass.open && c.pass.fb == c.st.draw_fb.peek() && c.pass.fb_serial == c.pass.fb->serial;
    if (k && fresh_ && same_pass)
        return k->wanted = true;
    if (c.pass.open)
        return false;
    if (!k) {
        copy made;
        made.of = v;
        made.source = v->texture->store;
        made.store = make_store(c.dev, *v->texture->st());
        if (!made.store)
            return true;
        copies_.push_back(std::move(made));
        k = &copies_.back();
        changed_ = true;
    }
    k->wanted = true;
    return make(c, *k);
}

bool feedback_copies::end() {
    const size_t before = copies_.size();
    std::erase_if(copies_, [](copy &k) {
        if (!k.wanted)
            drop(k);
        return !k.wanted;
    });
    fresh_ = !copies_.empty();
    return changed_ || copies_.size() != before;
}

storage *feedback_copies::store_of(const sampler_view &v) const {
    const copy *k = find(v);
    return k ? k->store.get() : nullptr;
}

VkImageView feedback_copies::view_of(const sampler_view &v, uint32_t form) {
    copy *k = find(v);
    if (!k)
        return VK_NULL_HANDLE;
    VkImageView &view = k->views[form];
    if (!view)
        view = make_sampled_view(v, *k->store.get(), form);
    return view;
}

feedback_copies::copy *feedback_copies::find(const sampler_view &v) {
    return const_cast<copy *>(std::as_const(*this).find(v));
}

const feedback_copies::copy *feedback_copies::find(const sampler_view &v) const {
    for (const copy &k : copies_)
        if (k.of.get() == &v)
            return &k;
    return nullptr;
}

bool feedback_copies::make(context &c, copy &k) {
    storage &from = *k.source.get();
    const VkImageSubresourceRange r = range_of(*k.of, from);
    VkCommandBuffer cmd = begin_transfer(
        c, {{&from, access_transfer_read()}, {k.store.get(), access_transfer_write()}});
    if (!cmd)
        return true;
    std::vector<VkImageCopy> regions(r.levelCount);
    for (uint32_t i = 0; i < r.levelCount; ++i) {
        const uint32_t level = r.baseMipLevel + i;
        regions[i].srcSubresource = {from.aspects, level, r.baseArrayLayer, r.layerCount};
        regions[i].dstSubresource = regions[i].srcSubresource;
        regions[i].extent = {std::max(from.extent.width >> level, 1u),
                             std::max(from.extent.height >> level, 1u),
                             std::max(from.extent.depth >> level, 1u)};
    }
    c.dev.vk.CmdCopyImage(cmd, from.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, k.store->image,
                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, r.levelCount, regions.data());
    emulated(emulation::feedback_copy);
    return true;
}

void feedback_copies::drop(copy &k) {
    trash_can &t = *k.of->dev->trash;
    for (VkImageView &view : k.views) {
        t.throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, view);
        view = VK_NULL_HANDLE;
    }
}

} // namespace magma
