// SPDX-License-Identifier: MIT
#include "drivers_common/level_filter.h"

#include "drivers_common/format_convert.h"
#include "pipe/pipe.h"

#include <algorithm>
#include <cmath>

namespace drivers_common {

namespace {

float decoded(float v) {
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

float encoded(float v) {
    return v <= 0.0031308f ? v * 12.92f : 1.055f * std::pow(v, 1 / 2.4f) - 0.055f;
}

void map_colors(std::vector<float> &data, float (*fn)(float)) {
    for (size_t i = 0; i < data.size(); ++i)
        if (i % 4 != 3)
            data[i] = fn(data[i]);
}

// The texels of a level that one of `size` covers at `at`.
struct span {
    uint32_t first, end;
    span(uint32_t at, uint32_t from, uint32_t size)
        : first(uint32_t(uint64_t(at) * from / size)),
          end(uint32_t((uint64_t(at + 1) * from + size - 1) / size)) {}
    uint32_t size() const { return end - first; }
};

} // namespace

bool filters_level(uint32_t format) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    return !d.is_compressed && !d.is_stencil && !d.is_integer;
}

bool unpack_level(uint32_t format, const uint8_t *bytes, uint32_t width, uint32_t height,
                  uint32_t depth, level_texels &out) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    const uint64_t texels = uint64_t(width) * height * depth;
    out = {width, height, depth, d.is_depth ? 1u : 4u, {}};
    out.data.resize(texels * out.channels);
    if (d.is_depth) {
        std::vector<double> numbers(texels);
        if (!unpack_depth(format, bytes, numbers.data(), texels))
            return false;
        std::copy(numbers.begin(), numbers.end(), out.data.begin());
        return true;
    }
    if (!unpack_texels(format, bytes, reinterpret_cast<texel *>(out.data.data()), texels))
        return false;
    if (d.is_srgb)
        map_colors(out.data, decoded);
    return true;
}

bool pack_level(uint32_t format, const level_texels &level, std::vector<uint8_t> &out) {
    const pipe_format_desc &d = *pipe_format_describe(format);
    const uint64_t texels = level.data.size() / level.channels;
    out.resize(texels * d.block_bytes);
    if (d.is_depth) {
        const std::vector<double> numbers(level.data.begin(), level.data.end());
        return pack_depth(format, numbers.data(), out.data(), texels);
    }
    std::vector<float> colors = level.data;
    if (d.is_srgb)
        map_colors(colors, encoded);
    return pack_texels(format, reinterpret_cast<const texel *>(colors.data()), out.data(), texels);
}

level_texels halve_level(const level_texels &from, uint32_t width, uint32_t height, uint32_t depth,
                         bool slices) {
    level_texels out = {width, height, slices ? depth : from.depth, from.channels, {}};
    out.data.reserve(uint64_t(out.width) * out.height * out.depth * out.channels);
    const auto at = [&](uint32_t x, uint32_t y, uint32_t z) {
        return from.data.data() +
               ((uint64_t(z) * from.height + y) * from.width + x) * from.channels;
    };
    for (uint32_t z = 0; z < out.depth; ++z)
        for (uint32_t y = 0; y < out.height; ++y)
            for (uint32_t x = 0; x < out.width; ++x) {
                const span sx(x, from.width, out.width), sy(y, from.height, out.height),
                    sz(z, from.depth, out.depth);
                double sum[4] = {};
                for (uint32_t k = sz.first; k < sz.end; ++k)
                    for (uint32_t j = sy.first; j < sy.end; ++j)
                        for (uint32_t i = sx.first; i < sx.end; ++i)
                            for (uint32_t n = 0; n < from.channels; ++n)
                                sum[n] += double(at(i, j, k)[n]);
                const double area = double(sx.size()) * sy.size() * sz.size();
                for (uint32_t n = 0; n < from.channels; ++n)
                    out.data.push_back(float(sum[n] / area));
            }
    return out;
}

} // namespace drivers_common
