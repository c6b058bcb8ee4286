// SPDX-License-Identifier: MIT
// The statistics page of a process: where its counters lie (util/stats.h), and what `mgpipe top`
// reads. It is a memfd of this layout and name, close-on-exec, which a reader of the same user
// finds below /proc/PID/fd; nothing is left behind by whoever ends. Numbers are in the byte order
// of the machine. The process that owns a page believes nothing in it; a reader should copy it with
// pread() and believe nothing either.
//
// Somebody who watches writes `watched_until` and then the byte `on[stats_watched]`; the process
// counts from then on, and takes the byte back at the end of a frame after that time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace util {

inline constexpr char stats_page_name[] = "mgpipe-stats";
inline constexpr char stats_page_magic[8] = {'M', 'G', 'P', 's', 't', 'a', 't', 's'};
inline constexpr uint32_t stats_page_version = 1;
inline constexpr uint32_t stats_slots = 508;
// Indices of `on`: MGPIPE_STATS is set; somebody watches.
inline constexpr size_t stats_asked = 0, stats_watched = 1;

enum class StatsRole : uint32_t { none, whole, client, server };
enum class StatsKind : uint32_t { sum, largest, level };

struct alignas(64) StatsSlot {
    char name[40]; // ends with a zero
    alignas(8) uint64_t value;
    alignas(8) uint64_t at_last_frame;
    uint32_t kind; // StatsKind
};

struct alignas(64) StatsHeader {
    char magic[8];
    uint32_t version;
    uint32_t size;     // of the page in bytes
    uint32_t pid;      // as the process itself sees it
    uint32_t role;     // StatsRole
    uint32_t peer_pid; // of the other half, as that one sees it; 0: none, or unknown
    uint32_t lost;     // 1: the other half is gone
    char driver[16], form[128];
    alignas(8) uint64_t started_ns;       // CLOCK_REALTIME
    alignas(8) uint64_t frames;           // always counted
    alignas(8) uint64_t watched_until_ns; // CLOCK_MONOTONIC
    // Frames at whose end `at_last_frame` of all slots was written; odd `frame_sequence`: just now.
    alignas(8) uint64_t frames_counted;
    uint32_t frame_sequence;
    uint32_t slots_used;
    alignas(4) unsigned char on[4]; // any byte that is not 0: counters count
};

struct alignas(4096) StatsPage {
    StatsHeader header;
    StatsSlot slots[stats_slots];
};
static_assert(sizeof(StatsSlot) == 64 && sizeof(StatsHeader) == 256);
static_assert(sizeof(StatsPage) == 32768, "whole pages");

} // namespace util
