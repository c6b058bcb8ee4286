// SPDX-License-Identifier: MIT
// Shader objects (GL 4.6 sections 7.1, 7.13, 7.14).
#include "compiler/compiler.h"
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <cstring>

namespace gl {

static_assert(int(Stage::compute) == PIPE_SHADER_COMPUTE &&
                  int(Stage::geometry) == PIPE_SHADER_GEOMETRY,
              "stages of objects and of the pipe are the same numbers");

int stage_of(GLenum shader_type) {
    switch (shader_type) {
    case GL_VERTEX_SHADER: return int(Stage::vertex);
    case GL_TESS_CONTROL_SHADER: return int(Stage::tess_control);
    case GL_TESS_EVALUATION_SHADER: return int(Stage::tess_evaluation);
    case GL_GEOMETRY_SHADER: return int(Stage::geometry);
    case GL_FRAGMENT_SHADER: return int(Stage::fragment);
    case GL_COMPUTE_SHADER: return int(Stage::compute);
    default: return -1;
    }
}

Shader::~Shader() = default;

Shader *lookup_shader(Context &ctx, GLuint name) {
    return name ? ctx.group->shaders.find(name) : nullptr;
}

void shader_wait(Context &ctx, Shader &s) {
    if (!s.job)
        return;
    const std::shared_ptr<compiler::Job> job = s.job;
    job->wait();
    std::lock_guard lock(ctx.group->program_mutex);
    if (s.job != job)
        return;
    const auto &result = s.pending->result;
    s.status = result && result->ok;
    s.log = result ? result->log : std::string();
    s.compiled = s.status ? result : nullptr;
    s.job.reset();
    s.pending.reset();
}

void shader_collect(Context &ctx, Shader &s) {
    if (!s.deleted || s.attach_count)
        return;
    const GLuint name = s.name;
    Ref<Shader> hold = ctx.group->shaders.remove(name);
    ctx.group->programs.remove(name);
}

void copy_text(const std::string &text, GLsizei size, GLsizei *length, GLchar *out) {
    GLsizei n = 0;
    if (size > 0 && out) {
        n = std::min<GLsizei>(size - 1, GLsizei(text.size()));
        std::memcpy(out, text.data(), size_t(n));
        out[n] = 0;
    }
    if (length)
        *length = n;
}

namespace {

Shader *find(Context &ctx, GLuint name, const char *func) {
    if (Shader *s = lookup_shader(ctx, name))
        return s;
    if (lookup_program(ctx, name))
        error(ctx, GL_INVALID_OPERATION, "%s(%u is a program)", func, name);
    else
        error(ctx, GL_INVALID_VALUE, "%s(no shader %u)", func, name);
    return nullptr;
}

bool stage_offered(const Context &ctx, GLenum type) {
    switch (type) {
    case GL_VERTEX_SHADER:
    case GL_FRAGMENT_SHADER: return true;
    case GL_GEOMETRY_SHADER: return ctx.has().geometry_shader;
    case GL_TESS_CONTROL_SHADER:
    case GL_TESS_EVALUATION_SHADER: return ctx.has().tessellation;
    case GL_COMPUTE_SHADER: return ctx.has().compute;
    default: return false;
    }
}
} // namespace

GLuint GL_ENTRY(CreateShader)(Context &ctx, GLenum type) {
    if (!stage_offered(ctx, type)) {
        error(ctx, GL_INVALID_ENUM, "glCreateShader(%s)", enum_name(type));
        return 0;
    }
    GLuint name = 0;
    ctx.group->programs.gen(1, &name); // shaders and programs share names
    auto *s = new Shader;
    s->group = ctx.group.get();
    s->type = type;
    ctx.group->shaders.insert(name, s);
    return name;
}

void GL_ENTRY(DeleteShader)(Context &ctx, GLuint name) {
    if (!name)
        return;
    Shader *s = find(ctx, name, "glDeleteShader");
    if (!s)
        return;
    std::lock_guard lock(ctx.group->program_mutex);
    s->deleted = true;
    shader_collect(ctx, *s);
}

GLboolean GL_ENTRY(IsShader)(Context &ctx, GLuint name) {
    return lookup_shader(ctx, name) != nullptr;
}

void GL_ENTRY(ShaderSource)(Context &ctx, GLuint name, GLsizei count, const GLchar *const *strings,
                            const GLint *lengths) {
    Shader *s = find(ctx, name, "glShaderSource");
    if (!s)
        return;
    if (count < 0 || (count && !strings))
        return error(ctx, GL_INVALID_VALUE, "glShaderSource(count %d)", count);
    std::string text;
    for (GLsizei i = 0; i < count; i++) {
        if (!strings[i])
            return error(ctx, GL_INVALID_OPERATION, "glShaderSource(string %d is null)", i);
        if (lengths && lengths[i] >= 0)
            text.append(strings[i], size_t(lengths[i]));
        else
            text.append(strings[i]);
    }
    s->source = std::move(text);
}

void GL_ENTRY(CompileShader)(Context &ctx, GLuint name) {
    Shader *s = find(ctx, name, "glCompileShader");
    if (!s)
        return;
    shader_wait(ctx, *s);
    s->compile_called = true;
    s->pending = std::make_shared<PendingCompile>();
    s->job = compiler::submit([pending = s->pending, stage = pipe_shader_type(stage_of(s->type)),
                               source = s->source, limits = compiler_limits(ctx)] {
        pending->result = compiler::compile(stage, source, limits);
    });
}

// The pool belongs to the process, and so does the wish.
void GL_ENTRY(MaxShaderCompilerThreadsARB)(Context &, GLuint count) {
    compiler::set_max_threads(count);
}

void GL_ENTRY(GetShaderiv)(Context &ctx, GLuint name, GLenum pname, GLint *params) {
    Shader *s = find(ctx, name, "glGetShaderiv");
    if (!s)
        return;
    switch (pname) {
    case GL_SHADER_TYPE: *params = GLint(s->type); return;
    case GL_DELETE_STATUS: *params = s->deleted; return;
    case GL_COMPILE_STATUS:
        shader_wait(ctx, *s);
        *params = s->status;
        return;
    case GL_INFO_LOG_LENGTH:
        shader_wait(ctx, *s);
        *params = s->log.empty() ? 0 : GLint(s->log.size() + 1);
        return;
    case GL_SHADER_SOURCE_LENGTH:
        *params = s->source.empty() ? 0 : GLint(s->source.size() + 1);
        return;
    case GL_SPIR_V_BINARY: *params = GL_FALSE; return; // no format is offered
    case GL_COMPLETION_STATUS_KHR: *params = !s->job || s->job->done(); return;
    default: error(ctx, GL_INVALID_ENUM, "glGetShaderiv(%s)", enum_name(pname));
    }
}

void GL_ENTRY(GetShaderInfoLog)(Context &ctx, GLuint name, GLsizei size, GLsizei *length,
                                GLchar *log) {
    Shader *s = find(ctx, name, "glGetShaderInfoLog");
    if (!s)
        return;
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetShaderInfoLog(bufSize %d)", size);
    shader_wait(ctx, *s);
    copy_text(s->log, size, length, log);
}

void GL_ENTRY(GetShaderSource)(Context &ctx, GLuint name, GLsizei size, GLsizei *length,
                               GLchar *source) {
    Shader *s = find(ctx, name, "glGetShaderSource");
    if (!s)
        return;
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetShaderSource(bufSize %d)", size);
    copy_text(s->source, size, length, source);
}

void GL_ENTRY(ReleaseShaderCompiler)(Context &) {
} // a hint; the compiler's built-ins are shared by all contexts

void GL_ENTRY(ShaderBinary)(Context &ctx, GLsizei count, const GLuint *shaders, GLenum format,
                            const void *, GLsizei length) {
    if (count < 0 || length < 0)
        return error(ctx, GL_INVALID_VALUE, "glShaderBinary(count %d, length %d)", count, length);
    for (GLsizei i = 0; i < count; i++)
        if (!find(ctx, shaders[i], "glShaderBinary"))
            return;
    error(ctx, GL_INVALID_ENUM, "glShaderBinary(format %s)",
          enum_name(format)); // no format is offered
}

void GL_ENTRY(GetShaderPrecisionFormat)(Context &ctx, GLenum type, GLenum precision, GLint *range,
                                        GLint *bits) {
    if (type != GL_VERTEX_SHADER && type != GL_FRAGMENT_SHADER)
        return error(ctx, GL_INVALID_ENUM, "glGetShaderPrecisionFormat(%s)", enum_name(type));
    switch (precision) {
    case GL_LOW_FLOAT:
    case GL_MEDIUM_FLOAT:
    case GL_HIGH_FLOAT:
        range[0] = range[1] = 127;
        *bits = 23;
        return;
    case GL_LOW_INT:
    case GL_MEDIUM_INT:
    case GL_HIGH_INT:
        range[0] = 31;
        range[1] = 30;
        *bits = 0;
        return;
    default: error(ctx, GL_INVALID_ENUM, "glGetShaderPrecisionFormat(%s)", enum_name(precision));
    }
}
} // namespace gl
