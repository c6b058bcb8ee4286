// SPDX-License-Identifier: MIT
// The first steps of every draw entry point.
#pragma once

#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

// Raises the error of a mode that is not in the mask.
[[gnu::cold]] void mode_error(Context &ctx, GLenum mode, bool indexed, const char *func);

inline bool mode_ok(Context &ctx, GLenum mode, bool indexed, const char *func) {
    if ((ctx.dirty | ctx.remote.load(std::memory_order_relaxed)) & ctx.active) [[unlikely]]
        update_draw_check(ctx);
    uint32_t modes = indexed ? ctx.valid_modes_indexed : ctx.valid_modes;
    if (mode < 32 && (modes >> mode & 1)) [[likely]]
        return true;
    mode_error(ctx, mode, indexed, func);
    return false;
}

// Bytes of an index, 0 for a bad type: 0x1401, 0x1403, 0x1405.
inline unsigned index_bytes(GLenum type) {
    unsigned k = type - GL_UNSIGNED_BYTE;
    return k <= 4 && !(k & 1) ? 1u << (k / 2) : 0;
}
} // namespace gl
