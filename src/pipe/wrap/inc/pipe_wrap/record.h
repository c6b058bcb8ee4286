// SPDX-License-Identifier: MIT
// Recordings: every call that a program's frontend makes, as a file, and the player that makes the
// calls of a file again on any driver and form. The file carries the definition that it was made
// with, so that a later one still plays it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pipe_caps;
struct pipe_screen;
struct pipe_screen_config;

namespace wrap {

// A screen that writes its calls to MGPIPE_RECORD's file (all screens of the process share it, and
// it is made with the first) before `inner` carries them out. Persistent maps are pushed and no
// stage memory of a driver is handed out, so that the bytes are there at the call. Owns `inner`.
// Without the variable, or when the file cannot be made (one line says so): `inner` itself.
pipe_screen *record_screen(pipe_screen *inner);
// Registers the recorder's fork handlers, which the first screen does else: before those of whoever
// calls a recorded screen with a lock held that it takes across a fork.
void record_watch_forks();
// What MGPIPE_RECORD says: the file (empty: nothing is recorded), and whether the program is to get
// what all drivers have.
std::string_view record_path();
bool record_is_portable();

// --- portable capabilities -----------------------------------------------------------------------

// What both can do, into `caps`: limits meet, features and formats are those of both.
void caps_meet(pipe_caps &caps, const pipe_caps &other);
// Members that differ, a line each ("max_samples: 8, 4"); formats by name.
std::string caps_difference(const pipe_caps &a, const pipe_caps &b);
// A screen that can do no more than `caps` says; calls outside its call_mask become null. Owns
// `inner`.
pipe_screen *limit_screen(pipe_screen *inner, const pipe_caps &caps);

// --- player --------------------------------------------------------------------------------------

// A finished frame: rows from the bottom up, RGBA bytes.
struct Picture {
    uint32_t frame; // from 1
    uint32_t width, height;
    std::vector<uint8_t> rgba;
};

struct ReplayOptions {
    std::string file;
    uint32_t first = 1, last = UINT32_MAX; // frames with a picture; ends behind the last
    uint32_t every = 1;
    bool pictures = false;
    bool fbo = false;   // of the framebuffer that was drawn to last, not the default one
    bool check = false; // compare answers with those of the recording
    bool caps = false;  // list what differs from the recorded driver
    pipe_screen *(*create_screen)(const pipe_screen_config *config) = nullptr;
};

struct ReplayCounts {
    uint64_t calls = 0, bytes = 0, frames = 0, pictures = 0;
    uint64_t missing = 0; // calls that the driver has not or the definition has no more
    uint64_t checked = 0, different = 0;
    std::vector<std::pair<std::string, uint64_t>> by_call; // most frequent first
    double seconds = 0;
    bool translated = false; // from another definition
};

// What the player tells on the way.
class ReplayListener {
  public:
    virtual ~ReplayListener() = default;
    virtual void say(const std::string &line) = 0;
    // False ends the replay.
    virtual bool picture(const Picture &) { return true; }
};

// Plays a file from the calling thread. False: a problem was said in one line; what stood before it
// was played.
bool replay(const ReplayOptions &options, ReplayListener &listener, ReplayCounts &counts);

} // namespace wrap
