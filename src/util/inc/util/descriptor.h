// SPDX-License-Identifier: MIT
// Where the descriptors of this library lie.
#pragma once

namespace util {

// A program may have closed 0 to 2; whoever then logs to standard error would write into what
// landed there. Moves `fd` above them, close-on-exec (the old number is closed); -1 where that
// fails or `fd` is -1 already, errno tells.
int above_standard(int fd);

} // namespace util
