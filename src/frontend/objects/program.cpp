// SPDX-License-Identifier: MIT
// Program objects: names, attachments and what is asked of the next link (GL 4.6 section 7.3).
#include "compiler/compiler.h"
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

namespace gl {

Program::~Program() {
    st::program_destroy(*this);
}

Program *lookup_program(Context &ctx, GLuint name) {
    return name ? ctx.group->programs.find(name) : nullptr;
}

Program *lookup_program_err(Context &ctx, GLuint name, const char *func) {
    if (Program *p = lookup_program(ctx, name))
        return p;
    if (lookup_shader(ctx, name))
        error(ctx, GL_INVALID_OPERATION, "%s(%u is a shader)", func, name);
    else
        error(ctx, GL_INVALID_VALUE, "%s(no program %u)", func, name);
    return nullptr;
}

void program_collect(Context &ctx, Program &p) {
    Ref<Program> hold;
    {
        std::lock_guard lock(ctx.group->program_mutex);
        if (!p.deleted || p.use_count)
            return;
        for (Ref<Shader> &s : p.attached) {
            s->attach_count--;
            shader_collect(ctx, *s);
        }
        p.attached.clear();
        hold = ctx.group->programs.remove(p.name);
    }
}

void program_use(Context &ctx, Program &p) {
    std::lock_guard lock(ctx.group->program_mutex);
    p.use_count++;
    note_bound(ctx, p);
}

void program_unuse(Context &ctx, Program &p) {
    Ref<Program> hold(&p);
    {
        std::lock_guard lock(ctx.group->program_mutex);
        if (p.use_count)
            p.use_count--;
    }
    program_collect(ctx, p);
}

GLuint GL_ENTRY(CreateProgram)(Context &ctx) {
    GLuint name = 0;
    ctx.group->programs.gen(1, &name);
    auto *p = new Program;
    p->group = ctx.group.get();
    ctx.group->programs.insert(name, p);
    return name;
}

void GL_ENTRY(DeleteProgram)(Context &ctx, GLuint name) {
    if (!name)
        return;
    Program *p = lookup_program_err(ctx, name, "glDeleteProgram");
    if (!p)
        return;
    Ref<Program> hold(p);
    {
        std::lock_guard lock(ctx.group->program_mutex);
        p->deleted = true;
    }
    program_collect(ctx, *p);
}

GLboolean GL_ENTRY(IsProgram)(Context &ctx, GLuint name) {
    return lookup_program(ctx, name) != nullptr;
}

// --- attachments ---------------------------------------------------------------------------------

namespace {
Shader *shader_err(Context &ctx, GLuint name, const char *func) {
    if (Shader *s = lookup_shader(ctx, name))
        return s;
    if (lookup_program(ctx, name))
        error(ctx, GL_INVALID_OPERATION, "%s(%u is a program)", func, name);
    else
        error(ctx, GL_INVALID_VALUE, "%s(no shader %u)", func, name);
    return nullptr;
}
} // namespace

void GL_ENTRY(AttachShader)(Context &ctx, GLuint program, GLuint shader) {
    Program *p = lookup_program_err(ctx, program, "glAttachShader");
    Shader *s = p ? shader_err(ctx, shader, "glAttachShader") : nullptr;
    if (!s)
        return;
    std::lock_guard lock(ctx.group->program_mutex);
    for (const Ref<Shader> &a : p->attached)
        if (a == s)
            return error(ctx, GL_INVALID_OPERATION, "glAttachShader(%u is attached already)",
                         shader);
    p->attached.emplace_back(s);
    s->attach_count++;
}

void GL_ENTRY(DetachShader)(Context &ctx, GLuint program, GLuint shader) {
    Program *p = lookup_program_err(ctx, program, "glDetachShader");
    Shader *s = p ? shader_err(ctx, shader, "glDetachShader") : nullptr;
    if (!s)
        return;
    std::lock_guard lock(ctx.group->program_mutex);
    for (auto it = p->attached.begin(); it != p->attached.end(); ++it)
        if (*it == s) {
            Ref<Shader> hold(s);
            p->attached.erase(it);
            s->attach_count--;
            shader_collect(ctx, *s);
            return;
        }
    error(ctx, GL_INVALID_OPERATION, "glDetachShader(%u is not attached)", shader);
}

void GL_ENTRY(GetAttachedShaders)(Context &ctx, GLuint program, GLsizei max, GLsizei *count,
                                  GLuint *shaders) {
    Program *p = lookup_program_err(ctx, program, "glGetAttachedShaders");
    if (!p)
        return;
    if (max < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetAttachedShaders(maxCount %d)", max);
    GLsizei n = 0;
    for (; n < max && n < GLsizei(p->attached.size()); n++)
        shaders[n] = p->attached[size_t(n)]->name;
    if (count)
        *count = n;
}

// --- asked of the next link ----------------------------------------------------------------------

namespace {
bool reserved_name(const GLchar *name) {
    return std::string_view(name).substr(0, 3) == "gl_";
}
} // namespace

void GL_ENTRY(BindAttribLocation)(Context &ctx, GLuint program, GLuint index, const GLchar *name) {
    Program *p = lookup_program_err(ctx, program, "glBindAttribLocation");
    if (!p || !name)
        return;
    if (index >= GLuint(ctx.limits().vertex_attribs))
        return error(ctx, GL_INVALID_VALUE, "glBindAttribLocation(index %u)", index);
    if (reserved_name(name))
        return error(ctx, GL_INVALID_OPERATION, "glBindAttribLocation(%s)", name);
    p->attrib_binding[name] = index;
}

namespace {
void bind_frag(Context &ctx, GLuint program, GLuint color, GLuint index, const GLchar *name,
               const char *func) {
    Program *p = lookup_program_err(ctx, program, func);
    if (!p || !name)
        return;
    const GLint limit = index ? ctx.limits().dual_source_draw_buffers : ctx.limits().draw_buffers;
    if (index > 1 || color >= GLuint(limit))
        return error(ctx, GL_INVALID_VALUE, "%s(colorNumber %u, index %u)", func, color, index);
    if (reserved_name(name))
        return error(ctx, GL_INVALID_OPERATION, "%s(%s)", func, name);
    p->frag_binding[name] = {color, index};
}
} // namespace

void GL_ENTRY(BindFragDataLocation)(Context &ctx, GLuint program, GLuint color,
                                    const GLchar *name) {
    bind_frag(ctx, program, color, 0, name, "glBindFragDataLocation");
}

void GL_ENTRY(BindFragDataLocationIndexed)(Context &ctx, GLuint program, GLuint color, GLuint index,
                                           const GLchar *name) {
    bind_frag(ctx, program, color, index, name, "glBindFragDataLocationIndexed");
}

void GL_ENTRY(TransformFeedbackVaryings)(Context &ctx, GLuint program, GLsizei count,
                                         const GLchar *const *names, GLenum mode) {
    Program *p = lookup_program_err(ctx, program, "glTransformFeedbackVaryings");
    if (!p)
        return;
    if (mode != GL_INTERLEAVED_ATTRIBS && mode != GL_SEPARATE_ATTRIBS)
        return error(ctx, GL_INVALID_ENUM, "glTransformFeedbackVaryings(%s)", enum_name(mode));
    if (count < 0 || (mode == GL_SEPARATE_ATTRIBS && count > ctx.limits().xfb_separate))
        return error(ctx, GL_INVALID_VALUE, "glTransformFeedbackVaryings(count %d)", count);
    unsigned buffers = 1;
    for (GLsizei i = 0; i < count; i++) {
        const std::string_view n(names[i]);
        if (mode == GL_SEPARATE_ATTRIBS &&
            (n == "gl_NextBuffer" || n.substr(0, 17) == "gl_SkipComponents"))
            return error(ctx, GL_INVALID_OPERATION, "glTransformFeedbackVaryings(%s)", names[i]);
        buffers += n == "gl_NextBuffer";
    }
    if (buffers > GLuint(ctx.limits().xfb_buffers))
        return error(ctx, GL_INVALID_OPERATION, "glTransformFeedbackVaryings(%u buffers)", buffers);
    p->xfb_varyings.assign(names, names + count);
    p->xfb_mode = mode;
}

void GL_ENTRY(ProgramParameteri)(Context &ctx, GLuint program, GLenum pname, GLint value) {
    Program *p = lookup_program_err(ctx, program, "glProgramParameteri");
    if (!p)
        return;
    if (pname != GL_PROGRAM_SEPARABLE && pname != GL_PROGRAM_BINARY_RETRIEVABLE_HINT)
        return error(ctx, GL_INVALID_ENUM, "glProgramParameteri(%s)", enum_name(pname));
    if (value != GL_TRUE && value != GL_FALSE)
        return error(ctx, GL_INVALID_VALUE, "glProgramParameteri(value %d)", value);
    (pname == GL_PROGRAM_SEPARABLE ? p->separable_next : p->binary_hint_next) = value;
}
} // namespace gl
