// SPDX-License-Identifier: MIT
// Held: the pushed state behind the codec, as the lanes of one share group left it. Made of the
// calls that fill an input group, whatever a driver does with them. Not locked; its owner is.
#pragma once

#include "pipe_wrap/wrap.h"

#include <compare>
#include <map>
#include <vector>

namespace wrap {

class Held {
  public:
    Held();
    // A call that went on to the driver.
    void take(const CallView &c);
    // First difference between what the call would set and what is held
    // ("set_sampler_views.slots[3] .view.slot"), empty when equal or when the call fills nothing.
    std::string difference(const CallView &c) const;

  private:
    // One piece of state: a call's payload, one element of its window, one chunk.
    struct Key {
        uint16_t op;
        uint32_t lane; // slot; 0: state of an object of the share group
        uint64_t per;  // handle or class it belongs to
        uint32_t index;
        auto operator<=>(const Key &) const = default;
    };
    struct Store;
    struct Compare;
    // Calls `f` for each piece of a call; generated.
    template <typename F> static void pieces(const CallView &c, F &&f);
    void take_render_state(const CallView &c);
    std::string render_state_difference(const CallView &c) const;

    std::map<Key, std::vector<uint8_t>> pieces_;
    std::map<uint64_t, pipe_render_state> render_states_; // by lane and slot: one generation lives
    bool corrupt_;
};

} // namespace wrap
