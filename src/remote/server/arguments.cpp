// SPDX-License-Identifier: MIT
// Parsing and help; see arguments.h.
#include "arguments.h"

#include "pipe_wire/wire.h"

#include "util/env.h"

#include <charconv>
#include <cstdio>
#include <string_view>
#include <sys/socket.h>

namespace remote {
namespace {

constexpr const char *usage = R"(usage: mgpiped --listen=ADDRESS... [OPTION...]
       mgpiped --stdio [--driver=NAME]

Serves programs that run with MGPIPE_FORM=unix:PATH, tcp:HOST:PORT or ssh:HOST; each in a process of
its own.

  --listen=unix:PATH         a socket in the file system, for this user; @NAME: without a file
  --listen=tcp:[HOST:]PORT   on the loopback interface unless HOST is given; wants a token
                             Several --listen are possible. Sockets that systemd passes are served too.
  --stdio                    one program, over standard input and output (ssh:HOST starts this)
  --token-file=FILE          the token (else MGPIPE_TOKEN_FILE, else MGPIPE_TOKEN)
  --allow-uid=UID            another user who may connect by unix sockets; several are possible
  --max-sessions=N           programs at the same time [64]
  --driver=NAME              driver of programs that name none
  --help, --version
  --control-fd=N, --forward-log
                             what a program or this one starts for one session

SIGTERM ends the service and removes its sockets; programs that are being served are not disturbed.
)";

template <typename T> bool number(std::string_view text, T least, T most, T *value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
    return error == std::errc() && end == text.data() + text.size() && *value >= least &&
           *value <= most;
}

bool has_word(const char *words, std::string_view name) {
    bool found = !words;
    util::for_each_word(words ? words : "", [&](std::string_view word) { found |= word == name; });
    return found;
}

// False: unknown, or its value is no value.
bool parse_one(std::string_view argument, const char *drivers, Arguments *a) {
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const bool has_value = equals != argument.npos && equals + 1 < argument.size();
    const std::string_view value = has_value ? argument.substr(equals + 1) : std::string_view();
    if (equals == argument.npos) {
        a->forward_log |= name == "--forward-log";
        if (name == "--stdio") {
            a->mode = Arguments::Mode::stdio;
            a->forward_log = true;
        }
        return name == "--stdio" || name == "--forward-log";
    }
    if (!has_value)
        return false;
    if (name == "--control-fd") {
        a->mode = Arguments::Mode::session;
        return number(value, 3, 1 << 20, &a->control_fd);
    }
    if (name == "--listen") {
        a->listen.emplace_back(value);
        return value.starts_with("unix:") || value.starts_with("tcp:");
    }
    if (name == "--token-file")
        a->token_file = value;
    else if (name == "--max-sessions")
        return number(value, 1u, 100000u, &a->max_sessions);
    else if (name == "--allow-uid")
        return number(value, uid_t(0), uid_t(-2), &a->allowed.emplace_back());
    else if (name == "--driver" && has_word(drivers, value))
        a->driver = value;
    else
        return false;
    return true;
}

// What an option wants for a value; null: there is no such option, or it has none.
const char *wanted(std::string_view argument) {
    constexpr struct {
        const char *name, *value;
    } options[] = {{"--listen", "unix:PATH or tcp:[HOST:]PORT"},
                   {"--token-file", "a file"},
                   {"--max-sessions", "a number of 1 to 100000"},
                   {"--allow-uid", "the number of a user"},
                   {"--driver", "a driver of this build (--help)"},
                   {"--control-fd", "the number of an open socket above 2"}};
    for (const auto &o : options)
        if (argument.substr(0, argument.find('=')) == o.name)
            return o.value;
    return nullptr;
}

bool print_and_leave(std::string_view argument, const char *drivers) {
    if (argument == "--help") {
        fputs(usage, stdout);
        if (drivers)
            printf("drivers: %s\n", drivers);
        return true;
    }
    if (argument != "--version")
        return false;
    printf("mgpiped " MGPIPE_VERSION ", pipe %016llx%016llx\n",
           static_cast<unsigned long long>(wire::fingerprint[0]),
           static_cast<unsigned long long>(wire::fingerprint[1]));
    return true;
}

} // namespace

Arguments parse_arguments(int argc, char **argv, const char *drivers) {
    Arguments a;
    for (int i = 1; i < argc; i++) {
        if (print_and_leave(argv[i], drivers)) {
            a.mode = Arguments::Mode::finished;
            return a;
        }
        if (parse_one(argv[i], drivers, &a))
            continue;
        if (const char *value = wanted(argv[i]))
            fprintf(stderr, "mgpiped: %s: =VALUE is %s\n", argv[i], value);
        else
            fprintf(stderr, "mgpiped: %s: there is no such option (--help)\n", argv[i]);
        a.mode = Arguments::Mode::finished;
        a.status = 2;
        return a;
    }
    if (a.mode != Arguments::Mode::finished && !a.listen.empty()) {
        fprintf(stderr, "mgpiped: --listen goes with neither --stdio nor --control-fd (--help)\n");
        a.mode = Arguments::Mode::finished;
        a.status = 2;
        return a;
    }
    if (a.mode == Arguments::Mode::finished)
        a.mode = Arguments::Mode::listener;
    return a;
}

} // namespace remote
