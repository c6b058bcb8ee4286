// SPDX-License-Identifier: MIT
// What the rest of the frontend needs of the entry points: the current context of this thread,
// look-up of entry points by name, names of enumerants. Nothing here owns a context.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace gl {
struct Context;
}

namespace glapi {

// The context this thread's GL calls go to; the only thread-local variable of the library
// (initial-exec, so that programs may dlopen us late). Null: calls do nothing and return 0. Read it
// through current().
extern __thread gl::Context *current_context
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Called by make-current only. The caller keeps the context alive while it is current anywhere. A
// lost context is another matter, see lose_current().
inline void set_current(gl::Context *ctx) {
    current_context = ctx;
}
inline gl::Context *current() {
    return current_context;
}

// The thread's current context is lost: from now on its commands raise GL_CONTEXT_LOST and do
// nothing, but for those by which a program finds out (GL 4.6 section 2.3.2); current() is null. A
// null argument forgets the lost context again.
void lose_current(gl::Context *ctx);
gl::Context *lost();

// Address of a GL entry point by its full name ("glDrawArrays", aliases included), null when there
// is no such command. Valid in every context and thread for the life of the process.
void (*get_proc_address(const char *name))();

// Core commands that are not written yet ("glFoo"), sorted; and how many core commands there are.
std::span<const char *const> missing();
uint32_t core_command_count();

// "GL_RGBA8", or null for a value without a name.
const char *enum_name(uint32_t value);
// enum_name, or the value in hexadecimal.
std::string enum_string(uint32_t value);

} // namespace glapi
