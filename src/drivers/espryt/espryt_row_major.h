// SPDX-License-Identifier: MIT
// Row-major matrices inside of what a shader loads or stores as a whole: the printer turns matrices
// one by one only, and NVIDIA's compiler of OpenGL ES refuses those that are not square. They go by
// scalars.
#pragma once

#include <cstdint>
#include <vector>

namespace espryt {

// Takes loads and stores of arrays and structs with matrices, and of matrices that are not square,
// apart, in modules that have row-major ones. Pure; leaves what it cannot read as it is.
void split_row_major(std::vector<uint32_t> &words);

} // namespace espryt
