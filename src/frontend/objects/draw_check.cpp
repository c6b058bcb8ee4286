// SPDX-License-Identifier: MIT
// Cached draw errors: which primitive modes the next draw may use, and the error of the others
// (GL 4.6 section 10.4 and the errors that other chapters add). One mask test is all a steady draw
// pays.
#include "objects/context.h"

namespace gl {
namespace {

constexpr uint32_t mode_bits(auto... modes) {
    return ((1u << modes) | ... | 0u);
}
constexpr uint32_t kPoints = mode_bits(GL_POINTS);
constexpr uint32_t kLines = mode_bits(GL_LINES, GL_LINE_LOOP, GL_LINE_STRIP);
constexpr uint32_t kTriangles = mode_bits(GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN);
constexpr uint32_t kLinesAdjacency = mode_bits(GL_LINES_ADJACENCY, GL_LINE_STRIP_ADJACENCY);
constexpr uint32_t kTrianglesAdjacency =
    mode_bits(GL_TRIANGLES_ADJACENCY, GL_TRIANGLE_STRIP_ADJACENCY);
constexpr uint32_t kPatches = mode_bits(GL_PATCHES);

uint32_t modes_for_geometry_input(GLenum input) {
    switch (input) {
    case GL_POINTS: return kPoints;
    case GL_LINES: return kLines;
    case GL_LINES_ADJACENCY: return kLinesAdjacency;
    case GL_TRIANGLES: return kTriangles;
    case GL_TRIANGLES_ADJACENCY: return kTrianglesAdjacency;
    default: return 0;
    }
}

// Class of primitives that leave the last vertex stage; GL_POINTS is 0, so "those of the draw"
// needs a value of its own.
constexpr GLenum kOfTheDraw = ~0u;
GLenum captured_primitive(const LinkedProgram *gs, const LinkedProgram *tes) {
    if (gs)
        return gs->gs_output == GL_POINTS                                    ? GL_POINTS
               : gs->gs_output == GL_LINE_STRIP || gs->gs_output == GL_LINES ? GL_LINES
                                                                             : GL_TRIANGLES;
    if (tes)
        return tes->tes_point_mode            ? GL_POINTS
               : tes->tes_mode == GL_ISOLINES ? GL_LINES
                                              : GL_TRIANGLES;
    return kOfTheDraw;
}

uint32_t modes_of_class(GLenum primitive) {
    return primitive == GL_POINTS ? kPoints : primitive == GL_LINES ? kLines : kTriangles;
}
} // namespace

bool sampler_conflict(const Program *const *programs, unsigned n) {
    uint8_t target[kMaxTextureUnits];
    bool seen[kMaxTextureUnits] = {};
    for (unsigned p = 0; p < n; p++) {
        const auto &types = programs[p]->linked->sampler_target;
        const auto &units = programs[p]->sampler_unit;
        for (size_t i = 0; i < types.size() && i < units.size(); i++) {
            unsigned u = unsigned(units[i]);
            if (u >= kMaxTextureUnits)
                continue;
            if (seen[u] && target[u] != types[i])
                return true;
            seen[u] = true;
            target[u] = types[i];
        }
    }
    return false;
}

namespace {
struct Programs {
    const Program *stage[kStages] = {};
    const Program *list[kStages] = {};
    unsigned count = 0;
    const LinkedProgram *linked(Stage s) const {
        const Program *p = stage[unsigned(s)];
        return p && p->linked ? p->linked.get() : nullptr;
    }
};

Programs current_programs(Context &ctx) {
    Programs out;
    for (unsigned s = 0; s < unsigned(Stage::compute); s++) {
        const Program *p = program_at(ctx, Stage(s));
        out.stage[s] = p;
        bool known = !p || !p->linked;
        for (unsigned i = 0; i < out.count; i++)
            known |= out.list[i] == p;
        if (!known)
            out.list[out.count++] = p;
    }
    return out;
}

// Modes that the programs and an active capture allow; `ok` false: no draw at all.
uint32_t program_modes(Context &ctx, bool &ok) {
    uint32_t modes = kPoints | kLines | kTriangles;
    if (ctx.has().geometry_shader)
        modes |= kLinesAdjacency | kTrianglesAdjacency;
    if (ctx.has().tessellation)
        modes |= kPatches;
    Programs p = current_programs(ctx);
    ok = !sampler_conflict(p.list, p.count);
    const LinkedProgram *gs = p.linked(Stage::geometry), *tes = p.linked(Stage::tess_evaluation),
                        *tcs = p.linked(Stage::tess_control);
    if (tcs && !tes)
        ok = false;
    if (tes)
        modes &= kPatches;
    else
        modes &= ~kPatches;
    if (gs && !tes)
        modes &= modes_for_geometry_input(gs->gs_input);
    const TransformFeedback &x = *ctx.xfb->object;
    if (x.active && !x.paused) {
        GLenum primitive = captured_primitive(gs, tes);
        GLenum wanted = x.mode;
        if (primitive != kOfTheDraw)
            ok &= primitive == wanted;
        else
            modes &= modes_of_class(wanted);
    }
    return modes;
}

void check_arrays(Context &ctx) {
    const VertexArray &v = *ctx.vertex_array->vao;
    bool ok = v.name != 0;
    for (uint32_t e = v.enabled; e && ok; e &= e - 1) {
        const Ref<Buffer> &b = v.binding[v.attrib[unsigned(__builtin_ctz(e))].binding].buffer;
        ok = !b || !b->mapped_blocking();
    }
    ctx.draw_check.arrays = ok;
    ctx.client_indices = !v.index_buffer;
    ctx.draw_check.indexed = ok && !(v.index_buffer && v.index_buffer->mapped_blocking());
}
} // namespace

void update_draw_check(Context &ctx) {
    uint64_t changed = ctx.dirty | ctx.remote.load(std::memory_order_acquire);
    if (!(changed & kDrawCheckGroups))
        return;
    Context::DrawCheck &c = ctx.draw_check;
    if (changed & bits(G::draw_framebuffer, G::draw_check))
        c.framebuffer = framebuffer_status(ctx, *ctx.draw_fb->fb) == GL_FRAMEBUFFER_COMPLETE;
    if (changed & bits(G::vertex_array, G::index_buffer, G::buffer_content, G::draw_check))
        check_arrays(ctx);
    if (changed & bits(G::program, G::program_bindings, G::xfb, G::draw_check))
        c.program_modes = program_modes(ctx, c.program);

    constexpr uint32_t every =
        kPoints | kLines | kTriangles | kLinesAdjacency | kTrianglesAdjacency | kPatches;
    if (ctx.lost.load(std::memory_order_relaxed)) {
        ctx.valid_modes = ctx.valid_modes_indexed = 0;
        ctx.draw_error = GL_CONTEXT_LOST;
        return;
    }
    if (ctx.condition->skip) { // the client decided that nothing is drawn
        ctx.valid_modes = ctx.valid_modes_indexed = 0;
        ctx.draw_error = GL_NO_ERROR;
        return;
    }
    if (ctx.no_error() && c.framebuffer && ctx.vertex_array->vao->name) {
        ctx.valid_modes = ctx.valid_modes_indexed = every;
        return;
    }
    ctx.draw_error = c.framebuffer ? GL_INVALID_OPERATION : GL_INVALID_FRAMEBUFFER_OPERATION;
    ctx.valid_modes = c.framebuffer && c.arrays && c.program ? c.program_modes : 0;
    ctx.valid_modes_indexed = c.indexed ? ctx.valid_modes : 0;
}
} // namespace gl
