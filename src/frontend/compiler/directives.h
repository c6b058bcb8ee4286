// SPDX-License-Identifier: MIT
// Preprocessor lines on which glslang differs from desktop GLSL. Lines stay lines.
#pragma once

#include <string>

namespace compiler {

/// The first line that GLSL refuses and glslang takes, as a log line; empty when there is none: an
/// #extension without a name, the operator # in a macro (GLSL 3.30, 3.3).
std::string find_bad_directive(const std::string &text);

/// #if and #elif lines with macros whose text asks `defined`: the macro's text replaces its name,
/// as drivers expand it and glslang refuses to.
std::string expand_defined(const std::string &text);

} // namespace compiler
