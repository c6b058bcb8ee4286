// SPDX-License-Identifier: MIT
// The secret that a tcp server wants to see and its client shows: from a file or the environment,
// never from the command line, where every user of the machine reads it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace remote {

constexpr size_t least_token = 16, most_token = 1024; // bytes

// The token in `file`, else in the file that MGPIPE_TOKEN_FILE names, else in MGPIPE_TOKEN; null or
// empty: not given. White space at the end does not count. False, with one log line, when what is
// given cannot be used: a file that others can read, a token too short. True with an empty token:
// none is given.
bool load_token(const char *file, std::string *token);

// Compares in a time that tells nothing but the lengths. `ours` is not empty.
bool same_token(std::string_view ours, std::string_view theirs);

// Takes the token out of this process's environment, also out of the memory where other programs of
// the user see it. What load_token() returned stays valid.
void forget_token_variable();

} // namespace remote
