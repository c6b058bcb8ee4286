// SPDX-License-Identifier: MIT
// What `mgpipe top` shows: sessions (a program and, where it has one, its server) and what happened
// in them between two moments.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "top_pages.h"

enum class SessionState { running, slow, stopped, lost };
const char *state_name(SessionState state);

// Counts between two moments, over the frames that ended between them or over the seconds.
struct Rates {
    double draws = 0, draw_records = 0, records = 0, round_trips = 0;
    double ring = 0, stage = 0, segment = 0, copied = 0, answers = 0, events = 0; // bytes
    double credit = 0, stage_waits = 0, ring_waits = 0, parks = 0, server_parks = 0;
    std::map<std::string, double> by_call; // round trips; calls with none are left out
};

struct Session {
    std::string program, driver, form;
    pid_t pid = 0;        // 0: not of this machine
    pid_t server_pid = 0; // 0: none, or unknown
    SessionState state = SessionState::running;
    bool counted = false; // there is an earlier moment to compare with
    bool crosses = false; // there are records
    double seconds = 0, frames_per_second = 0;
    std::optional<Rates> per_frame; // where a frame ended
    Rates per_second;
    uint64_t largest_record = 0, host_objects = 0;
};

// Of two moments; a process that is not in the first has no rates yet.
std::vector<Session> sessions_of(const std::vector<Snapshot> &before,
                                 const std::vector<Snapshot> &after);
