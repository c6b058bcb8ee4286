// SPDX-License-Identifier: MIT
// Late flat outputs: the values of the last one or two vertices wait in private variables. What a
// vertex before the first whole primitive of a strip carries is shown by nobody.
#include "drivers_common/delay_flat.h"

#include <algorithm>

#include "spirv/rewrite.h"

namespace drivers_common {

namespace {

using spirv::id;
using spirv::module;

struct late_output {
    id variable;
    int32_t member; // of a block, -1: the whole variable
    id type;
    id newer = 0, older = 0; // values of the vertex before this one, and of the one before that
};

std::set<uint32_t> flat_locations(const pipe_shader_archive &archive) {
    std::set<uint32_t> found;
    for (const pipe_archive_stage &s : archive.stages)
        if (s.stage == PIPE_SHADER_FRAGMENT)
            for (const pipe_archive_io &io : s.inputs)
                if (io.flat && io.location >= 0)
                    found.insert(static_cast<uint32_t>(io.location));
    return found;
}

bool is_integer(const module &m, id type) {
    for (;;) {
        const spv::Op op = m.type_op(type);
        if (op == spv::OpTypeInt || (op == spv::OpTypeFloat && m.int_width(type) == 64))
            return true;
        if (op != spv::OpTypeVector && op != spv::OpTypeMatrix && op != spv::OpTypeArray)
            return false;
        type = m.element_type(type);
    }
}

void find_in(const module &m, id v, const std::set<uint32_t> &flat, std::vector<late_output> &out) {
    const id type = m.variable_type(v);
    if (const auto builtin = m.decoration(v, spv::DecorationBuiltIn)) {
        if (*builtin == spv::BuiltInPrimitiveId)
            out.push_back({v, -1, type});
        return;
    }
    const auto location = m.decoration(v, spv::DecorationLocation);
    const bool whole =
        m.has_decoration(v, spv::DecorationFlat) || (location && flat.count(*location));
    if (whole || is_integer(m, type)) {
        out.push_back({v, -1, type});
        return;
    }
    if (m.type_op(type) != spv::OpTypeStruct)
        return;
    for (uint32_t k = 0; k < m.member_count(type); ++k) {
        const auto own = m.member_decoration(type, k, spv::DecorationLocation);
        if (!m.has_member_decoration(type, k, spv::DecorationBuiltIn) &&
            (m.has_member_decoration(type, k, spv::DecorationFlat) || (own && flat.count(*own)) ||
             is_integer(m, m.member_type(type, k))))
            out.push_back({v, static_cast<int32_t>(k), m.member_type(type, k)});
    }
}

id pointer_to(spirv::code &c, const late_output &o) {
    if (o.member < 0)
        return o.variable;
    return c.access(spv::StorageClassOutput, o.type, o.variable,
                    {c.target().const_u32(static_cast<uint32_t>(o.member))});
}

// One emitted vertex: the waiting values go out with it, its own wait; afterwards the outputs are
// as the shader left them.
void emit_late(spirv::code &c, const std::vector<late_output> &outputs, spirv::instruction &&emit) {
    std::vector<id> own;
    for (const late_output &o : outputs) {
        const id pointer = pointer_to(c, o);
        own.push_back(c.load(o.type, pointer));
        c.store(pointer, c.load(o.type, o.older ? o.older : o.newer));
        if (o.older)
            c.store(o.older, c.load(o.type, o.newer));
        c.store(o.newer, own.back());
    }
    c.out.push_back(std::move(emit));
    for (size_t i = 0; i < outputs.size(); ++i)
        c.store(pointer_to(c, outputs[i]), own[i]);
}

} // namespace

bool shows_provoking_vertex(const pipe_shader_archive &archive) {
    if (archive.gs_output != PIPE_PRIM_LINE_STRIP && archive.gs_output != PIPE_PRIM_TRIANGLE_STRIP)
        return false;
    bool geometry = false, shows = false;
    for (const pipe_archive_stage &s : archive.stages) {
        geometry |= s.stage == PIPE_SHADER_GEOMETRY;
        if (s.stage == PIPE_SHADER_FRAGMENT)
            shows = std::any_of(s.inputs.begin(), s.inputs.end(), [](const pipe_archive_io &io) {
                return io.flat || io.builtin == spv::BuiltInPrimitiveId;
            });
    }
    return geometry && shows;
}

unsigned delay_flat_outputs(module &m, const pipe_shader_archive &archive) {
    const std::set<uint32_t> flat = flat_locations(archive);
    std::vector<late_output> outputs;
    for (id v : m.variables(spv::StorageClassOutput))
        if (!m.has_decoration(v, spv::DecorationXfbBuffer))
            find_in(m, v, flat, outputs);
    for (late_output &o : outputs) {
        o.newer = m.add_variable(spv::StorageClassPrivate, o.type, m.const_null(o.type));
        if (archive.gs_output == PIPE_PRIM_TRIANGLE_STRIP)
            o.older = m.add_variable(spv::StorageClassPrivate, o.type, m.const_null(o.type));
    }
    for (spirv::function &f : m.functions) {
        spirv::code c(m);
        for (spirv::instruction &inst : f.insts) {
            if (inst.op == spv::OpEmitVertex)
                emit_late(c, outputs, std::move(inst));
            else
                c.out.push_back(std::move(inst));
        }
        f.insts = std::move(c.out);
    }
    return static_cast<unsigned>(outputs.size());
}

} // namespace drivers_common
