// SPDX-License-Identifier: MIT
// Batches: opening, submitting, retiring.
#include "magma_batch.h"

#include "magma_instance.h"
#include "magma_trash.h"
#include "util/log.h"
#include "util/stats.h"

#include <algorithm>

namespace magma {

namespace {

// A host that is slow, or shares its processors, must not decide how much memory waits for it.
constexpr size_t max_in_flight = 8;
constexpr uint64_t max_in_flight_commands = 2ull * recorder::max_commands;
constexpr uint64_t max_in_flight_bytes = 3 * recorder::max_upload;
constexpr uint32_t sets_per_pool = 512;

util::Counter count_in_flight("magma.commands_in_flight",
                              "most commands of one context that were submitted and not done");
util::Counter count_submit_waits("magma.submit_waits",
                                 "submissions that waited until the host had done older ones");

// The semaphores of a submission beside their values.
struct submit_lists {
    VkSemaphore signals[2], waits[1];
    uint64_t signal_values[2] = {}, wait_values[1] = {}; // of binary ones: ignored
    uint32_t num_signals = 0, num_waits = 0;
    const VkPipelineStageFlags stages[1] = {VK_PIPELINE_STAGE_TRANSFER_BIT};
    const bool with_timeline;
    VkTimelineSemaphoreSubmitInfo timeline = {VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};

    submit_lists(const submit_semaphores &extra, VkSemaphore own, uint64_t serial)
        : with_timeline(own != VK_NULL_HANDLE) {
        if (own) {
            signals[num_signals] = own;
            signal_values[num_signals++] = serial;
        }
        if (extra.signal)
            signals[num_signals++] = extra.signal;
        if (extra.wait)
            waits[num_waits++] = extra.wait;
    }
    void fill(VkSubmitInfo &info) {
        timeline.signalSemaphoreValueCount = num_signals;
        timeline.pSignalSemaphoreValues = signal_values;
        timeline.waitSemaphoreValueCount = num_waits;
        timeline.pWaitSemaphoreValues = wait_values;
        info.pNext = with_timeline ? &timeline : nullptr;
        info.signalSemaphoreCount = num_signals;
        info.pSignalSemaphores = signals;
        info.waitSemaphoreCount = num_waits;
        info.pWaitSemaphores = waits;
        info.pWaitDstStageMask = stages;
    }
};

} // namespace

// ---- tokens -------------------------------------------------------------------------------------

batch_token::~batch_token() {
    if (fence)
        dev->vk.DestroyFence(dev->device, fence, nullptr);
}

bool batch_token::poll() {
    if (done.load(std::memory_order_acquire) || dev->lost.load())
        return true;
    uint64_t s = serial.load(std::memory_order_acquire);
    if (!s)
        return false;
    VkResult result;
    bool over = false;
    if (dev->timeline) {
        uint64_t value = 0;
        result = dev->vk.GetSemaphoreCounterValue(dev->device, dev->timeline, &value);
        over = value >= s;
    } else {
        result = dev->vk.GetFenceStatus(dev->device, fence);
        over = result == VK_SUCCESS;
    }
    if (result == VK_ERROR_DEVICE_LOST)
        dev->lost = true, over = true;
    if (over)
        done.store(true, std::memory_order_release);
    return over;
}

bool batch_token::wait(uint64_t timeout_ns) {
    if (poll())
        return true;
    uint64_t s = serial.load(std::memory_order_acquire);
    if (!s)
        return false;
    VkResult result;
    if (dev->timeline) {
        VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
        info.semaphoreCount = 1;
        info.pSemaphores = &dev->timeline;
        info.pValues = &s;
        result = dev->vk.WaitSemaphores(dev->device, &info, timeout_ns);
    } else {
        result = dev->vk.WaitForFences(dev->device, 1, &fence, VK_TRUE, timeout_ns);
    }
    if (result == VK_TIMEOUT)
        return false;
    if (result == VK_ERROR_DEVICE_LOST)
        dev->lost = true;
    done.store(true, std::memory_order_release);
    return true;
}

// ---- recorder -----------------------------------------------------------------------------------

recorder::~recorder() {
    if (cur_)
        submit();
    retire(true);
    for (auto &b : spare_)
        dev.trash->throw_away(VK_OBJECT_TYPE_COMMAND_POOL, b->pool);
    for (VkDescriptorPool pool : spare_pools_)
        dev.trash->throw_away(VK_OBJECT_TYPE_DESCRIPTOR_POOL, pool);
}

std::unique_ptr<batch> recorder::make_batch() {
    auto b = std::make_unique<batch>();
    VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    pool.queueFamilyIndex = dev.queue_family;
    if (VK_TRY(&dev, CreateCommandPool(dev.device, &pool, nullptr, &b->pool)) != VK_SUCCESS)
        return nullptr;
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = b->pool;
    info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    info.commandBufferCount = 3;
    VkCommandBuffer cmds[3];
    if (VK_TRY(&dev, AllocateCommandBuffers(dev.device, &info, cmds)) != VK_SUCCESS) {
        dev.vk.DestroyCommandPool(dev.device, b->pool, nullptr);
        return nullptr;
    }
    b->prologue = cmds[0];
    b->early = cmds[1];
    b->main = cmds[2];
    return b;
}

bool recorder::begin() {
    if (cur_)
        return true;
    if (dev.lost)
        return false;
    retire(false);
    std::unique_ptr<batch> b;
    if (!spare_.empty()) {
        b = std::move(spare_.back());
        spare_.pop_back();
    } else {
        b = make_batch();
    }
    if (!b)
        return false;
    auto token = std::make_shared<batch_token>();
    token->dev = &dev;
    if (!dev.timeline) {
        VkFenceCreateInfo info = {VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        if (VK_TRY(&dev, CreateFence(dev.device, &info, nullptr, &token->fence)) != VK_SUCCESS) {
            spare_.push_back(std::move(b));
            return false;
        }
    }
    VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    for (VkCommandBuffer cmd : {b->prologue, b->early, b->main}) {
        if (VK_TRY(&dev, BeginCommandBuffer(cmd, &info)) != VK_SUCCESS) {
            dev.vk.ResetCommandPool(dev.device, b->pool, 0);
            spare_.push_back(std::move(b));
            return false;
        }
    }
    b->token = std::move(token);
    b->upload_bytes = b->commands = 0;
    b->epoch = dev.trash->open_epoch();
    uses.begin_batch();
    ++batch_serial_;
    cur_ = std::move(b);
    return true;
}

VkCommandBuffer recorder::main() {
    // Barriers that belong at the end of the early buffer stay there until submit or the next early
    // command.
    main_barriers.record(dev, cur_->main);
    return cur_->main;
}

VkCommandBuffer recorder::early() {
    early_barriers.record(dev, cur_->early);
    return cur_->early;
}

upload_slice recorder::upload(VkDeviceSize size, VkDeviceSize alignment) {
    upload_slice out;
    if (!begin())
        return out;
    upload_chunk *chunk = cur_->chunks.empty() ? nullptr : cur_->chunks.back().get();
    VkDeviceSize offset = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
    if (!chunk || offset + size > chunk->size) {
        auto fresh = uploads_of(dev).take(size);
        if (!fresh)
            return out;
        chunk = fresh.get();
        offset = 0;
        // A chunk made for one large upload goes below the current one, which may have room left.
        if (size > upload_pool::chunk_size && !cur_->chunks.empty())
            cur_->chunks.insert(cur_->chunks.end() - 1, std::move(fresh));
        else
            cur_->chunks.push_back(std::move(fresh));
    }
    chunk->used = offset + size;
    cur_->upload_bytes += size;
    out.buffer = chunk->buffer->buffer;
    out.offset = offset;
    out.map = chunk->buffer->memory.map + offset;
    return out;
}

upload_slice recorder::staged(const stage_memory::slice &s, VkDeviceSize bytes) {
    if (cur_->staged.empty() || cur_->staged.back() != s.chunk)
        cur_->staged.push_back(s.chunk);
    cur_->upload_bytes += bytes;
    return {s.chunk->buffer->buffer, s.offset, s.chunk->buffer->memory.map + s.offset};
}

VkDescriptorPool recorder::descriptor_pool(bool fresh) {
    if (!fresh && !cur_->descriptor_pools.empty())
        return cur_->descriptor_pools.back();
    VkDescriptorPool pool = VK_NULL_HANDLE;
    if (!spare_pools_.empty()) {
        pool = spare_pools_.back();
        spare_pools_.pop_back();
    } else {
        const VkDescriptorPoolSize sizes[] = {
            {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, sets_per_pool * 4},
            {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sets_per_pool * 4},
            {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, sets_per_pool},
            {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, sets_per_pool * 2},
            {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, sets_per_pool},
            {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, sets_per_pool / 2},
        };
        VkDescriptorPoolCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        info.maxSets = sets_per_pool;
        info.poolSizeCount = sizeof(sizes) / sizeof(sizes[0]);
        info.pPoolSizes = sizes;
        if (VK_TRY(&dev, CreateDescriptorPool(dev.device, &info, nullptr, &pool)) != VK_SUCCESS)
            return VK_NULL_HANDLE;
    }
    cur_->descriptor_pools.push_back(pool);
    return pool;
}

token_ref recorder::token() {
    if (cur_)
        return cur_->token;
    return last_token_ && !last_token_->poll() ? last_token_ : nullptr;
}

bool recorder::record_prologue() {
    std::vector<VkImageMemoryBarrier> images;
    uses.settle_layouts(images);
    VkMemoryBarrier memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    memory.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    dev.vk.CmdPipelineBarrier(cur_->prologue, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                              VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &memory, 0, nullptr,
                              uint32_t(images.size()), images.data());
    return VK_TRY(&dev, EndCommandBuffer(cur_->prologue)) == VK_SUCCESS;
}

void recorder::record_epilogue() {
    std::vector<VkImageMemoryBarrier> images;
    uses.give_back_foreign(images);
    if (!images.empty())
        dev.vk.CmdPipelineBarrier(cur_->main, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                  VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 0, nullptr,
                                  uint32_t(images.size()), images.data());
}

bool recorder::submit(const submit_semaphores &semaphores) {
    if (!cur_)
        return !dev.lost;
    if (dev.pinned_stores.load(std::memory_order_relaxed)) { // the CPU looks after a fence
        main_barriers.src |= VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        main_barriers.src_access |= VK_ACCESS_MEMORY_WRITE_BIT;
        main_barriers.dst |= VK_PIPELINE_STAGE_HOST_BIT;
        main_barriers.dst_access |= VK_ACCESS_HOST_READ_BIT;
    }
    main_barriers.record(dev, cur_->main);
    early_barriers.record(dev, cur_->early);
    record_epilogue();
    VkResult result = VK_TRY(&dev, EndCommandBuffer(cur_->early));
    if (result == VK_SUCCESS)
        result = VK_TRY(&dev, EndCommandBuffer(cur_->main));
    {
        std::lock_guard lock(dev.queue_mutex);
        if (dev.lost)
            result = VK_ERROR_DEVICE_LOST;
        else if (!record_prologue())
            result = VK_ERROR_OUT_OF_HOST_MEMORY;
        if (result == VK_SUCCESS) {
            uint64_t serial = dev.last_submitted.load() + 1;
            VkCommandBuffer cmds[3] = {cur_->prologue, cur_->early, cur_->main};
            submit_lists lists(semaphores, dev.timeline, serial);
            VkSubmitInfo info = {VK_STRUCTURE_TYPE_SUBMIT_INFO};
            lists.fill(info);
            info.commandBufferCount = 3;
            info.pCommandBuffers = cmds;
            result = VK_TRY(&dev, QueueSubmit(dev.queue, 1, &info, cur_->token->fence));
            if (result == VK_SUCCESS) {
                uses.commit_layouts();
                dev.last_submitted.store(serial);
                cur_->token->serial.store(serial, std::memory_order_release);
            }
        }
    }
    last_token_ = cur_->token;
    if (result != VK_SUCCESS) {
        if (result == VK_ERROR_DEVICE_LOST)
            dev.lost = true;
        // Nothing of this batch runs: whoever waits for it must not wait for ever.
        cur_->token->failed = true;
        cur_->token->serial.store(dev.last_submitted.load() + 1);
        cur_->token->done.store(true, std::memory_order_release);
    }
    in_flight_bytes_ += cur_->upload_bytes;
    in_flight_commands_ += cur_->commands;
    in_flight_.push_back(std::move(cur_));
    retire(false);
    if (too_many_in_flight())
        count_submit_waits.add();
    while (too_many_in_flight()) {
        in_flight_.front()->token->wait(UINT64_MAX);
        retire(false);
    }
    count_in_flight.raise_to(in_flight_commands_);
    return result == VK_SUCCESS;
}

bool recorder::too_many_in_flight() const {
    return in_flight_.size() > max_in_flight ||
           (in_flight_.size() > 1 && (in_flight_commands_ > max_in_flight_commands ||
                                      in_flight_bytes_ > max_in_flight_bytes));
}

void recorder::recycle(std::unique_ptr<batch> b) {
    for (auto &chunk : b->chunks)
        uploads_of(dev).give_back(std::move(chunk));
    b->chunks.clear();
    b->staged.clear();
    b->keep.clear();
    in_flight_bytes_ -= b->upload_bytes;
    in_flight_commands_ -= b->commands;
    for (VkDescriptorPool pool : b->descriptor_pools) {
        dev.vk.ResetDescriptorPool(dev.device, pool, 0);
        spare_pools_.push_back(pool);
    }
    b->descriptor_pools.clear();
    b->token.reset();
    dev.trash->close_epoch(b->epoch);
    dev.vk.ResetCommandPool(dev.device, b->pool, 0);
    spare_.push_back(std::move(b));
}

void recorder::retire(bool wait_all) {
    while (!in_flight_.empty()) {
        batch &b = *in_flight_.front();
        if (wait_all)
            b.token->wait(UINT64_MAX);
        if (!b.token->poll())
            break;
        note_work_done();
        auto owned = std::move(in_flight_.front());
        in_flight_.pop_front();
        recycle(std::move(owned));
    }
    dev.mem->trim();
}

} // namespace magma
