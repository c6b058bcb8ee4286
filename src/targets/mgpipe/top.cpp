// SPDX-License-Identifier: MIT
// `mgpipe top`: what the programs of this user and their servers do, live or once.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <poll.h>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

#include "commands.h"
#include "top_print.h"
#include "top_sessions.h"

namespace {

struct TopOptions {
    bool once = false, json = false;
    pid_t pid = 0; // of the program or its server; 0: all
    double interval = 1;
};

bool number(const char *text, double least, double most, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value >= least && *value <= most; // no NaN
}

// Null, or the first argument that is not understood.
const char *parse(int argc, char **argv, TopOptions &o) {
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        double pid = 0;
        if (word == "--once")
            o.once = true;
        else if (word == "--json")
            o.json = true;
        else if (word.rfind("--pid=", 0) == 0 && number(argv[i] + 6, 1, 1 << 30, &pid))
            o.pid = static_cast<pid_t>(pid);
        else if (word.rfind("--interval=", 0) != 0 ||
                 !number(argv[i] + 11, 0.05, 3600, &o.interval))
            return argv[i];
    }
    return nullptr;
}

uint64_t watch_ns(const TopOptions &o) {
    return static_cast<uint64_t>((2 * o.interval + 2) * 1e9);
}

void sleep_for(double seconds) {
    timespec t{static_cast<time_t>(seconds),
               static_cast<long>((seconds - std::floor(seconds)) * 1e9)};
    nanosleep(&t, nullptr);
}

std::vector<Session> chosen(const TopOptions &o, std::vector<Session> all) {
    if (o.pid)
        std::erase_if(all,
                      [&o](const Session &s) { return s.pid != o.pid && s.server_pid != o.pid; });
    return all;
}

// Counters begin within a frame: the first moment is after the end of that one, where frames end.
std::vector<Snapshot> first_moment(const TopOptions &o) {
    const std::vector<Snapshot> asked = read_pages(watch_ns(o));
    std::vector<Snapshot> now;
    for (int tries = 0; tries < 25; tries++) {
        sleep_for(0.01);
        now = read_pages(watch_ns(o));
        const bool all = std::all_of(now.begin(), now.end(), [&asked](const Snapshot &s) {
            return std::any_of(asked.begin(), asked.end(), [&s](const Snapshot &a) {
                return a.pid == s.pid && s.frames_counted > a.frames_counted;
            });
        });
        if (all)
            break;
    }
    return now;
}

int print_once(const TopOptions &o) {
    const std::vector<Snapshot> before = first_moment(o);
    sleep_for(o.interval);
    const std::vector<Session> sessions = chosen(o, sessions_of(before, read_pages(watch_ns(o))));
    stop_watching();
    if (o.json)
        puts(json_of(sessions).c_str());
    else if (o.pid && sessions.empty())
        printf("process %d does not draw with mgpipe, or is another user's\n", int(o.pid));
    else
        for (const std::string &line : text_of(sessions, SIZE_MAX))
            puts(line.c_str());
    return o.pid && sessions.empty() ? 1 : 0;
}

// --- live ----------------------------------------------------------------------------------------

volatile sig_atomic_t ended = 0;

void end(int) {
    ended = 1;
}

void ignore(int) {} // a new size only ends poll()

class Terminal {
  public:
    Terminal() {
        tcgetattr(STDIN_FILENO, &before_);
        termios quiet = before_;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
        write("\033[?1049h\033[?25l"); // another page, no cursor
    }
    ~Terminal() {
        write("\033[?25h\033[?1049l");
        tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

    void show(const std::vector<Session> &sessions) {
        winsize size{};
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
            size.ws_row = 24, size.ws_col = 80;
        std::vector<std::string> lines = text_of(sessions, size.ws_col);
        lines.resize(std::min<size_t>(lines.size(), size.ws_row));
        std::string text = "\033[H";
        for (const std::string &line : lines)
            text += (&line == lines.data() ? "\033[7m" : "\r\n") + line + "\033[0m\033[K";
        write(text + "\033[J");
    }

  private:
    static void write(const std::string &text) {
        fwrite(text.data(), 1, text.size(), stdout);
        fflush(stdout);
    }
    termios before_{};
};

// False: the user has had enough.
bool wait_for_key(uint64_t until_ns) {
    const uint64_t now = monotonic_ns();
    pollfd in{STDIN_FILENO, POLLIN, 0};
    const int left = until_ns > now ? static_cast<int>((until_ns - now) / 1'000'000) + 1 : 0;
    if (poll(&in, 1, left) <= 0)
        return !ended;
    char key = 0;
    const ssize_t got = read(STDIN_FILENO, &key, 1);
    return got > 0 ? key != 'q' && key != 'Q' && !ended : got < 0 && errno == EINTR && !ended;
}

int show_live(const TopOptions &o) {
    struct sigaction action {};
    action.sa_handler = end;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaction(signal, &action, nullptr);
    action.sa_handler = ignore;
    sigaction(SIGWINCH, &action, nullptr);
    Terminal terminal;
    std::vector<Snapshot> before = read_pages(watch_ns(o));
    std::vector<Session> sessions = chosen(o, sessions_of({}, before));
    terminal.show(sessions);
    uint64_t next = monotonic_ns() + 300'000'000;
    while (wait_for_key(next)) {
        if (monotonic_ns() >= next) {
            next = monotonic_ns() + static_cast<uint64_t>(o.interval * 1e9);
            std::vector<Snapshot> after = read_pages(watch_ns(o));
            sessions = chosen(o, sessions_of(before, after));
            before = std::move(after);
        }
        terminal.show(sessions);
    }
    stop_watching();
    return 0;
}

} // namespace

int top_main(int argc, char **argv) {
    if (wants_help(argc, argv)) {
        printf("usage: mgpipe %s\n", top_usage);
        return 0;
    }
    TopOptions options;
    if (const char *wrong = parse(argc, argv, options))
        return refuse("top", wrong, top_usage, 2);
    const bool live =
        !options.once && !options.json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    return live ? show_live(options) : print_once(options);
}
