// SPDX-License-Identifier: MIT
// The language has no one-dimensional images: those that shaders load and store are
// two-dimensional, of height 1, like the textures behind them.
#pragma once

#include <cstdint>
#include <vector>

namespace espryt {

// Rewrites the images of one module with their coordinates and sizes. Pure; a module without such
// images, or that does not parse, is left alone.
void widen_images(std::vector<uint32_t> &words);

} // namespace espryt
