// SPDX-License-Identifier: MIT
// Host-visible chunks that bytes pass through on their way to the GPU. A lane takes chunks from the
// device's pool, fills them in order and gives them back when the batch that reads them has
// retired.
#pragma once

#include "magma_storage.h"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace magma {

struct upload_chunk {
    storage_ref buffer;
    VkDeviceSize size = 0, used = 0;
};

struct upload_slice {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
    uint8_t *map = nullptr; // null: the host refused
};

// Process-wide pool of chunks; thread safe.
class upload_pool {
  public:
    explicit upload_pool(host_device &dev) : dev_(dev) {}
    // At least `size` bytes; null when the host refuses.
    std::unique_ptr<upload_chunk> take(VkDeviceSize size);
    void give_back(std::unique_ptr<upload_chunk> chunk);

    static constexpr VkDeviceSize chunk_size = 2ull << 20;

  private:
    host_device &dev_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<upload_chunk>> spare_;
};

upload_pool &uploads_of(host_device &dev);

// Memory of stage_alloc: the bytes of a later record, written in place by whoever makes the record
// and read there by the GPU. A chunk goes back to the pool when everything cut from it was named
// and the last batch that reads it has retired. One per share group; thread safe.
class stage_memory {
  public:
    struct slice {
        std::shared_ptr<upload_chunk> chunk; // null: nothing of that name
        VkDeviceSize offset = 0, size = 0;
    };
    // Writable memory and the name that the record will carry; null when the host refuses.
    uint8_t *alloc(host_device &dev, VkDeviceSize size, VkDeviceSize alignment, uint64_t *name);
    // The record came: its slice, once.
    slice take(uint64_t name);

  private:
    std::mutex mutex_;
    std::shared_ptr<upload_chunk> current_;
    std::unordered_map<uint64_t, slice> named_;
    uint64_t next_ = 0;
};

} // namespace magma
