// SPDX-License-Identifier: MIT
// Linking: what is asked goes to the compiler; what comes back becomes tables and initial values
// (GL 4.6 section 7.3.1).
#include "compiler/compiler.h"
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "tracker/tracker.h"

#include <cstring>

namespace gl {

compiler::Limits compiler_limits(const Context &ctx) {
    const Limits &l = ctx.limits();
    compiler::Limits c;
    c.glsl_version = ctx.caps->glsl;
    c.glsl_accepted = ctx.caps->glsl_accepted;
    c.extensions = ctx.caps->shader_extensions;
    c.core_profile = true;
    c.vertex_attribs = l.vertex_attribs;
    c.draw_buffers = l.draw_buffers;
    c.dual_source_draw_buffers = l.dual_source_draw_buffers;
    c.clip_distances = l.clip_distances;
    c.cull_distances = l.cull_distances;
    c.combined_clip_cull = l.combined_clip_cull;
    c.varying_components = l.varying_components;
    c.varying_vectors = l.varying_vectors;
    c.vertex_output_components = l.vertex_output_components;
    c.geometry_input_components = l.geometry_input_components;
    c.geometry_output_components = l.geometry_output_components;
    c.fragment_input_components = l.fragment_input_components;
    c.geometry_output_vertices = l.geometry_output_vertices;
    c.geometry_invocations = l.geometry_invocations;
    c.vertex_streams = l.vertex_streams;
    c.geometry_total_output_components = l.geometry_total_components;
    c.patch_vertices = l.patch_vertices;
    c.tess_level = l.tess_level;
    c.tess_patch_components = l.tess_patch_components;
    c.tess_control_input_components = l.tcs_input_components;
    c.tess_control_output_components = l.tcs_output_components;
    c.tess_control_total_components = l.tcs_total_components;
    c.tess_evaluation_input_components = l.tes_input_components;
    c.tess_evaluation_output_components = l.tes_output_components;
    for (unsigned i = 0; i < kStages; i++) {
        c.uniform_components[i] = l.stage_uniform_components[i];
        c.texture_units[i] = l.stage_texture_units[i];
        c.uniform_blocks[i] = l.stage_uniform_blocks[i];
        c.images[i] = l.stage_images[i];
        c.storage_blocks[i] = l.stage_storage_blocks[i];
        c.atomic_counters[i] = l.stage_atomic_counters[i];
        c.atomic_buffers[i] = l.stage_atomic_buffers[i];
    }
    c.combined_texture_units = l.combined_texture_units;
    c.combined_uniform_blocks = l.combined_uniform_blocks;
    c.combined_images = l.combined_images;
    c.combined_storage_blocks = l.combined_storage_blocks;
    c.combined_atomic_counters = l.combined_atomic_counters;
    c.combined_atomic_buffers = l.combined_atomic_buffers;
    c.image_units = l.image_units;
    c.image_samples = l.image_samples;
    c.combined_shader_outputs = l.combined_shader_outputs;
    c.atomic_bindings = l.atomic_bindings;
    c.atomic_buffer_size = l.atomic_buffer_size;
    c.uniform_block_size = l.uniform_block_size;
    c.uniform_bindings = l.uniform_bindings;
    c.storage_bindings = l.storage_bindings;
    c.uniform_locations = l.uniform_locations;
    c.xfb_buffers = l.xfb_buffers;
    c.xfb_interleaved_components = l.xfb_interleaved;
    c.xfb_separate_attribs = l.xfb_separate;
    c.xfb_separate_components = l.xfb_separate_components;
    c.viewports = l.viewports;
    c.samples = l.samples;
    c.min_texel_offset = l.min_texel_offset;
    c.max_texel_offset = l.max_texel_offset;
    for (unsigned i = 0; i < 3; i++) {
        c.compute_count[i] = l.compute_count[i];
        c.compute_size[i] = l.compute_size[i];
    }
    c.compute_invocations = l.compute_invocations;
    c.compute_shared_size = l.compute_shared;
    return c;
}

// --- tables --------------------------------------------------------------------------------------

namespace {

struct Shape {
    UniformBase base;
    uint8_t rows, cols;
};

Shape shape_of(GLenum type) {
    using enum UniformBase;
    switch (type) {
    case GL_FLOAT: return {float_, 1, 1};
    case GL_FLOAT_VEC2: return {float_, 2, 1};
    case GL_FLOAT_VEC3: return {float_, 3, 1};
    case GL_FLOAT_VEC4: return {float_, 4, 1};
    case GL_DOUBLE: return {double_, 1, 1};
    case GL_DOUBLE_VEC2: return {double_, 2, 1};
    case GL_DOUBLE_VEC3: return {double_, 3, 1};
    case GL_DOUBLE_VEC4: return {double_, 4, 1};
    case GL_INT: return {int_, 1, 1};
    case GL_INT_VEC2: return {int_, 2, 1};
    case GL_INT_VEC3: return {int_, 3, 1};
    case GL_INT_VEC4: return {int_, 4, 1};
    case GL_UNSIGNED_INT: return {uint_, 1, 1};
    case GL_UNSIGNED_INT_VEC2: return {uint_, 2, 1};
    case GL_UNSIGNED_INT_VEC3: return {uint_, 3, 1};
    case GL_UNSIGNED_INT_VEC4: return {uint_, 4, 1};
    case GL_BOOL: return {bool_, 1, 1};
    case GL_BOOL_VEC2: return {bool_, 2, 1};
    case GL_BOOL_VEC3: return {bool_, 3, 1};
    case GL_BOOL_VEC4: return {bool_, 4, 1};
    case GL_FLOAT_MAT2: return {float_, 2, 2};
    case GL_FLOAT_MAT3: return {float_, 3, 3};
    case GL_FLOAT_MAT4: return {float_, 4, 4};
    case GL_FLOAT_MAT2x3: return {float_, 3, 2};
    case GL_FLOAT_MAT2x4: return {float_, 4, 2};
    case GL_FLOAT_MAT3x2: return {float_, 2, 3};
    case GL_FLOAT_MAT3x4: return {float_, 4, 3};
    case GL_FLOAT_MAT4x2: return {float_, 2, 4};
    case GL_FLOAT_MAT4x3: return {float_, 3, 4};
    case GL_DOUBLE_MAT2: return {double_, 2, 2};
    case GL_DOUBLE_MAT3: return {double_, 3, 3};
    case GL_DOUBLE_MAT4: return {double_, 4, 4};
    case GL_DOUBLE_MAT2x3: return {double_, 3, 2};
    case GL_DOUBLE_MAT2x4: return {double_, 4, 2};
    case GL_DOUBLE_MAT3x2: return {double_, 2, 3};
    case GL_DOUBLE_MAT3x4: return {double_, 4, 3};
    case GL_DOUBLE_MAT4x2: return {double_, 2, 4};
    case GL_DOUBLE_MAT4x3: return {double_, 3, 4};
    default: return {int_, 1, 1}; // opaque
    }
}

GLint index_in(const std::vector<uint32_t> &list, uint32_t value) {
    for (size_t i = 0; i < list.size(); i++)
        if (list[i] == value)
            return GLint(i);
    return -1;
}

void list_blocks(LinkedProgram &l) {
    for (uint32_t i = 0; i < l.archive->blocks.size(); i++)
        switch (l.archive->blocks[i].cls) {
        case PIPE_SLOT_UNIFORM_BLOCK: l.uniform_blocks.push_back(i); break;
        case PIPE_SLOT_STORAGE_BLOCK: l.storage_blocks.push_back(i); break;
        default: l.atomic_buffers.push_back(i);
        }
}

void add_member(LinkedProgram &l, uint32_t index) {
    const pipe_archive_member &m = l.archive->members[index];
    const bool in_block = m.block != ~0u;
    if (in_block && l.archive->blocks[m.block].cls == PIPE_SLOT_STORAGE_BLOCK) {
        l.buffer_variables.push_back(index);
        return;
    }
    ActiveUniform u;
    u.name = &m.name;
    u.type = m.gl_type;
    u.size = GLint(m.array_size);
    u.is_array = m.is_array;
    u.row_major = m.row_major;
    const Shape s = shape_of(m.gl_type);
    u.base = s.base;
    u.rows = s.rows;
    u.cols = s.cols;
    u.stages = m.stages;
    u.offset = GLint(m.offset);
    u.array_stride = GLint(m.array_stride);
    u.matrix_stride = GLint(m.matrix_stride);
    u.location = m.location;
    if (in_block)
        u.block = index_in(l.uniform_blocks, m.block);
    if (m.name == "gl_DepthRange.near")
        l.depth_range_offset = int32_t(m.offset);
    if (m.name == "gl_NumSamples")
        l.num_samples_offset = int32_t(m.offset);
    l.uniforms.push_back(u);
}

void add_opaque(LinkedProgram &l, const pipe_archive_opaque &o) {
    ActiveUniform u;
    u.name = &o.name;
    u.type = o.gl_type;
    u.size = GLint(o.array_size);
    u.is_array = o.is_array;
    u.kind = o.cls == PIPE_SLOT_SAMPLER ? UniformKind::sampler
             : o.cls == PIPE_SLOT_IMAGE ? UniformKind::image
                                        : UniformKind::atomic;
    u.base = UniformBase::int_;
    u.stages = o.stages;
    u.location = o.location;
    u.slot = o.slot;
    if (u.kind == UniformKind::atomic) {
        u.atomic_buffer = index_in(l.atomic_buffers, o.block);
        u.offset = GLint(o.offset);
        u.array_stride = o.is_array ? 4 : 0;
        u.matrix_stride = 0;
    }
    l.uniforms.push_back(u);
}

void index_uniforms(LinkedProgram &l) {
    for (uint32_t i = 0; i < l.uniforms.size(); i++) {
        const ActiveUniform &u = l.uniforms[i];
        l.uniform_index.emplace(*u.name, i);
        if (u.is_array)
            l.uniform_index.emplace(u.name->substr(0, u.name->size() - 3), i);
        if (u.location < 0)
            continue;
        const size_t end = size_t(u.location) + size_t(u.size);
        if (l.locations.size() < end)
            l.locations.resize(end);
        for (GLint e = 0; e < u.size; e++)
            l.locations[size_t(u.location + e)] = {i, uint32_t(e)};
    }
}

// glUniform* ignores the locations of uniforms that the link dropped.
void note_inactive(LinkedProgram &l) {
    for (const auto &[first, count] : l.inactive_locations) {
        if (l.locations.size() < size_t(first) + count)
            l.locations.resize(size_t(first) + count);
        for (uint32_t i = first; i < first + count; i++)
            l.locations[i].uniform = kInactiveUniform;
    }
}

TexIndex tex_index(uint8_t target) {
    switch (target) {
    case PIPE_TEXTURE_1D: return TEX_1D;
    case PIPE_TEXTURE_3D: return TEX_3D;
    case PIPE_TEXTURE_CUBE: return TEX_CUBE;
    case PIPE_TEXTURE_RECT: return TEX_RECT;
    case PIPE_TEXTURE_1D_ARRAY: return TEX_1D_ARRAY;
    case PIPE_TEXTURE_2D_ARRAY: return TEX_2D_ARRAY;
    case PIPE_TEXTURE_CUBE_ARRAY: return TEX_CUBE_ARRAY;
    case PIPE_TEXTURE_2D_MS: return TEX_2D_MS;
    case PIPE_TEXTURE_2D_MS_ARRAY: return TEX_2D_MS_ARRAY;
    case PIPE_TEXTURE_BUFFER: return TEX_BUFFER;
    default: return TEX_2D;
    }
}

void note_samplers(LinkedProgram &l) {
    l.sampler_target.assign(l.archive->num_sampler_slots, TEX_2D);
    for (const pipe_archive_opaque &o : l.archive->opaques)
        if (o.cls == PIPE_SLOT_SAMPLER)
            for (uint32_t i = o.slot; i < o.slot + o.array_size; i++)
                l.sampler_target[i] = tex_index(o.target);
}

void note_stages(LinkedProgram &l) {
    l.stages = l.archive->stage_mask;
    const pipe_archive_stage *first = nullptr, *last = nullptr;
    for (const pipe_archive_stage &s : l.archive->stages) {
        first = first ? first : &s;
        last = &s;
        l.uses_draw_id |= s.uses_draw_id;
        if (s.stage == PIPE_SHADER_VERTEX)
            for (const pipe_archive_io &io : s.inputs)
                if (io.location >= 0) {
                    const Shape shape = shape_of(io.gl_type);
                    for (uint32_t i = 0; i < io.array_size * shape.cols; i++)
                        l.vertex_inputs |= 1u << ((unsigned(io.location) + i) & 31);
                }
    }
    const auto of_program = [](const pipe_archive_io &io) { return io.name.rfind("mgp_", 0) != 0; };
    if (first)
        for (const pipe_archive_io &io : first->inputs)
            if (of_program(io))
                l.inputs.push_back(&io);
    if (last)
        for (const pipe_archive_io &io : last->outputs)
            if (of_program(io))
                l.outputs.push_back(&io);
    const auto has = [&](Stage s) { return (l.stages >> unsigned(s) & 1) != 0; };
    if (has(Stage::geometry)) {
        l.gs_input = l.archive->gs_input; // the pipe's primitives equal GL's
        l.gs_output = l.archive->gs_output;
    }
    if (has(Stage::tess_evaluation)) {
        l.tes_mode = l.archive->tes_mode == PIPE_PRIM_LINES   ? GL_ISOLINES
                     : l.archive->tes_mode == PIPE_PRIM_QUADS ? GL_QUADS
                                                              : GL_TRIANGLES;
        l.tes_point_mode = l.archive->tes_point_mode;
    }
    l.tcs_vertices = GLint(l.archive->tcs_vertices);
    for (unsigned i = 0; i < 3; i++)
        l.local_size[i] = l.archive->local_size[i];
    for (const pipe_archive_xfb &x : l.archive->xfb) {
        l.uses_xfb = true;
        l.xfb_buffers |= 1u << x.buffer;
    }
    for (unsigned i = 0; i < kMaxXfbBuffers; i++)
        l.xfb_stride[i] = l.archive->xfb_stride[i];
}

std::shared_ptr<LinkedProgram> make_tables(std::shared_ptr<const pipe_shader_archive> archive) {
    auto l = std::make_shared<LinkedProgram>();
    l->archive = std::move(archive);
    l->xfb_mode = l->archive->xfb_separate ? GL_SEPARATE_ATTRIBS : GL_INTERLEAVED_ATTRIBS;
    list_blocks(*l);
    for (uint32_t i = 0; i < l->archive->members.size(); i++)
        add_member(*l, i);
    for (const pipe_archive_opaque &o : l->archive->opaques)
        add_opaque(*l, o);
    index_uniforms(*l);
    note_samplers(*l);
    note_stages(*l);
    return l;
}

// Values of the default block and of opaque uniforms right after a link.
void set_initial_values(Program &p) {
    const pipe_shader_archive &a = *p.linked->archive;
    p.globals.assign(a.globals_size, 0);
    for (const pipe_archive_member &m : a.members)
        if (m.block == ~0u && !m.initial.empty() && m.offset + m.initial.size() <= p.globals.size())
            std::memcpy(p.globals.data() + m.offset, m.initial.data(), m.initial.size());
    p.globals_dirty_begin = 0;
    p.globals_dirty_end = a.globals_size;
    p.sampler_unit.assign(a.num_sampler_slots, 0);
    p.image_unit.assign(a.num_image_slots, 0);
    for (const pipe_archive_opaque &o : a.opaques) {
        if (o.cls == PIPE_SLOT_ATOMIC_BUFFER || o.binding < 0)
            continue;
        auto &units = o.cls == PIPE_SLOT_SAMPLER ? p.sampler_unit : p.image_unit;
        for (uint32_t i = 0; i < o.array_size; i++)
            units[o.slot + i] = o.binding + GLint(i);
    }
    p.ubo_binding.assign(a.num_uniform_block_slots, 0);
    p.ssbo_binding.assign(a.num_storage_block_slots, 0);
    p.atomic_binding.assign(a.num_atomic_buffer_slots, 0);
    for (const pipe_archive_block &b : a.blocks) {
        auto &points = b.cls == PIPE_SLOT_UNIFORM_BLOCK   ? p.ubo_binding
                       : b.cls == PIPE_SLOT_STORAGE_BLOCK ? p.ssbo_binding
                                                          : p.atomic_binding;
        points[b.slot] = b.binding < 0 ? 0 : GLuint(b.binding);
    }
    p.bindings_version++;
}

// The caller holds the group's program mutex.
void adopt(Program &p, const PendingLink &pending) {
    auto l = make_tables(pending.result->archive);
    l->code = pending.result->code;
    l->inactive_locations = pending.result->inactive_locations;
    note_inactive(*l);
    l->xfb_varyings = pending.xfb_varyings;
    if (l->xfb_varyings.empty()) // named by qualifiers in the shader
        for (const pipe_archive_xfb &x : l->archive->xfb)
            l->xfb_varyings.push_back(x.name);
    l->xfb_mode = pending.xfb_mode;
    p.linked = std::move(l);
    p.separable = pending.separable;
    p.binary_hint = pending.binary_hint;
    p.link_version++;
    set_initial_values(p);
}

void tell(Context &ctx, Program &p) {
    st::program_linked(ctx, p);
    for (G g : {G::program, G::program_bindings, G::uniforms, G::draw_check})
        object_changed(ctx, p, g);
}

void fail(Program &p, std::string log) {
    p.link_status = false;
    p.log = std::move(log);
}
} // namespace

std::shared_ptr<const LinkedProgram>
link_tables(std::shared_ptr<const pipe_shader_archive> archive) {
    return make_tables(std::move(archive));
}

void program_wait(Context &ctx, Program &p) {
    if (!p.job)
        return;
    const std::shared_ptr<compiler::Job> job = p.job;
    job->wait();
    {
        std::lock_guard lock(ctx.group->program_mutex);
        if (p.job != job)
            return;
        const std::shared_ptr<PendingLink> pending = std::move(p.pending);
        p.job.reset();
        p.pending.reset();
        p.log = pending->result->log;
        p.link_status = pending->result->ok;
        if (!p.link_status)
            return;
        adopt(p, *pending);
    }
    tell(ctx, p);
}

void program_install(Context &ctx, Program &p, const PendingLink &pending) {
    {
        std::lock_guard lock(ctx.group->program_mutex);
        p.log.clear();
        p.link_status = true;
        adopt(p, pending);
    }
    tell(ctx, p);
}

void program_link(Context &ctx, Program &p) {
    program_wait(ctx, p);
    p.validate_status = false;
    compiler::LinkInput input;
    for (const Ref<Shader> &s : p.attached) {
        if (!s->compile_called)
            return fail(p, "error: shader " + std::to_string(s->name) + " is not compiled\n");
        shader_wait(ctx, *s);
        if (!s->status)
            return fail(p, "error: shader " + std::to_string(s->name) + " did not compile\n");
        input.shaders.push_back(s->compiled);
    }
    for (const auto &[name, location] : p.attrib_binding)
        input.attrib_binding[name] = location;
    for (const auto &[name, pair] : p.frag_binding)
        input.frag_binding[name] = pair;
    input.xfb_varyings = p.xfb_varyings;
    input.xfb_separate = p.xfb_mode == GL_SEPARATE_ATTRIBS;
    input.separable = p.separable_next;
    input.limits = compiler_limits(ctx);
    p.pending = std::make_shared<PendingLink>();
    p.pending->xfb_varyings = p.xfb_varyings;
    p.pending->xfb_mode = p.xfb_mode;
    p.pending->separable = p.separable_next;
    p.pending->binary_hint = p.binary_hint_next;
    p.pending->result = std::make_shared<compiler::LinkOutput>();
    p.job = compiler::submit([pending = p.pending, input = std::move(input)] {
        *pending->result = compiler::link(input);
    });
    if (p.use_count) // a program in use takes its new form at once
        for (G g : {G::program, G::program_bindings, G::uniforms, G::draw_check})
            object_changed(ctx, p, g);
}

void GL_ENTRY(LinkProgram)(Context &ctx, GLuint name) {
    Program *p = lookup_program_err(ctx, name, "glLinkProgram");
    if (!p)
        return;
    const TransformFeedback &x = *ctx.xfb->object;
    if (x.active && x.program == p)
        return error(ctx, GL_INVALID_OPERATION, "glLinkProgram(program %u captures)", name);
    program_link(ctx, *p);
}

} // namespace gl
