// SPDX-License-Identifier: MIT
// Messages of the control plane; see control.h.
#include "control.h"

#include "pipe_wire/wire.h"

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace remote {

Message &Message::operator=(Message &&other) noexcept {
    if (this == &other)
        return *this;
    close_fds();
    type = other.type;
    bytes = std::move(other.bytes);
    fds = std::exchange(other.fds, {});
    return *this;
}

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

std::string refusal_text(const Message &m) {
    pipe_ctl_refuse refuse;
    if (m.type != PIPE_CTL_REFUSE || !m.get(&refuse))
        return {};
    std::string text =
        std::string("(") + wire::refusal_name(static_cast<enum pipe_refusal>(refuse.code)) + "): ";
    text.append(reinterpret_cast<const char *>(m.tail<pipe_ctl_refuse>()),
                m.tail_size<pipe_ctl_refuse>());
    // Limits and forms are in words; a token has no value.
    if (refuse.code != PIPE_REFUSAL_FINGERPRINT && refuse.code != PIPE_REFUSAL_VERSION &&
        refuse.code != PIPE_REFUSAL_MAGIC)
        return text;
    char values[64];
    snprintf(values, sizeof values, "; server %016llx, client %016llx",
             static_cast<unsigned long long>(refuse.ours),
             static_cast<unsigned long long>(refuse.theirs));
    return text + values;
}

} // namespace remote
