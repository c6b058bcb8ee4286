// SPDX-License-Identifier: MIT
// Finding and copying statistics pages; see top_pages.h.
#include "top_pages.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using util::StatsHeader;
using util::StatsPage;

uint64_t monotonic_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

// A page of another process must not write to our terminal what it likes.
static std::string printable(const char *text, size_t size) {
    std::string out(text, strnlen(text, size));
    for (char &c : out)
        if (c < ' ' || c > '~')
            c = '?';
    return out;
}

// --- processes -----------------------------------------------------------------------------------

static std::string proc(pid_t pid, const char *what) {
    return "/proc/" + std::to_string(pid) + "/" + what;
}

char process_state(pid_t pid) {
    std::ifstream in(proc(pid, "stat"));
    std::string line;
    std::getline(in, line);
    const size_t end = line.rfind(')');
    return end != std::string::npos && end + 2 < line.size() ? line[end + 2] : 0;
}

static std::string program_name(pid_t pid) {
    std::ifstream in(proc(pid, "comm"));
    std::string line;
    std::getline(in, line);
    return printable(line.data(), line.size());
}

// In a container it may have another number than here.
static uint32_t pid_of_its_own(pid_t pid) {
    std::ifstream in(proc(pid, "status"));
    for (std::string line; std::getline(in, line);)
        if (line.rfind("NSpid:", 0) == 0)
            return static_cast<uint32_t>(atol(line.c_str() + line.find_last_of(" \t") + 1));
    return static_cast<uint32_t>(pid);
}

template <typename F> static void for_each_number(const std::string &folder, F f) {
    const std::unique_ptr<DIR, int (*)(DIR *)> dir(opendir(folder.c_str()), closedir);
    while (const dirent *entry = dir ? readdir(dir.get()) : nullptr)
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
            f(atoi(entry->d_name));
}

// --- one page ------------------------------------------------------------------------------------

namespace {

class PageFile {
  public:
    explicit PageFile(const std::string &path)
        : fd_(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)) {}
    ~PageFile() {
        if (fd_ >= 0)
            close(fd_);
    }
    PageFile(const PageFile &) = delete;
    PageFile &operator=(const PageFile &) = delete;

    // Never mapped: it could shrink under us.
    bool read(void *to, size_t size, size_t offset) const {
        return pread(fd_, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
    }
    template <typename T> void write(size_t offset, T value) const {
        [[maybe_unused]] const ssize_t done =
            pwrite(fd_, &value, sizeof value, static_cast<off_t>(offset));
    }
    bool is_a_page() const {
        struct stat is;
        return fd_ >= 0 && !fstat(fd_, &is) && S_ISREG(is.st_mode) &&
               is.st_size == sizeof(StatsPage) && fcntl(fd_, F_GET_SEALS) > 0;
    }

  private:
    int fd_;
};

} // namespace

static constexpr size_t at_until = offsetof(StatsHeader, watched_until_ns);
static constexpr size_t at_watched = offsetof(StatsHeader, on) + util::stats_watched;

static bool makes_sense(const StatsHeader &h, pid_t pid) {
    return !memcmp(h.magic, util::stats_page_magic, sizeof h.magic) &&
           h.version == util::stats_page_version && h.size == sizeof(StatsPage) &&
           h.slots_used <= util::stats_slots && h.role >= 1 && h.role <= 3 &&
           h.pid == pid_of_its_own(pid);
}

// All values of one frame, if the owner lets us.
static bool copy(const PageFile &file, StatsPage &page) {
    for (int tries = 0; tries < 20; tries++) {
        uint32_t after;
        if (!file.read(&page, sizeof page, 0) ||
            !file.read(&after, sizeof after, offsetof(StatsHeader, frame_sequence)))
            return false;
        if (after == page.header.frame_sequence && after % 2 == 0)
            break;
    }
    return true;
}

static void take_counters(const StatsPage &page, Snapshot &s) {
    for (uint32_t i = 0; i < page.header.slots_used; i++) {
        const util::StatsSlot &slot = page.slots[i];
        const std::string name = printable(slot.name, sizeof slot.name);
        if (name.empty())
            continue;
        const auto kind = static_cast<util::StatsKind>(std::min(slot.kind, 2u));
        s.counters[name] = {slot.value, slot.at_last_frame, kind};
    }
}

static bool take(const PageFile &file, pid_t pid, Snapshot &s) {
    const auto page = std::make_unique<StatsPage>();
    if (!file.is_a_page() || !copy(file, *page) || !makes_sense(page->header, pid))
        return false;
    const StatsHeader &h = page->header;
    s.pid = pid;
    s.own_pid = h.pid;
    s.peer_pid = h.peer_pid;
    s.role = static_cast<util::StatsRole>(h.role);
    s.lost = h.lost;
    s.process_state = process_state(pid);
    s.program = program_name(pid);
    s.driver = printable(h.driver, sizeof h.driver);
    s.form = printable(h.form, sizeof h.form);
    s.taken_ns = monotonic_ns();
    s.frames = h.frames;
    s.frames_counted = h.frames_counted;
    take_counters(*page, s);
    return true;
}

// --- all pages -----------------------------------------------------------------------------------

template <typename F> static void for_each_page(F f) {
    const std::string wanted = std::string("/memfd:") + util::stats_page_name + " (deleted)";
    for_each_number("/proc", [&](pid_t pid) {
        const std::string folder = proc(pid, "fd");
        for_each_number(folder, [&](int fd) {
            const std::string path = folder + "/" + std::to_string(fd);
            char target[64];
            const ssize_t length = readlink(path.c_str(), target, sizeof target);
            if (length == static_cast<ssize_t>(wanted.size()) &&
                !memcmp(target, wanted.data(), wanted.size()))
                f(pid, path);
        });
    });
}

static std::map<pid_t, uint64_t> asked_until; // what we wrote last

std::vector<Snapshot> read_pages(uint64_t watch_ns) {
    std::vector<Snapshot> all;
    for_each_page([&](pid_t pid, const std::string &path) {
        const PageFile file(path);
        Snapshot s;
        if ((!all.empty() && all.back().pid == pid) || !take(file, pid, s))
            return;
        if (watch_ns) {
            const uint64_t until = asked_until[pid] = monotonic_ns() + watch_ns;
            file.write(at_until, until);
            file.write(at_watched, uint8_t(1));
        }
        all.push_back(std::move(s));
    });
    return all;
}

void stop_watching() {
    for_each_page([](pid_t pid, const std::string &path) {
        const PageFile file(path);
        Snapshot s;
        uint64_t until;
        if (asked_until.count(pid) && take(file, pid, s) &&
            file.read(&until, sizeof until, at_until) && until == asked_until[pid])
            file.write(at_watched, uint8_t(0));
    });
    asked_until.clear();
}
