// SPDX-License-Identifier: MIT
// A ring of records in shared memory: one producer, one consumer, monotonic byte cursors. Its page
// groups the fields by writer, one cache line each. Records are never split; a filler record skips
// to the start. Publishing is the producer's choice (RingEmitter), sleeping goes through Bells.
#pragma once

#include "pipe_wire/emitter.h"
#include "segment.h"

#include "util/futex.h"
#include "util/stats.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace remote {

// A word to sleep on, and whether somebody does. The waiter parks after a bounded spin; the other
// side rings only when it sees `parked` (two full fences close the lost wake-up).
struct Bell {
    std::atomic<uint32_t> sequence;
    std::atomic<uint32_t> parked;
};

void ring_bell(Bell &bell, util::Counter *counter);

// Sleeps until `ready()` holds, at most `limit_ns` at a time in the kernel; false after a time-out.
// Spins first, as MGPIPE_SPIN_US and the number of cores allow.
template <typename Ready>
bool wait_bell(Bell &bell, uint64_t limit_ns, util::Counter *parks, Ready ready);

constexpr uint64_t page_size = 4096;

// First page of a ring segment; the records follow it.
struct RingPage {
    // written by the producer
    alignas(64) std::atomic<uint64_t> head;
    std::atomic<uint64_t> want_applied; // while it sleeps: wake it when this ordinal was applied,
    std::atomic<uint64_t> want_tail;    // or when the tail has come so far
    // written by the consumer
    alignas(64) std::atomic<uint64_t> tail;
    std::atomic<uint64_t> applied;       // ordinal of the last record whose batch was finished
    std::atomic<uint64_t> reply_ordinal; // stored after reply_status
    std::atomic<uint32_t> reply_status;
    std::atomic<uint32_t> ended; // the consumer will take nothing more
    // consumer's and producer's sleep
    alignas(64) Bell consumer;
    alignas(64) Bell producer;
};
static_assert(sizeof(RingPage) <= page_size);

// Spin budget in turns of a loop without a clock; 0 with fewer than three usable cores.
uint32_t spin_turns();

// Producer: the part of an emitter that is a ring.
class RingEmitter : public wire::Emitter {
  public:
    // `segment` holds the page and a power of two of bytes; it must outlive the emitter.
    void attach(Segment *segment, uint64_t ring_size);
    void publish() override;

    RingPage &page() const { return *page_; }
    uint64_t ring_size() const { return ring_size_; }
    uint64_t max_record() const { return max_record_; }

    // Nothing more will be sent; sleepers wake. Any thread.
    void lose();

  protected:
    uint8_t *begin_slow(uint64_t size) override;
    void end_large(uint64_t size, uint16_t op) override;
    // Room for a record up to max_record() if there is any now (a filler may be written before it);
    // null: the consumer has to take something first, or is lost. `tail`: how far it has come.
    uint8_t *try_begin(uint64_t size, uint64_t *tail);
    uint64_t cursor() const { return published_ + pending_; }

    // Memory for a record above max_record(), and the small record that names it.
    virtual uint8_t *begin_large(uint64_t size) = 0;
    // Waits until the consumer has moved its tail away from `tail`; false: give up, the peer is
    // lost.
    virtual bool wait_tail(uint64_t tail) = 0;
    virtual void after_publish() {}

    uint8_t *scratch(uint64_t size);

    RingPage *page_ = nullptr;
    uint8_t *ring_ = nullptr;
    uint64_t ring_size_ = 0, max_record_ = 0;
    uint64_t max_room_ = UINT64_MAX; // that records fill before begin_slow() is asked again
    util::Counter *bells_ = nullptr;

  private:
    std::vector<uint8_t> scratch_;
    uint64_t counted_ = 0; // ordinal up to which records were counted
};

// Consumer.
class RingConsumer {
  public:
    void attach(Segment *segment, uint64_t ring_size);

    RingPage &page() const { return *page_; }
    uint64_t tail() const { return tail_; }

    // Bytes published and not yet taken; a head that cannot be sets `bad`.
    uint64_t available();
    bool bad = false;

    // Copies the next record to private, aligned memory, fillers skipped; null when there is none
    // (or `bad`). The record stays valid until the next call.
    const uint8_t *take(uint64_t *size);
    // Tells the producer how far we are.
    void release(uint64_t ordinal);
    // The producer sleeps for something that has happened.
    bool producer_wants(uint64_t ordinal) const {
        return page_->producer.parked.load(std::memory_order_relaxed) &&
               (ordinal >= page_->want_applied.load(std::memory_order_relaxed) ||
                tail_ >= page_->want_tail.load(std::memory_order_relaxed));
    }

  private:
    RingPage *page_ = nullptr;
    const uint8_t *ring_ = nullptr;
    uint64_t ring_size_ = 0, tail_ = 0, head_ = 0;
    std::vector<uint64_t> record_;
};

template <typename Ready>
bool wait_bell(Bell &bell, uint64_t limit_ns, util::Counter *parks, Ready ready) {
    for (uint32_t i = spin_turns(); i; i--) {
        if (ready())
            return true;
        util::spin_pause();
    }
    uint32_t seen = bell.sequence.load(std::memory_order_acquire);
    bell.parked.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    bool ok = ready();
    if (!ok) {
        if (parks)
            parks->add();
        util::futex_wait(bell.sequence, seen, limit_ns, util::FutexScope::shared);
        ok = ready();
    }
    bell.parked.store(0, std::memory_order_relaxed);
    return ok;
}

} // namespace remote
