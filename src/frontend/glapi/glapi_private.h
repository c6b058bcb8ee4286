// SPDX-License-Identifier: MIT
// Between the generated tables and glapi.cpp.
#pragma once

#include <cstdint>

namespace gl {
struct Context;
// Defined by frontend/objects: raises GL_CONTEXT_LOST.
void command_of_lost_context(Context &ctx, const char *name);
// Likewise: raises GL_OUT_OF_MEMORY.
void command_without_memory(Context &ctx, const char *name) noexcept;
} // namespace gl

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

// A call without a current context: an error of the lost one, or logged the first time. Out of line
// and cold: stubs stay small.
[[gnu::cold, gnu::noinline]] void no_context(const char *name);
template <typename T> [[gnu::cold]] T no_context(const char *name) {
    no_context(name);
    return T();
}

// A call for which the process has no memory: GL's error, never an exception in a program of C.
[[gnu::cold, gnu::noinline]] inline void out_of_memory(gl::Context &ctx, const char *name) {
    gl::command_without_memory(ctx, name);
}
template <typename T> [[gnu::cold]] T out_of_memory(gl::Context &ctx, const char *name) {
    out_of_memory(ctx, name);
    return T();
}

} // namespace glapi
