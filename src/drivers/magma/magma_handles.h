// SPDX-License-Identifier: MIT
// Tables of twins, indexed by handle. A stale handle resolves to null.
#pragma once

#include "pipe/pipe_handle.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace magma {

template <class T> class handle_table {
  public:
    // The twin of the handle, or null.
    const std::shared_ptr<T> &get(pipe_handle h) const {
        static const std::shared_ptr<T> none;
        if (h.slot >= entries_.size() || entries_[h.slot].gen != h.gen)
            return none;
        return entries_[h.slot].twin;
    }
    T *peek(pipe_handle h) const { return get(h).get(); }
    // Replaces what the slot held. False for a slot beyond reason and for a generation that runs
    // backwards.
    bool put(pipe_handle h, std::shared_ptr<T> twin) {
        if (h.slot >= max_slots)
            return false;
        if (h.slot >= entries_.size())
            entries_.resize(size_t(h.slot) + 1 + entries_.size() / 2);
        entry &e = entries_[h.slot];
        if (static_cast<int32_t>(h.gen - e.gen) < 0)
            return false;
        e = {h.gen, std::move(twin)};
        return true;
    }
    // The twin leaves the table; whoever holds a reference keeps it.
    std::shared_ptr<T> take(pipe_handle h) {
        if (h.slot >= entries_.size() || entries_[h.slot].gen != h.gen)
            return nullptr;
        return std::move(entries_[h.slot].twin);
    }
    template <class F> void for_each(F &&f) {
        for (entry &e : entries_)
            if (e.twin)
                f(*e.twin);
    }

    static constexpr uint32_t max_slots = 1u << 24;

  private:
    struct entry {
        uint32_t gen = 0;
        std::shared_ptr<T> twin;
    };
    std::vector<entry> entries_;
};

} // namespace magma
