// SPDX-License-Identifier: MIT
// Form selection; see screen_factory.h.
#include "screen_factory.h"

#include <cstring>

#include "driver_registry.h"
#include "form_entry.h"
#include "pipe/pipe.h"
#include "pipe_wrap/respawn.h"
#include "pipe_wrap/wrap.h"
#include "recording.h"
#include "util/env.h"
#include "util/log.h"
#include "util/stats.h"
#if defined(MGPIPE_HAVE_INPROC) || defined(MGPIPE_HAVE_SPAWN)
#include "remote/remote.h"
#endif

namespace targets {

static constexpr const char *form_table[] = {
    "monolith",
#ifdef MGPIPE_HAVE_INPROC
    "inproc",
#endif
#ifdef MGPIPE_HAVE_SPAWN
    "spawn",    "unix:PATH", "tcp:HOST:PORT", "ssh:HOST",
#endif
};

std::span<const char *const> forms() {
    return form_table;
}

const char *form_name() {
    const char *wanted = util::env_text(util::Env::FORM);
    for (const char *form : form_table)
        if (is_form(form, wanted))
            return wanted;
    return nullptr;
}

#if defined(MGPIPE_HAVE_INPROC) || defined(MGPIPE_HAVE_SPAWN)
static remote::Form form_of(const char *name, const char **address) {
    const char *colon = strchr(name, ':');
    *address = colon ? colon + 1 : nullptr;
    switch (name[0]) {
    case 'i': return remote::Form::inproc;
    case 'u': return remote::Form::unix_socket;
    case 't': return remote::Form::tcp;
    default: return colon ? remote::Form::ssh : remote::Form::spawn;
    }
}

static pipe_screen *start_remote(const char *form, const pipe_screen_config *config) {
    remote::Options options;
    options.form = form_of(form, &options.address);
    options.create_screen = create_served_screen;
    options.driver = util::env_text(util::Env::DRIVER);
    options.server_dir = MGPIPE_LIBEXECDIR;
    return remote::create_screen(options, config);
}

// The server has these; it reports them by itself.
static void count_elsewhere() {
    [[maybe_unused]] static const bool once = [] {
        for (const char *prefix : {"server.", "espryt.", "magma."})
            util::stats_elsewhere(prefix);
        return true;
    }();
}

static pipe_screen *create_remote(const char *form, const pipe_screen_config *config) {
    const bool inproc = !strcmp(form, "inproc");
    if (!inproc)
        count_elsewhere();
    pipe_screen *screen = start_remote(form, config);
    if (screen && !inproc)
        util::stats_driver(util::env_text(util::Env::DRIVER)); // else the server knows
    if (screen)
        util::stats_identify(inproc ? util::StatsRole::whole : util::StatsRole::client, form,
                             inproc ? 0 : remote::server_pid(screen));
    return screen;
}

// A server in a process of its own may die and be replaced.
static pipe_screen *create_respawning(const pipe_screen_config *config) {
    wrap::RespawnSource source;
    source.create = [](const pipe_screen_config *c) { return create_remote(form_name(), c); };
    source.lost = remote::lost;
    source.server = remote::server_pid;
    source.credit = remote::present_credit;
    return wrap::respawn_screen(source, config);
}
#else
static pipe_screen *create_remote(const char *, const pipe_screen_config *) {
    return nullptr; // form_name() knows no such form
}

static pipe_screen *create_respawning(const pipe_screen_config *) {
    return nullptr;
}
#endif

static pipe_screen *create_in_form(const char *form, const pipe_screen_config *config) {
    // MGPIPE_DEBUG=noring: the records of inproc, applied on the calling thread.
    if (!strcmp(form, "inproc") && util::debug(util::Debug::noring)) {
        pipe_screen *driver = create_driver_screen(config);
        if (!driver)
            return nullptr;
        return recorded_screen(wrap::wrap_by_environment(wrap::verify_screen(driver)), config);
    }
    const bool audit = util::debug(util::Debug::audit);
    pipe_screen *screen;
    if (!strcmp(form, "monolith")) {
        screen = create_driver_screen(config);
        util::stats_identify(util::StatsRole::whole, form, 0);
        screen = audit ? wrap::audit_screen(screen, wrap::AuditSide::whole) : screen;
    } else {
        const bool respawns = strcmp(form, "inproc") != 0 && util::env_int(util::Env::RESPAWN);
        screen = respawns ? create_respawning(config) : create_remote(form, config);
        screen = audit ? wrap::audit_screen(screen, wrap::AuditSide::client) : screen;
    }
    return recorded_screen(wrap::wrap_by_environment(screen), config);
}

pipe_screen *create_screen(const pipe_screen_config *config) {
    util::env_check(is_emulation);
    util::stats_open();
    const char *form = form_name();
    if (!form) {
        log_error_once("targets", "MGPIPE_FORM=%s: no such form in this build",
                       util::env_text(util::Env::FORM));
        return nullptr;
    }
    pipe_screen *screen = create_in_form(form, config);
    if (screen && strcmp(form, "monolith") != 0) {
        screen->ring_size = uint64_t(util::env_int(util::Env::RING_KB)) * 1024;
        screen->stage_size = uint64_t(util::env_int(util::Env::STAGE_KB)) * 1024;
    }
    return screen;
}

} // namespace targets
