// SPDX-License-Identifier: MIT
// Recordings (pipe_wrap/record.h) of this build's drivers and forms.
#pragma once

struct pipe_screen;
struct pipe_screen_config;

namespace wrap {
struct ReplayOptions;
struct ReplayCounts;
class ReplayListener;
} // namespace wrap

namespace targets {

// What MGPIPE_RECORD asks for around `screen`; `screen` itself when it asks for nothing. Null stays
// null. Takes `screen`.
pipe_screen *recorded_screen(pipe_screen *screen, const pipe_screen_config *config);

// Plays a file on the driver and the form of the environment.
bool replay(const wrap::ReplayOptions &options, wrap::ReplayListener &listener,
            wrap::ReplayCounts &counts);

} // namespace targets
