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
// As a number (decimal, 0x hexadecimal); text that is no number gives the default and, once per
// variable, a warning.
int64_t env_int(Env variable);

extern const uint64_t debug_flags;
inline bool debug(Debug flag) {
    return debug_flags >> static_cast<unsigned>(flag) & 1;
}
// Parses a list like MGPIPE_DEBUG's; unknown words are logged and skipped.
uint64_t debug_parse(std::string_view list);

} // namespace util
