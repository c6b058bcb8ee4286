// SPDX-License-Identifier: MIT
// Runs of stage blocks; see stage.h.
#include "stage.h"

#include "counters.h"

#include "util/env.h"

#include <algorithm>
#include <cstring>

namespace remote {

void Stage::attach(Segment *segment) {
    data_ = segment->data();
    size_ = segment->size();
    block_size_ = std::clamp<uint64_t>(size_ / 64, 4096, 256 * 1024) & ~uint64_t(4095);
    used_.assign(size_ / block_size_, false);
}

bool Stage::take(uint32_t blocks, uint32_t *first) {
    std::lock_guard lock(mutex_);
    uint32_t n = static_cast<uint32_t>(used_.size());
    if (blocks > n)
        return false;
    // First fit, from where the last one ended: the oldest memory is the likeliest to be free.
    for (uint32_t tried = 0, run = 0, at = next_; tried < n + blocks; tried++, at++) {
        if (at >= n) {
            at = 0;
            run = 0;
        }
        run = used_[at] ? 0 : run + 1;
        if (run < blocks)
            continue;
        *first = at + 1 - blocks;
        std::fill_n(used_.begin() + *first, blocks, true);
        next_ = at + 1;
        count_stage_held.level(static_cast<int64_t>(blocks * block_size_));
        return true;
    }
    return false;
}

void Stage::give(uint32_t first, uint32_t blocks) {
    if (util::debug(util::Debug::audit))
        memset(data_ + first * block_size_, 0xDD, blocks * block_size_);
    std::lock_guard lock(mutex_);
    std::fill_n(used_.begin() + first, blocks, false);
    count_stage_held.level(-static_cast<int64_t>(blocks * block_size_));
}

StageLane::~StageLane() {
    // The program may still write to what is held (a map outlives the context that made it): such a
    // run is given up.
    if (current_.blocks && !current_.held)
        stage_.give(current_.first, current_.blocks);
    for (const Run &r : closed_)
        if (!r.held)
            stage_.give(r.first, r.blocks);
}

void StageLane::abandon() {
    current_ = {};
    closed_.clear();
}

void StageLane::reclaim(uint64_t applied) {
    std::erase_if(closed_, [&](const Run &r) {
        if (r.held || r.last > applied)
            return false;
        stage_.give(r.first, r.blocks);
        return true;
    });
}

StageLane::Run *StageLane::grab(uint64_t size, uint64_t alignment, uint64_t applied,
                                uint64_t *offset) {
    uint64_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (at + size > current_.blocks * stage_.block_size()) {
        if (current_.blocks)
            closed_.push_back(current_);
        current_ = {};
        used_ = 0;
        reclaim(applied);
        uint32_t blocks =
            static_cast<uint32_t>((size + stage_.block_size() - 1) / stage_.block_size());
        if (!stage_.take(blocks, &current_.first))
            return nullptr;
        current_.blocks = blocks;
        at = 0;
    }
    *offset = current_.first * stage_.block_size() + at;
    used_ = at + size;
    return &current_;
}

bool StageLane::alloc(uint64_t size, uint64_t alignment, uint64_t ordinal, uint64_t applied,
                      uint64_t *offset) {
    Run *run = grab(size, alignment, applied, offset);
    if (run)
        run->last = ordinal;
    return run != nullptr;
}

bool StageLane::hold(uint64_t size, uint64_t alignment, uint64_t applied, uint64_t *offset) {
    Run *run = grab(size, alignment, applied, offset);
    if (run)
        run->held++;
    return run != nullptr;
}

void StageLane::use(uint64_t offset, uint64_t ordinal) {
    uint32_t block = static_cast<uint32_t>(offset / stage_.block_size());
    auto inside = [&](const Run &r) { return block >= r.first && block - r.first < r.blocks; };
    auto touch = [&](Run &r) {
        r.held -= r.held != 0;
        r.last = std::max(r.last, ordinal);
    };
    if (inside(current_))
        return touch(current_);
    for (Run &r : closed_)
        if (inside(r))
            return touch(r);
}

} // namespace remote
