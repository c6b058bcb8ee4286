// SPDX-License-Identifier: MIT
// Which program runs: glUseProgram, what glUniform* writes to, validation (GL 4.6
// sections 7.3, 7.6, 11.1.3.11).
#include "compiler/compiler.h"
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <algorithm>
#include <cstring>

namespace gl {

Program *program_at(Context &ctx, Stage s) {
    Program *p = ctx.program->program.get();
    if (!p && ctx.program->pipeline)
        p = ctx.program->pipeline->stage[unsigned(s)].get();
    if (!p)
        return nullptr;
    program_wait(ctx, *p);
    return p->linked && (p->linked->stages >> unsigned(s) & 1) ? p : nullptr;
}

Program *uniform_program(Context &ctx) {
    if (Program *p = ctx.program->program.get())
        return p;
    return ctx.program->pipeline ? ctx.program->pipeline->active.get() : nullptr;
}

void GL_ENTRY(UseProgram)(Context &ctx, GLuint name) {
    Program *p = nullptr;
    const TransformFeedback &x = *ctx.xfb->object;
    if (x.active && !x.paused)
        return error(ctx, GL_INVALID_OPERATION, "glUseProgram(transform feedback is active)");
    if (name) {
        p = lookup_program_err(ctx, name, "glUseProgram");
        if (!p)
            return;
        program_wait(ctx, *p);
        if (!p->link_status)
            return error(ctx, GL_INVALID_OPERATION, "glUseProgram(program %u is not linked)", name);
    }
    if (ctx.program->program == p)
        return;
    Ref<Program> old = ctx.program->program;
    if (p)
        program_use(ctx, *p);
    Writer w{ctx};
    w(ctx.program).program = p;
    w.mark(G::program_bindings);
    w.mark(G::uniforms);
    if (old)
        program_unuse(ctx, *old);
}

void GL_ENTRY(ValidateProgram)(Context &ctx, GLuint name) {
    Program *p = lookup_program_err(ctx, name, "glValidateProgram");
    if (!p)
        return;
    program_wait(ctx, *p);
    p->validate_status = p->link_status;
    p->log = p->link_status ? "" : "error: the program is not linked\n";
    if (!p->linked)
        return;
    std::map<GLint, GLenum> target_of; // two sampler types on one unit cannot be drawn with
    for (const ActiveUniform &u : p->linked->uniforms)
        if (u.kind == UniformKind::sampler)
            for (GLint i = 0; i < u.size; i++) {
                const GLint unit = p->sampler_unit[u.slot + GLuint(i)];
                const auto [it, fresh] = target_of.emplace(unit, u.type);
                if (!fresh && it->second != u.type) {
                    p->validate_status = false;
                    p->log = "error: samplers of different types read texture unit " +
                             std::to_string(unit) + "\n";
                }
            }
}

void update_state_uniforms(Context &ctx, Program &p) {
    if (!p.linked)
        return;
    const auto put = [&](int32_t offset, const void *data, size_t size) {
        if (offset < 0 || size_t(offset) + size > p.globals.size() ||
            !std::memcmp(p.globals.data() + offset, data, size))
            return;
        std::memcpy(p.globals.data() + offset, data, size);
        p.globals_dirty_begin = std::min(p.globals_dirty_begin, uint32_t(offset));
        p.globals_dirty_end = std::max(p.globals_dirty_end, uint32_t(offset + size));
    };
    if (p.linked->depth_range_offset >= 0) {
        const ViewportRect &v = ctx.viewport->vp[0];
        const float range[3] = {float(v.near), float(v.far), float(v.far - v.near)};
        put(p.linked->depth_range_offset, range, sizeof range);
    }
    if (p.linked->num_samples_offset >= 0) {
        Framebuffer &fb = *ctx.draw_fb->fb;
        framebuffer_status(ctx, fb);
        const GLint samples = std::max(fb.samples, 1);
        put(p.linked->num_samples_offset, &samples, sizeof samples);
    }
}
} // namespace gl
