// SPDX-License-Identifier: MIT
// Written pages by userfaultfd and PAGEMAP_SCAN. The interface of the kernel is declared here:
// headers of the supported systems are older than it.
#include "util/dirty_pages.h"

#include "util/descriptor.h"
#include "util/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace util {

namespace {

// --- Documentation/admin-guide/mm/{userfaultfd,pagemap}.rst --------------------------------------

constexpr int user_mode_only = 1; // flag of the system call: allowed without privilege

struct UffdApi {
    uint64_t api, features, ioctls;
};
struct UffdRange {
    uint64_t start, size;
};
struct UffdRegister {
    UffdRange range;
    uint64_t mode, ioctls;
};
constexpr uint64_t uffd_version = 0xaa;
constexpr uint64_t feature_unpopulated = 1u << 13; // pages that nobody touched yet are armed too
constexpr uint64_t feature_async = 1u << 15;       // a write disarms, and nobody is asked
constexpr uint64_t mode_write_protect = 1u << 1;
#define UFFD_API _IOWR(0xaa, 0x3f, UffdApi)
#define UFFD_REGISTER _IOWR(0xaa, 0x00, UffdRegister)
#define UFFD_UNREGISTER _IOR(0xaa, 0x01, UffdRange)

struct ScanRegion {
    uint64_t start, end, categories;
};
struct ScanArguments {
    uint64_t size, flags, start, end, walk_end, regions, num_regions, max_pages;
    uint64_t category_inverted, category_mask, category_any, return_mask;
};
constexpr uint64_t scan_and_arm = 1u << 0; // PM_SCAN_WP_MATCHING
constexpr uint64_t scan_checked = 1u << 1; // PM_SCAN_CHECK_WPASYNC
constexpr uint64_t page_is_written = 1u << 1;
#define SCAN _IOWR('f', 16, ScanArguments)

// -------------------------------------------------------------------------------------------------

constexpr size_t max_runs = 32; // of one ioctl

uint64_t page_size() {
    static const auto size = uint64_t(sysconf(_SC_PAGESIZE));
    return size;
}

// The two descriptors belong to the address space that opened them; they stay for the process.
struct Kernel {
    int uffd = -1, pagemap = -1;
    std::atomic<bool> here{false}; // false in the child of a fork
};
Kernel kernel;

void forked() {
    kernel.here.store(false, std::memory_order_relaxed);
}

bool start_kernel() {
    const auto fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | user_mode_only);
    kernel.uffd = above_standard(int(fd));
    if (kernel.uffd < 0) {
        log_info("maps", "written pages: userfaultfd is refused: %s", strerror(errno));
        return false;
    }
    UffdApi api{uffd_version, feature_async | feature_unpopulated, 0};
    if (ioctl(kernel.uffd, UFFD_API, &api) != 0) {
        log_info("maps", "written pages: no asynchronous write protection in this kernel");
        return false;
    }
    kernel.pagemap = above_standard(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    if (kernel.pagemap < 0) {
        log_info("maps", "written pages: no pagemap: %s", strerror(errno));
        return false;
    }
    if (pthread_atfork(nullptr, nullptr, forked) != 0)
        return false;
    kernel.here.store(true);
    return true;
}

void stop_kernel() {
    kernel.here.store(false);
    for (int *fd : {&kernel.uffd, &kernel.pagemap}) {
        if (*fd >= 0)
            close(*fd);
        *fd = -1;
    }
}

// Number of regions, or -1. `*walked`: where the next scan goes on.
int scan(uint64_t start, uint64_t end, ScanRegion *regions, size_t num, uint64_t *walked) {
    ScanArguments a{};
    a.size = sizeof a;
    a.flags = scan_and_arm | scan_checked;
    a.start = start;
    a.end = end;
    a.regions = uint64_t(reinterpret_cast<uintptr_t>(regions));
    a.num_regions = num;
    a.category_mask = a.return_mask = page_is_written;
    int n;
    do
        n = ioctl(kernel.pagemap, SCAN, &a);
    while (n < 0 && errno == EINTR);
    *walked = a.walk_end;
    return n >= 0 && a.walk_end > start && a.walk_end <= end ? n : -1;
}

bool write_by_kernel(uint8_t *to) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    const char byte = 1;
    const bool ok = write(ends[1], &byte, 1) == 1 && read(ends[0], to, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return ok;
}

// Exactly the pages of `want`, a bit each, are told; `lost` is overlooked.
bool told(DirtyPages &pages, uint64_t want, uint64_t lost) {
    PageRun runs[64];
    uint64_t at = 0, seen = 0;
    while (at < pages.size()) {
        const size_t n = pages.take(&at, pages.size(), runs, std::size(runs));
        for (size_t i = 0; i < n; i++)
            for (uint64_t o = 0; o < runs[i].size; o += page_size())
                seen |= uint64_t(1) << (runs[i].offset + o) / page_size();
    }
    return (seen & ~lost) == want;
}

} // namespace

bool DirtyPages::trial(bool spoil) {
    DirtyPages pages;
    const uint64_t page = page_size();
    if (!pages.allocate(16 * page))
        return false;
    memset(pages.data(), 1, 8 * page); // the others stay untouched
    if (!pages.watch())
        return false;
    const uint64_t lost = spoil ? 1u << 3 : 0;
    volatile uint8_t *bytes = pages.data();
    if (!told(pages, 0, lost))
        return false;
    bytes[3 * page + 5] = 2;
    bytes[11 * page - 1] = 2;
    if (!write_by_kernel(pages.data() + 6 * page) ||
        !told(pages, 1u << 3 | 1u << 6 | 1u << 10, lost))
        return false;
    if (!told(pages, 0, lost))
        return false;
    bytes[3 * page] = 3;                 // armed again?
    bytes[15 * page] = bytes[15 * page]; // the same value is a write too
    return told(pages, 1u << 3 | 1u << 15, lost) && told(pages, 0, lost);
}

bool DirtyPages::work() {
    static const bool works = [] {
        if (start_kernel() && trial(false)) {
            log_info("maps", "written pages are told by userfaultfd and PAGEMAP_SCAN");
            return true;
        }
        if (kernel.here.load())
            log_info("maps", "written pages: the trial did not see what it wrote");
        stop_kernel();
        return false;
    }();
    return works;
}

DirtyPages::~DirtyPages() {
    unwatch();
    if (data_)
        munmap(data_, size_);
}

bool DirtyPages::allocate(uint64_t size) {
    constexpr uint64_t huge = 2u << 20;
    const uint64_t page = page_size();
    if (data_ || size > SIZE_MAX - page)
        return false;
    size = std::max(page, (size + page - 1) & ~(page - 1));
    void *p = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return false;
    // A scan passes over what was not written in large steps; a write still counts as one page.
    if (size >= 2 * huge)
        madvise(p, size, MADV_HUGEPAGE);
    data_ = static_cast<uint8_t *>(p);
    size_ = size;
    return true;
}

bool DirtyPages::watch() {
    if (!data_ || watched_ || !kernel.here.load(std::memory_order_relaxed))
        return watched_;
    UffdRegister r{{uint64_t(reinterpret_cast<uintptr_t>(data_)), size_}, mode_write_protect, 0};
    if (ioctl(kernel.uffd, UFFD_REGISTER, &r) != 0)
        return false;
    watched_ = true;
    PageRun runs[max_runs];
    for (uint64_t at = 0; at < size_;)
        take(&at, size_, runs, max_runs);
    return true;
}

void DirtyPages::unwatch() {
    if (!watched_)
        return;
    watched_ = false;
    if (!kernel.here.load(std::memory_order_relaxed))
        return;
    UffdRange r{uint64_t(reinterpret_cast<uintptr_t>(data_)), size_};
    ioctl(kernel.uffd, UFFD_UNREGISTER, &r);
}

size_t DirtyPages::take(uint64_t *at, uint64_t end, PageRun *runs, size_t max) {
    const uint64_t page = page_size();
    const uint64_t from = *at & ~(page - 1);
    const uint64_t to = std::min(size_, (end + page - 1) & ~(page - 1));
    *at = end;
    if (from >= to || !max)
        return 0;
    ScanRegion found[max_runs];
    const auto base = uint64_t(reinterpret_cast<uintptr_t>(data_));
    uint64_t walked = 0;
    const int n = watched_ && kernel.here.load(std::memory_order_relaxed)
                      ? scan(base + from, base + to, found, std::min(max, max_runs), &walked)
                      : -1;
    if (n < 0) { // not known: everything
        runs[0] = {from, to - from};
        return 1;
    }
    for (int i = 0; i < n; i++)
        runs[i] = {found[i].start - base, found[i].end - found[i].start};
    if (walked - base < to)
        *at = walked - base;
    return size_t(n);
}

} // namespace util
