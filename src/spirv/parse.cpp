// SPDX-License-Identifier: MIT
// Reading and writing SPIR-V words. A module may come from a peer, so nothing in it is trusted.
#include "spirv/module.h"

#include "spirv/opcode_info.h"

namespace spirv {
namespace {

constexpr uint32_t max_bound = 0x00400000; // the universal limit of the SPIR-V specification

/// The section of a module-level instruction, or null for one that may only stand in a function.
std::vector<instruction> *section_of(module &m, spv::Op op) {
    switch (op) {
    case spv::OpCapability: return &m.capabilities;
    case spv::OpExtension: return &m.extensions;
    case spv::OpExtInstImport: return &m.ext_imports;
    case spv::OpMemoryModel: return &m.memory_model;
    case spv::OpEntryPoint: return &m.entry_points;
    case spv::OpExecutionMode:
    case spv::OpExecutionModeId: return &m.execution_modes;
    case spv::OpString:
    case spv::OpSource:
    case spv::OpSourceContinued:
    case spv::OpSourceExtension:
    case spv::OpName:
    case spv::OpMemberName:
    case spv::OpModuleProcessed: return &m.debug;
    case spv::OpDecorate:
    case spv::OpMemberDecorate:
    case spv::OpDecorationGroup:
    case spv::OpGroupDecorate:
    case spv::OpGroupMemberDecorate:
    case spv::OpDecorateId:
    case spv::OpDecorateString:
    case spv::OpMemberDecorateString: return &m.annotations;
    case spv::OpVariable:
    case spv::OpUndef:
    case spv::OpLine:
    case spv::OpNoLine:
    case spv::OpExtInst: return &m.globals;
    default: return is_type(op) || is_constant(op) ? &m.globals : nullptr;
    }
}

/// Splits one instruction out of the stream; false when its lengths do not fit.
bool decode(std::span<const uint32_t> words, uint32_t bound, instruction &inst) {
    inst.op = static_cast<spv::Op>(words[0] & 0xffff);
    bool has_result = false, has_type = false;
    result_and_type(inst.op, has_result, has_type);
    size_t at = 1;
    if (words.size() < 1 + size_t(has_result) + size_t(has_type))
        return false;
    if (has_type)
        inst.type = words[at++];
    if (has_result)
        inst.result = words[at++];
    if ((has_type && (inst.type == 0 || inst.type >= bound)) ||
        (has_result && (inst.result == 0 || inst.result >= bound)))
        return false;
    inst.operands.assign(words.begin() + at, words.end());
    bool ids_ok = true;
    for_each_id_operand(std::as_const(inst), [&](uint32_t x) { ids_ok &= x != 0 && x < bound; });
    return ids_ok;
}

/// Results of the module level, in their order. Walks over types and constants end because each
/// names only earlier ones: forward references exist for pointers alone.
class declared {
  public:
    explicit declared(uint32_t bound) : known_(bound) {}
    /// False when the instruction names a type or constant that is not there yet, or its result is.
    bool add(const instruction &inst) {
        bool ok = true;
        if (inst.op == spv::OpTypeForwardPointer)
            known_[inst.operand(0)] = true;
        else if ((is_type(inst.op) && inst.op != spv::OpTypePointer) || is_constant(inst.op))
            for_each_id_operand(inst, [&](uint32_t x) { ok &= known_[x]; });
        if (!inst.result)
            return ok;
        const bool forward = inst.op == spv::OpTypePointer;
        ok &= forward || !known_[inst.result];
        known_[inst.result] = true;
        return ok;
    }

  private:
    std::vector<bool> known_;
};

void put(std::vector<uint32_t> &words, const instruction &inst) {
    words.push_back(static_cast<uint32_t>(inst.word_count()) << 16 |
                    static_cast<uint32_t>(inst.op));
    if (inst.type)
        words.push_back(inst.type);
    if (inst.result)
        words.push_back(inst.result);
    words.insert(words.end(), inst.operands.begin(), inst.operands.end());
}

} // namespace

std::optional<module> module::parse(std::span<const uint32_t> words) {
    if (words.size() < 5 || words[0] != spv::MagicNumber || words[3] == 0 || words[3] > max_bound)
        return std::nullopt;
    module m;
    m.version = words[1];
    m.generator = words[2];
    m.bound_ = words[3];
    m.schema = words[4];
    bool in_function = false;
    declared results(m.bound_);
    for (size_t at = 5; at < words.size();) {
        const size_t count = words[at] >> 16;
        if (count == 0 || count > words.size() - at)
            return std::nullopt;
        instruction inst;
        if (!decode(words.subspan(at, count), m.bound_, inst))
            return std::nullopt;
        at += count;
        if (inst.op == spv::OpFunction) {
            if (in_function)
                return std::nullopt;
            in_function = true;
            m.functions.emplace_back();
        }
        if (in_function) {
            in_function = inst.op != spv::OpFunctionEnd;
            m.functions.back().insts.push_back(std::move(inst));
            continue;
        }
        std::vector<instruction> *section = section_of(m, inst.op);
        if (inst.op == spv::OpNop)
            continue;
        if (!section || !results.add(inst))
            return std::nullopt;
        section->push_back(std::move(inst));
    }
    if (in_function || m.memory_model.size() != 1)
        return std::nullopt;
    m.reindex();
    return m;
}

std::vector<uint32_t> module::write() const {
    std::vector<uint32_t> words = {spv::MagicNumber, version, generator, bound_, schema};
    for (const auto *section : {&capabilities, &extensions, &ext_imports, &memory_model,
                                &entry_points, &execution_modes, &debug, &annotations, &globals})
        for (const instruction &inst : *section)
            put(words, inst);
    for (const function &f : functions)
        for (const instruction &inst : f.insts)
            put(words, inst);
    return words;
}

} // namespace spirv
