// SPDX-License-Identifier: MIT
// See the header.
#include "util/descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace util {

int above_standard(int fd) {
    if (fd < 0 || fd > 2)
        return fd;
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    close(fd);
    errno = error;
    return moved;
}

} // namespace util
