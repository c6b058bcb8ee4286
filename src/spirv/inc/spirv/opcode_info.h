// SPDX-License-Identifier: MIT
// Whether an opcode carries a result type and a result id.
#pragma once

#include <spirv/unified1/spirv.hpp>

namespace spirv {

/// Both false for an opcode this build's headers do not know.
void result_and_type(spv::Op op, bool &has_result, bool &has_type);

} // namespace spirv
