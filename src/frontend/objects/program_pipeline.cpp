// SPDX-License-Identifier: MIT
// Program pipelines and separable programs (GL 4.6 section 7.4). The tracker composes the stages at
// the draw.
#include "compiler/compiler.h"
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

ProgramPipeline::~ProgramPipeline() {
    st::pipeline_destroy(*this);
}

namespace {
// A generated name becomes an object when it is first bound or named by a call.
ProgramPipeline *make(Context &ctx, GLuint name) {
    if (ProgramPipeline *p = ctx.pipelines.find(name))
        return p;
    return ctx.pipelines.known(name) ? ctx.pipelines.insert(name, new ProgramPipeline) : nullptr;
}

ProgramPipeline *make_err(Context &ctx, GLuint name, const char *func) {
    ProgramPipeline *p = name ? make(ctx, name) : nullptr;
    if (!p)
        error(ctx, GL_INVALID_OPERATION, "%s(no pipeline %u)", func, name);
    return p;
}

void set_stage(Context &ctx, ProgramPipeline &pipe, unsigned stage, Program *p) {
    if (pipe.stage[stage] == p)
        return;
    Ref<Program> old = pipe.stage[stage];
    if (p)
        program_use(ctx, *p);
    pipe.stage[stage] = p;
    if (old)
        program_unuse(ctx, *old);
}

void mark_if_bound(Context &ctx, const ProgramPipeline &pipe) {
    if (ctx.program->pipeline == &pipe)
        for (G g : {G::program, G::program_bindings, G::uniforms, G::draw_check})
            Writer{ctx}.mark(g);
}
} // namespace

static void release_programs(Context &ctx, ProgramPipeline &pipe) {
    for (unsigned s = 0; s < kStages; s++)
        set_stage(ctx, pipe, s, nullptr);
    if (const Ref<Program> active = std::move(pipe.active))
        program_unuse(ctx, *active);
}

void programs_unused(Context &ctx) {
    if (const Ref<Program> p = ctx.program->program)
        program_unuse(ctx, *p);
    ctx.pipelines.each([&ctx](ProgramPipeline *pipe) { release_programs(ctx, *pipe); });
}

ProgramPipeline *lookup_pipeline(Context &ctx, GLuint name) {
    return name ? ctx.pipelines.find(name) : nullptr;
}

void GL_ENTRY(GenProgramPipelines)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glGenProgramPipelines(n %d)", n);
    ctx.pipelines.gen(unsigned(n), names);
}

void GL_ENTRY(CreateProgramPipelines)(Context &ctx, GLsizei n, GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glCreateProgramPipelines(n %d)", n);
    ctx.pipelines.gen(unsigned(n), names);
    for (GLsizei i = 0; i < n; i++)
        make(ctx, names[i]);
}

void GL_ENTRY(DeleteProgramPipelines)(Context &ctx, GLsizei n, const GLuint *names) {
    if (n < 0)
        return error(ctx, GL_INVALID_VALUE, "glDeleteProgramPipelines(n %d)", n);
    for (GLsizei i = 0; i < n; i++) {
        Ref<ProgramPipeline> p = names[i] ? ctx.pipelines.remove(names[i]) : Ref<ProgramPipeline>();
        if (!p)
            continue;
        mark_if_bound(ctx, *p);
        if (ctx.program->pipeline == p.get())
            Writer{ctx}(ctx.program).pipeline.reset();
        release_programs(ctx, *p);
    }
}

GLboolean GL_ENTRY(IsProgramPipeline)(Context &ctx, GLuint name) {
    return lookup_pipeline(ctx, name) != nullptr;
}

void GL_ENTRY(BindProgramPipeline)(Context &ctx, GLuint name) {
    const TransformFeedback &x = *ctx.xfb->object;
    if (x.active && !x.paused)
        return error(ctx, GL_INVALID_OPERATION,
                     "glBindProgramPipeline(transform feedback is active)");
    ProgramPipeline *p = nullptr;
    if (name) {
        p = make_err(ctx, name, "glBindProgramPipeline");
        if (!p)
            return;
    }
    if (ctx.program->pipeline == p)
        return;
    Writer{ctx}(ctx.program).pipeline = p;
    for (G g : {G::program_bindings, G::uniforms, G::draw_check})
        Writer{ctx}.mark(g);
}

void GL_ENTRY(UseProgramStages)(Context &ctx, GLuint pipeline, GLbitfield stages, GLuint program) {
    constexpr GLbitfield known = GL_VERTEX_SHADER_BIT | GL_TESS_CONTROL_SHADER_BIT |
                                 GL_TESS_EVALUATION_SHADER_BIT | GL_GEOMETRY_SHADER_BIT |
                                 GL_FRAGMENT_SHADER_BIT | GL_COMPUTE_SHADER_BIT;
    static constexpr GLbitfield bits[kStages] = {
        GL_VERTEX_SHADER_BIT,   GL_TESS_CONTROL_SHADER_BIT, GL_TESS_EVALUATION_SHADER_BIT,
        GL_GEOMETRY_SHADER_BIT, GL_FRAGMENT_SHADER_BIT,     GL_COMPUTE_SHADER_BIT};
    if (stages != GL_ALL_SHADER_BITS && (stages & ~known))
        return error(ctx, GL_INVALID_VALUE, "glUseProgramStages(stages 0x%x)", stages);
    ProgramPipeline *pipe = make_err(ctx, pipeline, "glUseProgramStages");
    if (!pipe)
        return;
    const TransformFeedback &x = *ctx.xfb->object;
    if (x.active && !x.paused && ctx.program->pipeline == pipe)
        return error(ctx, GL_INVALID_OPERATION, "glUseProgramStages(transform feedback is active)");
    Program *p = nullptr;
    if (program) {
        p = lookup_program_err(ctx, program, "glUseProgramStages");
        if (!p)
            return;
        program_wait(ctx, *p);
        if (!p->link_status || !p->separable)
            return error(ctx, GL_INVALID_OPERATION,
                         "glUseProgramStages(program %u is not linked as separable)", program);
    }
    for (unsigned s = 0; s < kStages; s++)
        if (stages & bits[s])
            set_stage(ctx, *pipe, s, p && p->linked->stages >> s & 1 ? p : nullptr);
    pipe->version++;
    pipe->validate_status = false;
    mark_if_bound(ctx, *pipe);
}

void GL_ENTRY(ActiveShaderProgram)(Context &ctx, GLuint pipeline, GLuint program) {
    ProgramPipeline *pipe = make_err(ctx, pipeline, "glActiveShaderProgram");
    if (!pipe)
        return;
    Program *p = nullptr;
    if (program) {
        p = lookup_program_err(ctx, program, "glActiveShaderProgram");
        if (!p)
            return;
        program_wait(ctx, *p);
        if (!p->link_status)
            return error(ctx, GL_INVALID_OPERATION,
                         "glActiveShaderProgram(program %u is not linked)", program);
        program_use(ctx, *p);
    }
    Ref<Program> old = pipe->active;
    pipe->active = p;
    if (old)
        program_unuse(ctx, *old);
}

namespace {
// Rules a pipeline must keep to be drawn with (section 11.1.3.11).
std::string pipeline_problem(Context &ctx, const ProgramPipeline &pipe) {
    for (unsigned s = 0; s < kStages; s++) {
        Program *p = pipe.stage[s].get();
        if (!p)
            continue;
        program_wait(ctx, *p);
        if (!p->linked || !p->separable)
            return "error: program " + std::to_string(p->name) + " is not linked as separable\n";
        for (unsigned other = 0; other < kStages; other++) // all stages of a program go together
            if (p->linked->stages >> other & 1 && pipe.stage[other] != p)
                return "error: program " + std::to_string(p->name) +
                       " is used for some of its stages only\n";
        bool foreign = false; // no other program may stand between two stages of one program
        for (unsigned between = s + 1; between < unsigned(Stage::compute); between++) {
            const Program *q = pipe.stage[between].get();
            if (q == p && foreign)
                return "error: another program stands between stages of program " +
                       std::to_string(p->name) + "\n";
            foreign |= q && q != p;
        }
    }
    const Program *programs[kStages];
    unsigned n = 0;
    for (unsigned s = 0; s < unsigned(Stage::compute); s++)
        if (pipe.stage[s])
            programs[n++] = pipe.stage[s].get();
    if (sampler_conflict(programs, n))
        return "error: samplers of different types read one texture unit\n";
    const bool later = pipe.stage[unsigned(Stage::geometry)] ||
                       pipe.stage[unsigned(Stage::tess_control)] ||
                       pipe.stage[unsigned(Stage::tess_evaluation)];
    if (later && !pipe.stage[unsigned(Stage::vertex)])
        return "error: there is no vertex shader\n";
    return {};
}
} // namespace

void GL_ENTRY(ValidateProgramPipeline)(Context &ctx, GLuint name) {
    ProgramPipeline *p = make_err(ctx, name, "glValidateProgramPipeline");
    if (!p)
        return;
    p->log = pipeline_problem(ctx, *p);
    p->validate_status = p->log.empty();
}

void GL_ENTRY(GetProgramPipelineiv)(Context &ctx, GLuint name, GLenum pname, GLint *params) {
    ProgramPipeline *p = make_err(ctx, name, "glGetProgramPipelineiv");
    if (!p)
        return;
    const auto stage = [&](Stage s) {
        const Program *q = p->stage[unsigned(s)].get();
        *params = q ? GLint(q->name) : 0;
    };
    switch (pname) {
    case GL_ACTIVE_PROGRAM: *params = p->active ? GLint(p->active->name) : 0; return;
    case GL_VERTEX_SHADER: return stage(Stage::vertex);
    case GL_TESS_CONTROL_SHADER: return stage(Stage::tess_control);
    case GL_TESS_EVALUATION_SHADER: return stage(Stage::tess_evaluation);
    case GL_GEOMETRY_SHADER: return stage(Stage::geometry);
    case GL_FRAGMENT_SHADER: return stage(Stage::fragment);
    case GL_COMPUTE_SHADER: return stage(Stage::compute);
    case GL_VALIDATE_STATUS: *params = p->validate_status; return;
    case GL_INFO_LOG_LENGTH: *params = p->log.empty() ? 0 : GLint(p->log.size() + 1); return;
    default: error(ctx, GL_INVALID_ENUM, "glGetProgramPipelineiv(%s)", enum_name(pname));
    }
}

void GL_ENTRY(GetProgramPipelineInfoLog)(Context &ctx, GLuint name, GLsizei size, GLsizei *length,
                                         GLchar *log) {
    const ProgramPipeline *p = name ? make(ctx, name) : nullptr;
    if (!p)
        return error(ctx, GL_INVALID_VALUE, "glGetProgramPipelineInfoLog(no pipeline %u)", name);
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetProgramPipelineInfoLog(bufSize %d)", size);
    copy_text(p->log, size, length, log);
}

GLuint GL_ENTRY(CreateShaderProgramv)(Context &ctx, GLenum type, GLsizei count,
                                      const GLchar *const *strings) {
    if (count < 0) {
        error(ctx, GL_INVALID_VALUE, "glCreateShaderProgramv(count %d)", count);
        return 0;
    }
    const GLuint shader = CreateShader(ctx, type);
    if (!shader)
        return 0;
    ShaderSource(ctx, shader, count, strings, nullptr);
    CompileShader(ctx, shader);
    const GLuint program = CreateProgram(ctx);
    Program *p = lookup_program(ctx, program);
    Shader *s = lookup_shader(ctx, shader);
    p->separable_next = true;
    shader_wait(ctx, *s);
    if (s->status) {
        AttachShader(ctx, program, shader);
        program_link(ctx, *p);
        program_wait(ctx, *p);
        DetachShader(ctx, program, shader);
    }
    p->log = s->log + p->log;
    DeleteShader(ctx, shader);
    return program;
}
} // namespace gl
