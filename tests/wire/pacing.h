// SPDX-License-Identifier: MIT
// The probing driver with a will of its own: presents that return when they are told to, calls that
// flood the client with events, queries whose result comes late.
#pragma once

#include "probe.h"

#include <condition_variable>
#include <mutex>

namespace pacing {

// Presents up to this serial may return. In the process of the driver.
struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    uint64_t allowed = 0;
    void open(uint64_t serial);
    void pass(uint64_t serial);
};
Gate &gate();

// A debug marker of this kind and more makes as many GL errors as it is more, numbered from 1 in
// `error`, with text of 200 bytes.
constexpr uint32_t flood_kind = 0xf100d;
void flood(pipe_context *ctx, uint32_t events);

// Looks at a query that answer "not yet".
constexpr unsigned late_looks = 3;

pipe_screen *create_screen(const pipe_screen_config *config);

} // namespace pacing
