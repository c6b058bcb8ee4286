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
// Waits for the end of uses, at most a second.
void native_forget(uint64_t token);

// A use of an object by another thread than its owner's: it does not die meanwhile.
class NativeUse {
  public:
    explicit NativeUse(uint64_t token);
    ~NativeUse();
    NativeUse(const NativeUse &) = delete;
    NativeUse &operator=(const NativeUse &) = delete;
    void *object() const { return object_; } // as native_find()

  private:
    uint64_t token_;
    void *object_;
};

} // namespace util
