// SPDX-License-Identifier: MIT
// Files named by a 128-bit key under MGPIPE_CACHE_DIR (default XDG_CACHE_HOME/mgpipe), one
// subfolder per kind. Several processes may share it: a file appears by rename, whole or not at
// all; a damaged one (length, checksum) is a miss and is removed. Over the size limit the files
// used longest ago go first. Any thread; never fails loudly.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "util/hash.h"

namespace util {

class DiskCache {
  public:
    // `kind` names the subfolder; put everything that must match (versions, driver) into the key or
    // into `kind`.
    explicit DiskCache(const std::string &kind);

    bool enabled() const { return !folder_.empty(); }
    std::optional<std::vector<uint8_t>> get(const Hash128 &key);
    void put(const Hash128 &key, std::span<const uint8_t> value);

    const std::string &folder() const { return folder_; }

  private:
    std::string path_of(const Hash128 &key) const;
    void trim();

    std::string folder_; // empty: switched off
    uint64_t limit_;
    std::atomic<uint64_t> written_since_trim_{0};
};

} // namespace util
