// SPDX-License-Identifier: MIT
// The format table: exact equivalents, then wider formats until the device has what is needed.
#include "magma_format.h"

#include "magma_features.h"
#include "magma_instance.h"

#include <memory>

namespace magma {

VkFormat exact_vk_format(uint32_t format) {
    switch (format) {
#define SIZED(BITS, T)                                                                             \
    case PIPE_FORMAT_R##BITS##_##T: return VK_FORMAT_R##BITS##_##T;                                \
    case PIPE_FORMAT_R##BITS##G##BITS##_##T: return VK_FORMAT_R##BITS##G##BITS##_##T;              \
    case PIPE_FORMAT_R##BITS##G##BITS##B##BITS##_##T:                                              \
        return VK_FORMAT_R##BITS##G##BITS##B##BITS##_##T;                                          \
    case PIPE_FORMAT_R##BITS##G##BITS##B##BITS##A##BITS##_##T:                                     \
        return VK_FORMAT_R##BITS##G##BITS##B##BITS##A##BITS##_##T;
#define SIZED_FLOAT(BITS)                                                                          \
    case PIPE_FORMAT_R##BITS##_FLOAT: return VK_FORMAT_R##BITS##_SFLOAT;                           \
    case PIPE_FORMAT_R##BITS##G##BITS##_FLOAT: return VK_FORMAT_R##BITS##G##BITS##_SFLOAT;         \
    case PIPE_FORMAT_R##BITS##G##BITS##B##BITS##_FLOAT:                                            \
        return VK_FORMAT_R##BITS##G##BITS##B##BITS##_SFLOAT;                                       \
    case PIPE_FORMAT_R##BITS##G##BITS##B##BITS##A##BITS##_FLOAT:                                   \
        return VK_FORMAT_R##BITS##G##BITS##B##BITS##A##BITS##_SFLOAT;
        SIZED(8, UNORM)
        SIZED(8, SNORM)
        SIZED(8, UINT)
        SIZED(8, SINT)
        SIZED(16, UNORM)
        SIZED(16, SNORM)
        SIZED(16, UINT)
        SIZED(16, SINT)
        SIZED(32, UINT)
        SIZED(32, SINT)
        SIZED_FLOAT(16)
        SIZED_FLOAT(32)
#undef SIZED
#undef SIZED_FLOAT
    case PIPE_FORMAT_R8_SRGB: return VK_FORMAT_R8_SRGB;
    case PIPE_FORMAT_R8G8_SRGB: return VK_FORMAT_R8G8_SRGB;
    case PIPE_FORMAT_R8G8B8_SRGB: return VK_FORMAT_R8G8B8_SRGB;
    case PIPE_FORMAT_R8G8B8A8_SRGB: return VK_FORMAT_R8G8B8A8_SRGB;
    case PIPE_FORMAT_B8G8R8A8_UNORM: return VK_FORMAT_B8G8R8A8_UNORM;
    case PIPE_FORMAT_B8G8R8A8_SRGB: return VK_FORMAT_B8G8R8A8_SRGB;
    case PIPE_FORMAT_R4G4B4A4_UNORM: return VK_FORMAT_R4G4B4A4_UNORM_PACK16;
    case PIPE_FORMAT_R5G5B5A1_UNORM: return VK_FORMAT_R5G5B5A1_UNORM_PACK16;
    case PIPE_FORMAT_R5G6B5_UNORM: return VK_FORMAT_R5G6B5_UNORM_PACK16;
    case PIPE_FORMAT_R10G10B10A2_UNORM: return VK_FORMAT_A2B10G10R10_UNORM_PACK32;
    case PIPE_FORMAT_R10G10B10A2_UINT: return VK_FORMAT_A2B10G10R10_UINT_PACK32;
    case PIPE_FORMAT_R11G11B10_FLOAT: return VK_FORMAT_B10G11R11_UFLOAT_PACK32;
    case PIPE_FORMAT_R9G9B9E5_FLOAT: return VK_FORMAT_E5B9G9R9_UFLOAT_PACK32;
    case PIPE_FORMAT_Z16_UNORM: return VK_FORMAT_D16_UNORM;
    case PIPE_FORMAT_Z24X8_UNORM: return VK_FORMAT_X8_D24_UNORM_PACK32;
    case PIPE_FORMAT_Z24_UNORM_S8_UINT: return VK_FORMAT_D24_UNORM_S8_UINT;
    case PIPE_FORMAT_Z32_FLOAT: return VK_FORMAT_D32_SFLOAT;
    case PIPE_FORMAT_Z32_FLOAT_S8X24_UINT: return VK_FORMAT_D32_SFLOAT_S8_UINT;
    case PIPE_FORMAT_S8_UINT: return VK_FORMAT_S8_UINT;
    case PIPE_FORMAT_DXT1_RGB: return VK_FORMAT_BC1_RGB_UNORM_BLOCK;
    case PIPE_FORMAT_DXT1_RGBA: return VK_FORMAT_BC1_RGBA_UNORM_BLOCK;
    case PIPE_FORMAT_DXT3_RGBA: return VK_FORMAT_BC2_UNORM_BLOCK;
    case PIPE_FORMAT_DXT5_RGBA: return VK_FORMAT_BC3_UNORM_BLOCK;
    case PIPE_FORMAT_DXT1_SRGB: return VK_FORMAT_BC1_RGB_SRGB_BLOCK;
    case PIPE_FORMAT_DXT1_SRGBA: return VK_FORMAT_BC1_RGBA_SRGB_BLOCK;
    case PIPE_FORMAT_DXT3_SRGBA: return VK_FORMAT_BC2_SRGB_BLOCK;
    case PIPE_FORMAT_DXT5_SRGBA: return VK_FORMAT_BC3_SRGB_BLOCK;
    case PIPE_FORMAT_RGTC1_UNORM: return VK_FORMAT_BC4_UNORM_BLOCK;
    case PIPE_FORMAT_RGTC1_SNORM: return VK_FORMAT_BC4_SNORM_BLOCK;
    case PIPE_FORMAT_RGTC2_UNORM: return VK_FORMAT_BC5_UNORM_BLOCK;
    case PIPE_FORMAT_RGTC2_SNORM: return VK_FORMAT_BC5_SNORM_BLOCK;
    case PIPE_FORMAT_BPTC_RGBA_UNORM: return VK_FORMAT_BC7_UNORM_BLOCK;
    case PIPE_FORMAT_BPTC_SRGBA: return VK_FORMAT_BC7_SRGB_BLOCK;
    case PIPE_FORMAT_BPTC_RGB_FLOAT: return VK_FORMAT_BC6H_SFLOAT_BLOCK;
    case PIPE_FORMAT_BPTC_RGB_UFLOAT: return VK_FORMAT_BC6H_UFLOAT_BLOCK;
    case PIPE_FORMAT_ETC2_RGB8: return VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK;
    case PIPE_FORMAT_ETC2_SRGB8: return VK_FORMAT_ETC2_R8G8B8_SRGB_BLOCK;
    case PIPE_FORMAT_ETC2_RGB8A1: return VK_FORMAT_ETC2_R8G8B8A1_UNORM_BLOCK;
    case PIPE_FORMAT_ETC2_SRGB8A1: return VK_FORMAT_ETC2_R8G8B8A1_SRGB_BLOCK;
    case PIPE_FORMAT_ETC2_RGBA8: return VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK;
    case PIPE_FORMAT_ETC2_SRGBA8: return VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK;
    case PIPE_FORMAT_ETC2_R11_UNORM: return VK_FORMAT_EAC_R11_UNORM_BLOCK;
    case PIPE_FORMAT_ETC2_R11_SNORM: return VK_FORMAT_EAC_R11_SNORM_BLOCK;
    case PIPE_FORMAT_ETC2_RG11_UNORM: return VK_FORMAT_EAC_R11G11_UNORM_BLOCK;
    case PIPE_FORMAT_ETC2_RG11_SNORM: return VK_FORMAT_EAC_R11G11_SNORM_BLOCK;
    default: return VK_FORMAT_UNDEFINED;
    }
}

namespace {

// The next wider format to try; NONE ends the search.
uint32_t wider(uint32_t format) {
    switch (format) {
    case PIPE_FORMAT_R8G8B8_UNORM:
    case PIPE_FORMAT_R8G8B8X8_UNORM:
    case PIPE_FORMAT_R3G3B2_UNORM:
    case PIPE_FORMAT_R4G4B4A4_UNORM:
    case PIPE_FORMAT_R5G5B5A1_UNORM:
    case PIPE_FORMAT_R5G6B5_UNORM:
    case PIPE_FORMAT_B8G8R8A8_UNORM:
    case PIPE_FORMAT_R8G8_UNORM: return PIPE_FORMAT_R8G8B8A8_UNORM;
    case PIPE_FORMAT_B8G8R8X8_UNORM: return PIPE_FORMAT_B8G8R8A8_UNORM;
    case PIPE_FORMAT_R8_UNORM: return PIPE_FORMAT_R8G8_UNORM;
    case PIPE_FORMAT_R8G8B8_SRGB:
    case PIPE_FORMAT_R8G8B8X8_SRGB:
    case PIPE_FORMAT_R8_SRGB:
    case PIPE_FORMAT_R8G8_SRGB:
    case PIPE_FORMAT_B8G8R8A8_SRGB: return PIPE_FORMAT_R8G8B8A8_SRGB;
    case PIPE_FORMAT_R8G8B8_SNORM:
    case PIPE_FORMAT_R8G8B8X8_SNORM: return PIPE_FORMAT_R8G8B8A8_SNORM;
    case PIPE_FORMAT_R8G8B8_UINT:
    case PIPE_FORMAT_R8G8B8X8_UINT: return PIPE_FORMAT_R8G8B8A8_UINT;
    case PIPE_FORMAT_R8G8B8_SINT:
    case PIPE_FORMAT_R8G8B8X8_SINT: return PIPE_FORMAT_R8G8B8A8_SINT;
    case PIPE_FORMAT_R16G16B16_UNORM:
    case PIPE_FORMAT_R16G16B16X16_UNORM: return PIPE_FORMAT_R16G16B16A16_UNORM;
    case PIPE_FORMAT_R16G16B16_SNORM:
    case PIPE_FORMAT_R16G16B16X16_SNORM: return PIPE_FORMAT_R16G16B16A16_SNORM;
    case PIPE_FORMAT_R16G16B16_UINT:
    case PIPE_FORMAT_R16G16B16X16_UINT: return PIPE_FORMAT_R16G16B16A16_UINT;
    case PIPE_FORMAT_R16G16B16_SINT:
    case PIPE_FORMAT_R16G16B16X16_SINT: return PIPE_FORMAT_R16G16B16A16_SINT;
    case PIPE_FORMAT_R16G16B16_FLOAT:
    case PIPE_FORMAT_R16G16B16X16_FLOAT:
    case PIPE_FORMAT_R11G11B10_FLOAT:
    case PIPE_FORMAT_R9G9B9E5_FLOAT: return PIPE_FORMAT_R16G16B16A16_FLOAT;
    case PIPE_FORMAT_R32G32B32_FLOAT:
    case PIPE_FORMAT_R32G32B32X32_FLOAT:
    case PIPE_FORMAT_R16G16B16A16_UNORM:
    case PIPE_FORMAT_R16G16B16A16_SNORM: return PIPE_FORMAT_R32G32B32A32_FLOAT;
    case PIPE_FORMAT_R32G32B32_UINT:
    case PIPE_FORMAT_R32G32B32X32_UINT: return PIPE_FORMAT_R32G32B32A32_UINT;
    case PIPE_FORMAT_R32G32B32_SINT:
    case PIPE_FORMAT_R32G32B32X32_SINT: return PIPE_FORMAT_R32G32B32A32_SINT;
    case PIPE_FORMAT_R16_UNORM:
    case PIPE_FORMAT_R16_SNORM: return PIPE_FORMAT_R32_FLOAT;
    case PIPE_FORMAT_R16G16_UNORM:
    case PIPE_FORMAT_R16G16_SNORM: return PIPE_FORMAT_R32G32_FLOAT;
    case PIPE_FORMAT_R10G10B10A2_UNORM: return PIPE_FORMAT_R16G16B16A16_UNORM;
    case PIPE_FORMAT_R10G10B10A2_UINT: return PIPE_FORMAT_R16G16B16A16_UINT;
    case PIPE_FORMAT_Z16_UNORM: return PIPE_FORMAT_Z24X8_UNORM;
    case PIPE_FORMAT_Z24X8_UNORM: return PIPE_FORMAT_Z32_FLOAT;
    case PIPE_FORMAT_Z32_UNORM: return PIPE_FORMAT_Z32_FLOAT;
    case PIPE_FORMAT_Z24_UNORM_S8_UINT: return PIPE_FORMAT_Z32_FLOAT_S8X24_UINT;
    case PIPE_FORMAT_S8_UINT: return PIPE_FORMAT_Z24_UNORM_S8_UINT;
    case PIPE_FORMAT_DXT1_RGB: return PIPE_FORMAT_DXT1_RGBA;
    default: return PIPE_FORMAT_NONE;
    }
}

} // namespace

uint32_t linear_twin(uint32_t format) {
    switch (format) {
    case PIPE_FORMAT_R8_SRGB: return PIPE_FORMAT_R8_UNORM;
    case PIPE_FORMAT_R8G8_SRGB: return PIPE_FORMAT_R8G8_UNORM;
    case PIPE_FORMAT_R8G8B8_SRGB: return PIPE_FORMAT_R8G8B8_UNORM;
    case PIPE_FORMAT_R8G8B8A8_SRGB: return PIPE_FORMAT_R8G8B8A8_UNORM;
    case PIPE_FORMAT_B8G8R8A8_SRGB: return PIPE_FORMAT_B8G8R8A8_UNORM;
    case PIPE_FORMAT_DXT1_SRGB: return PIPE_FORMAT_DXT1_RGB;
    case PIPE_FORMAT_DXT1_SRGBA: return PIPE_FORMAT_DXT1_RGBA;
    case PIPE_FORMAT_DXT3_SRGBA: return PIPE_FORMAT_DXT3_RGBA;
    case PIPE_FORMAT_DXT5_SRGBA: return PIPE_FORMAT_DXT5_RGBA;
    case PIPE_FORMAT_BPTC_SRGBA: return PIPE_FORMAT_BPTC_RGBA_UNORM;
    case PIPE_FORMAT_ETC2_SRGB8: return PIPE_FORMAT_ETC2_RGB8;
    case PIPE_FORMAT_ETC2_SRGB8A1: return PIPE_FORMAT_ETC2_RGB8A1;
    case PIPE_FORMAT_ETC2_SRGBA8: return PIPE_FORMAT_ETC2_RGBA8;
    default: return format;
    }
}

namespace {

// What a format must be able to do, or a wider one is taken. GL makes all formats of at most 32 bit
// per channel renderable but snorm, shared exponent and block formats (and three-component ones are
// up to us).
VkFormatFeatureFlags needed(const pipe_format_desc &d) {
    VkFormatFeatureFlags need = VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT |
                                VK_FORMAT_FEATURE_TRANSFER_SRC_BIT |
                                VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    if (d.is_depth || d.is_stencil)
        return need | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
    bool renderable = !d.is_compressed && !d.is_snorm && d.format != PIPE_FORMAT_R9G9B9E5_FLOAT &&
                      !(d.is_srgb && d.num_channels < 3);
    return renderable ? need | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT : need;
}

VkImageAspectFlags aspects_of(const pipe_format_desc &d) {
    VkImageAspectFlags aspects = 0;
    if (d.is_depth)
        aspects |= VK_IMAGE_ASPECT_DEPTH_BIT;
    if (d.is_stencil)
        aspects |= VK_IMAGE_ASPECT_STENCIL_BIT;
    return aspects ? aspects : VkImageAspectFlags(VK_IMAGE_ASPECT_COLOR_BIT);
}

struct format_table {
    format_info entry[PIPE_FORMAT_COUNT];
};

void fill(host_device &dev, uint32_t format, format_info &out) {
    const pipe_format_desc &asked = *pipe_format_describe(format);
    out.asked = format;
    VkFormatFeatureFlags need = needed(asked);
    for (uint32_t f = format; f != PIPE_FORMAT_NONE; f = wider(f)) {
        VkFormat vk = exact_vk_format(f);
        const bool forced = f == format && asked.num_channels == 3 && wider(f) &&
                            dev.forced(emulation::wide_format);
        if (vk == VK_FORMAT_UNDEFINED || forced)
            continue;
        VkFormatProperties props;
        dev.vk.GetPhysicalDeviceFormatProperties(dev.physical, vk, &props);
        if ((props.optimalTilingFeatures & need) != need)
            continue;
        const pipe_format_desc &stored = *pipe_format_describe(f);
        out.stored = f;
        out.vk = vk;
        out.vk_linear = exact_vk_format(linear_twin(f));
        out.aspects = aspects_of(stored);
        out.features = props.optimalTilingFeatures;
        if (stored.is_depth && hidden(dev.options, "linearDepthFilter"))
            out.features &= ~VkFormatFeatureFlags(VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT);
        out.exact = f == format;
        out.no_alpha = asked.channel_of[3] < 0 && stored.channel_of[3] >= 0 && !asked.is_depth &&
                       !asked.is_stencil;
        break;
    }
    VkFormat exact = exact_vk_format(format);
    if (exact != VK_FORMAT_UNDEFINED) {
        VkFormatProperties props;
        dev.vk.GetPhysicalDeviceFormatProperties(dev.physical, exact, &props);
        out.buffer_features = props.bufferFeatures;
    }
}

} // namespace

uint32_t format_info::copy_format(VkImageAspectFlags aspect) const {
    if (aspect == VK_IMAGE_ASPECT_STENCIL_BIT)
        return PIPE_FORMAT_S8_UINT;
    if (aspect != VK_IMAGE_ASPECT_DEPTH_BIT)
        return stored;
    switch (stored) {
    case PIPE_FORMAT_Z24_UNORM_S8_UINT: return PIPE_FORMAT_Z24X8_UNORM;
    case PIPE_FORMAT_Z32_FLOAT_S8X24_UINT: return PIPE_FORMAT_Z32_FLOAT;
    default: return stored;
    }
}

const format_info &format_of(host_device &dev, uint32_t format) {
    static const format_table *table = [&dev] {
        auto *filled = new format_table;
        for (uint32_t f = 0; f < PIPE_FORMAT_COUNT; ++f)
            fill(dev, f, filled->entry[f]);
        return filled;
    }();
    return table->entry[format < PIPE_FORMAT_COUNT ? format : 0];
}

uint8_t value_class_of(VkFormat format) {
    switch (format) {
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_R8G8_UINT:
    case VK_FORMAT_R8G8B8A8_UINT:
    case VK_FORMAT_B8G8R8A8_UINT:
    case VK_FORMAT_A8B8G8R8_UINT_PACK32:
    case VK_FORMAT_A2R10G10B10_UINT_PACK32:
    case VK_FORMAT_A2B10G10R10_UINT_PACK32:
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R16G16_UINT:
    case VK_FORMAT_R16G16B16A16_UINT:
    case VK_FORMAT_R32_UINT:
    case VK_FORMAT_R32G32_UINT:
    case VK_FORMAT_R32G32B32A32_UINT: return PIPE_VALUE_UINT;
    case VK_FORMAT_R8_SINT:
    case VK_FORMAT_R8G8_SINT:
    case VK_FORMAT_R8G8B8A8_SINT:
    case VK_FORMAT_B8G8R8A8_SINT:
    case VK_FORMAT_A8B8G8R8_SINT_PACK32:
    case VK_FORMAT_A2R10G10B10_SINT_PACK32:
    case VK_FORMAT_A2B10G10R10_SINT_PACK32:
    case VK_FORMAT_R16_SINT:
    case VK_FORMAT_R16G16_SINT:
    case VK_FORMAT_R16G16B16A16_SINT:
    case VK_FORMAT_R32_SINT:
    case VK_FORMAT_R32G32_SINT:
    case VK_FORMAT_R32G32B32A32_SINT: return PIPE_VALUE_SINT;
    default: return PIPE_VALUE_FLOAT;
    }
}

VkSampleCountFlags sample_counts(host_device &dev, const format_info &f) {
    if (f.stored == PIPE_FORMAT_NONE)
        return 0;
    VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                              VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    usage |= f.aspects & VK_IMAGE_ASPECT_COLOR_BIT ? VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT
                                                   : VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    VkImageFormatProperties props;
    if (dev.vk.GetPhysicalDeviceImageFormatProperties(dev.physical, f.vk, VK_IMAGE_TYPE_2D,
                                                      VK_IMAGE_TILING_OPTIMAL, usage, 0,
                                                      &props) != VK_SUCCESS)
        return VK_SAMPLE_COUNT_1_BIT;
    return props.sampleCounts;
}

void fill_format_caps(host_device &dev, pipe_caps &caps) {
    for (uint32_t n = 1; n < PIPE_FORMAT_COUNT; ++n) {
        const format_info &f = format_of(dev, n);
        pipe_format_caps &c = caps.format[n];
        c = {};
        VkFormat exact = exact_vk_format(n);
        VkFormatFeatureFlags b = f.buffer_features;
        if (exact != VK_FORMAT_UNDEFINED && (b & VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT))
            c.caps |= PIPE_FORMAT_CAP_TEXTURE_BUFFER;
        if (b & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT)
            c.caps |= PIPE_FORMAT_CAP_VERTEX;
        if (f.stored == PIPE_FORMAT_NONE)
            continue;
        VkFormatFeatureFlags o = f.features;
        auto put = [&](VkFormatFeatureFlags bit, uint32_t cap) {
            if (o & bit)
                c.caps |= cap;
        };
        put(VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, PIPE_FORMAT_CAP_SAMPLE);
        put(VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT, PIPE_FORMAT_CAP_FILTER);
        put(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, PIPE_FORMAT_CAP_RENDER);
        put(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT, PIPE_FORMAT_CAP_BLEND);
        put(VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, PIPE_FORMAT_CAP_DEPTH_STENCIL);
        if (f.exact) {
            put(VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT,
                PIPE_FORMAT_CAP_IMAGE_LOAD | PIPE_FORMAT_CAP_IMAGE_STORE);
            put(VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT, PIPE_FORMAT_CAP_IMAGE_ATOMIC);
            c.caps |= PIPE_FORMAT_CAP_NATIVE;
        }
        const pipe_format_desc &d = *pipe_format_describe(n);
        if (!d.is_compressed && !d.is_integer)
            put(VK_FORMAT_FEATURE_BLIT_SRC_BIT, PIPE_FORMAT_CAP_MIPMAP);
        c.caps |= PIPE_FORMAT_CAP_READ | PIPE_FORMAT_CAP_COPY;
        const uint32_t target = PIPE_FORMAT_CAP_RENDER | PIPE_FORMAT_CAP_DEPTH_STENCIL;
        if (c.caps & target)
            c.caps |= PIPE_FORMAT_CAP_LAYERED_RENDER;
        VkSampleCountFlags counts = sample_counts(dev, f);
        if (c.caps & target) {
            for (uint32_t s = 1; s <= 16; s *= 2)
                if (counts & s)
                    c.sample_counts |= 1u << s;
            if (counts & ~1u)
                c.caps |= PIPE_FORMAT_CAP_MULTISAMPLE;
        }
    }
}

VkFormat vertex_format(uint8_t type, uint8_t size, uint8_t flags) {
    const bool integer = flags & PIPE_ATTRIB_FLAG_INTEGER,
               norm = flags & PIPE_ATTRIB_FLAG_NORMALIZED;
    const uint32_t n = size - 1u;
    if (n > 3)
        return VK_FORMAT_UNDEFINED;
    // The four sizes of a family are 7 (8-bit and 16-bit) or 3 (32-bit) or 3 (64-bit) apart.
    switch (type) {
    case PIPE_ATTRIB_FLOAT: return VkFormat(VK_FORMAT_R32_SFLOAT + 3 * n);
    case PIPE_ATTRIB_HALF: return VkFormat(VK_FORMAT_R16_SFLOAT + 7 * n);
    case PIPE_ATTRIB_DOUBLE:
        return flags & PIPE_ATTRIB_FLAG_LONG ? VkFormat(VK_FORMAT_R64_SFLOAT + 3 * n)
                                             : VK_FORMAT_UNDEFINED;
    case PIPE_ATTRIB_BYTE: {
        VkFormat base = integer ? VK_FORMAT_R8_SINT
                        : norm  ? VK_FORMAT_R8_SNORM
                                : VK_FORMAT_R8_SSCALED;
        static const uint32_t step[4] = {0, VK_FORMAT_R8G8_UNORM - VK_FORMAT_R8_UNORM,
                                         VK_FORMAT_R8G8B8_UNORM - VK_FORMAT_R8_UNORM,
                                         VK_FORMAT_R8G8B8A8_UNORM - VK_FORMAT_R8_UNORM};
        return VkFormat(base + step[n]);
    }
    case PIPE_ATTRIB_UBYTE: {
        if (flags & PIPE_ATTRIB_FLAG_BGRA)
            return VK_FORMAT_B8G8R8A8_UNORM;
        VkFormat base = integer ? VK_FORMAT_R8_UINT
                        : norm  ? VK_FORMAT_R8_UNORM
                                : VK_FORMAT_R8_USCALED;
        static const uint32_t step[4] = {0, VK_FORMAT_R8G8_UNORM - VK_FORMAT_R8_UNORM,
                                         VK_FORMAT_R8G8B8_UNORM - VK_FORMAT_R8_UNORM,
                                         VK_FORMAT_R8G8B8A8_UNORM - VK_FORMAT_R8_UNORM};
        return VkFormat(base + step[n]);
    }
    case PIPE_ATTRIB_SHORT:
        return VkFormat((integer ? VK_FORMAT_R16_SINT
                         : norm  ? VK_FORMAT_R16_SNORM
                                 : VK_FORMAT_R16_SSCALED) +
                        7 * n);
    case PIPE_ATTRIB_USHORT:
        return VkFormat((integer ? VK_FORMAT_R16_UINT
                         : norm  ? VK_FORMAT_R16_UNORM
                                 : VK_FORMAT_R16_USCALED) +
                        7 * n);
    case PIPE_ATTRIB_INT:
        return integer ? VkFormat(VK_FORMAT_R32_SINT + 3 * n) : VK_FORMAT_UNDEFINED;
    case PIPE_ATTRIB_UINT:
        return integer ? VkFormat(VK_FORMAT_R32_UINT + 3 * n) : VK_FORMAT_UNDEFINED;
    case PIPE_ATTRIB_INT_2_10_10_10_REV:
        if (flags & PIPE_ATTRIB_FLAG_BGRA)
            return norm ? VK_FORMAT_A2R10G10B10_SNORM_PACK32 : VK_FORMAT_A2R10G10B10_SSCALED_PACK32;
        return norm ? VK_FORMAT_A2B10G10R10_SNORM_PACK32 : VK_FORMAT_A2B10G10R10_SSCALED_PACK32;
    case PIPE_ATTRIB_UINT_2_10_10_10_REV:
        if (flags & PIPE_ATTRIB_FLAG_BGRA)
            return norm ? VK_FORMAT_A2R10G10B10_UNORM_PACK32 : VK_FORMAT_A2R10G10B10_USCALED_PACK32;
        return norm ? VK_FORMAT_A2B10G10R10_UNORM_PACK32 : VK_FORMAT_A2B10G10R10_USCALED_PACK32;
    case PIPE_ATTRIB_UINT_10F_11F_11F_REV: return VK_FORMAT_B10G11R11_UFLOAT_PACK32;
    default: return VK_FORMAT_UNDEFINED;
    }
}

} // namespace magma
