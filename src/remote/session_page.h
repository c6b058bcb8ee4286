// SPDX-License-Identifier: MIT
// First page of the READ segment: what the server writes for the whole session.
#pragma once

#include <atomic>
#include <cstdint>

namespace remote {

struct SessionPage {
    std::atomic<uint32_t> fault; // pipe_fault, stored before the lanes end
    uint32_t reserved[15];
};
static_assert(sizeof(SessionPage) <= 4096);

// Answers lie behind the page.
constexpr uint64_t read_base = 4096;

} // namespace remote
