// SPDX-License-Identifier: MIT
// Interface variables of structs: the shader goes on with a private copy, which is filled from the
// leaves at the start and stored to them where a vertex is finished.
#include "espryt_varyings.h"

#include <algorithm>
#include <set>
#include <span>

#include "drivers_common/delay_flat.h"
#include "spirv/rewrite.h"

namespace espryt {

namespace {

using spirv::id;
using spirv::module;

struct leaf {
    id variable, type;
    std::vector<uint32_t> path; // from the variable, or from the element of a per-vertex array
};

struct flattener {
    module &m;
    spv::StorageClass storage;
    uint32_t vertices = 0; // elements of the per-vertex array, 0: none
    std::vector<leaf> leaves;

    bool is_array(id t) const { return m.type_op(t) == spv::OpTypeArray; }
    bool is_struct(id t) const { return m.type_op(t) == spv::OpTypeStruct; }

    bool refused(id type, bool all) const {
        if (is_array(type)) {
            const id e = m.element_type(type);
            return is_struct(e) || is_array(e);
        }
        if (!is_struct(type) || m.has_decoration(type, spv::DecorationBlock))
            return false;
        bool nested = all;
        for (uint32_t i = 0; i < m.member_count(type); i++) {
            const id t = m.member_type(type, i);
            nested = nested || is_array(t) || is_struct(t);
        }
        return nested;
    }

    uint32_t columns(id t) const { return m.type_op(t) == spv::OpTypeMatrix ? m.length(t) : 1; }

    // Adds the leaves of one type; the location behind it.
    uint32_t split(id variable, id type, uint32_t location, std::vector<uint32_t> path,
                   const std::set<spv::Decoration> &qualifiers) {
        const bool array = is_array(type);
        if (is_struct(type)) {
            for (uint32_t i = 0; i < m.member_count(type); i++) {
                std::set<spv::Decoration> q = qualifiers;
                for (spv::Decoration d :
                     {spv::DecorationFlat, spv::DecorationCentroid, spv::DecorationSample,
                      spv::DecorationNoPerspective, spv::DecorationInvariant})
                    if (m.has_member_decoration(type, i, d))
                        q.insert(d);
                path.push_back(i);
                location = split(variable, m.member_type(type, i), location, path, q);
                path.pop_back();
            }
            return location;
        }
        if (array && (is_struct(m.element_type(type)) || is_array(m.element_type(type)))) {
            for (uint32_t i = 0; i < m.length(type); i++) {
                path.push_back(i);
                location = split(variable, m.element_type(type), location, path, qualifiers);
                path.pop_back();
            }
            return location;
        }
        const id own = m.add_variable(storage, vertices ? m.new_array_type(type, vertices) : type);
        m.copy_decorations(variable, own);
        m.remove_decoration(own, spv::DecorationLocation);
        m.set_decoration(own, spv::DecorationLocation, location);
        for (spv::Decoration d : qualifiers)
            if (!m.has_decoration(own, d))
                m.set_decoration(own, d);
        spirv::add_to_interface(m, own);
        leaves.push_back({own, type, path});
        return location + (array ? m.length(type) * columns(m.element_type(type)) : columns(type));
    }

    // Moves every leaf between the copy and its own variable.
    void move(spirv::code &c, id copy) const {
        for (const leaf &l : leaves) {
            for (uint32_t v = 0; v < std::max(1u, vertices); v++) {
                std::vector<id> inside, outside;
                if (vertices)
                    inside = outside = {m.const_u32(v)};
                for (uint32_t i : l.path)
                    inside.push_back(m.const_u32(i));
                const id a = c.access(spv::StorageClassPrivate, l.type, copy, inside);
                const id b =
                    outside.empty() ? l.variable : c.access(storage, l.type, l.variable, outside);
                if (storage == spv::StorageClassInput)
                    c.store(a, c.load(l.type, b));
                else
                    c.store(b, c.load(l.type, a));
            }
        }
    }
};

unsigned flatten(module &m, spv::StorageClass storage, uint8_t stage, bool per_vertex, bool all) {
    unsigned n = 0;
    std::vector<id> gone;
    for (id v : m.variables(storage)) {
        flattener f{m, storage, 0, {}};
        id type = m.variable_type(v);
        if (m.has_decoration(v, spv::DecorationBuiltIn) ||
            m.has_decoration(v, spv::DecorationPatch))
            continue;
        if (per_vertex && f.is_array(type)) {
            f.vertices = m.length(type);
            type = m.element_type(type);
        }
        const std::optional<uint32_t> location = m.decoration(v, spv::DecorationLocation);
        if (!location ||
            (f.is_array(type) && m.has_decoration(m.element_type(type), spv::DecorationBlock)) ||
            !f.refused(type, all))
            continue;
        f.split(v, type, *location, {}, {});
        const id copy = spirv::make_private(m, v);
        gone.push_back(v);
        auto emit = [&](spirv::code &c) { f.move(c, copy); };
        if (storage == spv::StorageClassInput) {
            spirv::code c(m);
            emit(c);
            spirv::insert_at_start(m, c.out);
        } else if (stage == PIPE_SHADER_GEOMETRY) {
            spirv::insert_before(m, spv::OpEmitVertex, emit);
            spirv::insert_before(m, spv::OpEmitStreamVertex, emit);
        } else {
            spirv::insert_before_returns(m, emit);
        }
        n++;
    }
    spirv::remove_globals(m, gone);
    m.reindex();
    return n;
}

} // namespace

unsigned flatten_varyings(const pipe_archive_stage &stage, bool all, std::vector<uint32_t> &words) {
    auto nested = [](const pipe_archive_io &io) {
        return io.name.find_first_of(".[") != std::string::npos;
    };
    const uint8_t s = stage.stage;
    // Outputs of the tessellation control stage are shared by its invocations: left as they are.
    const bool in = s != PIPE_SHADER_VERTEX && s != PIPE_SHADER_TESS_EVAL &&
                    std::any_of(stage.inputs.begin(), stage.inputs.end(), nested);
    const bool out = s != PIPE_SHADER_FRAGMENT && s != PIPE_SHADER_TESS_CTRL &&
                     std::any_of(stage.outputs.begin(), stage.outputs.end(), nested);
    if (s == PIPE_SHADER_COMPUTE || (!in && !out))
        return 0;
    auto m = module::parse(std::span<const uint32_t>(words.data(), words.size()));
    if (!m)
        return 0;
    unsigned n = 0;
    if (in)
        n += flatten(*m, spv::StorageClassInput, s, s != PIPE_SHADER_FRAGMENT, all);
    if (out)
        n += flatten(*m, spv::StorageClassOutput, s, false, all);
    if (n)
        words = m->write();
    return n;
}

void delay_flat_outputs(const pipe_shader_archive &archive, std::vector<uint32_t> &words) {
    auto m = spirv::module::parse(std::span<const uint32_t>(words.data(), words.size()));
    if (m && drivers_common::delay_flat_outputs(*m, archive))
        words = m->write();
}

} // namespace espryt
