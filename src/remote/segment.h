// SPDX-License-Identifier: MIT
// Memory of client and server: a memfd that both map, sealed against any change of size and
// close-on-exec, or a half's own where they share none. Not inherited by forked children.
#pragma once

#include <cstdint>

namespace remote {

class Segment {
  public:
    Segment() = default;
    ~Segment() { reset(); }
    Segment(Segment &&o) noexcept { *this = static_cast<Segment &&>(o); }
    Segment &operator=(Segment &&o) noexcept;
    Segment(const Segment &) = delete;
    Segment &operator=(const Segment &) = delete;

    // New zeroed memory; false (logged) when the system has none. `size` is rounded up to pages.
    bool create(const char *name, uint64_t size);
    // The same without a descriptor: for this process alone. Pages are taken as they are written.
    bool create_private(uint64_t size);
    // Maps what a peer sent and closes `fd`, also on failure. False (logged) for a descriptor that
    // did not arrive (-1), is not sealed against shrinking or holds fewer than `size` bytes.
    bool adopt(int fd, uint64_t size);
    void reset();
    // In a forked child, which has no such mapping.
    void abandon() {
        data_ = nullptr;
        close_fd();
    }

    uint8_t *data() const { return data_; }
    uint64_t size() const { return size_; }
    int fd() const { return fd_; }
    explicit operator bool() const { return data_ != nullptr; }
    // The descriptor is not needed once the peer has it.
    void close_fd();

  private:
    bool map(int flags);

    uint8_t *data_ = nullptr;
    uint64_t size_ = 0;
    int fd_ = -1;
};

} // namespace remote
