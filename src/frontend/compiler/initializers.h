// SPDX-License-Identifier: MIT
// Initialisers of global variables that several shaders of one stage declare.
#pragma once

#include <string>
#include <vector>

namespace glslang {
class TIntermediate;
}

namespace compiler {

/// The shaders of one stage may give a global variable an initialiser more than once only where all
/// are the same constant (GLSL 4.60, 4.3). Returns a log line, empty when they agree. Call it
/// before glslang merges the shaders.
std::string check_initializers(const std::vector<glslang::TIntermediate *> &shaders);

} // namespace compiler
