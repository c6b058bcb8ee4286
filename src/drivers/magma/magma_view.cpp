// SPDX-License-Identifier: MIT
// Samplers and sampler views. Host views are made when they are first used and made again when the
// texture has got another storage.
#include "magma_resource.h"

#include "magma_context.h"
#include "magma_trash.h"
#include "util/log.h"

#include <algorithm>
#include <bit>

namespace magma {

namespace {

VkSamplerAddressMode address_mode(const host_device &dev, uint8_t wrap) {
    switch (wrap) {
    case PIPE_TEX_WRAP_CLAMP_TO_EDGE: return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    case PIPE_TEX_WRAP_CLAMP_TO_BORDER: return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    case PIPE_TEX_WRAP_MIRROR_REPEAT: return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    case PIPE_TEX_WRAP_MIRROR_CLAMP_TO_EDGE:
        return dev.has.mirror_clamp ? VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE
                                    : VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    default: return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    }
}

bool uses_border(const pipe_sampler_state &s) {
    return s.wrap_s == PIPE_TEX_WRAP_CLAMP_TO_BORDER || s.wrap_t == PIPE_TEX_WRAP_CLAMP_TO_BORDER ||
           s.wrap_r == PIPE_TEX_WRAP_CLAMP_TO_BORDER;
}

// The fixed border colour, for borders that have one.
VkBorderColor fixed_border(const pipe_sampler_state &s) {
    const bool real = s.border_class == PIPE_VALUE_FLOAT;
    auto is_zero = [&](int i) {
        return s.border_color[i] == 0 || s.border_color[i] == 0x80000000u;
    };
    if (is_zero(0) && is_zero(1) && is_zero(2)) {
        if (is_zero(3))
            return real ? VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK
                        : VK_BORDER_COLOR_INT_TRANSPARENT_BLACK;
        return real ? VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK : VK_BORDER_COLOR_INT_OPAQUE_BLACK;
    }
    return real ? VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE : VK_BORDER_COLOR_INT_OPAQUE_WHITE;
}

bool is_standard_border(const pipe_sampler_state &s) {
    const uint32_t one = s.border_class == PIPE_VALUE_FLOAT ? 0x3f800000u : 1u;
    const uint32_t *b = s.border_color;
    bool rgb_equal = b[0] == b[1] && b[1] == b[2];
    return rgb_equal && ((b[0] == 0 && (b[3] == 0 || b[3] == one)) || (b[0] == one && b[3] == one));
}

} // namespace

bool border_in_shader(const host_device &dev, const pipe_sampler_state &s) {
    return uses_border(s) && !dev.has.custom_border_color && !is_standard_border(s);
}

bool swizzle_in_shader(const sampler_view &v, const pipe_sampler_state &s) {
    return v.swizzled && !v.dev->has.border_swizzle && uses_border(s) &&
           !border_in_shader(*v.dev, s);
}

namespace {

bool is_linear(const pipe_sampler_state &s) {
    return s.mag_filter == PIPE_TEX_FILTER_LINEAR || s.min_filter == PIPE_TEX_FILTER_LINEAR ||
           s.mip_filter == PIPE_TEX_MIP_LINEAR;
}

// The host filters no texels of the format: what it compares, it may mix all the same (VUID-vkCmdDraw-
// magFilter-04553). Of integers GL does not, either.
bool lacks_filter(const sampler_view &v, const pipe_sampler_state &s) {
    const VkFormatFeatureFlags have = format_of(*v.dev, v.desc.format).features;
    return !v.integer && !s.compare_enable &&
           !(have & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
}

pipe_sampler_state nearest_of(pipe_sampler_state s) {
    s.mag_filter = s.min_filter = PIPE_TEX_FILTER_NEAREST;
    if (s.mip_filter == PIPE_TEX_MIP_LINEAR)
        s.mip_filter = PIPE_TEX_MIP_NEAREST;
    s.max_anisotropy = 1.0f;
    return s;
}

// `mapping`: of the views that it is for, where the host has to know; else null.
VkSampler make_sampler(host_device &dev, const pipe_sampler_state &s,
                       VkSamplerBorderColorComponentMappingCreateInfoEXT *mapping = nullptr) {
    VkSamplerCreateInfo info = {VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.magFilter = s.mag_filter == PIPE_TEX_FILTER_LINEAR ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    info.minFilter = s.min_filter == PIPE_TEX_FILTER_LINEAR ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    info.mipmapMode = s.mip_filter == PIPE_TEX_MIP_LINEAR ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                          : VK_SAMPLER_MIPMAP_MODE_NEAREST;
    info.addressModeU = address_mode(dev, s.wrap_s);
    info.addressModeV = address_mode(dev, s.wrap_t);
    info.addressModeW = address_mode(dev, s.wrap_r);
    const bool lowered = border_in_shader(dev, s);
    for (VkSamplerAddressMode *mode : {&info.addressModeU, &info.addressModeV, &info.addressModeW})
        if (lowered && *mode == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER)
            *mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    float limit = dev.props.limits.maxSamplerLodBias;
    info.mipLodBias = std::clamp(s.lod_bias, -limit, limit);
    if (s.max_anisotropy > 1.0f && dev.has.core.samplerAnisotropy) {
        info.anisotropyEnable = VK_TRUE;
        info.maxAnisotropy = std::min(s.max_anisotropy, dev.props.limits.maxSamplerAnisotropy);
    }
    info.compareEnable = s.compare_enable;
    info.compareOp = s.compare_enable ? vk_compare(s.compare_func) : VK_COMPARE_OP_NEVER;
    if (s.mip_filter == PIPE_TEX_MIP_NONE) {
        // One level only; the small range keeps the choice between minification and magnification.
        info.maxLod = 0.25f;
    } else {
        info.minLod = std::max(s.min_lod, 0.0f);
        info.maxLod = std::max(s.max_lod, info.minLod);
    }
    if (!s.seamless_cube && dev.has.non_seamless_cube)
        info.flags |= VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT;
    VkSamplerCustomBorderColorCreateInfoEXT custom = {
        VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT};
    if (uses_border(s) && !lowered && dev.has.custom_border_color && !is_standard_border(s)) {
        std::copy_n(s.border_color, 4, custom.customBorderColor.uint32);
        info.borderColor = s.border_class == PIPE_VALUE_FLOAT ? VK_BORDER_COLOR_FLOAT_CUSTOM_EXT
                                                              : VK_BORDER_COLOR_INT_CUSTOM_EXT;
        info.pNext = &custom;
    } else if (uses_border(s) && !lowered) {
        info.borderColor = fixed_border(s);
    }
    if (mapping) {
        mapping->pNext = info.pNext;
        info.pNext = mapping;
    }
    VkSampler out = VK_NULL_HANDLE;
    VkResult result = VK_TRY(&dev, CreateSampler(dev.device, &info, nullptr, &out));
    return result == VK_SUCCESS ? out : VK_NULL_HANDLE;
}

VkImageViewType view_type(uint8_t target) {
    switch (target) {
    case PIPE_TEXTURE_1D: return VK_IMAGE_VIEW_TYPE_1D;
    case PIPE_TEXTURE_1D_ARRAY: return VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    case PIPE_TEXTURE_3D: return VK_IMAGE_VIEW_TYPE_3D;
    case PIPE_TEXTURE_CUBE: return VK_IMAGE_VIEW_TYPE_CUBE;
    case PIPE_TEXTURE_CUBE_ARRAY: return VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    case PIPE_TEXTURE_2D_ARRAY:
    case PIPE_TEXTURE_2D_MS_ARRAY: return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    default: return VK_IMAGE_VIEW_TYPE_2D;
    }
}

VkComponentSwizzle component(const format_info &f, uint8_t swizzle) {
    const pipe_format_desc &d = *pipe_format_describe(f.asked);
    const bool zs = d.is_depth || d.is_stencil;
    switch (swizzle) {
    case PIPE_SWIZZLE_ZERO: return VK_COMPONENT_SWIZZLE_ZERO;
    case PIPE_SWIZZLE_ONE: return VK_COMPONENT_SWIZZLE_ONE;
    default: break;
    }
    const bool present = zs ? swizzle == PIPE_SWIZZLE_RED : d.channel_of[swizzle & 3] >= 0;
    if (!present)
        return swizzle == PIPE_SWIZZLE_ALPHA ? VK_COMPONENT_SWIZZLE_ONE : VK_COMPONENT_SWIZZLE_ZERO;
    static const VkComponentSwizzle all[4] = {VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_G,
                                              VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_A};
    return all[swizzle & 3];
}

VkComponentMapping mapping_of(const sampler_view &v) {
    const format_info &f = format_of(*v.dev, v.desc.format);
    return {component(f, v.desc.swizzle[0]), component(f, v.desc.swizzle[1]),
            component(f, v.desc.swizzle[2]), component(f, v.desc.swizzle[3])};
}

// Whether the mapping is other than what the stored format gives by itself.
bool is_swizzled(const sampler_view &v) {
    const VkComponentMapping m = mapping_of(v);
    const pipe_format_desc &stored = *pipe_format_describe(format_of(*v.dev, v.desc.format).stored);
    const bool zs = stored.is_depth || stored.is_stencil;
    const VkComponentSwizzle have[4] = {m.r, m.g, m.b, m.a};
    for (int k = 0; k < 4; ++k) {
        const bool lacks = zs ? k > 0 : stored.channel_of[k] < 0;
        const VkComponentSwizzle constant =
            k == 3 ? VK_COMPONENT_SWIZZLE_ONE : VK_COMPONENT_SWIZZLE_ZERO;
        if (have[k] != VK_COMPONENT_SWIZZLE_R + k && !(lacks && have[k] == constant))
            return true;
    }
    return false;
}

// One word of the border as the shader sees it: behind the view's swizzle, in the format's range.
uint32_t border_word(const sampler_view &v, const pipe_sampler_state &s, uint32_t channel) {
    const bool real = s.border_class == PIPE_VALUE_FLOAT;
    const format_info &f = format_of(*v.dev, v.desc.format);
    switch (component(f, v.desc.swizzle[channel])) {
    case VK_COMPONENT_SWIZZLE_ZERO: return 0;
    case VK_COMPONENT_SWIZZLE_ONE: return real ? 0x3f800000u : 1u;
    default: break;
    }
    const uint32_t word = s.border_color[v.desc.swizzle[channel] & 3];
    const pipe_format_desc &d = *pipe_format_describe(v.desc.format);
    if (!real || d.is_float || d.is_integer)
        return word;
    return std::bit_cast<uint32_t>(
        std::clamp(std::bit_cast<float>(word), d.is_snorm ? -1.0f : 0.0f, 1.0f));
}

bool ready_buffer_view(sampler_view &v) {
    const resource &t = *v.texture;
    const resource_ref &buffer = t.owner;
    if (!buffer || !buffer->store)
        return false;
    uint64_t size = t.desc.buffer_size;
    uint64_t have =
        buffer->st()->size > t.desc.buffer_offset ? buffer->st()->size - t.desc.buffer_offset : 0;
    size = std::min(size, have);
    VkFormat format = exact_vk_format(v.desc.format);
    const pipe_format_desc &d = *pipe_format_describe(v.desc.format);
    if (!d.block_bytes || format == VK_FORMAT_UNDEFINED)
        return false;
    size = size / d.block_bytes * d.block_bytes;
    size = std::min<uint64_t>(size,
                              uint64_t(v.dev->props.limits.maxTexelBufferElements) * d.block_bytes);
    if (!size)
        return false;
    if (v.buffer_view && v.store.get() == buffer->st() && v.buffer_size == size)
        return true;
    v.drop_views();
    VkBufferViewCreateInfo info = {VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    info.buffer = buffer->st()->buffer;
    info.format = format;
    info.offset = t.desc.buffer_offset;
    info.range = size;
    if (VK_TRY(v.dev, CreateBufferView(v.dev->device, &info, nullptr, &v.buffer_view)) !=
        VK_SUCCESS) {
        v.buffer_view = VK_NULL_HANDLE;
        return false;
    }
    v.store = buffer->store;
    v.buffer_size = size;
    return true;
}

} // namespace

border_sampler turned_border(const sampler_view &v, uint32_t slot) {
    border_sampler b;
    b.slot = slot;
    b.turned = 1;
    const VkComponentMapping m = mapping_of(v);
    const VkComponentSwizzle from[4] = {m.r, m.g, m.b, m.a};
    std::copy_n(from, 4, b.swizzle);
    return b;
}

border_sampler border_of(const sampler_view &v, const pipe_sampler_state &state, uint32_t slot) {
    const pipe_sampler_state s = lacks_filter(v, state) ? nearest_of(state) : state;
    border_sampler b;
    b.slot = slot;
    const uint8_t wraps[3] = {s.wrap_s, s.wrap_t, s.wrap_r};
    for (uint32_t d = 0; d < 3; ++d)
        b.wrap |= uint8_t((wraps[d] == PIPE_TEX_WRAP_CLAMP_TO_BORDER) << d);
    const bool real = !v.integer;
    b.mag_linear = real && s.mag_filter == PIPE_TEX_FILTER_LINEAR;
    b.min_linear = real && s.min_filter == PIPE_TEX_FILTER_LINEAR;
    b.mip = s.mip_filter;
    b.compare = s.compare_enable ? uint8_t(1 + s.compare_func) : 0;
    b.lod_bias = s.lod_bias;
    b.min_lod = s.mip_filter == PIPE_TEX_MIP_NONE ? -1000.0f : s.min_lod;
    b.max_lod = std::max(s.mip_filter == PIPE_TEX_MIP_NONE ? 1000.0f : s.max_lod, b.min_lod);
    for (uint32_t k = 0; k < 4; ++k)
        b.color[k] = border_word(v, s, k);
    return b;
}

namespace {

// `info`: null where the host need not know the mapping.
VkSampler mapped_sampler(sampler &s, VkSamplerBorderColorComponentMappingCreateInfoEXT *info,
                         bool nearest) {
    const VkComponentMapping m = info ? info->components : VkComponentMapping{};
    const uint32_t key = uint32_t(m.r | m.g << 4 | m.b << 8 | m.a << 12) |
                         (info ? info->srgb : 0) << 16 | uint32_t(nearest) << 17;
    for (const auto &have : s.mapped)
        if (have.first == key)
            return have.second;
    if (nearest)
        log_warning_once("magma", "linear filtering of a format that the host does not filter: "
                                  "the nearest texel is taken");
    const VkSampler made =
        make_sampler(*s.dev, nearest ? nearest_of(s.state) : s.state, info);
    s.mapped.emplace_back(key, made);
    return made;
}

} // namespace

sampler::~sampler() {
    if (!dev)
        return;
    dev->trash->throw_away(VK_OBJECT_TYPE_SAMPLER, vk);
    for (auto &m : mapped)
        dev->trash->throw_away(VK_OBJECT_TYPE_SAMPLER, m.second);
}

void sampler_view::drop_views() {
    for (VkImageView &view : views) {
        dev->trash->throw_away(VK_OBJECT_TYPE_IMAGE_VIEW, view);
        view = VK_NULL_HANDLE;
    }
    dev->trash->throw_away(VK_OBJECT_TYPE_BUFFER_VIEW, buffer_view);
    buffer_view = VK_NULL_HANDLE;
    store = {};
}

sampler_view::~sampler_view() {
    if (dev)
        drop_views();
}

VkImageView make_image_view(host_device &dev, const storage &s, VkImageViewType type,
                            VkFormat format, VkImageAspectFlags aspects, uint32_t level,
                            uint32_t levels, uint32_t layer, uint32_t layers,
                            VkComponentMapping swizzle, VkImageUsageFlags usage) {
    if (level >= s.levels)
        return VK_NULL_HANDLE;
    VkImageViewUsageCreateInfo use = {VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO};
    use.usage = usage & s.usage;
    if (!use.usage)
        return VK_NULL_HANDLE;
    VkImageViewCreateInfo info = {VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, &use};
    info.image = s.image;
    info.viewType = type;
    info.format = format;
    info.components = swizzle;
    info.subresourceRange = {aspects, level, std::max(1u, std::min(levels, s.levels - level)),
                             layer, std::max(layers, 1u)};
    VkImageView out = VK_NULL_HANDLE;
    VkResult result = VK_TRY(&dev, CreateImageView(dev.device, &info, nullptr, &out));
    return result == VK_SUCCESS ? out : VK_NULL_HANDLE;
}

VkImageView make_sampled_view(const sampler_view &v, const storage &s, uint32_t form) {
    const format_info &f = format_of(*v.dev, v.desc.format);
    VkImageAspectFlags aspects = s.aspects;
    if (!(aspects & VK_IMAGE_ASPECT_COLOR_BIT)) {
        bool stencil = v.desc.aspect & PIPE_ASPECT_STENCIL && !(v.desc.aspect & PIPE_ASPECT_DEPTH);
        if (stencil && (aspects & VK_IMAGE_ASPECT_STENCIL_BIT))
            aspects = VK_IMAGE_ASPECT_STENCIL_BIT;
        else
            aspects = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                          : VK_IMAGE_ASPECT_STENCIL_BIT;
    }
    VkImageViewType type = view_type(v.desc.target);
    uint32_t layer = v.texture->min_layer + v.desc.first_layer;
    uint32_t layers = std::max<uint32_t>(v.desc.num_layers, 1);
    if (type == VK_IMAGE_VIEW_TYPE_3D)
        layer = 0, layers = 1;
    if (type == VK_IMAGE_VIEW_TYPE_1D || type == VK_IMAGE_VIEW_TYPE_2D)
        layers = 1;
    if (type == VK_IMAGE_VIEW_TYPE_CUBE)
        layers = 6;
    layers = std::min(layers, s.layers > layer ? s.layers - layer : 1u);
    // The image's own format for depth, whatever the view says: there is no other legal choice.
    VkFormat format = s.format;
    if (s.aspects & VK_IMAGE_ASPECT_COLOR_BIT)
        format = form & view_linear ? f.vk_linear : f.vk;
    VkComponentMapping map = mapping_of(v);
    if (form & view_unturned || (!v.swizzled && !v.dev->has.border_swizzle))
        map = {}; // strict hosts want to see that it is none
    return make_image_view(
        *v.dev, s, type, format, aspects, v.texture->min_level + v.desc.first_level,
        std::max<uint32_t>(v.desc.num_levels, 1), layer, layers, map, VK_IMAGE_USAGE_SAMPLED_BIT);
}

uint32_t form_of(const sampler_view &v, const sampler *s, bool turned) {
    const format_info &f = format_of(*v.dev, v.desc.format);
    const bool linear = s && !s->state.srgb_decode && f.vk_linear != f.vk;
    return (linear ? view_linear : 0u) | (turned ? view_unturned : 0u);
}

bool ready_view(sampler_view &v, uint32_t form) {
    if (!v.texture || v.texture->bad)
        return false;
    if (v.texture->is_texture_buffer())
        return ready_buffer_view(v);
    storage *s = v.texture->st();
    if (!s || !s->is_image())
        return false;
    if (v.store.get() != s)
        v.drop_views();
    const format_info &f = format_of(*v.dev, v.desc.format);
    VkImageView &slot = v.views[form];
    if (slot)
        return true;
    if (f.stored == PIPE_FORMAT_NONE)
        return false;
    slot = make_sampled_view(v, *s, form);
    v.store = v.texture->store;
    return slot != VK_NULL_HANDLE;
}

VkSampler host_sampler(sampler &s, const sampler_view &v) {
    const host_features &has = s.dev->has;
    const bool nearest = is_linear(s.state) && lacks_filter(v, s.state);
    if (has.border_swizzle && !has.border_swizzle_from_view && uses_border(s.state)) {
        VkSamplerBorderColorComponentMappingCreateInfoEXT info = {
            VK_STRUCTURE_TYPE_SAMPLER_BORDER_COLOR_COMPONENT_MAPPING_CREATE_INFO_EXT};
        info.components = mapping_of(v);
        info.srgb = s.state.srgb_decode && pipe_format_describe(v.desc.format)->is_srgb;
        if (v.swizzled || info.srgb)
            return mapped_sampler(s, &info, nearest);
    }
    if (nearest)
        return mapped_sampler(s, nullptr, true);
    if (!s.vk)
        s.vk = make_sampler(*s.dev, s.state);
    return s.vk;
}

void create_sampler_state(pipe_context *ctx, const pipe_create_sampler_state *p) {
    context &c = ctx_of(ctx);
    auto s = std::make_shared<sampler>();
    s->dev = &c.dev;
    s->state = p->state;
    s->vk = make_sampler(c.dev, p->state);
    std::lock_guard lock(c.scr.mutex);
    c.scr.samplers.put(p->sampler, std::move(s));
}

void delete_sampler_state(pipe_context *ctx, const pipe_delete_sampler_state *p) {
    context &c = ctx_of(ctx);
    sampler_ptr gone;
    std::lock_guard lock(c.scr.mutex);
    gone = c.scr.samplers.take(p->sampler);
}

void create_sampler_view(pipe_context *ctx, const pipe_create_sampler_view *p) {
    context &c = ctx_of(ctx);
    auto v = std::make_shared<sampler_view>();
    v->dev = &c.dev;
    v->desc = *p;
    v->texture = c.find(p->texture);
    v->integer = pipe_format_describe(p->format)->is_integer;
    v->swizzled = is_swizzled(*v);
    std::lock_guard lock(c.scr.mutex);
    c.scr.views.put(p->view, std::move(v));
}

void delete_sampler_view(pipe_context *ctx, const pipe_delete_sampler_view *p) {
    context &c = ctx_of(ctx);
    view_ref gone;
    std::lock_guard lock(c.scr.mutex);
    gone = c.scr.views.take(p->view);
}

} // namespace magma
