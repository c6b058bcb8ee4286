// SPDX-License-Identifier: MIT
// Form selection; see screen_factory.h.
#include "screen_factory.h"

#include <cstring>

#include "driver_registry.h"
#include "pipe/pipe.h"
#include "pipe_wrap/wrap.h"
#include "remote/remote.h"
#include "util/env.h"
#include "util/log.h"

namespace targets {

static constexpr const char *forms[] = {
    "monolith",
#ifdef MGPIPE_HAVE_INPROC
    "inproc",
#endif
#ifdef MGPIPE_HAVE_SPAWN
    "spawn",
#endif
};

const char *form_name() {
    const char *wanted = util::env_text(util::Env::FORM);
    for (const char *form : forms)
        if (!strcmp(form, wanted))
            return form;
    return nullptr;
}

static pipe_screen *create_remote(remote::Form form, const pipe_screen_config *config) {
    remote::Options options;
    options.form = form;
    options.create_screen = create_driver_screen;
    options.driver = util::env_text(util::Env::DRIVER);
    options.server_dir = MGPIPE_LIBEXECDIR;
    return remote::create_screen(options, config);
}

pipe_screen *create_screen(const pipe_screen_config *config) {
    const char *form = form_name();
    if (!form) {
        log_error_once("targets", "MGPIPE_FORM=%s: no such form in this build",
                       util::env_text(util::Env::FORM));
        return nullptr;
    }
    // MGPIPE_DEBUG=noring: the records of inproc, applied on the calling thread.
    if (!strcmp(form, "inproc") && util::debug(util::Debug::noring)) {
        pipe_screen *driver = create_driver_screen(config);
        return driver ? wrap::wrap_by_environment(wrap::verify_screen(driver)) : nullptr;
    }
    if (!strcmp(form, "inproc"))
        return wrap::wrap_by_environment(create_remote(remote::Form::inproc, config));
    if (!strcmp(form, "spawn"))
        return wrap::wrap_by_environment(create_remote(remote::Form::spawn, config));
    return wrap::wrap_by_environment(create_driver_screen(config));
}

} // namespace targets
