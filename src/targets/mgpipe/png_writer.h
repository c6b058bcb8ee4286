// SPDX-License-Identifier: MIT
// Writes one picture as a PNG file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// `rgba`: 8 bits per channel, rows from the bottom up as glReadPixels gives them; alpha is dropped.
// False when the file cannot be written.
bool write_png(const std::string &path, int width, int height, const std::vector<uint8_t> &rgba);
