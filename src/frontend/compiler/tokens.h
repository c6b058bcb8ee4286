// SPDX-License-Identifier: MIT
// A GLSL text as tokens, comments and preprocessor lines left out. No macros are expanded: good for
// looking, and for rewriting at token positions; not a parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace compiler {

struct Token {
    std::string_view text; // in the scanned string, which must live on
    int line = 1;
    int depth = 0; // of braces around it
    bool identifier = false;
};

std::vector<Token> scan_tokens(const std::string &text);

/// A declaration that would bring glslang down, as a log line; empty when there is none.
std::string find_fatal(const std::vector<Token> &tokens);

/// The first word that GLSL of this version reserves and glslang does not, as a log line; empty
/// when there is none (GLSL 3.30, 3.6).
std::string find_reserved(const std::vector<Token> &tokens, int version);

/// `text` without the semicolons that stand alone between declarations, which GLSL takes from 4.60
/// on and programs write before. Nothing moves: blanks take their place.
std::string blank_lone_semicolons(std::string text);

/// `text` with braces around the bodies of do-while loops that are a declaration: a body is a scope
/// of its own, the condition is outside of it (GLSL 4.60, 6.3), which glslang does not see.
std::string brace_do_bodies(std::string text);

/// `text` without declarations like `layout(binding = B, offset = O) uniform;`: drivers take them,
/// and without the type atomic_uint they say nothing. Nothing moves.
std::string blank_typeless_offsets(std::string text);

/// The first type of double precision, as a log line; empty when there is none.
std::string find_double(const std::vector<Token> &tokens);

} // namespace compiler
