// SPDX-License-Identifier: MIT
// Which words of an instruction are ids: the part of the SPIR-V grammar that rewriting needs.
#include "spirv/instruction.h"

namespace spirv {
namespace {

/// Operands of memory access masks: literal mask, then literals or ids by bit.
template <class Words, class Fn> void visit_memory_access(Words &w, size_t mask_at, Fn &&fn) {
    if (mask_at >= w.size())
        return;
    const uint32_t mask = w[mask_at];
    size_t i = mask_at + 1;
    if (mask & spv::MemoryAccessAlignedMask)
        ++i;
    if ((mask & spv::MemoryAccessMakePointerAvailableMask) && i < w.size())
        fn(w[i++]);
    if ((mask & spv::MemoryAccessMakePointerVisibleMask) && i < w.size())
        fn(w[i++]);
}

template <class Words, class Fn> void visit_range(Words &w, size_t first, size_t last, Fn &&fn) {
    for (size_t i = first; i < last && i < w.size(); ++i)
        fn(w[i]);
}

/// Ids before an optional image-operand mask at `mask_at`, then the ids behind the mask.
template <class Words, class Fn> void visit_image(Words &w, size_t mask_at, Fn &&fn) {
    visit_range(w, 0, mask_at, fn);
    visit_range(w, mask_at + 1, w.size(), fn);
}

/// Instructions of the module level: debug, annotation, mode setting, types and constants.
template <class Words, class Fn> bool visit_module_level(spv::Op op, Words &w, Fn &&fn) {
    switch (op) {
    case spv::OpNop:
    case spv::OpSourceContinued:
    case spv::OpSourceExtension:
    case spv::OpString:
    case spv::OpExtension:
    case spv::OpExtInstImport:
    case spv::OpMemoryModel:
    case spv::OpCapability:
    case spv::OpTypeVoid:
    case spv::OpTypeBool:
    case spv::OpTypeInt:
    case spv::OpTypeFloat:
    case spv::OpTypeSampler:
    case spv::OpTypeOpaque:
    case spv::OpConstant:
    case spv::OpConstantTrue:
    case spv::OpConstantFalse:
    case spv::OpConstantNull:
    case spv::OpConstantSampler:
    case spv::OpSpecConstant:
    case spv::OpSpecConstantTrue:
    case spv::OpSpecConstantFalse:
    case spv::OpUndef:
    case spv::OpDecorationGroup:
    case spv::OpNoLine:
    case spv::OpModuleProcessed:
    case spv::OpFunctionParameter:
    case spv::OpFunctionEnd:
    case spv::OpLabel: return true;
    case spv::OpSource: visit_range(w, 2, 3, fn); return true;
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpDecorate:
    case spv::OpMemberDecorate:
    case spv::OpDecorateString:
    case spv::OpMemberDecorateString:
    case spv::OpExecutionMode:
    case spv::OpLine:
    case spv::OpTypeImage:
    case spv::OpTypeVector:
    case spv::OpTypeMatrix: visit_range(w, 0, 1, fn); return true;
    case spv::OpTypePointer:
    case spv::OpTypeForwardPointer:
        visit_range(w, op == spv::OpTypePointer ? 1 : 0, op == spv::OpTypePointer ? 2 : 1, fn);
        return true;
    case spv::OpVariable:
    case spv::OpFunction: visit_range(w, 1, w.size(), fn); return true;
    case spv::OpGroupMemberDecorate:
        for (size_t i = 0; i < w.size(); i += i == 0 ? 1 : 2)
            fn(w[i]);
        return true;
    case spv::OpSpecConstantOp: visit_range(w, 1, w.size(), fn); return true;
    case spv::OpEntryPoint: {
        visit_range(w, 1, 2, fn);
        size_t i = 2;
        for (; i < w.size(); ++i) { // the name ends with the word that holds a zero byte
            const uint32_t x = w[i];
            if (!(x & 0xff) || !(x & 0xff00) || !(x & 0xff0000) || !(x & 0xff000000))
                break;
        }
        visit_range(w, i + 1, w.size(), fn);
        return true;
    }
    default: return false;
    }
}

template <class Words, class Fn> void visit_body(spv::Op op, Words &w, Fn &&fn) {
    switch (op) {
    case spv::OpExtInst:
        visit_range(w, 0, 1, fn);
        visit_range(w, 2, w.size(), fn);
        return;
    case spv::OpLoad:
        visit_range(w, 0, 1, fn);
        visit_memory_access(w, 1, fn);
        return;
    case spv::OpStore:
    case spv::OpCopyMemory:
        visit_range(w, 0, 2, fn);
        visit_memory_access(w, 2, fn);
        return;
    case spv::OpCompositeExtract:
    case spv::OpArrayLength:
    case spv::OpBranch: visit_range(w, 0, 1, fn); return;
    case spv::OpCompositeInsert:
    case spv::OpVectorShuffle: visit_range(w, 0, 2, fn); return;
    case spv::OpBranchConditional: visit_range(w, 0, 3, fn); return;
    case spv::OpSelectionMerge: visit_range(w, 0, 1, fn); return;
    case spv::OpLoopMerge: visit_range(w, 0, 2, fn); return;
    case spv::OpSwitch:
        visit_range(w, 0, 2, fn);
        for (size_t i = 3; i < w.size(); i += 2)
            fn(w[i]);
        return;
    case spv::OpImageSampleImplicitLod:
    case spv::OpImageSampleExplicitLod:
    case spv::OpImageSampleProjImplicitLod:
    case spv::OpImageSampleProjExplicitLod:
    case spv::OpImageFetch:
    case spv::OpImageRead:
    case spv::OpImageSparseSampleImplicitLod:
    case spv::OpImageSparseSampleExplicitLod:
    case spv::OpImageSparseFetch:
    case spv::OpImageSparseRead: visit_image(w, 2, fn); return;
    case spv::OpImageSampleDrefImplicitLod:
    case spv::OpImageSampleDrefExplicitLod:
    case spv::OpImageSampleProjDrefImplicitLod:
    case spv::OpImageSampleProjDrefExplicitLod:
    case spv::OpImageGather:
    case spv::OpImageDrefGather:
    case spv::OpImageWrite:
    case spv::OpImageSparseSampleDrefImplicitLod:
    case spv::OpImageSparseSampleDrefExplicitLod:
    case spv::OpImageSparseGather:
    case spv::OpImageSparseDrefGather: visit_image(w, 3, fn); return;
    case spv::OpGroupNonUniformIAdd:
    case spv::OpGroupNonUniformFAdd:
    case spv::OpGroupNonUniformIMul:
    case spv::OpGroupNonUniformFMul:
    case spv::OpGroupNonUniformSMin:
    case spv::OpGroupNonUniformUMin:
    case spv::OpGroupNonUniformFMin:
    case spv::OpGroupNonUniformSMax:
    case spv::OpGroupNonUniformUMax:
    case spv::OpGroupNonUniformFMax:
    case spv::OpGroupNonUniformBitwiseAnd:
    case spv::OpGroupNonUniformBitwiseOr:
    case spv::OpGroupNonUniformBitwiseXor:
    case spv::OpGroupNonUniformLogicalAnd:
    case spv::OpGroupNonUniformLogicalOr:
    case spv::OpGroupNonUniformLogicalXor:
    case spv::OpGroupNonUniformBallotBitCount:
        visit_range(w, 0, 1, fn);
        visit_range(w, 2, w.size(), fn);
        return;
    default: visit_range(w, 0, w.size(), fn);
    }
}

template <class Inst, class Fn> void visit(Inst &inst, Fn &&fn) {
    if (!visit_module_level(inst.op, inst.operands, fn))
        visit_body(inst.op, inst.operands, fn);
}

} // namespace

void for_each_id_operand(instruction &inst, const std::function<void(uint32_t &)> &fn) {
    visit(inst, [&](uint32_t &w) { fn(w); });
}

void for_each_id_operand(const instruction &inst, const std::function<void(uint32_t)> &fn) {
    visit(inst, [&](const uint32_t &w) { fn(w); });
}

std::string literal_string(const instruction &inst, size_t first, size_t *words) {
    std::string text;
    size_t i = first;
    for (; i < inst.operands.size(); ++i) {
        for (int shift = 0; shift < 32; shift += 8) {
            const char c = static_cast<char>(inst.operands[i] >> shift);
            if (!c) {
                if (words)
                    *words = i + 1 - first;
                return text;
            }
            text += c;
        }
    }
    if (words)
        *words = i - first;
    return text;
}

void append_literal_string(std::vector<uint32_t> &words, std::string_view text) {
    const size_t base = words.size();
    words.resize(base + text.size() / 4 + 1, 0);
    for (size_t i = 0; i < text.size(); ++i)
        words[base + i / 4] |= static_cast<uint32_t>(static_cast<uint8_t>(text[i])) << (i % 4 * 8);
}

bool is_type(spv::Op op) {
    return op >= spv::OpTypeVoid && op <= spv::OpTypeForwardPointer;
}

bool is_constant(spv::Op op) {
    return (op >= spv::OpConstantTrue && op <= spv::OpConstantNull) ||
           (op >= spv::OpSpecConstantTrue && op <= spv::OpSpecConstantOp);
}

} // namespace spirv
