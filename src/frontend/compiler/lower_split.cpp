// SPDX-License-Identifier: MIT
// Blocks between stages taken apart: where a block meets loose variables of another program, and
// where its members must share locations, each member becomes a variable of its own.
#include "compiler/io.h"

namespace compiler {
namespace {

void copy_member_decorations(spirv::module &m, spirv::id block, int32_t member, spirv::id target) {
    std::vector<std::pair<spv::Decoration, std::optional<uint32_t>>> notes;
    m.for_each_decoration(
        [&](spirv::decoration_target t, spv::Decoration d, std::span<const uint32_t> w) {
            if (t.target == block && t.member == member)
                notes.emplace_back(d, w.empty() ? std::nullopt : std::optional(w[0]));
        });
    for (const auto &[decoration, value] : notes)
        if (value)
            m.set_decoration(target, decoration, *value);
        else
            m.set_decoration(target, decoration);
}

} // namespace

bool can_split(const Stage &s, const IoVar &v) {
    spirv::id type = s.m.variable_type(v.variable);
    if (v.per_vertex)
        type = s.m.element_type(type);
    return v.block && s.m.type_op(type) == spv::OpTypeStruct;
}

void split_block(Stage &s, spv::StorageClass storage, const IoVar &v) {
    spirv::module &m = s.m;
    const spirv::id outer = m.variable_type(v.variable),
                    block = v.per_vertex ? m.element_type(outer) : outer;
    const size_t at = v.per_vertex ? 1 : 0; // index of the member in access chains
    std::vector<spirv::id> members;
    for (uint32_t i = 0; i < m.member_count(block); ++i) {
        spirv::id type = m.member_type(block, i);
        if (v.per_vertex)
            type = m.add_global(spv::OpTypeArray, 0, {type, m.def(outer)->operand(1)});
        const spirv::id target = m.add_variable(storage, type);
        const std::string member = m.member_name(block, i);
        m.set_name(target, v.prefix.empty() ? member : v.prefix + "." + member);
        m.copy_decorations(v.variable, target);
        m.remove_decoration(target, spv::DecorationLocation);
        copy_member_decorations(m, block, static_cast<int32_t>(i), target);
        spirv::add_to_interface(m, target);
        members.push_back(target);
    }
    rewrite_accesses(
        m, [&](spirv::id x) { return x == v.variable; },
        [&](spirv::code &c, spirv::id, const std::vector<spirv::id> &path) {
            const uint32_t k = m.constant_value(path[at]).value_or(0);
            std::vector<spirv::id> indices = path;
            indices.erase(indices.begin() + static_cast<long>(at));
            spirv::id type = m.variable_type(members[k]);
            for (spirv::id i : indices)
                type = m.type_op(type) == spv::OpTypeStruct
                           ? m.member_type(type, m.constant_value(i).value_or(0))
                           : m.element_type(type);
            return indices.empty() ? members[k] : c.access(storage, type, members[k], indices);
        });
    spirv::remove_globals(m, {v.variable});
}

} // namespace compiler
