// SPDX-License-Identifier: MIT
// First pass: functions nobody calls go, and calls that hand over parts of opaque variables are
// inlined, because the parts change their variable and storage class later.
#include "compiler/lower.h"
#include "util/log.h"

#include <spirv-tools/optimizer.hpp>

namespace compiler {
namespace {

/// Whether a call passes a pointer that later passes cannot follow into the callee.
bool needs_inlining(const spirv::module &m) {
    for (const spirv::function &f : m.functions) {
        std::unordered_map<spirv::id, spirv::id> types;
        for (const spirv::instruction &inst : f.insts) {
            if (inst.result)
                types[inst.result] = inst.type;
            if (inst.op != spv::OpFunctionCall)
                continue;
            for (size_t i = 1; i < inst.operands.size(); ++i) {
                const spirv::id arg = inst.operands[i];
                const auto local = types.find(arg);
                const spirv::id type = local != types.end() ? local->second : m.type_of(arg);
                const spv::StorageClass storage = m.storage_class(type);
                if (storage == spv::StorageClassAtomicCounter)
                    return true;
                if (storage != spv::StorageClassUniformConstant)
                    continue;
                const spv::Op pointee = m.type_op(m.pointee(type));
                const bool plain =
                    pointee == spv::OpTypeSampledImage || pointee == spv::OpTypeImage;
                const spirv::function *callee = m.find_function(inst.operand(0));
                const spirv::id param =
                    callee && i < callee->insts.size() ? callee->insts[i].type : type;
                if (!plain || local != types.end() || param != type)
                    return true;
            }
        }
    }
    return false;
}

bool inline_calls(spirv::module &m) {
    spvtools::Optimizer optimizer(SPV_ENV_OPENGL_4_5);
    optimizer.SetMessageConsumer(
        [](spv_message_level_t, const char *, const spv_position_t &, const char *text) {
            log_debug("compiler", "spirv-opt: %s", text);
        });
    optimizer.RegisterPass(spvtools::CreateWrapOpKillPass())
        .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass())
        .RegisterPass(spvtools::CreateMergeReturnPass())
        .RegisterPass(spvtools::CreateInlineExhaustivePass())
        .RegisterPass(spvtools::CreateEliminateDeadFunctionsPass());
    spvtools::OptimizerOptions options;
    options.set_run_validator(false);
    std::vector<uint32_t> result;
    const std::vector<uint32_t> words = m.write();
    if (!optimizer.Run(words.data(), words.size(), &result, options))
        return false;
    auto parsed = spirv::module::parse(result);
    if (!parsed)
        return false;
    m = std::move(*parsed);
    return true;
}

/// An image argument may have a format that the parameter lacks; inlining leaves loads of the
/// parameter's type.
void retype_loads(spirv::module &m) {
    for (spirv::function &f : m.functions)
        for (spirv::instruction &inst : f.insts)
            if (inst.op == spv::OpLoad && m.type_op(inst.type) == spv::OpTypeImage) {
                const spirv::id pointee = m.variable_type(inst.operand(0));
                if (pointee && m.type_op(pointee) == spv::OpTypeImage)
                    inst.type = pointee;
            }
}

/// SPIR-V 1.0 selects scalars and vectors only; GLSL's ?: takes arrays, structs and matrices too.
spirv::id select(spirv::code &c, spirv::id type, spirv::id condition, spirv::id a, spirv::id b) {
    spirv::module &m = c.target();
    const spv::Op op = m.type_op(type);
    if (op == spv::OpTypeVector) {
        const uint32_t n = m.length(type);
        const spirv::id smeared =
            c.construct(m.type_vector(m.type_bool(), n), std::vector<spirv::id>(n, condition));
        return c.emit(spv::OpSelect, type, {smeared, a, b});
    }
    const uint32_t n = op == spv::OpTypeStruct ? m.member_count(type) : m.length(type);
    if (op != spv::OpTypeStruct && op != spv::OpTypeArray && op != spv::OpTypeMatrix)
        return c.emit(spv::OpSelect, type, {condition, a, b});
    std::vector<spirv::id> parts;
    for (uint32_t i = 0; i < n; ++i) {
        const spirv::id part =
            op == spv::OpTypeStruct ? m.member_type(type, i) : m.element_type(type);
        const spirv::id x = c.extract(part, a, {i}), y = c.extract(part, b, {i});
        parts.push_back(select(c, part, condition, x, y));
    }
    return c.construct(type, std::move(parts));
}

void expand_selects(spirv::module &m) {
    for (spirv::function &f : m.functions) {
        const auto composite = [&](const spirv::instruction &inst) {
            const spv::Op op = inst.op == spv::OpSelect ? m.type_op(inst.type) : spv::OpNop;
            return op == spv::OpTypeStruct || op == spv::OpTypeArray || op == spv::OpTypeMatrix;
        };
        bool any = false;
        for (const spirv::instruction &inst : f.insts)
            any |= composite(inst);
        if (!any)
            continue;
        spirv::code c(m);
        for (spirv::instruction &inst : f.insts) {
            if (!composite(inst)) {
                c.out.push_back(std::move(inst));
                continue;
            }
            select(c, inst.type, inst.operand(0), inst.operand(1), inst.operand(2));
            c.out.back().result = inst.result;
        }
        f.insts = std::move(c.out);
    }
}

} // namespace

void lower_prepare(Lowering &l) {
    for (Stage &s : l.stages) {
        spirv::remove_dead_functions(s.m);
        if (needs_inlining(s.m)) {
            if (!inline_calls(s.m))
                l.error("%s shader: functions with opaque parameters could not be inlined",
                        stage_name(s.type));
            else
                spirv::remove_dead_functions(s.m);
            retype_loads(s.m);
        }
        expand_selects(s.m);
        s.used = spirv::reachable_ids(s.m);
        s.out.stage = s.type;
    }
}

} // namespace compiler
