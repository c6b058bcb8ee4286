// SPDX-License-Identifier: MIT
// Uniform blocks, storage blocks and atomic counter buffers: names, properties, binding points
// (GL 4.6 sections 7.6.2 - 7.8).
#include "glapi/gl_api.h"
#include "objects/context.h"

namespace gl {
namespace {

// Uniforms whose block is `index`; all elements of a block array share the members of the first.
template <class F> void each_member(const LinkedProgram &l, GLuint index, F &&f) {
    const pipe_archive_block &b = l.archive->blocks[l.uniform_blocks[index]];
    const std::string base = b.name.substr(0, b.name.find('['));
    for (size_t i = 0; i < l.uniforms.size(); i++) {
        const GLint of = l.uniforms[i].block;
        if (of < 0)
            continue;
        const std::string &name = l.archive->blocks[l.uniform_blocks[size_t(of)]].name;
        if (name.substr(0, name.find('[')) == base)
            f(GLint(i));
    }
}

bool referenced(uint8_t stages, GLenum pname, GLint &value) {
    Stage s;
    switch (pname) {
    case GL_UNIFORM_BLOCK_REFERENCED_BY_VERTEX_SHADER:
    case GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_VERTEX_SHADER: s = Stage::vertex; break;
    case GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_CONTROL_SHADER:
    case GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_CONTROL_SHADER: s = Stage::tess_control; break;
    case GL_UNIFORM_BLOCK_REFERENCED_BY_TESS_EVALUATION_SHADER:
    case GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_TESS_EVALUATION_SHADER:
        s = Stage::tess_evaluation;
        break;
    case GL_UNIFORM_BLOCK_REFERENCED_BY_GEOMETRY_SHADER:
    case GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_GEOMETRY_SHADER: s = Stage::geometry; break;
    case GL_UNIFORM_BLOCK_REFERENCED_BY_FRAGMENT_SHADER:
    case GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_FRAGMENT_SHADER: s = Stage::fragment; break;
    case GL_UNIFORM_BLOCK_REFERENCED_BY_COMPUTE_SHADER:
    case GL_ATOMIC_COUNTER_BUFFER_REFERENCED_BY_COMPUTE_SHADER: s = Stage::compute; break;
    default: return false;
    }
    value = stages >> unsigned(s) & 1;
    return true;
}
} // namespace

GLuint GL_ENTRY(GetUniformBlockIndex)(Context &ctx, GLuint program, const GLchar *name) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetUniformBlockIndex");
    if (!l || !name)
        return GL_INVALID_INDEX;
    for (size_t i = 0; i < l->uniform_blocks.size(); i++) {
        const std::string &n = l->archive->blocks[l->uniform_blocks[i]].name;
        if (n == name || n == std::string(name) + "[0]")
            return GLuint(i);
    }
    return GL_INVALID_INDEX;
}

void GL_ENTRY(GetActiveUniformBlockiv)(Context &ctx, GLuint program, GLuint index, GLenum pname,
                                       GLint *params) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glGetActiveUniformBlockiv", &p);
    if (!l)
        return;
    if (index >= l->uniform_blocks.size())
        return error(ctx, GL_INVALID_VALUE, "glGetActiveUniformBlockiv(index %u)", index);
    const pipe_archive_block &b = l->archive->blocks[l->uniform_blocks[index]];
    switch (pname) {
    case GL_UNIFORM_BLOCK_BINDING: *params = GLint(p->ubo_binding[b.slot]); return;
    case GL_UNIFORM_BLOCK_DATA_SIZE: *params = GLint(b.size); return;
    case GL_UNIFORM_BLOCK_NAME_LENGTH: *params = GLint(b.name.size() + 1); return;
    case GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS:
        *params = 0;
        each_member(*l, index, [&](GLint) { ++*params; });
        return;
    case GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES:
        each_member(*l, index, [&](GLint i) { *params++ = i; });
        return;
    default:
        if (!referenced(b.stages, pname, *params))
            error(ctx, GL_INVALID_ENUM, "glGetActiveUniformBlockiv(%s)", enum_name(pname));
    }
}

void GL_ENTRY(GetActiveUniformBlockName)(Context &ctx, GLuint program, GLuint index, GLsizei size,
                                         GLsizei *length, GLchar *name) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetActiveUniformBlockName");
    if (!l)
        return;
    if (index >= l->uniform_blocks.size() || size < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetActiveUniformBlockName(index %u, bufSize %d)",
                     index, size);
    copy_text(l->archive->blocks[l->uniform_blocks[index]].name, size, length, name);
}

void GL_ENTRY(UniformBlockBinding)(Context &ctx, GLuint program, GLuint index, GLuint binding) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glUniformBlockBinding", &p);
    if (!l)
        return;
    if (index >= l->uniform_blocks.size() || binding >= GLuint(ctx.limits().uniform_bindings))
        return error(ctx, GL_INVALID_VALUE, "glUniformBlockBinding(index %u, binding %u)", index,
                     binding);
    GLuint &point = p->ubo_binding[l->archive->blocks[l->uniform_blocks[index]].slot];
    if (point == binding)
        return;
    point = binding;
    p->bindings_version++;
    ctx.slots.uniform_buffers.set(binding);
    object_changed(ctx, *p, G::program_bindings);
    object_changed(ctx, *p, G::uniform_buffers);
}

void GL_ENTRY(ShaderStorageBlockBinding)(Context &ctx, GLuint program, GLuint index,
                                         GLuint binding) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glShaderStorageBlockBinding", &p);
    if (!l)
        return;
    if (index >= l->storage_blocks.size() || binding >= GLuint(ctx.limits().storage_bindings))
        return error(ctx, GL_INVALID_VALUE, "glShaderStorageBlockBinding(index %u, binding %u)",
                     index, binding);
    GLuint &point = p->ssbo_binding[l->archive->blocks[l->storage_blocks[index]].slot];
    if (point == binding)
        return;
    point = binding;
    p->bindings_version++;
    ctx.slots.storage_buffers.set(binding);
    object_changed(ctx, *p, G::program_bindings);
    object_changed(ctx, *p, G::storage_buffers);
}

void GL_ENTRY(GetActiveAtomicCounterBufferiv)(Context &ctx, GLuint program, GLuint index,
                                              GLenum pname, GLint *params) {
    const LinkedProgram *l = query_tables(ctx, program, "glGetActiveAtomicCounterBufferiv");
    if (!l)
        return;
    if (index >= l->atomic_buffers.size())
        return error(ctx, GL_INVALID_VALUE, "glGetActiveAtomicCounterBufferiv(index %u)", index);
    const pipe_archive_block &b = l->archive->blocks[l->atomic_buffers[index]];
    const auto each_counter = [&](auto &&f) {
        for (size_t i = 0; i < l->uniforms.size(); i++)
            if (l->uniforms[i].atomic_buffer == GLint(index))
                f(GLint(i));
    };
    switch (pname) {
    case GL_ATOMIC_COUNTER_BUFFER_BINDING: *params = b.binding; return;
    case GL_ATOMIC_COUNTER_BUFFER_DATA_SIZE: *params = GLint(b.size); return;
    case GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTERS:
        *params = 0;
        each_counter([&](GLint) { ++*params; });
        return;
    case GL_ATOMIC_COUNTER_BUFFER_ACTIVE_ATOMIC_COUNTER_INDICES:
        each_counter([&](GLint i) { *params++ = i; });
        return;
    default:
        if (!referenced(b.stages, pname, *params))
            error(ctx, GL_INVALID_ENUM, "glGetActiveAtomicCounterBufferiv(%s)", enum_name(pname));
    }
}
} // namespace gl
