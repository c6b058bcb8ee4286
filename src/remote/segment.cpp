// SPDX-License-Identifier: MIT
// Sealed memfds; see segment.h.
#include "segment.h"

#include "counters.h"
#include "descriptor.h"

#include "util/file_limit.h"
#include "util/log.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace remote {

Segment &Segment::operator=(Segment &&o) noexcept {
    if (this == &o)
        return *this;
    reset();
    data_ = std::exchange(o.data_, nullptr);
    size_ = std::exchange(o.size_, 0);
    fd_ = std::exchange(o.fd_, -1);
    return *this;
}

static bool give_size(int fd, uint64_t size) {
    if (util::file_may_have(size))
        return ftruncate(fd, static_cast<off_t>(size)) == 0;
    errno = EFBIG;
    return false;
}

bool Segment::create(const char *name, uint64_t size) {
    reset();
    size_ = (size + 4095) & ~uint64_t(4095);
    fd_ = above_standard(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (fd_ < 0 || !give_size(fd_, size_) ||
        fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        log_error("remote", "no shared memory %s of %llu bytes: %s", name,
                  (unsigned long long)size_, strerror(errno));
        reset();
        return false;
    }
    return map(MAP_SHARED);
}

bool Segment::create_private(uint64_t size) {
    reset();
    size_ = (size + 4095) & ~uint64_t(4095);
    return size_ >= size && map(MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
}

bool Segment::adopt(int fd, uint64_t size) {
    reset();
    if (fd < 0) {
        log_error("remote",
                  "a segment of %llu bytes came without its descriptor: too many are "
                  "open",
                  (unsigned long long)size);
        return false;
    }
    fd_ = fd;
    size_ = size;
    struct stat st;
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 || st.st_size < 0 ||
        static_cast<uint64_t>(st.st_size) < size || size == 0) {
        log_error("remote", "a segment of %llu bytes is refused: not sealed or too small",
                  (unsigned long long)size);
        reset();
        return false;
    }
    bool mapped = map(MAP_SHARED);
    close_fd();
    return mapped;
}

bool Segment::map(int flags) {
    void *p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, flags, fd_, 0);
    if (p == MAP_FAILED) {
        log_error("remote", "cannot map %llu bytes: %s", (unsigned long long)size_,
                  strerror(errno));
        reset();
        return false;
    }
    data_ = static_cast<uint8_t *>(p);
    count_segments.level(1);
    // A forked child has no lane of its own to this server.
    madvise(data_, size_, MADV_DONTFORK);
    return true;
}

void Segment::close_fd() {
    if (fd_ >= 0)
        close(fd_);
    fd_ = -1;
}

void Segment::reset() {
    if (data_) {
        munmap(data_, size_);
        count_segments.level(-1);
    }
    data_ = nullptr;
    close_fd();
    size_ = 0;
}

} // namespace remote
