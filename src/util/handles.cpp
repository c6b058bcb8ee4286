// SPDX-License-Identifier: MIT
// Slot minting; see util/handles.h.
#include "util/handles.h"

#include "util/env.h"
#include "util/stats.h"

namespace util {

static Counter count_slots("slots", "objects of the program that have a handle, alive");

SlotAllocator::~SlotAllocator() {
    count_slots.level(-static_cast<int64_t>(alive()));
}

SlotGen SlotAllocator::mint() {
    if (free_count_.load(std::memory_order_acquire)) {
        std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            const SlotGen handle = free_.back();
            free_.pop_back();
            free_count_.store(static_cast<uint32_t>(free_.size()), std::memory_order_release);
            alive_.fetch_add(1, std::memory_order_relaxed);
            count_slots.level(1);
            return handle;
        }
    }
    uint32_t slot = next_.load(std::memory_order_relaxed);
    do {
        if (slot >= limit_)
            return {};
    } while (!next_.compare_exchange_weak(slot, slot + 1, std::memory_order_relaxed));
    alive_.fetch_add(1, std::memory_order_relaxed);
    count_slots.level(1);
    return {slot, 1};
}

void SlotAllocator::release(SlotGen handle) {
    if (!handle)
        return;
    std::lock_guard lock(mutex_);
    // Generation 0 stays reserved for null, also after a wrap.
    const uint32_t next = debug(Debug::gencheck_off) ? handle.gen : handle.gen + 1;
    const uint32_t gen = next ? next : 1;
    free_.push_back({handle.slot, gen});
    free_count_.store(static_cast<uint32_t>(free_.size()), std::memory_order_release);
    alive_.fetch_sub(1, std::memory_order_relaxed);
    count_slots.level(-1);
}

} // namespace util
