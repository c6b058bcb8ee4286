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

uint8_t *stage_memory::alloc(host_device &dev, VkDeviceSize size, VkDeviceSize alignment,
                             uint64_t *name) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<upload_chunk> chunk = current_;
    VkDeviceSize at = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
    if (!chunk || at + size > chunk->size) {
        auto fresh = uploads_of(dev).take(size);
        if (!fresh)
            return nullptr;
        chunk = {fresh.release(), [&dev](upload_chunk *used) {
                     uploads_of(dev).give_back(std::unique_ptr<upload_chunk>(used));
                 }};
        at = 0;
        if (size <= upload_pool::chunk_size)
            current_ = chunk;
    }
    chunk->used = at + size;
    *name = ++next_;
    named_[*name] = {chunk, at, size};
    return chunk->buffer->memory.map + at;
}

stage_memory::slice stage_memory::take(uint64_t name) {
    std::lock_guard lock(mutex_);
    auto it = named_.find(name);
    if (it == named_.end())
        return {};
    slice out = std::move(it->second);
    named_.erase(it);
    return out;
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
