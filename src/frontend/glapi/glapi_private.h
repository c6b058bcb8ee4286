// SPDX-License-Identifier: MIT
// Between the generated tables and glapi.cpp.
#pragma once

#include <cstdint>

namespace glapi {

struct NameEntry {
    uint32_t offset; // into NameTable::text
    void (*function)();
};

struct NameTable {
    const char *text;
    const NameEntry *entries;
    uint32_t count;
};

struct MissingTable {
    const char *const *names;
    uint32_t count;
    uint32_t core_count;
};

struct EnumEntry {
    uint32_t value;
    const char *name;
};

struct EnumTable {
    const EnumEntry *entries;
    uint32_t count;
};

extern const NameTable name_table;
extern const MissingTable missing_table;
extern const EnumTable enum_table;

// Logs the first call without a current context. Out of line and cold: stubs stay small.
[[gnu::cold, gnu::noinline]] void no_context(const char *name);
template <typename T> [[gnu::cold]] T no_context(const char *name) {
    no_context(name);
    return T();
}

} // namespace glapi
