// SPDX-License-Identifier: MIT
// One SPIR-V instruction in memory, and the knowledge which of its words are ids. Knows nothing of
// GL or of a host API. Values only: an instruction owns its words and may be copied freely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spirv/unified1/spirv.hpp>

namespace spirv {

/// A result id; 0 is "none" everywhere.
using id = uint32_t;

/// `type` and `result` are lifted out of the words; `operands` is everything that follows them.
struct instruction {
    spv::Op op = spv::OpNop;
    id type = 0;
    id result = 0;
    std::vector<uint32_t> operands;

    instruction() = default;
    instruction(spv::Op op_, id type_, id result_, std::vector<uint32_t> operands_ = {})
        : op(op_), type(type_), result(result_), operands(std::move(operands_)) {}

    /// Words this instruction takes in a module, its first word included.
    size_t word_count() const { return 1 + (type != 0) + (result != 0) + operands.size(); }
    uint32_t operand(size_t i) const { return i < operands.size() ? operands[i] : 0; }
};

/// Calls `fn` with a reference to every operand word that is an id (not `type`, not `result`).
/// Selectors of OpSwitch are taken as 32 bits wide; instructions that are not known here have all
/// their operands treated as ids only if they are plain value instructions.
void for_each_id_operand(instruction &inst, const std::function<void(uint32_t &)> &fn);
void for_each_id_operand(const instruction &inst, const std::function<void(uint32_t)> &fn);

/// A literal string that starts at `operands[first]`; `words`, if given, receives its length in
/// words. A string without terminator ends with the operands.
std::string literal_string(const instruction &inst, size_t first, size_t *words = nullptr);

/// The words of a literal string, padded with zero, terminator included.
void append_literal_string(std::vector<uint32_t> &words, std::string_view text);

/// Whether the instruction declares a type (OpTypeVoid up to OpTypePointer and the extensions).
bool is_type(spv::Op op);

/// Whether the instruction declares a constant (also a specialisation constant).
bool is_constant(spv::Op op);

} // namespace spirv
