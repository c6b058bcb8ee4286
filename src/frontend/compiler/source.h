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
/// The text is translated as of version `at_least` or later. `expand`: with its macros expanded, if
/// that can be done.
SourceCheck check_source(const std::string &source, pipe_shader_type stage, const Limits &limits,
                         int at_least = 0, bool expand = false);

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

/// True when all that the log of a text before 1.30 complains of are floats where an int should be.
/// GLSL has abs(), sign(), min(), max() and clamp() of integers from 1.30 on, drivers in every
/// version; translated as 1.30 such a text may be right.
bool wants_integer_functions(const std::string &log);

/// "ERROR: 0:12: ..." -> "0:12: error: ...", without the totals and empty lines.
std::string clean_log(const char *log);

} // namespace compiler
