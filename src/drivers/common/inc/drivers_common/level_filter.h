// SPDX-License-Identifier: MIT
// Mipmap levels filtered on the CPU, for formats of which the host makes none. Pure functions of
// their arguments.
#pragma once

#include <cstdint>
#include <vector>

namespace drivers_common {

// A level as numbers: four per texel, or one where it is depth. Slices follow each other.
struct level_texels {
    uint32_t width = 0, height = 0, depth = 0, channels = 4;
    std::vector<float> data;
};

// Formats that unpack_level and pack_level take: of plain colours or depth alone.
bool filters_level(uint32_t format);

// `bytes`: width x height x depth texels of `format`, tight. sRGB colours become linear. False:
// the format cannot be read so.
bool unpack_level(uint32_t format, const uint8_t *bytes, uint32_t width, uint32_t height,
                  uint32_t depth, level_texels &out);
// The way back into `out`, tight.
bool pack_level(uint32_t format, const level_texels &level, std::vector<uint8_t> &out);

// The average of what each texel of a level of the given size covers; layers stay apart unless
// `slices`.
level_texels halve_level(const level_texels &from, uint32_t width, uint32_t height, uint32_t depth,
                         bool slices);

} // namespace drivers_common
