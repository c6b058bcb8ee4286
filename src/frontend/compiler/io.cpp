// SPDX-License-Identifier: MIT
// Reading the interface of a stage out of its module, and replacing interface variables.
#include "compiler/io.h"

namespace compiler {

bool is_per_vertex(pipe_shader_type stage, spv::StorageClass storage, bool patch) {
    if (patch)
        return false;
    switch (stage) {
    case PIPE_SHADER_TESS_CTRL: return true;
    case PIPE_SHADER_TESS_EVAL:
    case PIPE_SHADER_GEOMETRY: return storage == spv::StorageClassInput;
    default: return false;
    }
}

namespace {

/// All decorations at once: modules have many, and looking each up alone adds up.
struct Notes {
    std::unordered_map<spirv::id, std::map<spv::Decoration, uint32_t>> of;
    std::map<std::pair<spirv::id, int32_t>, std::map<spv::Decoration, uint32_t>> of_member;
    explicit Notes(const spirv::module &m) {
        m.for_each_decoration(
            [&](spirv::decoration_target t, spv::Decoration d, std::span<const uint32_t> w) {
                auto &map = t.member < 0 ? of[t.target] : of_member[{t.target, t.member}];
                map[d] = w.empty() ? 1 : w[0];
            });
    }
};

void read_qualifiers(IoVar &v, const std::map<spv::Decoration, uint32_t> &notes) {
    const auto has = [&](spv::Decoration d) { return notes.count(d) != 0; };
    v.flat |= has(spv::DecorationFlat);
    v.noperspective |= has(spv::DecorationNoPerspective);
    v.centroid |= has(spv::DecorationCentroid);
    v.sample |= has(spv::DecorationSample);
    v.invariant |= has(spv::DecorationInvariant);
    v.patch |= has(spv::DecorationPatch);
    if (const auto it = notes.find(spv::DecorationStream); it != notes.end())
        v.stream = it->second;
}

} // namespace

std::vector<IoVar> collect_io(const Stage &s, spv::StorageClass storage) {
    const spirv::module &m = s.m;
    Notes notes(m);
    const std::vector<bool> used = spirv::reachable_ids(m);
    std::vector<IoVar> found;
    for (spirv::id id : m.variables(storage)) {
        const auto &own = notes.of[id];
        if (own.count(spv::DecorationBuiltIn))
            continue;
        IoVar v;
        v.variable = id;
        v.used = id < used.size() && used[id];
        v.name = m.name(id);
        read_qualifiers(v, own);
        spirv::id block = m.variable_type(id);
        while (m.type_op(block) == spv::OpTypeArray)
            block = m.element_type(block);
        v.block =
            m.type_op(block) == spv::OpTypeStruct && notes.of[block].count(spv::DecorationBlock);
        if (v.block) {
            if (notes.of_member.count({block, 0}) &&
                notes.of_member[{block, 0}].count(spv::DecorationBuiltIn))
                continue;
            v.prefix = v.name.empty() ? "" : m.name(block);
            v.name = m.name(block);
            for (int32_t i = 0; i < static_cast<int32_t>(m.member_count(block)); ++i) {
                const auto it = notes.of_member.find({block, i});
                if (it == notes.of_member.end())
                    continue;
                if (const auto p = it->second.find(spv::DecorationPatch); p != it->second.end())
                    v.patch = true;
                if (const auto p = it->second.find(spv::DecorationLocation);
                    p != it->second.end()) {
                    v.member_locations = v.explicit_location = true;
                    v.location = v.location < 0
                                     ? static_cast<int32_t>(p->second)
                                     : std::min(v.location, static_cast<int32_t>(p->second));
                }
            }
        }
        v.per_vertex = is_per_vertex(s.type, storage, v.patch);
        spirv::id type = m.variable_type(id);
        if (v.per_vertex && m.type_op(type) == spv::OpTypeArray)
            type = m.element_type(type);
        v.type = read_type(m, type);
        if (const auto it = own.find(spv::DecorationLocation); it != own.end()) {
            v.location = static_cast<int32_t>(it->second);
            v.explicit_location = true;
        }
        if (const auto it = own.find(spv::DecorationComponent); it != own.end())
            v.component = it->second;
        if (const auto it = own.find(spv::DecorationIndex); it != own.end())
            v.index = it->second;
        found.push_back(std::move(v));
    }
    return found;
}

spirv::id replace_variable(spirv::module &m, spirv::id variable, spv::StorageClass storage,
                           spirv::id pointee, const std::function<uint32_t(uint32_t)> &member_map,
                           size_t member_at) {
    const spirv::id target = m.add_variable(storage, pointee);
    m.set_name(target, m.name(variable));
    if (storage == spv::StorageClassInput || storage == spv::StorageClassOutput) {
        m.copy_decorations(variable, target);
        spirv::add_to_interface(m, target);
    }
    rewrite_accesses(
        m, [&](spirv::id x) { return x == variable; },
        [&](spirv::code &c, spirv::id, const std::vector<spirv::id> &path) {
            std::vector<spirv::id> indices = path;
            spirv::id type = pointee;
            for (size_t i = 0; i < indices.size(); ++i) {
                if (m.type_op(type) != spv::OpTypeStruct) {
                    type = m.element_type(type);
                    continue;
                }
                uint32_t k = m.constant_value(indices[i]).value_or(0);
                if (member_map && i == member_at) {
                    k = member_map(k);
                    indices[i] = m.const_i32(static_cast<int32_t>(k));
                }
                type = m.member_type(type, k);
            }
            return c.access(storage, type, target, std::move(indices));
        });
    spirv::remove_globals(m, {variable});
    return target;
}

} // namespace compiler
