// SPDX-License-Identifier: MIT
// Index lists for what the host's rasteriser lacks.
//
// First-vertex convention on a host whose last vertex provokes: lists whose primitives end with the
// vertex that GL names. Only where a flat input can show it; captures keep their order and are
// left alone. What geometry stages emit has its flat values moved to the vertex that provokes.
// Outlines on a host without geometry shaders: every edge of every triangle is a line, every corner
// a point; nobody knows which way a triangle faces, so culling by face does not reach them.
#include "espryt_provoking.h"

#include "drivers_common/index_rewrite.h"
#include "espryt_fixed.h"

#include <algorithm>
#include <cstring>

#include "util/log.h"

namespace espryt {

namespace {

bool reads_flat_inputs(const program *p) {
    for (const pipe_archive_stage &s : p->archive.stages)
        if (s.stage == PIPE_SHADER_FRAGMENT)
            return std::any_of(s.inputs.begin(), s.inputs.end(),
                               [](const pipe_archive_io &io) { return io.flat; });
    return false;
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

unsigned list_size(uint8_t mode) {
    switch (mode) {
    case PIPE_PRIM_POINTS: return 1;
    case PIPE_PRIM_LINES:
    case PIPE_PRIM_LINE_LOOP:
    case PIPE_PRIM_LINE_STRIP: return 2;
    case PIPE_PRIM_TRIANGLES:
    case PIPE_PRIM_TRIANGLE_STRIP:
    case PIPE_PRIM_TRIANGLE_FAN: return 3;
    default: return 0;
    }
}

void append_list(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range &r,
                 const pipe_host_span *span, bool provoking_first, std::vector<uint32_t> &out) {
    const void *indices = p->index_size ? range_indices(ctx, p, r, span) : nullptr;
    if (!r.count || (p->index_size && !indices))
        return;
    const size_t begin = out.size();
    drivers_common::index_source source{
        indices,          p->index_size,  r.start, r.count, (p->flags & PIPE_DRAW_RESTART) != 0,
        p->restart_index, provoking_first};
    drivers_common::rewrite_indices(p->mode, source, out);
    if (p->index_size)
        for (size_t k = begin; k < out.size(); k++)
            out[k] += static_cast<uint32_t>(r.bias);
}

bool needs_first_vertex(context *ctx, const program *twin, const pipe_draw_vbo *p) {
    return ctx->rs && ctx->rs->state.raster.flatshade_first && list_size(p->mode) > 1 &&
           !(p->flags & (PIPE_DRAW_INDIRECT | PIPE_DRAW_SO_COUNT)) && twin &&
           !(twin->stage_mask & 1u << PIPE_SHADER_GEOMETRY) && reads_flat_inputs(twin);
}

bool delays_flat(context *ctx, const program *twin) {
    if (!ctx->rs->state.raster.flatshade_first)
        return false;
    if (ctx->active_so && !twin->archive.xfb.empty()) {
        log_warning_once("espryt", "a captured geometry stage shows the flat values of the last "
                                   "vertex: the host has no other convention");
        return false;
    }
    emulated(emulation::delay_flat);
    return true;
}

uint8_t first_vertex_list(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                          const pipe_host_span *span, std::vector<uint32_t> &out) {
    emulated(emulation::first_vertex);
    const unsigned n = list_size(p->mode);
    for (uint32_t i = 0; i < p->num_ranges; i++) {
        const size_t begin = out.size();
        append_list(ctx, p, ranges[i], span, true, out);
        for (size_t k = begin; k + n <= out.size(); k += n)
            std::rotate(&out[k], &out[k] + 1, &out[k] + n);
    }
    return drivers_common::rewritten_mode(p->mode);
}

uint64_t primitives_in(uint8_t mode, uint64_t n) {
    switch (mode) {
    case PIPE_PRIM_LINES: return n / 2;
    case PIPE_PRIM_LINE_STRIP: return n > 1 ? n - 1 : 0;
    case PIPE_PRIM_LINE_LOOP: return n > 1 ? n : 0;
    case PIPE_PRIM_TRIANGLES: return n / 3;
    case PIPE_PRIM_TRIANGLE_STRIP:
    case PIPE_PRIM_TRIANGLE_FAN: return n > 2 ? n - 2 : 0;
    default: return n;
    }
}

uint64_t restarted_primitives(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range &r,
                              const pipe_host_span *span) {
    std::vector<uint32_t> list;
    append_list(ctx, p, r, span, false, list);
    return list.size() / std::max(1u, list_size(p->mode));
}

bool emits_polygons(const program *p, const pipe_draw_vbo *d) {
    if (p->stage_mask & 1u << PIPE_SHADER_GEOMETRY)
        return p->archive.gs_output == PIPE_PRIM_TRIANGLE_STRIP;
    if (p->stage_mask & 1u << PIPE_SHADER_TESS_EVAL)
        return !p->archive.tes_point_mode && p->archive.tes_mode != PIPE_PRIM_LINES;
    return list_size(d->mode) == 3 || d->mode == PIPE_PRIM_TRIANGLES_ADJACENCY ||
           d->mode == PIPE_PRIM_TRIANGLE_STRIP_ADJACENCY;
}

// Where indices cannot be rewritten, the host's polygon mode shows the flat values of its own
// convention only.
static bool host_outlines(context *ctx, const program *twin, const pipe_draw_vbo *p) {
    const bool first = ctx->rs->state.raster.flatshade_first &&
                       p->flags & (PIPE_DRAW_INDIRECT | PIPE_DRAW_SO_COUNT) &&
                       reads_flat_inputs(twin);
    return ctx->has(feature::polygon_mode) && !first && !ctx->forced(emulation::polygon_outline);
}

outline outline_of(context *ctx, const program *twin, const pipe_draw_vbo *p) {
    if (!ctx->rs || !twin)
        return outline::none;
    const pipe_raster_state &s = ctx->rs->state.raster;
    if (s.fill_front == PIPE_POLYGON_MODE_FILL || host_outlines(ctx, twin, p) ||
        !emits_polygons(twin, p))
        return outline::none;
    const bool tessellates = twin->stage_mask & 1u << PIPE_SHADER_TESS_EVAL;
    const bool plain = !(twin->stage_mask & 1u << PIPE_SHADER_GEOMETRY) && !ctx->active_so &&
                       (tessellates || list_size(p->mode) == 3);
    if (plain && ctx->has(feature::geometry_shader) && ctx->has(feature::shader_io_blocks))
        return outline::stage;
    if (plain && !tessellates && !(p->flags & (PIPE_DRAW_INDIRECT | PIPE_DRAW_SO_COUNT)))
        return outline::list;
    log_warning_once("espryt", "polygons of a geometry stage, of a capture, or of what only a "
                               "geometry stage could show otherwise are filled: the host has no "
                               "polygon mode");
    return outline::none;
}

unsigned outline_variant(context *ctx) {
    emulated(emulation::polygon_outline);
    const pipe_raster_state &s = ctx->rs->state.raster;
    if (s.fill_front == PIPE_POLYGON_MODE_LINE)
        return variant_outline_lines;
    return variant_outline_points | (s.program_point_size ? 0u : variant_point_size);
}

void apply_outline(context *ctx, const framebuffer *fb, host_program *v, const pipe_draw_vbo *p) {
    const pipe_raster_state &s = ctx->rs->state.raster;
    const pipe_viewport &w = ctx->dyn->viewport.viewport;
    const bool lines = v->bits & variant_outline_lines;
    GLint words[4] = {s.cull_face == PIPE_FACE_FRONT            ? 1
                      : s.cull_face == PIPE_FACE_BACK           ? 2
                      : s.cull_face == PIPE_FACE_FRONT_AND_BACK ? 3
                                                                : 0,
                      s.front_ccw, 2, 0};
    // Direct draws have been rewritten so that the last vertex provokes.
    if (s.flatshade_first && p->flags & (PIPE_DRAW_INDIRECT | PIPE_DRAW_SO_COUNT))
        words[2] = p->mode == PIPE_PRIM_TRIANGLE_STRIP ? -1 : p->mode == PIPE_PRIM_TRIANGLE_FAN;
    float values[8] = {};
    if (lines ? s.offset_line : s.offset_point) {
        const pipe_polygon_offset &o = ctx->dyn->polygon_offset;
        values[0] = o.scale;
        values[1] = o.units;
        values[2] = smallest_depth_step(fb->depth_format);
        values[3] = o.clamp;
    }
    values[4] = w.width / 2;
    values[5] = w.height / 2;
    values[6] = (w.far_depth - w.near_depth) / (s.clip_halfz ? 1 : 2);
    if (v->outline >= 0 && memcmp(words, v->outline_words, sizeof(words)) != 0) {
        memcpy(v->outline_words, words, sizeof(words));
        ctx->gl->Uniform4iv(v->outline, 1, words);
    }
    if (memcmp(values, v->outline_values, sizeof(values)) == 0)
        return;
    memcpy(v->outline_values, values, sizeof(values));
    ctx->gl->Uniform4f(v->outline_offset, values[0], values[1], values[2], values[3]);
    ctx->gl->Uniform4f(v->outline_window, values[4], values[5], values[6], 0);
}

uint8_t outline_mode(context *ctx) {
    const pipe_raster_state &s = ctx->rs->state.raster;
    return s.fill_front == PIPE_POLYGON_MODE_LINE ? PIPE_PRIM_LINES : PIPE_PRIM_POINTS;
}

void outline_list(context *ctx, const pipe_draw_vbo *p, const pipe_draw_range *ranges,
                  const pipe_host_span *span, std::vector<uint32_t> &out) {
    emulated(emulation::polygon_outline);
    const pipe_raster_state &s = ctx->rs->state.raster;
    if (s.cull_face == PIPE_FACE_FRONT_AND_BACK)
        return;
    if (s.cull_face != PIPE_FACE_NONE)
        log_warning_once("espryt", "outlines of culled polygons are drawn: the host has no polygon "
                                   "mode");
    for (uint32_t i = 0; i < p->num_ranges; i++)
        append_list(ctx, p, ranges[i], span, false, out);
    if (s.flatshade_first && outline_mode(ctx) == PIPE_PRIM_LINES) {
        for (size_t k = 0; k + 3 <= out.size(); k += 3)
            std::rotate(&out[k], &out[k] + 1, &out[k] + 3);
    }
    if (outline_mode(ctx) == PIPE_PRIM_POINTS)
        return;
    // From the back, in place: three indices become the six of the edges. Two of them end with the
    // vertex that provokes; the flat values of the third edge are its own.
    const size_t corners = out.size() / 3 * 3;
    out.resize(corners * 2);
    for (size_t k = corners; k >= 3; k -= 3) {
        const uint32_t a = out[k - 3], b = out[k - 2], c = out[k - 1];
        const uint32_t edges[6] = {a, b, b, c, a, c};
        std::copy(edges, edges + 6, &out[(k - 3) * 2]);
    }
}

} // namespace espryt
