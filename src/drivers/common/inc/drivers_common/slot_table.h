// SPDX-License-Identifier: MIT
// Objects by {slot, gen}: a paged array whose entries never move, so that a lookup takes no lock
// while another thread inserts. A stale handle finds nothing; a generation that runs backwards is
// refused by insert(). Composite shaders (slots from PIPE_COMPOSITE_SLOT_BASE on) have an index
// range of their own.
#pragma once

#include <atomic>
#include <cstdint>

#include "pipe/pipe.h"

namespace drivers_common {

template <typename T> class slot_table {
  public:
    slot_table() = default;
    slot_table(const slot_table &) = delete;
    slot_table &operator=(const slot_table &) = delete;
    ~slot_table() {
        for (auto &range : ranges_) {
            for (auto &page : range)
                delete[] page.load(std::memory_order_relaxed);
        }
    }

    // The object, or null for a null, unknown or stale handle. Lock-free.
    T *find(pipe_handle h) const {
        const entry *e = locate(h);
        return e && e->gen.load(std::memory_order_relaxed) == h.gen
                   ? e->object.load(std::memory_order_acquire)
                   : nullptr;
    }

    // Puts `object` at the handle. False when the slot is out of range or the generation runs
    // backwards. The caller has dealt with an older object of the slot (take_slot()).
    bool insert(pipe_handle h, T *object) {
        entry *e = make(h);
        if (!e || backwards(*e, h))
            return false;
        e->gen.store(h.gen, std::memory_order_relaxed);
        e->object.store(object, std::memory_order_release);
        return true;
    }

    // Removes and returns what the handle names (generation checked), or null.
    T *take(pipe_handle h) {
        entry *e = const_cast<entry *>(locate(h));
        return e && e->gen.load(std::memory_order_relaxed) == h.gen ? e->object.exchange(nullptr)
                                                                    : nullptr;
    }

    // Removes and returns what lies in the slot, unless it is younger than the handle: what
    // insert() would replace.
    T *take_slot(pipe_handle h) {
        entry *e = const_cast<entry *>(locate(h));
        return e && !backwards(*e, h) ? e->object.exchange(nullptr) : nullptr;
    }

    // Calls f(object) for every object; nothing may be inserted meanwhile.
    template <typename F> void each(F f) {
        for (auto &range : ranges_) {
            for (auto &page : range) {
                entry *p = page.load(std::memory_order_acquire);
                for (uint32_t i = 0; p && i < page_size; i++) {
                    if (T *o = p[i].object.load(std::memory_order_acquire))
                        f(o);
                }
            }
        }
    }

  private:
    static constexpr uint32_t page_size = 1024, pages = 1024;
    struct entry {
        std::atomic<uint32_t> gen{0};
        std::atomic<T *> object{nullptr};
    };

    static bool backwards(const entry &e, pipe_handle h) {
        return static_cast<int32_t>(h.gen - e.gen.load(std::memory_order_relaxed)) < 0;
    }
    static bool split(pipe_handle h, uint32_t *range, uint32_t *index) {
        *range = h.slot >= uint32_t(PIPE_COMPOSITE_SLOT_BASE);
        *index = *range ? h.slot - uint32_t(PIPE_COMPOSITE_SLOT_BASE) : h.slot;
        return *index < page_size * pages;
    }
    const entry *locate(pipe_handle h) const {
        uint32_t range, index;
        if (!split(h, &range, &index))
            return nullptr;
        const entry *p = ranges_[range][index / page_size].load(std::memory_order_acquire);
        return p ? p + index % page_size : nullptr;
    }
    entry *make(pipe_handle h) {
        uint32_t range, index;
        if (!split(h, &range, &index))
            return nullptr;
        auto &page = ranges_[range][index / page_size];
        entry *p = page.load(std::memory_order_acquire);
        if (!p) {
            entry *fresh = new entry[page_size];
            if (page.compare_exchange_strong(p, fresh))
                p = fresh;
            else
                delete[] fresh;
        }
        return p + index % page_size;
    }

    std::atomic<entry *> ranges_[2][pages]{};
};

} // namespace drivers_common
