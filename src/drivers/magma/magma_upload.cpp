// SPDX-License-Identifier: MIT
// Pool of upload chunks.
#include "magma_upload.h"

#include "magma_instance.h"

namespace magma {

std::unique_ptr<upload_chunk> upload_pool::take(VkDeviceSize size) {
    if (size <= chunk_size) {
        std::lock_guard lock(mutex_);
        if (!spare_.empty()) {
            auto chunk = std::move(spare_.back());
            spare_.pop_back();
            chunk->used = 0;
            return chunk;
        }
    }
    auto chunk = std::make_unique<upload_chunk>();
    chunk->size = size > chunk_size ? size : chunk_size;
    VkResult result;
    chunk->buffer = create_buffer_storage(
        dev_, chunk->size,
        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
            VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
            VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
        memory_use::upload, result);
    if (!chunk->buffer || !chunk->buffer->memory.map)
        return nullptr;
    return chunk;
}

void upload_pool::give_back(std::unique_ptr<upload_chunk> chunk) {
    if (chunk->size > chunk_size)
        return;
    std::lock_guard lock(mutex_);
    if (spare_.size() < 16)
        spare_.push_back(std::move(chunk));
}

upload_pool &uploads_of(host_device &dev) {
    static std::mutex mutex;
    static upload_pool *pool = nullptr; // lives as long as the device: for good
    std::lock_guard lock(mutex);
    if (!pool)
        pool = new upload_pool(dev);
    return *pool;
}

} // namespace magma
