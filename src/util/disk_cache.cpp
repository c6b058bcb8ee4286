// SPDX-License-Identifier: MIT
// Disk cache; see util/disk_cache.h.
#include "util/disk_cache.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/descriptor.h"
#include "util/env.h"
#include "util/file_limit.h"

namespace util {

namespace {

struct Header {
    uint32_t magic;
    uint32_t version;
    uint64_t size;
    Hash128 checksum;
};
constexpr uint32_t cache_magic = 0x4350474d; // "MGPC"
constexpr uint32_t cache_version = 1;
// No cache entry comes near; a larger length is damage.
constexpr uint64_t largest_entry = 256u << 20;

bool make_folders(const std::string &path) {
    for (size_t i = 1; i <= path.size(); ++i) {
        if (i < path.size() && path[i] != '/')
            continue;
        if (mkdir(path.substr(0, i).c_str(), 0700) != 0 && errno != EEXIST)
            return false;
    }
    return access(path.c_str(), W_OK) == 0;
}

std::string base_folder() {
    const std::string chosen = env_text(Env::CACHE_DIR);
    if (chosen == "off" || debug(Debug::nocache))
        return {};
    if (!chosen.empty())
        return chosen;
    // Not with more rights than the user: the folder is the user's to fill.
    if (const char *xdg = secure_getenv("XDG_CACHE_HOME"); xdg && *xdg == '/')
        return std::string(xdg) + "/mgpipe";
    if (const char *home = secure_getenv("HOME"); home && *home == '/')
        return std::string(home) + "/.cache/mgpipe";
    return {};
}

bool read_all(int fd, void *data, size_t size) {
    auto *to = static_cast<uint8_t *>(data);
    while (size) {
        const ssize_t n = read(fd, to, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        size -= static_cast<size_t>(n);
    }
    return true;
}

bool write_all(int fd, const void *data, size_t size) {
    auto *from = static_cast<const uint8_t *>(data);
    while (size) {
        const ssize_t n = write(fd, from, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        size -= static_cast<size_t>(n);
    }
    return true;
}

} // namespace

DiskCache::DiskCache(const std::string &kind) {
    limit_ = static_cast<uint64_t>(env_int(Env::CACHE_MB)) << 20;
    const std::string base = base_folder();
    if (!base.empty() && make_folders(base + "/" + kind))
        folder_ = base + "/" + kind;
}

std::string DiskCache::path_of(const Hash128 &key) const {
    char name[33];
    hash_to_text(key, name);
    return folder_ + "/" + name;
}

std::optional<std::vector<uint8_t>> DiskCache::get(const Hash128 &key) {
    if (!enabled())
        return std::nullopt;
    const std::string path = path_of(key);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return std::nullopt;
    Header header;
    std::vector<uint8_t> value;
    bool good = read_all(fd, &header, sizeof header) && header.magic == cache_magic &&
                header.version == cache_version && header.size <= largest_entry;
    if (good) {
        value.resize(header.size);
        good = read_all(fd, value.data(), value.size()) &&
               hash128(value.data(), value.size()) == header.checksum;
    }
    if (good)
        futimens(fd, nullptr); // last use, for trim()
    close(fd);
    if (good)
        return value;
    unlink(path.c_str());
    return std::nullopt;
}

void DiskCache::put(const Hash128 &key, std::span<const uint8_t> value) {
    if (!enabled() || value.size() > largest_entry || !file_may_have(sizeof(Header) + value.size()))
        return;
    std::string temporary = folder_ + "/.new-XXXXXX";
    const int fd = above_standard(mkostemp(temporary.data(), O_CLOEXEC));
    if (fd < 0)
        return;
    const Header header = {cache_magic, cache_version, value.size(),
                           hash128(value.data(), value.size())};
    const bool written =
        write_all(fd, &header, sizeof header) && write_all(fd, value.data(), value.size());
    close(fd);
    if (!written || rename(temporary.c_str(), path_of(key).c_str()) != 0) {
        unlink(temporary.c_str());
        return;
    }
    // A whole folder scan per entry would cost more than it saves.
    const uint64_t bytes = sizeof header + value.size();
    if (written_since_trim_.fetch_add(bytes, std::memory_order_relaxed) + bytes > limit_ / 16) {
        written_since_trim_.store(0, std::memory_order_relaxed);
        trim();
    }
}

void DiskCache::trim() {
    struct Entry {
        std::string name;
        int64_t used;
        uint64_t size;
    };
    std::vector<Entry> entries;
    uint64_t total = 0;
    DIR *dir = opendir(folder_.c_str());
    if (!dir)
        return;
    while (const dirent *e = readdir(dir)) {
        struct stat st;
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        entries.push_back({e->d_name, st.st_mtim.tv_sec, static_cast<uint64_t>(st.st_size)});
        total += entries.back().size;
    }
    if (total > limit_) {
        std::sort(entries.begin(), entries.end(),
                  [](const Entry &a, const Entry &b) { return a.used < b.used; });
        for (const Entry &entry : entries) {
            if (total <= limit_ - limit_ / 8)
                break;
            if (unlinkat(dirfd(dir), entry.name.c_str(), 0) == 0)
                total -= entry.size;
        }
    }
    closedir(dir);
}

} // namespace util
