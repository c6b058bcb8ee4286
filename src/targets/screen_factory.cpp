// SPDX-License-Identifier: MIT
// Form selection; see screen_factory.h.
#include "screen_factory.h"

#include <cstring>

#include "driver_registry.h"
#include "pipe/pipe.h"
#include "util/env.h"
#include "util/log.h"

namespace targets {

const char *form_name() {
    const char *form = util::env_text(util::Env::FORM);
    for (const char *known : {"monolith", "inproc", "spawn"})
        if (!strcmp(form, known))
            return known;
    return nullptr;
}

pipe_screen *create_screen(const pipe_screen_config *config) {
    const char *form = form_name();
    if (!form || strcmp(form, "monolith") != 0) {
        log_error_once("targets", "MGPIPE_FORM=%s: no such form in this build",
                       util::env_text(util::Env::FORM));
        return nullptr;
    }
    return create_driver_screen(config);
}

} // namespace targets
