// SPDX-License-Identifier: MIT
// Recorder and player meet the drivers; see recording.h.
#include "recording.h"

#include <cstring>

#include "driver_registry.h"
#include "pipe/pipe.h"
#include "pipe_wrap/record.h"
#include "screen_factory.h"
#include "util/log.h"

namespace targets {

// The driver of `caps` is asked no second time, and noop draws nothing.
static bool is_other(const Driver &driver, const pipe_caps &caps) {
    return strcmp(driver.name, "noop") &&
           strncmp(driver.name, reinterpret_cast<const char *>(caps.driver_name),
                   sizeof caps.driver_name);
}

// With what all drivers can that start here. They are started for that, in this process.
static pipe_screen *portable_screen(pipe_screen *screen, const pipe_screen_config *config) {
    pipe_caps caps = screen->caps;
    for (const Driver &driver : drivers()) {
        if (!is_other(driver, screen->caps))
            continue;
        pipe_screen *other = driver.create_screen(config);
        if (!other) {
            log_warning("record", "%s does not start here; the recording may be too much for it",
                        driver.name);
            continue;
        }
        wrap::caps_meet(caps, other->caps);
        other->destroy(other);
    }
    return wrap::limit_screen(screen, caps);
}

pipe_screen *recorded_screen(pipe_screen *screen, const pipe_screen_config *config) {
    if (screen && wrap::record_is_portable() && wrap::record_path().empty())
        log_error("record", "MGPIPE_RECORD=portable: names no file: nothing is recorded");
    if (!screen || wrap::record_path().empty())
        return screen;
    return wrap::record_screen(wrap::record_is_portable() ? portable_screen(screen, config)
                                                          : screen);
}

bool replay(const wrap::ReplayOptions &options, wrap::ReplayListener &listener,
            wrap::ReplayCounts &counts) {
    wrap::ReplayOptions complete = options;
    complete.create_screen = create_screen;
    return wrap::replay(complete, listener, counts);
}

} // namespace targets
