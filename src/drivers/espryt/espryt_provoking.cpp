// SPDX-License-Identifier: MIT
// First-vertex convention on a host whose last vertex provokes: lists whose primitives end with the
// vertex that GL names. Only where a flat input can show it; captures and geometry stages keep
// their order and are left alone.
#include "espryt_provoking.h"

#include "drivers_common/index_rewrite.h"

#include <algorithm>

namespace espryt {

namespace {

bool reads_flat_inputs(const program *p) {
    for (const pipe_archive_stage &s : p->archive.stages)
        if (s.stage == PIPE_SHADER_FRAGMENT)
            return std::any_of(s.inputs.begin(), s.inputs.end(),
                               [](const pipe_archive_io &io) { return io.flat; });
    return false;
}

unsigned list_size(uint8_t mode) {
    switch (mode) {
    case PIPE_PRIM_LINES:
    case PIPE_PRIM_LINE_LOOP:
    case PIPE_PRIM_LINE_STRIP: return 2;
    case PIPE_PRIM_TRIANGLES:
    case PIPE_PRIM_TRIANGLE_STRIP:
    case PIPE_PRIM_TRIANGLE_FAN: return 3;
    default: return 0;
    }
}

// Bytes of the indices of a range, or null; out of range draws nothing.
const void *range_indices(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range &r,
                          const pipe_host_span *span) {
    const uint64_t first = uint64_t(r.start) * p->index_size;
    const uint64_t size = uint64_t(r.count) * p->index_size;
    if (p->flags & PIPE_DRAW_USER_INDICES)
        return first + size <= span->size ? static_cast<const uint8_t *>(span->ptr) + first
                                          : nullptr;
    resource *ib = find_resource(ctx, ctx->index_buffer);
    if (!ib || first + size > ib->desc.size)
        return nullptr;
    ctx->scratch.resize(size);
    return buffer_read(ctx, ib, first, size, ctx->scratch.data()) ? ctx->scratch.data() : nullptr;
}

} // namespace

bool needs_first_vertex(context *ctx, const program *twin, const pipe_draw_vbo *p) {
    return ctx->rs && ctx->rs->state.raster.flatshade_first && list_size(p->mode) &&
           !(p->flags & (PIPE_DRAW_INDIRECT | PIPE_DRAW_SO_COUNT)) && twin &&
           !(twin->stage_mask & 1u << PIPE_SHADER_GEOMETRY) && reads_flat_inputs(twin);
}

uint8_t first_vertex_list(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                          const pipe_host_span *span, std::vector<uint32_t> &out) {
    emulated(emulation::first_vertex);
    const unsigned n = list_size(p->mode);
    for (uint32_t i = 0; i < p->num_ranges; i++) {
        const pipe_draw_range &r = ranges[i];
        const void *indices = p->index_size ? range_indices(ctx, p, r, span) : nullptr;
        if (!r.count || (p->index_size && !indices))
            continue;
        const size_t begin = out.size();
        drivers_common::index_source source{
            indices,          p->index_size, r.start, r.count, (p->flags & PIPE_DRAW_RESTART) != 0,
            p->restart_index, true};
        drivers_common::rewrite_indices(p->mode, source, out);
        for (size_t k = begin; k + n <= out.size(); k += n)
            std::rotate(&out[k], &out[k] + 1, &out[k] + n);
        if (p->index_size)
            for (size_t k = begin; k < out.size(); k++)
                out[k] += static_cast<uint32_t>(r.bias);
    }
    return drivers_common::rewritten_mode(p->mode);
}

} // namespace espryt
