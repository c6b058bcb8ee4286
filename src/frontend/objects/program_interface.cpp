// SPDX-License-Identifier: MIT
// Program interface queries (GL 4.6 section 7.3.1.1): one table of resources per interface, one
// switch over properties.
#include "glapi/gl_api.h"
#include "objects/context.h"

#include <functional>

namespace gl {
namespace {

// A resource of any interface, with what its properties need. Absent values keep their defaults.
struct Resource {
    std::string name;
    GLenum type = GL_NONE;
    GLint size = 1, location = -1, index = 0, component = 0;
    bool is_array = false, row_major = false, patch = false;
    GLint block = -1, atomic_buffer = -1, offset = -1, array_stride = -1, matrix_stride = -1;
    GLint top_size = -1, top_stride = -1;
    uint8_t stages = 0;
    GLint binding = 0, data_size = 0;
    GLint xfb_buffer = -1;
    std::vector<GLint> active; // indices of active variables of a buffer
};

Resource of_uniform(const ActiveUniform &u) {
    Resource r;
    const bool stored = u.block >= 0 || u.kind == UniformKind::atomic;
    r.name = *u.name;
    r.type = u.type;
    r.size = u.size;
    r.is_array = u.is_array;
    r.location = u.location;
    r.block = u.block;
    r.atomic_buffer = u.atomic_buffer;
    r.stages = u.stages;
    if (stored) {
        r.offset = u.offset;
        r.array_stride = u.array_stride;
        r.matrix_stride = u.matrix_stride;
        r.row_major = u.row_major;
    }
    return r;
}

Resource of_member(const LinkedProgram &l, const pipe_archive_member &m) {
    Resource r;
    r.name = m.name;
    r.type = m.gl_type;
    r.size = GLint(m.array_size);
    r.is_array = m.is_array;
    r.offset = GLint(m.offset);
    r.array_stride = GLint(m.array_stride);
    r.matrix_stride = GLint(m.matrix_stride);
    r.row_major = m.row_major;
    r.stages = m.stages;
    r.top_size = GLint(m.top_level_array_size);
    r.top_stride = GLint(m.top_level_array_stride);
    for (size_t i = 0; i < l.storage_blocks.size(); i++)
        if (l.storage_blocks[i] == m.block)
            r.block = GLint(i);
    return r;
}

std::string block_base(const std::string &name) {
    return name.substr(0, name.find('['));
}

Resource of_block(const LinkedProgram &l, const pipe_archive_block &b,
                  const std::vector<GLuint> &binding) {
    Resource r;
    r.name = b.name;
    r.stages = b.stages;
    r.data_size = GLint(b.size);
    r.binding = b.slot < binding.size() ? GLint(binding[b.slot]) : b.binding;
    if (b.cls == PIPE_SLOT_UNIFORM_BLOCK) {
        for (size_t i = 0; i < l.uniforms.size(); i++)
            if (l.uniforms[i].block >= 0 &&
                block_base(l.archive->blocks[l.uniform_blocks[size_t(l.uniforms[i].block)]].name) ==
                    block_base(b.name))
                r.active.push_back(GLint(i));
    } else if (b.cls == PIPE_SLOT_STORAGE_BLOCK) {
        for (size_t i = 0; i < l.buffer_variables.size(); i++)
            if (block_base(
                    l.archive->blocks[l.archive->members[l.buffer_variables[i]].block].name) ==
                block_base(b.name))
                r.active.push_back(GLint(i));
    }
    return r;
}

Resource of_atomic(const LinkedProgram &l, size_t index, const Program &p) {
    Resource r = of_block(l, l.archive->blocks[l.atomic_buffers[index]], p.atomic_binding);
    r.active.clear();
    for (size_t i = 0; i < l.uniforms.size(); i++)
        if (l.uniforms[i].atomic_buffer == GLint(index))
            r.active.push_back(GLint(i));
    return r;
}

Resource of_io(const LinkedProgram &l, const pipe_archive_io &io, bool input) {
    Resource r;
    r.name = io.name;
    r.type = io.gl_type;
    r.size = GLint(io.array_size);
    r.is_array = io.is_array;
    r.location = io.location;
    r.index = input ? -1 : GLint(io.index);
    r.component = GLint(io.component);
    r.patch = io.patch;
    unsigned stage = 0;
    for (unsigned s = 0; s < kStages; s++)
        if (l.stages >> s & 1) {
            stage = s;
            if (input)
                break;
        }
    if (!input && stage != unsigned(Stage::fragment))
        r.index = -1;
    r.stages = uint8_t(1u << stage);
    return r;
}

Resource of_xfb(const LinkedProgram &l, const std::string &name) {
    Resource r;
    r.name = name;
    r.size = name == "gl_NextBuffer"                   ? 0
             : name.rfind("gl_SkipComponents", 0) == 0 ? name.back() - '0'
                                                       : 1;
    for (const pipe_archive_xfb &x : l.archive->xfb)
        if (x.name == name) {
            r.type = x.gl_type;
            r.size = GLint(x.array_size);
            r.offset = GLint(x.offset);
            r.xfb_buffer = GLint(x.buffer);
        }
    return r;
}

std::vector<Resource> resources(const LinkedProgram &l, const Program &p, GLenum interface) {
    std::vector<Resource> out;
    if (!l.archive)
        return out;
    switch (interface) {
    case GL_UNIFORM:
        for (const ActiveUniform &u : l.uniforms)
            out.push_back(of_uniform(u));
        break;
    case GL_UNIFORM_BLOCK:
        for (uint32_t i : l.uniform_blocks)
            out.push_back(of_block(l, l.archive->blocks[i], p.ubo_binding));
        break;
    case GL_SHADER_STORAGE_BLOCK:
        for (uint32_t i : l.storage_blocks)
            out.push_back(of_block(l, l.archive->blocks[i], p.ssbo_binding));
        break;
    case GL_ATOMIC_COUNTER_BUFFER:
        for (size_t i = 0; i < l.atomic_buffers.size(); i++)
            out.push_back(of_atomic(l, i, p));
        break;
    case GL_BUFFER_VARIABLE:
        for (uint32_t i : l.buffer_variables)
            out.push_back(of_member(l, l.archive->members[i]));
        break;
    case GL_PROGRAM_INPUT:
        for (const pipe_archive_io *io : l.inputs)
            out.push_back(of_io(l, *io, true));
        break;
    case GL_PROGRAM_OUTPUT:
        for (const pipe_archive_io *io : l.outputs)
            out.push_back(of_io(l, *io, false));
        break;
    case GL_TRANSFORM_FEEDBACK_VARYING:
        for (const std::string &name : l.xfb_varyings)
            out.push_back(of_xfb(l, name));
        break;
    case GL_TRANSFORM_FEEDBACK_BUFFER:
        for (unsigned b = 0; b < kMaxXfbBuffers; b++)
            if (l.xfb_buffers >> b & 1) {
                Resource r;
                r.binding = GLint(b);
                r.data_size = GLint(l.xfb_stride[b]);
                for (size_t i = 0; i < l.xfb_varyings.size(); i++)
                    if (of_xfb(l, l.xfb_varyings[i]).xfb_buffer == GLint(b))
                        r.active.push_back(GLint(i));
                out.push_back(std::move(r));
            }
        break;
    default: break;
    }
    return out;
}

enum class Kind : uint8_t { unknown, named, buffers, subroutine };
Kind kind_of(GLenum interface) {
    switch (interface) {
    case GL_UNIFORM:
    case GL_UNIFORM_BLOCK:
    case GL_SHADER_STORAGE_BLOCK:
    case GL_BUFFER_VARIABLE:
    case GL_PROGRAM_INPUT:
    case GL_PROGRAM_OUTPUT:
    case GL_TRANSFORM_FEEDBACK_VARYING: return Kind::named;
    case GL_ATOMIC_COUNTER_BUFFER:
    case GL_TRANSFORM_FEEDBACK_BUFFER: return Kind::buffers;
    case GL_VERTEX_SUBROUTINE:
    case GL_TESS_CONTROL_SUBROUTINE:
    case GL_TESS_EVALUATION_SUBROUTINE:
    case GL_GEOMETRY_SUBROUTINE:
    case GL_FRAGMENT_SUBROUTINE:
    case GL_COMPUTE_SUBROUTINE:
    case GL_VERTEX_SUBROUTINE_UNIFORM:
    case GL_TESS_CONTROL_SUBROUTINE_UNIFORM:
    case GL_TESS_EVALUATION_SUBROUTINE_UNIFORM:
    case GL_GEOMETRY_SUBROUTINE_UNIFORM:
    case GL_FRAGMENT_SUBROUTINE_UNIFORM:
    case GL_COMPUTE_SUBROUTINE_UNIFORM: return Kind::subroutine;
    default: return Kind::unknown;
    }
}

bool has_active_variables(GLenum i) {
    return i == GL_UNIFORM_BLOCK || i == GL_SHADER_STORAGE_BLOCK || i == GL_ATOMIC_COUNTER_BUFFER ||
           i == GL_TRANSFORM_FEEDBACK_BUFFER;
}

// Whether "name" asks for this resource: arrays answer to their name with and without "[0]".
bool answers(const Resource &r, const std::string &name) {
    return r.name == name || (r.name.size() > 3 && r.name.ends_with("[0]") &&
                              r.name.size() - 3 == name.size() && r.name.starts_with(name));
}

int find_resource(const std::vector<Resource> &list, const std::string &name) {
    for (size_t i = 0; i < list.size(); i++)
        if (answers(list[i], name))
            return int(i);
    return -1;
}
} // namespace

void GL_ENTRY(GetProgramInterfaceiv)(Context &ctx, GLuint program, GLenum interface, GLenum pname,
                                     GLint *params) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glGetProgramInterfaceiv", &p);
    if (!l)
        return;
    const Kind kind = kind_of(interface);
    if (kind == Kind::unknown)
        return error(ctx, GL_INVALID_ENUM, "glGetProgramInterfaceiv(%s)", enum_name(interface));
    const std::vector<Resource> list = resources(*l, *p, interface);
    GLint longest = 0, most = 0;
    for (const Resource &r : list) {
        longest = std::max(longest, GLint(r.name.size() + 1));
        most = std::max(most, GLint(r.active.size()));
    }
    switch (pname) {
    case GL_ACTIVE_RESOURCES: *params = GLint(list.size()); return;
    case GL_MAX_NAME_LENGTH:
        if (kind == Kind::buffers)
            break;
        *params = longest;
        return;
    case GL_MAX_NUM_ACTIVE_VARIABLES:
        if (!has_active_variables(interface))
            break;
        *params = most;
        return;
    case GL_MAX_NUM_COMPATIBLE_SUBROUTINES:
        if (kind != Kind::subroutine)
            break;
        *params = 0;
        return;
    default: return error(ctx, GL_INVALID_ENUM, "glGetProgramInterfaceiv(%s)", enum_name(pname));
    }
    error(ctx, GL_INVALID_OPERATION, "glGetProgramInterfaceiv(%s of %s)", enum_name(pname),
          enum_name(interface));
}

GLuint GL_ENTRY(GetProgramResourceIndex)(Context &ctx, GLuint program, GLenum interface,
                                         const GLchar *name) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glGetProgramResourceIndex", &p);
    if (!l || !name)
        return GL_INVALID_INDEX;
    const Kind kind = kind_of(interface);
    if (kind == Kind::unknown || kind == Kind::buffers) {
        error(ctx, GL_INVALID_ENUM, "glGetProgramResourceIndex(%s)", enum_name(interface));
        return GL_INVALID_INDEX;
    }
    const int i = find_resource(resources(*l, *p, interface), name);
    return i < 0 ? GL_INVALID_INDEX : GLuint(i);
}

void GL_ENTRY(GetProgramResourceName)(Context &ctx, GLuint program, GLenum interface, GLuint index,
                                      GLsizei size, GLsizei *length, GLchar *name) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glGetProgramResourceName", &p);
    if (!l)
        return;
    const Kind kind = kind_of(interface);
    if (kind == Kind::unknown || kind == Kind::buffers)
        return error(ctx, GL_INVALID_ENUM, "glGetProgramResourceName(%s)", enum_name(interface));
    const std::vector<Resource> list = resources(*l, *p, interface);
    if (index >= list.size() || size < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetProgramResourceName(index %u, bufSize %d)", index,
                     size);
    copy_text(list[index].name, size, length, name);
}

namespace {
constexpr GLint kUnknown = -2; // the property does not exist at all
constexpr GLint kWrong = -3;   // the interface does not have it

GLint referenced(const Resource &r, Stage s) {
    return r.stages >> unsigned(s) & 1;
}

// One property. kWrong and kUnknown are no values of any property (offsets and locations are at
// least -1).
GLint property(const Resource &r, GLenum interface, GLenum prop) {
    const bool uniform = interface == GL_UNIFORM, variable = interface == GL_BUFFER_VARIABLE;
    const bool io = interface == GL_PROGRAM_INPUT || interface == GL_PROGRAM_OUTPUT;
    const bool varying = interface == GL_TRANSFORM_FEEDBACK_VARYING,
               block = has_active_variables(interface);
    const bool stored = uniform || variable;
    const bool capture = varying || interface == GL_TRANSFORM_FEEDBACK_BUFFER;
    switch (prop) {
    case GL_NAME_LENGTH:
        return kind_of(interface) == Kind::buffers ? kWrong : GLint(r.name.size() + 1);
    case GL_TYPE: return stored || io || varying ? GLint(r.type) : kWrong;
    case GL_ARRAY_SIZE: return stored || io || varying ? r.size : kWrong;
    case GL_OFFSET: return stored || varying ? r.offset : kWrong;
    case GL_BLOCK_INDEX: return stored ? r.block : kWrong;
    case GL_ARRAY_STRIDE: return stored ? r.array_stride : kWrong;
    case GL_MATRIX_STRIDE: return stored ? r.matrix_stride : kWrong;
    case GL_IS_ROW_MAJOR: return stored ? GLint(r.row_major) : kWrong;
    case GL_ATOMIC_COUNTER_BUFFER_INDEX: return uniform ? r.atomic_buffer : kWrong;
    case GL_BUFFER_BINDING: return block ? r.binding : kWrong;
    case GL_BUFFER_DATA_SIZE:
        return block && interface != GL_TRANSFORM_FEEDBACK_BUFFER ? r.data_size : kWrong;
    case GL_NUM_ACTIVE_VARIABLES: return block ? GLint(r.active.size()) : kWrong;
    case GL_REFERENCED_BY_VERTEX_SHADER: return capture ? kWrong : referenced(r, Stage::vertex);
    case GL_REFERENCED_BY_TESS_CONTROL_SHADER:
        return capture ? kWrong : referenced(r, Stage::tess_control);
    case GL_REFERENCED_BY_TESS_EVALUATION_SHADER:
        return capture ? kWrong : referenced(r, Stage::tess_evaluation);
    case GL_REFERENCED_BY_GEOMETRY_SHADER: return capture ? kWrong : referenced(r, Stage::geometry);
    case GL_REFERENCED_BY_FRAGMENT_SHADER: return capture ? kWrong : referenced(r, Stage::fragment);
    case GL_REFERENCED_BY_COMPUTE_SHADER: return capture ? kWrong : referenced(r, Stage::compute);
    case GL_TOP_LEVEL_ARRAY_SIZE: return variable ? r.top_size : kWrong;
    case GL_TOP_LEVEL_ARRAY_STRIDE: return variable ? r.top_stride : kWrong;
    case GL_LOCATION: return uniform || io ? r.location : kWrong;
    case GL_LOCATION_INDEX: return interface == GL_PROGRAM_OUTPUT ? r.index : kWrong;
    case GL_LOCATION_COMPONENT: return io ? r.component : kWrong;
    case GL_IS_PER_PATCH: return io ? GLint(r.patch) : kWrong;
    case GL_TRANSFORM_FEEDBACK_BUFFER_INDEX: return varying ? r.xfb_buffer : kWrong;
    case GL_TRANSFORM_FEEDBACK_BUFFER_STRIDE:
        return interface == GL_TRANSFORM_FEEDBACK_BUFFER ? r.data_size : kWrong;
    default: return kUnknown;
    }
}
} // namespace

void GL_ENTRY(GetProgramResourceiv)(Context &ctx, GLuint program, GLenum interface, GLuint index,
                                    GLsizei prop_count, const GLenum *props, GLsizei count,
                                    GLsizei *length, GLint *params) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glGetProgramResourceiv", &p);
    if (!l)
        return;
    if (kind_of(interface) == Kind::unknown)
        return error(ctx, GL_INVALID_ENUM, "glGetProgramResourceiv(%s)", enum_name(interface));
    const std::vector<Resource> list = resources(*l, *p, interface);
    if (index >= list.size() || prop_count <= 0 || count < 0)
        return error(ctx, GL_INVALID_VALUE,
                     "glGetProgramResourceiv(index %u, propCount %d, count %d)", index, prop_count,
                     count);
    const Resource &r = list[index];
    GLsizei n = 0;
    for (GLsizei i = 0; i < prop_count; i++) {
        if (props[i] == GL_ACTIVE_VARIABLES) {
            if (!has_active_variables(interface))
                return error(ctx, GL_INVALID_OPERATION, "glGetProgramResourceiv(%s)",
                             enum_name(props[i]));
            for (GLint v : r.active)
                if (n < count)
                    params[n++] = v;
            continue;
        }
        const GLint v = property(r, interface, props[i]);
        if (v == kUnknown)
            return error(ctx, GL_INVALID_ENUM, "glGetProgramResourceiv(%s)", enum_name(props[i]));
        if (v == kWrong)
            return error(ctx, GL_INVALID_OPERATION, "glGetProgramResourceiv(%s of %s)",
                         enum_name(props[i]), enum_name(interface));
        if (n < count)
            params[n++] = v;
    }
    if (length)
        *length = n;
}

GLint GL_ENTRY(GetProgramResourceLocation)(Context &ctx, GLuint program, GLenum interface,
                                           const GLchar *name) {
    Program *p = nullptr;
    const LinkedProgram *l = query_tables(ctx, program, "glGetProgramResourceLocation", &p);
    if (!l || !name)
        return -1;
    if (!p->link_status) {
        error(ctx, GL_INVALID_OPERATION, "glGetProgramResourceLocation(program %u is not linked)",
              program);
        return -1;
    }
    switch (interface) {
    case GL_UNIFORM: return GetUniformLocation(ctx, program, name);
    case GL_PROGRAM_INPUT:
        if (l->stages & 1u << unsigned(Stage::vertex))
            return GetAttribLocation(ctx, program, name);
        break;
    case GL_PROGRAM_OUTPUT:
        if (l->stages >> unsigned(Stage::fragment) & 1)
            return GetFragDataLocation(ctx, program, name);
        break;
    default:
        if (interface < GL_VERTEX_SUBROUTINE_UNIFORM || interface > GL_COMPUTE_SUBROUTINE_UNIFORM)
            error(ctx, GL_INVALID_ENUM, "glGetProgramResourceLocation(%s)", enum_name(interface));
        return -1;
    }
    const std::vector<Resource> list = resources(*l, *p, interface);
    const int i = find_resource(list, name);
    return i < 0 ? -1 : list[size_t(i)].location;
}

GLint GL_ENTRY(GetProgramResourceLocationIndex)(Context &ctx, GLuint program, GLenum interface,
                                                const GLchar *name) {
    if (interface == GL_PROGRAM_OUTPUT)
        return GetFragDataIndex(ctx, program, name);
    if (lookup_program_err(ctx, program, "glGetProgramResourceLocationIndex"))
        error(ctx, GL_INVALID_ENUM, "glGetProgramResourceLocationIndex(%s)", enum_name(interface));
    return -1;
}
} // namespace gl
