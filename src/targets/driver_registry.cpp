// SPDX-License-Identifier: MIT
// The list of drivers; see driver_registry.h.
#include "driver_registry.h"

#include <atomic>
#include <cstring>
#include <string>
#include <unistd.h>

#include "noop/noop_public.h"
#include "pipe_wrap/wrap.h"
#include "util/env.h"
#include "util/log.h"
#include "util/options.h"
#include "util/stats.h"
#ifdef MGPIPE_WITH_ESPRYT
#include "espryt/espryt_public.h"
#endif
#ifdef MGPIPE_WITH_MAGMA
#include "magma/magma_public.h"
#endif

namespace targets {

static constexpr Driver driver_table[] = {
#ifdef MGPIPE_WITH_MAGMA
    {"magma", magma_create_screen, magma_emulation_help, magma_hide_help, magma_windows,
     magma_cap_needs, magma_declines},
#endif
#ifdef MGPIPE_WITH_ESPRYT
    {"espryt", espryt_create_screen, espryt_emulation_help, espryt_hide_help, nullptr,
     espryt_cap_needs, espryt_declines},
#endif
    {"noop", noop_create_screen, nullptr, nullptr, nullptr, nullptr, nullptr},
};

std::span<const Driver> drivers() {
    return driver_table;
}

const Driver *find_driver(const char *name) {
    for (const Driver &driver : driver_table)
        if (!strcmp(driver.name, name))
            return &driver;
    return nullptr;
}

bool is_emulation(std::string_view name) {
    const Driver *only = find_driver(util::env_text(util::Env::DRIVER));
    const std::string line = "\nforce-" + std::string(name) + ": ";
    for (const Driver &driver : driver_table)
        if ((!only || only == &driver) && driver.emulation_help &&
            (name == "all" ||
             ("\n" + std::string(driver.emulation_help())).find(line) != std::string::npos))
            return true;
    return false;
}

// The share groups of one process must not end up on two drivers because the first one failed once
// in between.
static std::atomic<const Driver *> chosen{nullptr};

// A host library that the parent of a fork has used waits here for threads that only the parent
// has.
static bool host_is_the_parents() {
    static std::atomic<pid_t> user{0};
    pid_t none = 0;
    if (user.compare_exchange_strong(none, getpid()) || none == getpid())
        return false;
    log_error_once("targets", "the host's driver belongs to the process that forked this one; "
                              "MGPIPE_FORM=spawn can start anew after a fork");
    return true;
}

// A server's client decides; without a word of it our own environment does.
static std::string wanted_driver(const pipe_screen_config *config) {
    if (const auto name = util::option(config ? config->options : nullptr, "MGPIPE_DRIVER"))
        return std::string(*name);
    return util::env_text(util::Env::DRIVER);
}

static pipe_screen *start(const Driver &driver, const pipe_screen_config *config) {
    pipe_screen *screen = driver.create_screen(config);
    if (screen)
        util::stats_driver(driver.name);
    return screen;
}

static pipe_screen *start_driver(const pipe_screen_config *config) {
    if (host_is_the_parents())
        return nullptr;
    const std::string name = wanted_driver(config);
    if (!name.empty()) {
        const Driver *driver = find_driver(name.c_str());
        if (!driver) {
            log_error_once("targets", "MGPIPE_DRIVER=%s: no such driver in this build",
                           name.c_str());
            return nullptr;
        }
        pipe_screen *screen = start(*driver, config);
        if (!screen) // it has said why
            log_info("targets", "driver %s cannot start on this host", name.c_str());
        return screen;
    }
    if (const Driver *driver = chosen.load(std::memory_order_acquire))
        return start(*driver, config);
    for (const Driver &driver : driver_table) {
        if (!strcmp(driver.name, "noop"))
            continue;
        if (pipe_screen *screen = start(driver, config)) {
            chosen.store(&driver, std::memory_order_release);
            return screen;
        }
    }
    log_error_once("targets", "no driver can start on this host");
    return nullptr;
}

pipe_screen *create_driver_screen(const pipe_screen_config *config) {
    pipe_screen *screen = start_driver(config);
#ifdef MGPIPE_VERIFY
    if (screen)
        screen = wrap::wrap_screen(screen, wrap::make_poison());
#endif
    return screen;
}

pipe_screen *create_served_screen(const pipe_screen_config *config) {
    pipe_screen *screen = create_driver_screen(config);
    if (!util::debug(util::Debug::audit))
        return screen;
    return wrap::audit_screen(screen, wrap::AuditSide::driver);
}

} // namespace targets
