// SPDX-License-Identifier: MIT
// Active uniforms: names, locations, properties (GL 4.6 sections 7.6, 7.13); subroutine queries,
// which find nothing.
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <cstdlib>

namespace gl {

bool split_subscript(const std::string &text, std::string &base, uint32_t &index) {
    if (text.size() < 4 || text.back() != ']')
        return false;
    const size_t open = text.rfind('[');
    if (open == std::string::npos || open + 2 > text.size() - 1)
        return false;
    const std::string digits = text.substr(open + 1, text.size() - open - 2);
    if (digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos ||
        (digits.size() > 1 && digits[0] == '0'))
        return false;
    base = text.substr(0, open);
    index = uint32_t(std::atoi(digits.c_str()));
    return true;
}

GLint find_uniform(const LinkedProgram &l, const char *name) {
    const auto it = l.uniform_index.find(name);
    return it == l.uniform_index.end() ? -1 : GLint(it->second);
}

namespace {
// Program that was linked successfully, or null after an error.
Program *linked(Context &ctx, GLuint name, const char *func) {
    Program *p = lookup_program_err(ctx, name, func);
    if (!p)
        return nullptr;
    program_wait(ctx, *p);
    if (p->link_status && p->linked)
        return p;
    error(ctx, GL_INVALID_OPERATION, "%s(program %u is not linked)", func, name);
    return nullptr;
}
} // namespace

GLint GL_ENTRY(GetUniformLocation)(Context &ctx, GLuint program, const GLchar *name) {
    Program *p = linked(ctx, program, "glGetUniformLocation");
    if (!p || !name)
        return -1;
    const LinkedProgram &l = *p->linked;
    GLint i = find_uniform(l, name);
    if (i >= 0)
        return l.uniforms[size_t(i)].location;
    std::string base;
    uint32_t index = 0;
    if (!split_subscript(name, base, index))
        return -1;
    i = find_uniform(l, base.c_str());
    if (i < 0)
        return -1;
    const ActiveUniform &u = l.uniforms[size_t(i)];
    if (!u.is_array || u.location < 0 || index >= uint32_t(u.size))
        return -1;
    return u.location + GLint(index);
}

void GL_ENTRY(GetActiveUniform)(Context &ctx, GLuint program, GLuint index, GLsizei buf,
                                GLsizei *length, GLint *size, GLenum *type, GLchar *name) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetActiveUniform");
    if (!l)
        return;
    if (index >= l->uniforms.size() || buf < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetActiveUniform(index %u, bufSize %d)", index, buf);
    const ActiveUniform &u = l->uniforms[index];
    copy_text(*u.name, buf, length, name);
    if (size)
        *size = u.size;
    if (type)
        *type = u.type;
}

void GL_ENTRY(GetActiveUniformName)(Context &ctx, GLuint program, GLuint index, GLsizei buf,
                                    GLsizei *length, GLchar *name) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetActiveUniformName");
    if (!l)
        return;
    if (index >= l->uniforms.size() || buf < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetActiveUniformName(index %u, bufSize %d)", index,
                     buf);
    copy_text(*l->uniforms[index].name, buf, length, name);
}

void GL_ENTRY(GetUniformIndices)(Context &ctx, GLuint program, GLsizei count,
                                 const GLchar *const *names, GLuint *indices) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetUniformIndices");
    if (!l)
        return;
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetUniformIndices(count %d)", count);
    for (GLsizei i = 0; i < count; i++)
        indices[i] = GLuint(find_uniform(*l, names[i]));
}

void GL_ENTRY(GetActiveUniformsiv)(Context &ctx, GLuint program, GLsizei count,
                                   const GLuint *indices, GLenum pname, GLint *params) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetActiveUniformsiv");
    if (!l)
        return;
    if (count < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetActiveUniformsiv(count %d)", count);
    for (GLsizei i = 0; i < count; i++)
        if (indices[i] >= l->uniforms.size())
            return error(ctx, GL_INVALID_VALUE, "glGetActiveUniformsiv(index %u)", indices[i]);
    for (GLsizei i = 0; i < count; i++) {
        const ActiveUniform &u = l->uniforms[indices[i]];
        const bool stored =
            u.block >= 0 ||
            u.kind == UniformKind::atomic; // the default block's layout is not GL's to see
        switch (pname) {
        case GL_UNIFORM_TYPE: params[i] = GLint(u.type); break;
        case GL_UNIFORM_SIZE: params[i] = u.size; break;
        case GL_UNIFORM_NAME_LENGTH: params[i] = GLint(u.name->size() + 1); break;
        case GL_UNIFORM_BLOCK_INDEX: params[i] = u.block; break;
        case GL_UNIFORM_OFFSET: params[i] = stored ? u.offset : -1; break;
        case GL_UNIFORM_ARRAY_STRIDE: params[i] = stored ? u.array_stride : -1; break;
        case GL_UNIFORM_MATRIX_STRIDE: params[i] = stored ? u.matrix_stride : -1; break;
        case GL_UNIFORM_IS_ROW_MAJOR: params[i] = u.block >= 0 && u.row_major; break;
        case GL_UNIFORM_ATOMIC_COUNTER_BUFFER_INDEX: params[i] = u.atomic_buffer; break;
        default: return error(ctx, GL_INVALID_ENUM, "glGetActiveUniformsiv(%s)", enum_name(pname));
        }
    }
}

// --- subroutines: no program has any, because shaders that declare them do not compile -----------

namespace {
bool stage_err(Context &ctx, GLenum type, const char *func) {
    if (stage_of(type) >= 0)
        return true;
    error(ctx, GL_INVALID_ENUM, "%s(%s)", func, enum_name(type));
    return false;
}
} // namespace

GLint GL_ENTRY(GetSubroutineUniformLocation)(Context &ctx, GLuint program, GLenum type,
                                             const GLchar *) {
    if (stage_err(ctx, type, "glGetSubroutineUniformLocation"))
        linked(ctx, program, "glGetSubroutineUniformLocation");
    return -1;
}

GLuint GL_ENTRY(GetSubroutineIndex)(Context &ctx, GLuint program, GLenum type, const GLchar *) {
    if (stage_err(ctx, type, "glGetSubroutineIndex"))
        linked(ctx, program, "glGetSubroutineIndex");
    return GL_INVALID_INDEX;
}

void GL_ENTRY(GetActiveSubroutineUniformiv)(Context &ctx, GLuint program, GLenum type, GLuint index,
                                            GLenum, GLint *) {
    if (stage_err(ctx, type, "glGetActiveSubroutineUniformiv") &&
        linked(ctx, program, "glGetActiveSubroutineUniformiv"))
        error(ctx, GL_INVALID_VALUE, "glGetActiveSubroutineUniformiv(index %u)", index);
}

void GL_ENTRY(GetActiveSubroutineUniformName)(Context &ctx, GLuint program, GLenum type,
                                              GLuint index, GLsizei, GLsizei *, GLchar *) {
    if (stage_err(ctx, type, "glGetActiveSubroutineUniformName") &&
        linked(ctx, program, "glGetActiveSubroutineUniformName"))
        error(ctx, GL_INVALID_VALUE, "glGetActiveSubroutineUniformName(index %u)", index);
}

void GL_ENTRY(GetActiveSubroutineName)(Context &ctx, GLuint program, GLenum type, GLuint index,
                                       GLsizei, GLsizei *, GLchar *) {
    if (stage_err(ctx, type, "glGetActiveSubroutineName") &&
        linked(ctx, program, "glGetActiveSubroutineName"))
        error(ctx, GL_INVALID_VALUE, "glGetActiveSubroutineName(index %u)", index);
}

void GL_ENTRY(UniformSubroutinesuiv)(Context &ctx, GLenum type, GLsizei count, const GLuint *) {
    if (!stage_err(ctx, type, "glUniformSubroutinesuiv"))
        return;
    if (!program_at(ctx, Stage(stage_of(type))))
        return error(ctx, GL_INVALID_OPERATION, "glUniformSubroutinesuiv(no program)");
    if (count)
        error(ctx, GL_INVALID_VALUE, "glUniformSubroutinesuiv(count %d)", count);
}

void GL_ENTRY(GetUniformSubroutineuiv)(Context &ctx, GLenum type, GLint location, GLuint *) {
    if (!stage_err(ctx, type, "glGetUniformSubroutineuiv"))
        return;
    if (!program_at(ctx, Stage(stage_of(type))))
        return error(ctx, GL_INVALID_OPERATION, "glGetUniformSubroutineuiv(no program)");
    error(ctx, GL_INVALID_VALUE, "glGetUniformSubroutineuiv(location %d)", location);
}

void GL_ENTRY(GetProgramStageiv)(Context &ctx, GLuint program, GLenum type, GLenum pname,
                                 GLint *values) {
    if (!stage_err(ctx, type, "glGetProgramStageiv") ||
        !lookup_program_err(ctx, program, "glGetProgramStageiv"))
        return;
    switch (pname) {
    case GL_ACTIVE_SUBROUTINES:
    case GL_ACTIVE_SUBROUTINE_UNIFORMS:
    case GL_ACTIVE_SUBROUTINE_UNIFORM_LOCATIONS:
    case GL_ACTIVE_SUBROUTINE_MAX_LENGTH:
    case GL_ACTIVE_SUBROUTINE_UNIFORM_MAX_LENGTH: *values = 0; return;
    default: error(ctx, GL_INVALID_ENUM, "glGetProgramStageiv(%s)", enum_name(pname));
    }
}
} // namespace gl
