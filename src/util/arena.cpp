// SPDX-License-Identifier: MIT
// Linear allocator; see util/arena.h.
#include "util/arena.h"

#include <algorithm>

namespace util {

void *Arena::alloc(size_t size, size_t alignment) {
    while (current_ < blocks_.size()) {
        Block &block = blocks_[current_];
        const uintptr_t base = reinterpret_cast<uintptr_t>(block.bytes.get());
        const size_t start = ((base + offset_ + alignment - 1) & ~(alignment - 1)) - base;
        if (start + size <= block.size) {
            offset_ = start + size;
            return block.bytes.get() + start;
        }
        ++current_;
        offset_ = 0;
    }
    const size_t bytes = std::max(block_size_, size + alignment);
    blocks_.push_back({std::unique_ptr<uint8_t[]>(new uint8_t[bytes]), bytes});
    reserved_ += bytes;
    return alloc(size, alignment);
}

void Arena::reset() {
    current_ = 0;
    offset_ = 0;
}

} // namespace util
