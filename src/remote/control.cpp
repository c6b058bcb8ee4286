// SPDX-License-Identifier: MIT
// Messages of the control plane; see control.h.
#include "control.h"

#include <fcntl.h>
#include <unistd.h>

namespace remote {

void Message::close_fds() {
    for (int fd : fds)
        if (fd >= 0)
            close(fd);
    fds.clear();
}

int Message::take_fd(unsigned i) {
    if (i >= fds.size())
        return -1;
    int fd = fds[i];
    fds[i] = -1;
    return fd;
}

bool attach_fd(Message &m, int fd) {
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0)
        return false;
    m.fds.push_back(copy);
    return true;
}

} // namespace remote
