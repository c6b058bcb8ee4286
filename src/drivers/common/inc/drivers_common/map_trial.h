// SPDX-License-Identifier: MIT
// The trial of a map that program and GPU use at once.
#pragma once

#include <cstdint>
#include <cstring>

namespace drivers_common {

constexpr uint32_t map_trial_bytes = 256;

// Whether the GPU reads what the CPU wrote to `map`, and the CPU what the GPU wrote, while it stays
// mapped. `copy()` has the GPU copy the first map_trial_bytes of the map behind themselves and
// waits for it; false: it could not. The map holds twice that.
template <typename Copy> bool map_works_both_ways(uint8_t *map, Copy copy) {
    for (uint32_t turn = 1; turn < 4; turn++) {
        uint32_t want[map_trial_bytes / 4];
        for (uint32_t i = 0; i < map_trial_bytes / 4; i++)
            want[i] = turn * 0x01010101u + i;
        memcpy(map, want, map_trial_bytes);
        memset(map + map_trial_bytes, 0, map_trial_bytes);
        if (!copy() || memcmp(map + map_trial_bytes, want, map_trial_bytes) != 0)
            return false;
    }
    return true;
}

} // namespace drivers_common
