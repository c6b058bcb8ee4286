// SPDX-License-Identifier: MIT
// gl_PerVertex blocks keep only the members that the shader touches; facts about built-ins and
// instructions.
#include "compiler/io.h"

namespace compiler {
namespace {

/// The block struct behind the variable's arrays if its members are built-ins, else 0; `dims`
/// counts the arrays.
spirv::id builtin_block(const spirv::module &m, spirv::id variable, size_t &dims) {
    spirv::id type = m.variable_type(variable);
    dims = 0;
    while (m.type_op(type) == spv::OpTypeArray || m.type_op(type) == spv::OpTypeRuntimeArray) {
        type = m.element_type(type);
        ++dims;
    }
    const bool found =
        m.member_count(type) && m.has_member_decoration(type, 0, spv::DecorationBuiltIn);
    return found ? type : 0;
}

/// Members reached by access chains; false when the block is used as a whole.
bool used_members(const spirv::module &m, spirv::id variable, size_t dims,
                  std::vector<bool> &used) {
    bool whole = false;
    for (const spirv::function &f : m.functions) {
        std::unordered_map<spirv::id, size_t> depth; // chains that stop above the member
        for (const spirv::instruction &inst : f.insts) {
            const bool chain =
                inst.op == spv::OpAccessChain || inst.op == spv::OpInBoundsAccessChain;
            if (chain) {
                const auto it = depth.find(inst.operand(0));
                if (inst.operand(0) != variable && it == depth.end())
                    continue;
                const size_t before = inst.operand(0) == variable ? 0 : it->second;
                const size_t indices = inst.operands.size() - 1;
                if (before + indices <= dims) {
                    depth[inst.result] = before + indices;
                } else {
                    const uint32_t k =
                        m.constant_value(inst.operand(1 + dims - before)).value_or(~0u);
                    if (k < used.size())
                        used[k] = true;
                    else
                        whole = true;
                }
                continue;
            }
            spirv::for_each_id_operand(
                inst, [&](uint32_t w) { whole |= w == variable || depth.count(w); });
        }
    }
    return !whole;
}

void prune_block(Stage &s, spirv::id variable, spv::StorageClass storage) {
    spirv::module &m = s.m;
    size_t dims = 0;
    const spirv::id block = builtin_block(m, variable, dims);
    if (!block)
        return;
    std::vector<bool> used(m.member_count(block), false);
    if (!used_members(m, variable, dims, used))
        return;
    std::vector<uint32_t> map(used.size(), 0);
    std::vector<spirv::id> members;
    for (uint32_t i = 0; i < used.size(); ++i)
        if (used[i]) {
            map[i] = static_cast<uint32_t>(members.size());
            members.push_back(m.member_type(block, i));
        }
    if (members.empty()) {
        spirv::remove_globals(m, {variable});
        return;
    }
    if (members.size() == used.size())
        return;
    spirv::id pruned = m.new_struct_type(members);
    m.set_name(pruned, m.name(block));
    m.copy_decorations(block, pruned);
    const std::vector<spirv::instruction> notes = m.annotations;
    for (const spirv::instruction &inst : notes)
        if (inst.op == spv::OpMemberDecorate && inst.operand(0) == block && used[inst.operand(1)]) {
            spirv::instruction copy = inst;
            copy.operands[0] = pruned;
            copy.operands[1] = map[inst.operand(1)];
            m.annotations.push_back(std::move(copy));
        }
    for (uint32_t i = 0; i < used.size(); ++i)
        if (used[i])
            m.set_member_name(pruned, map[i], m.member_name(block, i));
    spirv::id type = m.variable_type(variable);
    std::vector<spirv::id> lengths;
    for (size_t i = 0; i < dims; ++i, type = m.element_type(type))
        lengths.push_back(m.def(type)->op == spv::OpTypeArray ? m.def(type)->operand(1) : 0);
    for (size_t i = dims; i-- > 0;)
        pruned = lengths[i] ? m.add_global(spv::OpTypeArray, 0, {pruned, lengths[i]})
                            : m.new_runtime_array_type(pruned, 0);
    replace_variable(
        m, variable, storage, pruned, [map](uint32_t k) { return map[k]; }, dims);
}

void note_input(Stage &s, spv::BuiltIn b) {
    pipe_archive_stage &o = s.out;
    switch (b) {
    case spv::BuiltInVertexId:
    case spv::BuiltInVertexIndex: o.uses_vertex_id = 1; break;
    case spv::BuiltInInstanceId:
    case spv::BuiltInInstanceIndex: o.uses_instance_id = 1; break;
    case spv::BuiltInDrawIndex: o.uses_draw_id = 1; break;
    case spv::BuiltInBaseVertex: o.uses_base_vertex = 1; break;
    case spv::BuiltInBaseInstance: o.uses_base_instance = 1; break;
    case spv::BuiltInFragCoord: o.uses_frag_coord = 1; break;
    case spv::BuiltInPointCoord: o.uses_point_coord = 1; break;
    case spv::BuiltInSampleId:
    case spv::BuiltInSamplePosition: o.uses_sample_id = 1; break;
    case spv::BuiltInSampleMask: o.uses_sample_mask = 1; break;
    default: break;
    }
}

uint8_t array_length(const spirv::module &m, spirv::id type) {
    return static_cast<uint8_t>(std::min(m.length(type), 255u));
}

void note_output(Stage &s, spv::BuiltIn b, spirv::id type) {
    pipe_archive_stage &o = s.out;
    switch (b) {
    case spv::BuiltInFragDepth: o.writes_depth = 1; break;
    case spv::BuiltInPointSize: o.writes_point_size = 1; break;
    case spv::BuiltInLayer: o.writes_layer = 1; break;
    case spv::BuiltInViewportIndex: o.writes_viewport_index = 1; break;
    case spv::BuiltInClipDistance: o.clip_distances = array_length(s.m, type); break;
    case spv::BuiltInCullDistance: o.cull_distances = array_length(s.m, type); break;
    case spv::BuiltInSampleMask: o.uses_sample_mask = 1; break;
    default: break;
    }
}

void note_variables(Stage &s, spv::StorageClass storage) {
    spirv::module &m = s.m;
    const std::vector<bool> used = spirv::reachable_ids(m);
    const auto note = [&](uint32_t b, spirv::id type) {
        if (storage == spv::StorageClassInput)
            note_input(s, static_cast<spv::BuiltIn>(b));
        else
            note_output(s, static_cast<spv::BuiltIn>(b), type);
    };
    for (spirv::id v : m.variables(storage)) {
        if (v >= used.size() || !used[v])
            continue;
        if (const auto b = m.decoration(v, spv::DecorationBuiltIn))
            note(*b, m.variable_type(v));
        size_t dims = 0;
        if (const spirv::id block = builtin_block(m, v, dims))
            for (uint32_t i = 0; i < m.member_count(block); ++i)
                if (const auto b = m.member_decoration(block, i, spv::DecorationBuiltIn))
                    note(*b, m.member_type(block, i));
        if (storage == spv::StorageClassInput && m.has_decoration(v, spv::DecorationSample))
            s.out.uses_sample_id = 1;
    }
}

void note_instructions(Stage &s) {
    for (const spirv::function &f : s.m.functions)
        for (const spirv::instruction &inst : f.insts)
            switch (inst.op) {
            case spv::OpKill: s.out.uses_discard = 1; break;
            case spv::OpDPdx:
            case spv::OpDPdy:
            case spv::OpFwidth:
            case spv::OpDPdxFine:
            case spv::OpDPdyFine:
            case spv::OpFwidthFine:
            case spv::OpDPdxCoarse:
            case spv::OpDPdyCoarse:
            case spv::OpFwidthCoarse:
            case spv::OpImageSampleImplicitLod:
            case spv::OpImageSampleDrefImplicitLod:
            case spv::OpImageSampleProjImplicitLod:
            case spv::OpImageSampleProjDrefImplicitLod:
            case spv::OpImageQueryLod: s.out.uses_derivatives = 1; break;
            case spv::OpImageWrite:
            case spv::OpImageTexelPointer: s.out.writes_memory = 1; break;
            default: break;
            }
}

} // namespace

namespace {

std::set<uint32_t> block_builtins(const spirv::module &m, spv::StorageClass storage) {
    std::set<uint32_t> found;
    for (spirv::id v : m.variables(storage)) {
        size_t dims = 0;
        if (const spirv::id block = builtin_block(m, v, dims))
            for (uint32_t i = 0; i < m.member_count(block); ++i)
                if (const auto b = m.member_decoration(block, i, spv::DecorationBuiltIn))
                    found.insert(*b);
    }
    return found;
}

/// A stage may read only what the redeclared gl_PerVertex of the stage before it has, must
/// redeclare the block too, and in a separable program both must (GLSL 4.60 section 7.1, GL 4.6
/// section 7.4.1).
void check_builtin_inputs(Lowering &l) {
    for (size_t i = 1; i < l.stages.size(); ++i) {
        const Stage &a = l.stages[i - 1], &b = l.stages[i];
        if (a.part != b.part || b.type == PIPE_SHADER_FRAGMENT)
            continue;
        const std::set<uint32_t> read = block_builtins(b.m, spv::StorageClassInput);
        const bool in = b.side.redeclares_in, out = a.side.redeclares_out;
        if (!read.empty() && ((out && !in) || (l.options.separable && (!in || !out))))
            l.error("the %s shader reads gl_PerVertex, which the %s shader does not redeclare",
                    stage_name(b.type), stage_name(in ? a.type : b.type));
        if (a.declared_builtins.empty())
            continue;
        for (uint32_t builtin : read)
            if (!a.declared_builtins.count(builtin))
                l.error("the %s shader reads a member of gl_PerVertex that the %s shader does not "
                        "declare",
                        stage_name(b.type), stage_name(a.type));
    }
}

/// gl_ClipVertex and its like are the compatibility profile's and have no built-in in SPIR-V.
void check_compatibility(Lowering &l, const Stage &s) {
    for (spv::StorageClass storage : {spv::StorageClassInput, spv::StorageClassOutput})
        for (spirv::id v : s.m.variables(storage)) {
            size_t dims = 0;
            const spirv::id block = builtin_block(s.m, v, dims);
            for (uint32_t i = 0; block && i < s.m.member_count(block); ++i)
                if (!s.m.has_member_decoration(block, i, spv::DecorationBuiltIn))
                    l.error("the %s shader uses %s, which the core profile does not have",
                            stage_name(s.type), s.m.member_name(block, i).c_str());
        }
}

/// Declared clip and cull distances, used or not, share one limit (GLSL 4.60, 7.1.1). An array that
/// nobody declared or used has one element here and none in GL.
void check_distances(Lowering &l, const Stage &s) {
    uint32_t lengths[2] = {};
    const auto note = [&](uint32_t builtin, spirv::id type) {
        if (builtin == spv::BuiltInClipDistance || builtin == spv::BuiltInCullDistance)
            lengths[builtin == spv::BuiltInCullDistance] = s.m.length(type);
    };
    for (spirv::id v : s.m.variables(spv::StorageClassOutput)) {
        if (const auto b = s.m.decoration(v, spv::DecorationBuiltIn))
            note(*b, s.m.variable_type(v));
        size_t dims = 0;
        const spirv::id block = builtin_block(s.m, v, dims);
        std::vector<bool> used(block ? s.m.member_count(block) : 0);
        const bool by_member = block && used_members(s.m, v, dims, used);
        for (uint32_t i = 0; block && i < s.m.member_count(block); ++i) {
            const auto b = s.m.member_decoration(block, i, spv::DecorationBuiltIn);
            if (b && (!by_member || used[i] || s.m.length(s.m.member_type(block, i)) > 1))
                note(*b, s.m.member_type(block, i));
        }
    }
    if (lengths[0] + lengths[1] > static_cast<uint32_t>(l.options.limits.combined_clip_cull))
        l.error("the %s shader has %u clip and %u cull distances, together more than "
                "GL_MAX_COMBINED_CLIP_AND_CULL_DISTANCES",
                stage_name(s.type), lengths[0], lengths[1]);
}

} // namespace

void lower_builtins(Lowering &l) {
    for (Stage &s : l.stages)
        s.declared_builtins = block_builtins(s.m, spv::StorageClassOutput);
    for (const Stage &s : l.stages)
        check_distances(l, s);
    for (Stage &s : l.stages) {
        for (spv::StorageClass storage : {spv::StorageClassInput, spv::StorageClassOutput}) {
            for (spirv::id v : s.m.variables(storage))
                prune_block(s, v, storage);
            note_variables(s, storage);
        }
        check_compatibility(l, s);
        note_instructions(s);
        s.out.uses_fp64 = s.m.has_capability(spv::CapabilityFloat64);
        s.out.early_fragment_tests =
            spirv::execution_mode(s.m, spv::ExecutionModeEarlyFragmentTests).has_value();
        s.out.origin_upper_left =
            spirv::execution_mode(s.m, spv::ExecutionModeOriginUpperLeft).has_value();
        s.out.pixel_center_integer =
            spirv::execution_mode(s.m, spv::ExecutionModePixelCenterInteger).has_value();
    }
    check_builtin_inputs(l);
}

} // namespace compiler
