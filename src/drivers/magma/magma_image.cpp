// SPDX-License-Identifier: MIT
// Views of shader images.
#include "magma_image.h"

#include "magma_context.h"
#include "magma_trash.h"

#include <algorithm>

namespace magma {

namespace {

VkImageViewType type_of(const program_binding &b) {
    switch (b.dim) {
    case 0: return b.arrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    case 2: return VK_IMAGE_VIEW_TYPE_3D;
    case 3: return b.arrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    default: return b.arrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    }
}

// The entry for `key` in the views of `r`, which are those of `store`.
image_views::entry &entry_of(host_device &dev, resource &r, const storage_ref &store,
                             const image_views::key &key) {
    image_views &views = r.images;
    if (views.store.get() != store.get()) {
        views.drop(dev);
        views.store = store;
    }
    for (image_views::entry &e : views.list)
        if (e.what == key)
            return e;
    views.list.push_back({key});
    return views.list.back();
}

bool ready_texels(context &c, image_slot &i) {
    resource &t = *i.texture.get();
    if (!t.owner || !t.owner->store)
        return false;
    const storage_ref &store = t.owner->store;
    if (i.buffer_view && i.store.get() == store.get())
        return true;
    VkBufferViewCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = store->buffer;
    info.format = exact_vk_format(i.desc->format);
    info.offset = t.desc.buffer_offset;
    const uint64_t have = store->size - std::min(store->size, info.offset);
    const uint32_t texel = std::max<uint32_t>(pipe_format_describe(i.desc->format)->block_bytes, 1);
    info.range = std::min(t.desc.buffer_size, have) / texel * texel;
    if (!info.range || info.format == VK_FORMAT_UNDEFINED)
        return false;
    std::lock_guard lock(c.scr.mutex);
    image_views::entry &e = entry_of(c.dev, t, store, {info.format});
    if (!e.texels &&
        VK_TRY(&c.dev, CreateBufferView(c.dev.device, &info, nullptr, &e.texels)) != VK_SUCCESS) {
        e.texels = VK_NULL_HANDLE;
        return false;
    }
    i.buffer_view = e.texels;
    i.store = store;
    return true;
}

} // namespace

void image_views::drop(host_device &dev) {
    for (const entry &e : list) {
        dev.trash->throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, e.view);
        dev.trash->throw_away(VK_OBJECT_TYPE_BUFFER_VIEW, e.texels);
    }
    list.clear();
    store = {};
}

bool ready_image(context &c, image_slot &i, const program_binding &b) {
    resource &t = *i.texture.get();
    if (t.bad)
        return false;
    if (t.is_texture_buffer())
        return ready_texels(c, i);
    storage *s = t.st();
    if (!s || !(s->usage & VK_IMAGE_USAGE_STORAGE_BIT))
        return false;
    const VkImageViewType type = type_of(b);
    if (i.view && i.store.get() == s && i.view_type == type)
        return true;
    const format_info &f = format_of(c.dev, i.desc->format ? i.desc->format : t.desc.format);
    uint32_t layer = t.min_layer, layers = t.layers();
    if (s->type == VK_IMAGE_TYPE_3D) {
        layer = 0, layers = 1;
        if (!i.desc->layered) {
            // One slice of a volume; the host needs an extension for it.
            if (!c.dev.has.image_2d_view_of_3d)
                return false;
            layer = i.desc->layer;
        }
    } else if (!i.desc->layered) {
        layer += i.desc->layer, layers = 1;
    }
    if (type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_2D)
        layers = 1;
    std::lock_guard lock(c.scr.mutex);
    image_views::entry &e = entry_of(
        c.dev, t, t.store, {f.vk_linear, type, t.min_level + i.desc->level, layer, layers});
    if (!e.view)
        e.view = make_image_view(c.dev, *s, type, f.vk_linear, s->aspects, e.what.level, 1, layer,
                                 layers, {}, VK_IMAGE_USAGE_STORAGE_BIT);
    i.view = e.view;
    i.view_type = type;
    i.store = t.store;
    return i.view != VK_NULL_HANDLE;
}

} // namespace magma
