// SPDX-License-Identifier: MIT
// Both ends of a ring; see ring.h.
#include "ring.h"

#include "counters.h"

#include "util/env.h"

#include <algorithm>
#include <cstring>

namespace remote {

static uint32_t calibrate() {
    // On one or two cores a spinning waiter takes the time of the one it waits for.
    int64_t us = util::env_int(util::Env::SPIN_US);
    if (us <= 0 || util::usable_cores() < 3)
        return 0;
    uint64_t start = util::now_ns();
    for (int i = 0; i < 2000; i++)
        util::spin_pause();
    uint64_t ns = std::max<uint64_t>(util::now_ns() - start, 1);
    return static_cast<uint32_t>(
        std::min<uint64_t>(static_cast<uint64_t>(us) * 1000 * 2000 / ns, 1u << 24));
}

uint32_t spin_turns() {
    static const uint32_t turns = calibrate();
    return turns;
}

void ring_bell(Bell &bell, util::Counter *counter) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // Once for each sleep: the sleeper takes a while to run, and what is there by then it sees.
    if (!bell.parked.load(std::memory_order_relaxed) ||
        !bell.parked.exchange(0, std::memory_order_relaxed))
        return;
    bell.sequence.fetch_add(1, std::memory_order_release);
    util::futex_wake(bell.sequence, 1, util::FutexScope::shared);
    if (counter)
        counter->add();
}

// --- producer ------------------------------------------------------------------------------------

void RingEmitter::attach(Segment *segment, uint64_t ring_size) {
    page_ = reinterpret_cast<RingPage *>(segment->data());
    ring_ = segment->data() + page_size;
    ring_size_ = ring_size;
    max_record_ = ring_size / 2;
    published_ = 0;
    pending_ = 0;
    cur_ = ring_;
    room_ = ring_size;
    publish_at_ = page_size;
    consumer_tail_ = &page_->tail;
}

void RingEmitter::publish() {
    if (!pending_)
        return;
    if (!lost()) {
        if (bells_) { // commands, not events
            count_record_bytes.add(pending_);
            count_records.add(*ordinal_ - counted_);
            count_largest_record.raise_to(largest_);
            counted_ = *ordinal_; // also while nobody counts
        }
        published_ += pending_;
        page_->head.store(published_, std::memory_order_release);
        ring_bell(page_->consumer, bells_);
    }
    pending_ = 0;
    after_publish();
}

uint8_t *RingEmitter::scratch(uint64_t size) {
    if (scratch_.size() < size)
        scratch_.resize(size);
    cur_ = scratch_.data();
    room_ = 0;
    return cur_;
}

uint8_t *RingEmitter::try_begin(uint64_t size, uint64_t *tail) {
    *tail = page_->tail.load(std::memory_order_acquire);
    uint64_t used = cursor() - *tail;
    if (used > ring_size_) {
        lose(); // a tail that never was
        return nullptr;
    }
    uint64_t free = ring_size_ - used, at = cursor() & (ring_size_ - 1), to_end = ring_size_ - at;
    if (size > to_end) {
        if (to_end > free)
            return nullptr;
        wire::Header filler{0, 0, static_cast<uint32_t>(to_end)};
        memcpy(ring_ + at, &filler, sizeof filler);
        pending_ += to_end;
        free -= to_end;
        at = 0;
        to_end = ring_size_;
        if (bells_) // commands, not events
            count_ring_wraps.add();
    }
    if (size > free) {
        room_ = 0; // what lay behind the cursor is a filler now
        return nullptr;
    }
    cur_ = ring_ + at;
    room_ = std::min({to_end, free, max_room_});
    return cur_;
}

uint8_t *RingEmitter::begin_slow(uint64_t size) {
    if (size > max_record() && !lost()) {
        large_ = true;
        if (uint8_t *p = begin_large(size))
            return p;
        return scratch(size);
    }
    bool waited = false;
    uint64_t tail;
    while (!lost()) {
        if (uint8_t *p = try_begin(size, &tail))
            return p;
        if (lost())
            break;
        publish();
        if (!waited)
            count_ring_waits.add();
        waited = true;
        if (!wait_tail(tail))
            break;
    }
    // From here on nothing is sent: one record's worth of memory, again for each record.
    scratch(size);
    room_ = size;
    return cur_;
}

void RingEmitter::end_large(uint64_t, uint16_t) {
    large_ = false;
    room_ = 0;
}

void RingEmitter::lose() {
    lost_.store(true, std::memory_order_release);
    if (!page_)
        return;
    page_->producer.sequence.fetch_add(1, std::memory_order_release);
    util::futex_wake(page_->producer.sequence, 64, util::FutexScope::shared);
}

// --- consumer ------------------------------------------------------------------------------------

void RingConsumer::attach(Segment *segment, uint64_t ring_size) {
    page_ = reinterpret_cast<RingPage *>(segment->data());
    ring_ = segment->data() + page_size;
    ring_size_ = ring_size;
    tail_ = head_ = 0;
    record_.resize(ring_size / 8);
}

uint64_t RingConsumer::available() {
    uint64_t head = page_->head.load(std::memory_order_acquire);
    if (head - tail_ > ring_size_ || head % 8 || head - head_ > ring_size_) {
        bad = true;
        return 0;
    }
    head_ = head;
    return head - tail_;
}

const uint8_t *RingConsumer::take(uint64_t *size) {
    while (!bad && tail_ != head_) {
        uint64_t at = tail_ & (ring_size_ - 1);
        uint64_t limit = std::min(head_ - tail_, ring_size_ - at);
        wire::Header h;
        memcpy(&h, ring_ + at, sizeof h);
        if (h.size < sizeof h || h.size % 8 || h.size > limit) {
            bad = true;
            return nullptr;
        }
        tail_ += h.size;
        if (h.op == 0)
            continue;
        if (h.size > record_.size() * 8) {
            bad = true;
            return nullptr;
        }
        // One read of every byte: what is proved is what is used. The header is the one already
        // read.
        memcpy(record_.data(), &h, sizeof h);
        memcpy(record_.data() + 1, ring_ + at + sizeof h, h.size - sizeof h);
        *size = h.size;
        return reinterpret_cast<const uint8_t *>(record_.data());
    }
    return nullptr;
}

void RingConsumer::release(uint64_t ordinal) {
    page_->applied.store(ordinal, std::memory_order_release);
    page_->tail.store(tail_, std::memory_order_release);
}

} // namespace remote
