// SPDX-License-Identifier: MIT
// A linear allocator: blocks are kept on reset(), nothing is destroyed one by one. One thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace util {

class Arena {
  public:
    explicit Arena(size_t block_size = 64 * 1024) : block_size_(block_size) {}

    // Uninitialised; valid until reset(). Never null (throws std::bad_alloc).
    void *alloc(size_t size, size_t alignment = 16);
    // Everything allocated so far is gone; memory stays for the next round.
    void reset();
    size_t reserved() const { return reserved_; }

  private:
    struct Block {
        std::unique_ptr<uint8_t[]> bytes;
        size_t size;
    };
    std::vector<Block> blocks_;
    size_t block_size_, current_ = 0, offset_ = 0, reserved_ = 0;
};

} // namespace util
