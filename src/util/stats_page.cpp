// SPDX-License-Identifier: MIT
// The page of the counters, first private memory, then a memfd in the same place; see
// util/stats_page.h.
#include "util/stats.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stats_private.h"
#include "util/descriptor.h"
#include "util/file_limit.h"
#include "util/log.h"

namespace util {

StatsPage stats_page;

// Of the descriptor, which the program may have closed and its number given away.
struct PageFile {
    int fd = -1;
    dev_t device = 0;
    ino_t inode = 0;
};
static PageFile page_file;
static std::mutex page_mutex;

static int make_file() {
    if (!file_may_have(sizeof stats_page))
        return -1;
    return above_standard(memfd_create(stats_page_name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

static bool fill(int fd) {
    const auto size = static_cast<ssize_t>(sizeof stats_page);
    constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    return pwrite(fd, &stats_page, sizeof stats_page, 0) == size &&
           fcntl(fd, F_ADD_SEALS, seals) == 0;
}

static bool place(int flags, int fd) {
    return mmap(&stats_page, sizeof stats_page, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd, 0) ==
           &stats_page;
}

static bool fits() {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    return reinterpret_cast<uintptr_t>(&stats_page) % page == 0 && sizeof stats_page % page == 0;
}

static void forked() {
    if (page_file.fd < 0)
        return;
    const bool asked = stats_page.header.on[stats_asked];
    place(MAP_PRIVATE | MAP_ANONYMOUS, -1); // the other one is our parent's
    stats_page.header.on[stats_asked] = asked;
    stats_fill_slots();
    struct stat now;
    if (!fstat(page_file.fd, &now) && now.st_dev == page_file.device &&
        now.st_ino == page_file.inode)
        close(page_file.fd);
    page_file = {};
}

void stats_watch_forks() {
    [[maybe_unused]] static const int registered = pthread_atfork(
        [] {
            page_mutex.lock();
            stats_lock();
        },
        [] {
            stats_unlock();
            page_mutex.unlock();
        },
        [] {
            forked();
            stats_unlock();
            page_mutex.unlock();
        });
}

static void describe() {
    StatsHeader &h = stats_page.header;
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    h.version = stats_page_version;
    h.size = sizeof stats_page;
    h.pid = static_cast<uint32_t>(getpid());
    h.started_ns =
        static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
    memcpy(h.magic, stats_page_magic, sizeof h.magic);
}

void stats_open() {
    stats_watch_forks();
    std::lock_guard lock(page_mutex);
    if (page_file.fd >= 0 || !fits())
        return;
    const int fd = make_file();
    struct stat is;
    if (fd < 0 || !fill(fd) || fstat(fd, &is) || !place(MAP_SHARED, fd)) {
        log_debug("stats", "no page for mgpipe top: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return;
    }
    page_file = {fd, is.st_dev, is.st_ino};
    stats_show_levels();
    describe();
}

template <size_t size> static void put(char (&to)[size], const char *text) {
    const size_t length = strnlen(text, size - 1);
    memcpy(to, text, length);
    memset(to + length, 0, size - length);
}

void stats_identify(StatsRole role, const char *form, uint32_t peer_pid) {
    StatsHeader &h = stats_page.header;
    std::lock_guard lock(page_mutex);
    put(h.form, form);
    h.role = static_cast<uint32_t>(role);
    h.peer_pid = peer_pid;
    h.lost = 0;
}

void stats_driver(const char *name) {
    std::lock_guard lock(page_mutex);
    put(stats_page.header.driver, name);
}

void stats_lost() {
    std::atomic_ref(stats_page.header.lost).store(1, std::memory_order_relaxed);
}

} // namespace util
