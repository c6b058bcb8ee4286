// SPDX-License-Identifier: MIT
// Respawn (MGPIPE_RESPAWN=1): a screen around one whose server may die. It keeps what makes every
// object again and the calls of the last frames; when the server is gone it makes a screen of a new
// one, and the caller sees no loss.
#pragma once

#include "pipe/pipe.h"

#include <cstdint>

namespace wrap {

struct RespawnSource {
    // A screen of a living server; a new server where the last one is lost. Null: logged. Any
    // thread.
    pipe_screen *(*create)(const pipe_screen_config *config);
    // The screen's server is gone. Any thread, cheap: asked at each call.
    bool (*lost)(const pipe_screen *screen);
    // Process that serves the screen, for the log.
    uint32_t (*server)(const pipe_screen *screen);
    // Presents of a surface that may be unfinished now; null: MGPIPE_CREDIT says it. Any thread.
    uint64_t (*credit)(const pipe_screen *screen) = nullptr;
    // Tests: kinds of objects (bit pipe_handle_kind) that are not made again.
    uint32_t forget = 0;
};

// Null when the first screen cannot be made. `config` is copied, its callbacks are called as
// source.create's screens would. on_device_lost is called only when no new server can be started,
// it offers other capabilities than the first, or servers die at once.
pipe_screen *respawn_screen(const RespawnSource &source, const pipe_screen_config *config);

} // namespace wrap
