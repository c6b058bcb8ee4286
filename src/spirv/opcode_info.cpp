// SPDX-License-Identifier: MIT
// The header's own table of results, kept in one object file: it is a switch over every opcode.
#define SPV_ENABLE_UTILITY_CODE
#include "spirv/opcode_info.h"

namespace spirv {

void result_and_type(spv::Op op, bool &has_result, bool &has_type) {
    spv::HasResultAndType(op, &has_result, &has_type);
}

} // namespace spirv
