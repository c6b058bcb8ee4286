// SPDX-License-Identifier: MIT
// Which program the next verb runs, which units and binding points it reads, and which state groups
// can matter to it.
#include "tracker/atoms.h"
#include "tracker/composite.h"

#include <algorithm>

namespace st {

constexpr uint32_t kComputeBit = 1u << PIPE_SHADER_COMPUTE;
// Each verb begins in one of these. A draw without a vertex stage is no error; its vertices are
// undefined (section 11.1): none.
constexpr uint32_t kFirstStages = kComputeBit | 1u << PIPE_SHADER_VERTEX;

// Units of a program by the values of its opaque uniforms; those that have no slot in the shader
// cost nothing.
static void collect_used(Tracker &t, BoundProgram &b, const gl::Program &p) {
    UsedSlots u{};
    for (size_t i = 0; i < p.sampler_unit.size(); i++) {
        const unsigned unit = unsigned(p.sampler_unit[i]);
        if (unit >= t.max_units)
            continue;
        u.textures.set(unit);
        if (i < b.linked->sampler_target.size())
            u.target[unit] = b.linked->sampler_target[i];
    }
    for (const GLint unit : p.image_unit)
        if (unsigned(unit) < PIPE_MAX_IMAGE_UNITS)
            u.images.set(unsigned(unit));
    auto points = [](auto &set, const std::vector<GLuint> &binding) {
        for (const GLuint b : binding)
            if (b < PIPE_MAX_INDEXED_BUFFERS)
                set.set(b);
    };
    points(u.buffers[PIPE_BUFFER_CLASS_UNIFORM], p.ubo_binding);
    points(u.buffers[PIPE_BUFFER_CLASS_STORAGE], p.ssbo_binding);
    points(u.buffers[PIPE_BUFFER_CLASS_ATOMIC], p.atomic_binding);
    b.used = u;
}

static bool writes_memory(const gl::LinkedProgram &l) {
    for (const pipe_archive_stage &s : l.archive->stages)
        if (s.writes_memory)
            return true;
    return false;
}

static bool begins(const gl::ProgramPipeline &p, uint32_t first) {
    for (unsigned s = 0; s < gl::kStages; s++)
        if (first >> s & 1 && p.stage[s])
            return true;
    return false;
}

// The program of a verb. `stages`: those the verb runs.
static void resolve(Tracker &t, const gl::ProgramBinding &binding, uint32_t stages,
                    BoundProgram &out) {
    if (gl::Program *p = binding.program.get()) {
        gl::program_wait(t.c, *p);
        const bool runs = p->linked && (p->linked->stages & stages & kFirstStages) &&
                          !pipe_handle_is_null(p->handle);
        if (!runs) {
            out = BoundProgram{};
            return;
        }
        const bool same = out.program == p && out.handle == p->handle && out.linked == p->linked;
        if (same && out.bindings_version == p->bindings_version && !t.deriving)
            return;
        out.handle = p->handle;
        out.linked = p->linked;
        out.program = p;
        out.composite = nullptr;
        out.bindings_version = p->bindings_version;
        out.writes_memory = writes_memory(*p->linked);
        collect_used(t, out, *p);
        return;
    }
    if (gl::ProgramPipeline *pipeline = binding.pipeline.get()) {
        if (begins(*pipeline, stages & kFirstStages) &&
            compose_pipeline(t, *pipeline, stages, out))
            return;
    }
    out = BoundProgram{};
}

// Groups that cannot matter to a program without such slots stay out of the one test of a draw.
static uint64_t active_groups(const BoundProgram &b) {
    uint64_t groups = kDrawGroups;
    if (!b.used.textures.any())
        groups &= ~gl::bits(G::samplers, G::seamless_cube);
    if (!b.used.textures.any() && !b.used.images.any())
        groups &= ~gl::bits(G::textures) | (gl::kDrawCheckGroups & gl::bits(G::textures));
    if (!b.used.images.any())
        groups &= ~gl::bits(G::images);
    if (!b.used.buffers[PIPE_BUFFER_CLASS_STORAGE].any())
        groups &= ~gl::bits(G::storage_buffers);
    if (!b.used.buffers[PIPE_BUFFER_CLASS_ATOMIC].any())
        groups &= ~gl::bits(G::atomic_buffers);
    return groups;
}

void program_atom::update(in view, Tracker &t) {
    const gl::ProgramBinding &binding = view.get<&gl::Context::program>();
    if (t.verb == Verb::dispatch) {
        resolve(t, binding, kComputeBit, t.dispatch);
        if (pipe_handle_is_null(t.dispatch.handle))
            return;
        send_bindings(t, t.dispatch);
        if (!t.suppress || t.sent.dispatch_program != t.dispatch.handle) {
            t.sent.dispatch_program = t.dispatch.handle;
            pipe_set_dispatch_program p{t.dispatch.handle};
            t.lane.emit<&pipe_context::set_dispatch_program>(&p);
            stat_sets_sent.add();
        }
        return;
    }
    resolve(t, binding, ~kComputeBit, t.draw);
    t.c.active = active_groups(t.draw);
    t.skip_draws = pipe_handle_is_null(t.draw.handle);
    if (t.skip_draws)
        return;
    send_bindings(t, t.draw);
    if (t.suppress && t.sent.draw_program == t.draw.handle)
        return;
    t.sent.draw_program = t.draw.handle;
    pipe_set_draw_program p{t.draw.handle};
    t.lane.emit<&pipe_context::set_draw_program>(&p);
    stat_sets_sent.add();
}

void constants_atom::update(in, Tracker &t) {
    BoundProgram &b = t.verb == Verb::dispatch ? t.dispatch : t.draw;
    if (!pipe_handle_is_null(b.handle))
        send_constants(t, b);
}

} // namespace st
