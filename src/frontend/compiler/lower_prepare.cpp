// SPDX-License-Identifier: MIT
// First pass: functions nobody calls go, and calls that hand over parts of opaque variables are inlined, because the
// parts change their variable and storage class later.
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
                const bool plain = pointee == spv::OpTypeSampledImage || pointee == spv::OpTypeImage;
                if (!plain || local != types.end())
                    return true;
            }
        }
    }
    return false;
}

bool inline_calls(spirv::module &m) {
    spvtools::Optimizer optimizer(SPV_ENV_OPENGL_4_5);
    optimizer.SetMessageConsumer([](spv_message_level_t, const char *, const spv_position_t &, const char *text) {
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

} // namespace

void lower_prepare(Lowering &l) {
    for (Stage &s : l.stages) {
        spirv::remove_dead_functions(s.m);
        if (needs_inlining(s.m)) {
            if (!inline_calls(s.m))
                l.error("%s shader: functions with opaque parameters could not be inlined", stage_name(s.type));
            else
                spirv::remove_dead_functions(s.m);
        }
        s.used = spirv::reachable_ids(s.m);
        s.out.stage = s.type;
    }
}

} // namespace compiler
