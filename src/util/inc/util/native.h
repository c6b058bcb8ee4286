// SPDX-License-Identifier: MIT
// Names for objects of the program's window system (a wl_display, a wl_surface), so that no pointer
// travels in a record. A token means something only in the process that minted it and never means
// another object later. Any thread.
#pragma once

#include <cstdint>

namespace util {

// Never 0. The object stays the caller's, who forgets the token before it dies.
uint64_t native_mint(void *object);
// Null for 0, for a forgotten token and for one of another process.
void *native_find(uint64_t token);
void native_forget(uint64_t token);

} // namespace util
