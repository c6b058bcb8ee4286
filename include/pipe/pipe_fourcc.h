// SPDX-License-Identifier: MIT
// Formats of dma-bufs by their DRM names (drm_fourcc.h of the kernel), as far as one texture of the
// pipe shows them: RGB, one pixel after the other in memory. Pure functions, any thread.
#pragma once

#include "pipe/pipe_calls.h"
#include "pipe/pipe_format.h"

#include <cstdint>
#include <span>

constexpr uint32_t pipe_fourcc(char a, char b, char c, char d) {
    return uint32_t(uint8_t(a)) | uint32_t(uint8_t(b)) << 8 | uint32_t(uint8_t(c)) << 16 |
           uint32_t(uint8_t(d)) << 24;
}

constexpr uint64_t pipe_modifier_linear = 0;
// No modifier is named: the exporter's driver knows the layout.
constexpr uint64_t pipe_modifier_none = 0x00ffffffffffffff;

struct pipe_fourcc_row {
    uint32_t fourcc;
    uint32_t format; // pipe_format with the same bytes
};

// Every format that there is, the usual ones first.
std::span<const pipe_fourcc_row> pipe_fourcc_rows();
// PIPE_FORMAT_NONE for any other.
uint32_t pipe_format_of_fourcc(uint32_t fourcc);

// Whether a dma-buf of `size` bytes holds the planes that the call names, as far as that can be
// told: rows of a linear plane end inside, others begin there. `size` 0: it cannot be told.
bool pipe_import_fits(const pipe_resource_import &p, uint64_t size);
