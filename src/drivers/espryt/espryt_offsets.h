// SPDX-License-Identifier: MIT
// The language has no offsets of block members: a block whose members lie elsewhere than std140 (or
// std430) puts them is sorted by offset and filled with members that nobody reads.
#pragma once

#include <cstdint>
#include <vector>

namespace espryt {

// Rewrites the uniform and storage blocks of one module. False when nothing had to move, or the
// module does not parse. Pure.
bool pad_blocks(std::vector<uint32_t> &words);

} // namespace espryt
