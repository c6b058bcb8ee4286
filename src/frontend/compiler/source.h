// SPDX-License-Identifier: MIT
// What happens to shader text before glslang sees it, and to glslang's log before the program sees it.
#pragma once

#include "compiler/compiler.h"

namespace compiler {

struct SourceCheck {
    std::string text;       // to be parsed; the same number of lines
    std::string preamble;   // definitions that come first and count no lines
    std::string error;      // log line(s) when the text is refused
    int version = 110;      // of the #version line
};

/// Joins lines that end in a backslash (every desktop driver does, whatever the version) and checks #version against
/// what the context offers.
SourceCheck check_source(const std::string &source, const Limits &limits);

/// "ERROR: 0:12: ..." -> "0:12: error: ...", without the totals and empty lines.
std::string clean_log(const char *log);

} // namespace compiler
