// SPDX-License-Identifier: MIT
// Host-visible chunks that bytes pass through on their way to the GPU. A lane takes chunks from the
// device's pool, fills them in order and gives them back when the batch that reads them has
// retired.
#pragma once

#include "magma_storage.h"

#include <memory>
#include <mutex>
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

} // namespace magma
