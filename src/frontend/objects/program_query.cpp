// SPDX-License-Identifier: MIT
// What a program tells of itself: status, logs, attributes, outputs, captured varyings (GL 4.6
// sections 7.13, 11.1.1).
#include "glapi/gl_api.h"
#include "objects/context.h"

#include "compiler/compiler.h"

#include <cstring>

namespace gl {

const LinkedProgram *query_tables(Context &ctx, GLuint name, const char *func, Program **program) {
    static const LinkedProgram none;
    Program *p = lookup_program_err(ctx, name, func);
    if (!p)
        return nullptr;
    program_wait(ctx, *p);
    if (program)
        *program = p;
    return p->link_status && p->linked ? p->linked.get() : &none;
}

namespace {

// Attributes exist only where the first stage is the vertex shader.
std::vector<const pipe_archive_io *> attributes(const LinkedProgram &l) {
    return l.stages & 1u << unsigned(Stage::vertex) ? l.inputs
                                                    : std::vector<const pipe_archive_io *>{};
}

GLint longest_uniform(const LinkedProgram &l) {
    size_t n = 0;
    for (const ActiveUniform &u : l.uniforms)
        n = std::max(n, u.name->size() + 1);
    return GLint(n);
}

GLint longest_block(const LinkedProgram &l) {
    size_t n = 0;
    for (uint32_t i : l.uniform_blocks)
        n = std::max(n, l.archive->blocks[i].name.size() + 1);
    return GLint(n);
}

GLint longest_attribute(const LinkedProgram &l) {
    size_t n = 0;
    for (const pipe_archive_io *io : attributes(l))
        n = std::max(n, io->name.size() + 1);
    return GLint(n);
}

GLint longest_varying(const LinkedProgram &l) {
    size_t n = 0;
    for (const std::string &name : l.xfb_varyings)
        n = std::max(n, name.size() + 1);
    return GLint(n);
}

// Properties of one stage; false when the property is none of them. `ok` tells whether the stage is
// there.
bool stage_property(const LinkedProgram &l, GLenum pname, GLint *params, bool &ok) {
    const auto has = [&](Stage s) { return ok = (l.stages >> unsigned(s) & 1) != 0; };
    switch (pname) {
    case GL_GEOMETRY_VERTICES_OUT:
        if (has(Stage::geometry))
            *params = GLint(l.archive->gs_max_vertices);
        return true;
    case GL_GEOMETRY_INPUT_TYPE:
        if (has(Stage::geometry))
            *params = GLint(l.gs_input);
        return true;
    case GL_GEOMETRY_OUTPUT_TYPE:
        if (has(Stage::geometry))
            *params = GLint(l.gs_output);
        return true;
    case GL_GEOMETRY_SHADER_INVOCATIONS:
        if (has(Stage::geometry))
            *params = GLint(l.archive->gs_invocations);
        return true;
    case GL_TESS_CONTROL_OUTPUT_VERTICES:
        if (has(Stage::tess_control))
            *params = l.tcs_vertices;
        return true;
    case GL_TESS_GEN_MODE:
        if (has(Stage::tess_evaluation))
            *params = GLint(l.tes_mode);
        return true;
    case GL_TESS_GEN_SPACING:
        if (has(Stage::tess_evaluation))
            *params = l.archive->tes_spacing == 1   ? GL_FRACTIONAL_EVEN
                      : l.archive->tes_spacing == 2 ? GL_FRACTIONAL_ODD
                                                    : GL_EQUAL;
        return true;
    case GL_TESS_GEN_VERTEX_ORDER:
        if (has(Stage::tess_evaluation))
            *params = l.archive->tes_ccw ? GL_CCW : GL_CW;
        return true;
    case GL_TESS_GEN_POINT_MODE:
        if (has(Stage::tess_evaluation))
            *params = l.tes_point_mode;
        return true;
    case GL_COMPUTE_WORK_GROUP_SIZE:
        if (has(Stage::compute))
            for (unsigned i = 0; i < 3; i++)
                params[i] = GLint(l.local_size[i]);
        return true;
    default: return false;
    }
}
} // namespace

void GL_ENTRY(GetProgramiv)(Context &ctx, GLuint name, GLenum pname, GLint *params) {
    Program *p = lookup_program_err(ctx, name, "glGetProgramiv");
    if (!p)
        return;
    if (pname == GL_COMPLETION_STATUS_KHR) {
        *params = !p->job || p->job->done();
        return;
    }
    const LinkedProgram &l = *query_tables(ctx, name, "glGetProgramiv");
    bool ok = false;
    switch (pname) {
    case GL_DELETE_STATUS: *params = p->deleted; return;
    case GL_LINK_STATUS: *params = p->link_status; return;
    case GL_VALIDATE_STATUS: *params = p->validate_status; return;
    case GL_INFO_LOG_LENGTH: *params = p->log.empty() ? 0 : GLint(p->log.size() + 1); return;
    case GL_ATTACHED_SHADERS: *params = GLint(p->attached.size()); return;
    case GL_ACTIVE_ATTRIBUTES: *params = GLint(attributes(l).size()); return;
    case GL_ACTIVE_ATTRIBUTE_MAX_LENGTH: *params = longest_attribute(l); return;
    case GL_ACTIVE_UNIFORMS: *params = GLint(l.uniforms.size()); return;
    case GL_ACTIVE_UNIFORM_MAX_LENGTH: *params = longest_uniform(l); return;
    case GL_ACTIVE_UNIFORM_BLOCKS: *params = GLint(l.uniform_blocks.size()); return;
    case GL_ACTIVE_UNIFORM_BLOCK_MAX_NAME_LENGTH: *params = longest_block(l); return;
    case GL_ACTIVE_ATOMIC_COUNTER_BUFFERS: *params = GLint(l.atomic_buffers.size()); return;
    case GL_TRANSFORM_FEEDBACK_BUFFER_MODE:
        *params = GLint(l.archive ? l.xfb_mode : p->xfb_mode);
        return;
    case GL_TRANSFORM_FEEDBACK_VARYINGS: *params = GLint(l.xfb_varyings.size()); return;
    case GL_TRANSFORM_FEEDBACK_VARYING_MAX_LENGTH: *params = longest_varying(l); return;
    case GL_PROGRAM_SEPARABLE: *params = p->separable_next; return;
    case GL_PROGRAM_BINARY_RETRIEVABLE_HINT: *params = p->binary_hint; return;
    case GL_PROGRAM_BINARY_LENGTH: *params = program_binary_length(ctx, *p); return;
    default: break;
    }
    GLint values[3];
    if (!stage_property(l, pname, values, ok))
        return error(ctx, GL_INVALID_ENUM, "glGetProgramiv(%s)", enum_name(pname));
    if (ok)
        std::copy_n(values, pname == GL_COMPUTE_WORK_GROUP_SIZE ? 3 : 1, params);
    else
        error(ctx, GL_INVALID_OPERATION, "glGetProgramiv(%s: no such stage)", enum_name(pname));
}

void GL_ENTRY(GetProgramInfoLog)(Context &ctx, GLuint name, GLsizei size, GLsizei *length,
                                 GLchar *log) {
    Program *p = lookup_program_err(ctx, name, "glGetProgramInfoLog");
    if (!p)
        return;
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetProgramInfoLog(bufSize %d)", size);
    program_wait(ctx, *p);
    copy_text(p->log, size, length, log);
}

// --- attributes and fragment outputs -------------------------------------------------------------

void GL_ENTRY(GetActiveAttrib)(Context &ctx, GLuint program, GLuint index, GLsizei buf,
                               GLsizei *length, GLint *size, GLenum *type, GLchar *name) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetActiveAttrib");
    if (!l)
        return;
    const auto list = attributes(*l);
    if (index >= list.size() || buf < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetActiveAttrib(index %u, bufSize %d)", index, buf);
    // Names of arrays end in "[0]" since OpenGL 4.3, which made this a resource query.
    std::string text = list[index]->name;
    if (list[index]->is_array && ctx.caps->version < 43 && text.size() > 3)
        text.resize(text.size() - 3);
    copy_text(text, buf, length, name);
    if (size)
        *size = GLint(list[index]->array_size);
    if (type)
        *type = list[index]->gl_type;
}

namespace {
// Matrices take a location per column, so element n of an array of them is that much further.
uint32_t columns(GLenum type) {
    switch (type) {
    case GL_FLOAT_MAT2:
    case GL_FLOAT_MAT2x3:
    case GL_FLOAT_MAT2x4:
    case GL_DOUBLE_MAT2:
    case GL_DOUBLE_MAT2x3:
    case GL_DOUBLE_MAT2x4: return 2;
    case GL_FLOAT_MAT3:
    case GL_FLOAT_MAT3x2:
    case GL_FLOAT_MAT3x4:
    case GL_DOUBLE_MAT3:
    case GL_DOUBLE_MAT3x2:
    case GL_DOUBLE_MAT3x4: return 3;
    case GL_FLOAT_MAT4:
    case GL_FLOAT_MAT4x2:
    case GL_FLOAT_MAT4x3:
    case GL_DOUBLE_MAT4:
    case GL_DOUBLE_MAT4x2:
    case GL_DOUBLE_MAT4x3: return 4;
    default: return 1;
    }
}

// The variable of that name, or an element of an array of it.
const pipe_archive_io *find_io(const std::vector<const pipe_archive_io *> &list,
                               const std::string &name, GLint &location) {
    std::string base = name;
    uint32_t index = 0;
    const bool subscript = split_subscript(name, base, index);
    for (const pipe_archive_io *io : list) {
        if (io->is_array) {
            const std::string root = io->name.substr(0, io->name.size() - 3);
            if (root != (subscript ? base : name) || index >= io->array_size)
                continue;
        } else if (io->name != name) {
            continue;
        }
        location = io->location < 0
                       ? -1
                       : io->location + GLint(io->is_array ? index * columns(io->gl_type) : 0);
        return io;
    }
    return nullptr;
}

bool check_linked(Context &ctx, GLuint program, const char *func, const LinkedProgram *&l) {
    l = query_tables(ctx, program, func);
    if (!l)
        return false;
    if (lookup_program(ctx, program)->link_status)
        return true;
    error(ctx, GL_INVALID_OPERATION, "%s(program %u is not linked)", func, program);
    return false;
}
} // namespace

GLint GL_ENTRY(GetAttribLocation)(Context &ctx, GLuint program, const GLchar *name) {
    const LinkedProgram *l = nullptr;
    GLint location = -1;
    if (check_linked(ctx, program, "glGetAttribLocation", l) && name &&
        std::strncmp(name, "gl_", 3))
        find_io(attributes(*l), name, location);
    return location;
}

namespace {
std::vector<const pipe_archive_io *> frag_outputs(const LinkedProgram &l) {
    return l.stages >> unsigned(Stage::fragment) & 1 ? l.outputs
                                                     : std::vector<const pipe_archive_io *>{};
}
} // namespace

GLint GL_ENTRY(GetFragDataLocation)(Context &ctx, GLuint program, const GLchar *name) {
    const LinkedProgram *l = nullptr;
    GLint location = -1;
    if (check_linked(ctx, program, "glGetFragDataLocation", l) && name &&
        std::strncmp(name, "gl_", 3))
        find_io(frag_outputs(*l), name, location);
    return location;
}

GLint GL_ENTRY(GetFragDataIndex)(Context &ctx, GLuint program, const GLchar *name) {
    const LinkedProgram *l = nullptr;
    GLint location = -1;
    if (!check_linked(ctx, program, "glGetFragDataIndex", l) || !name ||
        !std::strncmp(name, "gl_", 3))
        return -1;
    const pipe_archive_io *io = find_io(frag_outputs(*l), name, location);
    return io && location >= 0 ? GLint(io->index) : -1;
}

// --- captured varyings ---------------------------------------------------------------------------

void GL_ENTRY(GetTransformFeedbackVarying)(Context &ctx, GLuint program, GLuint index, GLsizei buf,
                                           GLsizei *length, GLsizei *size, GLenum *type,
                                           GLchar *name) {
    const LinkedProgram *l = nullptr;
    if (!check_linked(ctx, program, "glGetTransformFeedbackVarying", l))
        return;
    if (index >= l->xfb_varyings.size() || buf < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetTransformFeedbackVarying(index %u, bufSize %d)",
                     index, buf);
    const std::string &text = l->xfb_varyings[index];
    copy_text(text, buf, length, name);
    GLsizei count = text == "gl_NextBuffer" ? 0 : 1;
    GLenum kind = GL_NONE;
    if (text.rfind("gl_SkipComponents", 0) == 0)
        count = text.back() - '0';
    for (const pipe_archive_xfb &x : l->archive->xfb)
        if (x.name == text) {
            count = GLsizei(x.array_size);
            kind = x.gl_type;
        }
    if (size)
        *size = count;
    if (type)
        *type = kind;
}
} // namespace gl
