// SPDX-License-Identifier: MIT
// An image in dma-bufs, as EGL_EXT_image_dma_buf_import and its modifiers describe one.
#pragma once

#include <cstdint>

namespace gl {

constexpr uint64_t no_modifier = 0x00ffffffffffffff; // DRM_FORMAT_MOD_INVALID

struct DmaBuf {
    uint32_t fourcc = 0; // DRM format
    int32_t width = 0, height = 0;
    uint32_t planes = 0;                    // of memory: 1 to 4
    int fd[4] = {-1, -1, -1, -1};           // the program's
    uint32_t offset[4] = {}, pitch[4] = {}; // bytes
    bool has_modifier = false;
    uint64_t modifier = 0;
};

struct DmaBufFormat {
    uint32_t fourcc;
    uint64_t modifier;
};

} // namespace gl
