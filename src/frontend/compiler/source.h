// SPDX-License-Identifier: MIT
// What happens to shader text before glslang sees it, and to glslang's log before the program sees
// it.
#pragma once

#include "compiler/compiler.h"

namespace compiler {

struct SourceCheck {
    std::string text;     // to be parsed; the same number of lines
    std::string preamble; // definitions that come first and count no lines
    std::string error;    // log line(s) when the text is refused
    int version = 110;    // of the #version line
};

/// Joins lines that end in a backslash (every desktop driver does, whatever the version) and checks
/// #version against what the context offers.
SourceCheck check_source(const std::string &source, pipe_shader_type stage, const Limits &limits);

/// How one of several fragment shaders of a program speaks of gl_FragCoord.
struct FragCoordUse {
    bool used = false, redeclared = false, upper_left = false, center_integer = false;
};
/// Finds that out and blanks the redeclaration: glslang compares shaders that do not even use it.
FragCoordUse take_frag_coord(std::string &text);
/// Puts `declaration` in front of the first token behind the directives, in the same line.
void insert_declaration(std::string &text, const std::string &declaration);

/// True when all that a shader's log complains of are variables that share a location: GL leaves
/// that to the link, which finds it again. The errors become warnings.
bool defer_overlaps(std::string &log);

/// "ERROR: 0:12: ..." -> "0:12: error: ...", without the totals and empty lines.
std::string clean_log(const char *log);

} // namespace compiler
