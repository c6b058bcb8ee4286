// SPDX-License-Identifier: MIT
// Names of programs that glslang takes for words of the language, although they are not in the
// version of the text: hidden from glslang, shown again in what it makes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace compiler {

/// Whether a text can have such names; cheap.
bool may_hide_names(const std::string &text);
/// Gives the names another spelling. `version` as the text declares it. Lines stay lines.
std::string hide_names(std::string text, int version);

/// Brings the names back in a log, or in words of a SideInfo.
void show_names(std::string &text);
/// Brings the names back in the debug instructions of a module.
void show_names(std::vector<uint32_t> &spirv);

} // namespace compiler
