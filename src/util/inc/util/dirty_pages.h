// SPDX-License-Identifier: MIT
// Memory whose written pages can be asked for, without a signal handler and without a fault that
// anybody has to serve: asynchronous write protection of userfaultfd(2), read and armed again by
// one ioctl of /proc/self/pagemap (PAGEMAP_SCAN; Linux 6.7). Not seen is what a device writes into
// pages that were pinned before the last question (io_uring's registered buffers, O_DIRECT reads
// that are on their way).
#pragma once

#include <cstddef>
#include <cstdint>

namespace util {

struct PageRun {
    uint64_t offset, size; // bytes, multiples of the page size
};

// One at a time asks or changes an object; anybody writes the memory meanwhile. In the child of a
// fork every page counts as written, always.
class DirtyPages {
  public:
    // Whether this system tells written pages: found out by a trial at the first call, which must
    // see exactly the pages that it writes. What it found is logged at info level. Any thread.
    static bool work();
    // The trial itself. `spoil`: it loses sight of one page, and must fail (negative control).
    static bool trial(bool spoil);

    DirtyPages() = default;
    ~DirtyPages();
    DirtyPages(const DirtyPages &) = delete;
    DirtyPages &operator=(const DirtyPages &) = delete;

    // `size` bytes of zeroed memory of our own, in whole pages; once. False: there is none.
    bool allocate(uint64_t size);
    uint8_t *data() const { return data_; }
    uint64_t size() const { return size_; } // rounded up

    // From here on writes are noted; no page counts as written. False: they cannot be.
    bool watch();
    void unwatch();
    bool watched() const { return watched_; }

    // Up to `max` runs of pages of [*at, end) that were written since they were told last,
    // ascending in `runs`; returns how many and moves *at to where the next call goes on. Each is
    // armed again before it is told: read them afterwards, and no write is lost. Neither allocates
    // nor blocks.
    size_t take(uint64_t *at, uint64_t end, PageRun *runs, size_t max);

  private:
    uint8_t *data_ = nullptr;
    uint64_t size_ = 0;
    bool watched_ = false;
};

} // namespace util
