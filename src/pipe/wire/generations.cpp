// SPDX-License-Identifier: MIT
// Generations by slot; see pipe_wire/apply.h.
#include "pipe_wire/apply.h"

#include "util/env.h"

namespace wire {

Generations::Generations() : off_(util::debug(util::Debug::gencheck_off)) {}

std::vector<uint32_t> &Generations::table(enum pipe_handle_kind kind, uint32_t *slot) {
    if (*slot < PIPE_COMPOSITE_SLOT_BASE)
        return seen_[kind];
    *slot -= PIPE_COMPOSITE_SLOT_BASE;
    return composites_;
}

constexpr uint32_t never = 0; // no living handle has it

// Generations wrap.
static bool older(uint32_t gen, uint32_t seen) {
    return static_cast<int32_t>(gen - seen) < 0;
}

bool Generations::introduce(enum pipe_handle_kind kind, pipe_handle h) {
    uint32_t slot = h.slot;
    if (off_ || !slot) // null and the default framebuffer
        return true;
    std::vector<uint32_t> &seen = table(kind, &slot);
    if (slot >= seen.size())
        seen.resize(slot + 1 + seen.size() / 2, never);
    if (seen[slot] != never && older(h.gen, seen[slot]))
        return false;
    seen[slot] = h.gen;
    return true;
}

bool Generations::current(enum pipe_handle_kind kind, pipe_handle h) const {
    uint32_t slot = h.slot;
    if (off_ || !slot)
        return true;
    const std::vector<uint32_t> &seen = const_cast<Generations *>(this)->table(kind, &slot);
    return slot >= seen.size() || seen[slot] == never || !older(h.gen, seen[slot]);
}

} // namespace wire
