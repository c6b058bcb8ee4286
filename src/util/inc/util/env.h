// SPDX-License-Identifier: MIT
// Typed access to the switches of util/switches.h. The environment is read once, at the first use;
// later changes by the program are not seen. A program that runs with more rights than its user
// (AT_SECURE) sees none of it: all defaults. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "util/switches.h"

namespace util {

enum class Env : uint8_t {
#define X(name, value, help) name,
    UTIL_ENV_VARIABLES(X)
#undef X
        count
};

enum class Debug : uint8_t {
#define X(name, text, help) name,
    UTIL_DEBUG_FLAGS(X)
#undef X
        count
};

struct EnvInfo {
    const char *name; // "MGPIPE_DRIVER"
    const char *default_text;
    const char *help;
    int64_t least, most; // of a number; least > most: text
    bool is_number() const { return least <= most; }
};

struct DebugInfo {
    const char *name; // "verify-corrupt"
    uint64_t bit;
    const char *help;
};

std::span<const EnvInfo> env_infos();
std::span<const DebugInfo> debug_infos();

// The variable's text, or its default; never null, valid for the life of the process.
const char *env_text(Env variable);
bool env_is_set(Env variable);
// As a number (decimal, 0x hexadecimal) within its limits: the nearest legal one for a number
// outside of them, the default for text that is no number. Each says so in one warning per
// variable.
int64_t env_int(Env variable);

// Warns, once per process, of everything in the environment that is ours by name and says nothing:
// unknown variables, words of MGPIPE_DEBUG, numbers. `is_emulation` knows NAME of force-NAME.
void env_check(bool (*is_emulation)(std::string_view name));

// Calls f(std::string_view) for each word of a list like MGPIPE_DEBUG's, parted by commas or
// spaces.
template <typename F> void for_each_word(std::string_view list, F f) {
    while (!list.empty()) {
        const size_t end = list.find_first_of(", ");
        const std::string_view word = list.substr(0, end);
        if (!word.empty())
            f(word);
        list = end == list.npos ? std::string_view() : list.substr(end + 1);
    }
}

extern const uint64_t debug_flags;
inline bool debug(Debug flag) {
    return debug_flags >> static_cast<unsigned>(flag) & 1;
}
// Parses a list like MGPIPE_DEBUG's; other words are skipped (env_check() names them).
uint64_t debug_parse(std::string_view list);

} // namespace util
