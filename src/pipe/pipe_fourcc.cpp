// SPDX-License-Identifier: MIT
// See pipe_fourcc.h.
#include "pipe/pipe_fourcc.h"

namespace {

// DRM names a pixel as a little-endian word from its highest bits down, the pipe from the lowest
// byte or bit up.
constexpr pipe_fourcc_row rows[] = {
    {pipe_fourcc('A', 'R', '2', '4'), PIPE_FORMAT_B8G8R8A8_UNORM},
    {pipe_fourcc('X', 'R', '2', '4'), PIPE_FORMAT_B8G8R8X8_UNORM},
    {pipe_fourcc('A', 'B', '2', '4'), PIPE_FORMAT_R8G8B8A8_UNORM},
    {pipe_fourcc('X', 'B', '2', '4'), PIPE_FORMAT_R8G8B8X8_UNORM},
    {pipe_fourcc('A', 'B', '3', '0'), PIPE_FORMAT_R10G10B10A2_UNORM},
    {pipe_fourcc('A', 'B', '4', 'H'), PIPE_FORMAT_R16G16B16A16_FLOAT},
    {pipe_fourcc('X', 'B', '4', 'H'), PIPE_FORMAT_R16G16B16X16_FLOAT},
    {pipe_fourcc('A', 'B', '4', '8'), PIPE_FORMAT_R16G16B16A16_UNORM},
    {pipe_fourcc('R', 'G', '1', '6'), PIPE_FORMAT_R5G6B5_UNORM},
    {pipe_fourcc('R', '8', ' ', ' '), PIPE_FORMAT_R8_UNORM},
    {pipe_fourcc('G', 'R', '8', '8'), PIPE_FORMAT_R8G8_UNORM},
    {pipe_fourcc('R', '1', '6', ' '), PIPE_FORMAT_R16_UNORM},
    {pipe_fourcc('G', 'R', '3', '2'), PIPE_FORMAT_R16G16_UNORM},
};

} // namespace

std::span<const pipe_fourcc_row> pipe_fourcc_rows() {
    return rows;
}

uint32_t pipe_format_of_fourcc(uint32_t fourcc) {
    for (const pipe_fourcc_row &row : rows)
        if (row.fourcc == fourcc)
            return row.format;
    return PIPE_FORMAT_NONE;
}

bool pipe_import_fits(const pipe_resource_import &p, uint64_t size) {
    const pipe_format_desc *format = pipe_format_describe(p.desc.format);
    const uint64_t row = uint64_t(p.desc.width) * format->block_bytes;
    const bool linear = p.modifier == pipe_modifier_linear;
    for (uint32_t i = 0; i < p.num_planes; i++) {
        if (size && p.offset[i] >= size)
            return false;
        if (!linear)
            continue;
        const uint64_t rows_before_last = uint64_t(p.stride[i]) * (p.desc.height - 1);
        if (p.stride[i] < row || (size && p.offset[i] + rows_before_last + row > size))
            return false;
    }
    return true;
}
