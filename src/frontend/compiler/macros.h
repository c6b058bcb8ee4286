// SPDX-License-Identifier: MIT
// A preprocessor of GLSL's own, for texts whose macros glslang cannot expand.
#pragma once

#include <string>

namespace compiler {

/// Whether the log of a text speaks of what glslang's preprocessor lacks: numbers joined by ##,
/// empty arguments, quotes in groups that are left out.
bool wants_expansion(const std::string &log);

/// `text` with its macros expanded and the groups left out that conditions leave out; #version,
/// #extension, #pragma, #line and #error stay, as does the number of each line. `version` is what
/// __VERSION__ is. Empty when the text is not well formed.
std::string expand_macros(const std::string &text, int version);

} // namespace compiler
