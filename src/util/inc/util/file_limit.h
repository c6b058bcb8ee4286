// SPDX-License-Identifier: MIT
// The limit of file sizes (RLIMIT_FSIZE). Whoever writes beyond it is killed by a signal that is
// the program's, so we look first.
#pragma once

#include <cstdint>
#include <sys/resource.h>

namespace util {

// A file, or a piece of shared memory, of so many bytes may be made. Any thread.
inline bool file_may_have(uint64_t bytes) {
    rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

} // namespace util
