// SPDX-License-Identifier: MIT
// mgpipe info: version, drivers and what they find here, forms, switches; --missing: GL commands
// not written yet, and what each driver does not offer here for want of which host feature.
#include "info.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "driver_registry.h"
#include "glapi/glapi.h"
#include "objects/capabilities.h"
#include "objects/missing.h"
#include "pipe/pipe.h"
#include "screen_factory.h"
#include "util/env.h"

namespace targets {

static std::string wanted_of(const Driver &driver, const gl::MissingFeature &missing) {
    std::string text;
    for (int cap : missing.caps) {
        const char *host =
            driver.cap_needs ? driver.cap_needs(static_cast<unsigned>(cap)) : nullptr;
        if (host && text.find(host) == std::string::npos)
            text += (text.empty() ? "" : ", ") + std::string(host);
    }
    return text.empty() ? "not written" : "the host lacks " + text;
}

// What the driver, with this host, does not let GL offer.
static void print_lacking(const Driver &driver) {
    const pipe_screen_config config = {};
    pipe_screen *screen = driver.create_screen(&config);
    if (!screen)
        return;
    gl::Capabilities offered;
    gl::compute_capabilities(screen->caps, offered);
    for (const gl::MissingFeature &m : gl::missing_features(screen->caps, offered))
        printf("%s: %s: %s\n", driver.name, m.name.c_str(), wanted_of(driver, m).c_str());
    screen->destroy(screen);
    const std::string_view declined = driver.declines ? driver.declines() : "";
    for (size_t at = 0; at < declined.size();) {
        const size_t end = declined.find('\n', at);
        printf("%s: declined where the host lacks it: %.*s\n", driver.name,
               static_cast<int>(end - at), declined.data() + at);
        at = end + 1;
    }
}

static int print_missing() {
    for (const Driver &driver : drivers())
        if (driver.cap_needs)
            print_lacking(driver);
    const auto missing = glapi::missing();
    for (const char *name : missing)
        puts(name);
    fprintf(stderr, "%zu of %u commands of OpenGL 4.6 core are not written yet\n", missing.size(),
            glapi::core_command_count());
    return 0;
}

static void print_list(const char *title, const std::vector<std::string> &names) {
    if (names.empty())
        return;
    printf("           %s:", title);
    for (const std::string &name : names)
        printf(" %s", name.c_str());
    printf("\n");
}

static void print_version(const pipe_caps &caps) {
    gl::Capabilities gl;
    gl::compute_capabilities(caps, gl);
    printf("           OpenGL %d.%d, %zu extensions\n", gl.version / 10, gl.version % 10,
           gl.extensions.size());
    if (!gl.next_version)
        return;
    char title[64];
    snprintf(title, sizeof title, "for %d.%d the host lacks", gl.next_version / 10,
             gl.next_version % 10);
    print_list(title, gl.next_driver);
    snprintf(title, sizeof title, "for %d.%d not written here", gl.next_version / 10,
             gl.next_version % 10);
    print_list(title, gl.next_here);
}

// The driver that programs get: the one of MGPIPE_DRIVER or the first that starts. A service may
// have another host, and a default of its own.
static void print_choice(const char *first) {
    const char *wanted = util::env_text(util::Env::DRIVER);
    const char *form = form_name();
    if (*wanted && !find_driver(wanted))
        first = "not built in";
    else if (form && strchr(form, ':'))
        first = "as the server chooses";
    printf("programs get: driver %s, form %s\n", *wanted && find_driver(wanted) ? wanted : first,
           form ? form : "not built in");
}

static void print_drivers() {
    printf("drivers:\n");
    const char *first = nullptr;
    for (const Driver &driver : drivers()) {
        const pipe_screen_config config = {};
        pipe_screen *screen = driver.create_screen(&config);
        if (!screen) {
            printf("  %-8s cannot start here\n", driver.name);
            continue;
        }
        uint32_t calls = 0;
        for (uint64_t word : screen->caps.call_mask)
            calls += static_cast<uint32_t>(__builtin_popcountll(word));
        printf("  %-8s %s, %s (%u calls)\n", driver.name,
               reinterpret_cast<const char *>(screen->caps.device_name),
               reinterpret_cast<const char *>(screen->caps.host_version), calls);
        print_version(screen->caps);
        if (const char *windows = driver.windows ? driver.windows() : nullptr)
            printf("           windows: %s\n",
                   *windows ? windows : "none; frames are read back and put there by the client");
        screen->destroy(screen);
        first = first || !strcmp(driver.name, "noop") ? first : driver.name;
    }
    print_choice(first ? first : "none, no driver can start here");
}

static void print_switches() {
    printf("environment:\n");
    for (const util::EnvInfo &info : util::env_infos()) {
        printf("  %-22s %s", info.name, info.help);
        if (info.is_number())
            printf(", %" PRId64 " to %" PRId64, info.least, info.most);
        printf(*info.default_text ? " [%s]\n" : "%s\n", info.default_text);
    }
    printf("MGPIPE_DEBUG:\n");
    for (const util::DebugInfo &info : util::debug_infos())
        printf("  %-22s %s\n", info.name, info.help);
    printf("  %-22s %s\n", "force-NAME",
           "switch the emulation NAME on although the host does not need it");
    for (const Driver &driver : drivers())
        if (driver.emulation_help)
            printf("emulations of %s:\n%s", driver.name, driver.emulation_help());
    for (const Driver &driver : drivers())
        if (driver.hide_help)
            printf("MGPIPE_HOST_HIDE of %s:\n%s", driver.name, driver.hide_help());
}

int info_main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--missing"))
        return print_missing();
    util::env_check(is_emulation);
    printf("mgpipe " MGPIPE_VERSION "\n");
    print_drivers();
    printf("OpenGL 4.6 core commands: %u of %u written\n",
           glapi::core_command_count() - static_cast<uint32_t>(glapi::missing().size()),
           glapi::core_command_count());
    print_switches();
    return 0;
}

} // namespace targets
