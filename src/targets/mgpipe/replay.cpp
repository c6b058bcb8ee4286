// SPDX-License-Identifier: MIT
// `mgpipe replay`: plays a recording and writes its pictures.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "commands.h"
#include "entry.h"
#include "pipe_wrap/record.h"
#include "places.h"
#include "png_writer.h"
#include "program_environment.h"

namespace {

struct Command {
    wrap::ReplayOptions play;
    RunOptions run;
    std::string folder;
    uint64_t passes = 1; // 0: for ever
    bool stats = false;
};

class Pictures final : public wrap::ReplayListener {
  public:
    Pictures(const std::string &file, const std::string &folder) : file_(file), folder_(folder) {}
    void say(const std::string &line) override {
        fprintf(stderr, "mgpipe replay: %s: %s\n", file_.c_str(), line.c_str());
    }
    bool picture(const wrap::Picture &p) override {
        char name[32];
        snprintf(name, sizeof name, "frame-%05u.png", p.frame);
        const std::string path = folder_ + "/" + name;
        if (write_png(path, int(p.width), int(p.height), p.rgba)) {
            written++;
            return true;
        }
        fprintf(stderr, "mgpipe replay: cannot write %s\n", path.c_str());
        failed = true;
        return false;
    }
    bool failed = false;
    uint32_t written = 0;

  private:
    std::string file_, folder_;
};

const char *value_of(const char *argument, const char *name) {
    const size_t n = strlen(name);
    return !strncmp(argument, name, n) && argument[n] == '=' ? argument + n + 1 : nullptr;
}

bool number(const char *text, uint32_t &n, const char **rest = nullptr) {
    char *end;
    errno = 0;
    const unsigned long v = strtoul(text, &end, 10);
    if (end == text || *text == '-' || errno || v > UINT32_MAX || (!rest && *end))
        return false;
    n = uint32_t(v);
    if (rest)
        *rest = end;
    return true;
}

// "A-B", "A-", "A"; frames count from 1.
bool frames(const char *text, wrap::ReplayOptions &o) {
    const char *rest;
    if (!number(text, o.first, &rest) || !o.first)
        return false;
    o.last = o.first;
    if (!*rest)
        return true;
    if (*rest != '-')
        return false;
    o.last = UINT32_MAX;
    return !rest[1] || (number(rest + 1, o.last) && o.last >= o.first);
}

bool flag(const char *argument, Command &c) {
    const struct {
        const char *name;
        bool *value;
    } flags[] = {{"--fbo", &c.play.fbo},
                 {"--check", &c.play.check},
                 {"--caps", &c.play.caps},
                 {"--stats", &c.stats}};
    for (const auto &f : flags)
        if (!strcmp(argument, f.name))
            return *f.value = true;
    if (!strcmp(argument, "--loop")) {
        c.passes = 0;
        return true;
    }
    return false;
}

bool option(const char *argument, Command &c) {
    uint32_t n = 0;
    if (const char *v = value_of(argument, "--driver"))
        c.run.driver = v;
    else if (const char *v = value_of(argument, "--form"))
        c.run.form = v;
    else if (const char *v = value_of(argument, "--frames"))
        return frames(v, c.play);
    else if (const char *v = value_of(argument, "--every"))
        return number(v, c.play.every) && c.play.every;
    else if (const char *v = value_of(argument, "--loop")) {
        if (!number(v, n) || !n)
            return false;
        c.passes = n;
    } else
        return flag(argument, c);
    return true;
}

// False: there is no file, or (then `*wrong`) an option is not understood.
bool parse(int argc, char **argv, Command &c, const char **wrong) {
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-o") && i + 1 < argc)
            c.folder = argv[++i];
        else if (argv[i][0] != '-' && c.play.file.empty())
            c.play.file = argv[i];
        else if (!option(argv[i], c)) {
            *wrong = argv[i];
            return false;
        }
    }
    return !c.play.file.empty();
}

// Driver and form are read from the environment when a process starts. `argv` follows the name of
// the command.
bool again_with_environment(const Command &c, char **argv) {
    static constexpr const char *mark = "mgpipe-again";
    if (!strcmp(argv[-1], mark))
        return true;
    Places places;
    if (!find_places(places))
        return false;
    for (const auto &[name, value] : program_environment(places, c.run))
        setenv(name.c_str(), value.c_str(), 1);
    std::string name = mark;
    argv[-1] = name.data();
    execv("/proc/self/exe", argv - 1);
    perror("mgpipe replay");
    return false;
}

void print_stats(const wrap::ReplayCounts &n) {
    printf("%llu frames in %.3f s (%.1f frames/s), %llu calls, %llu bytes", //
           (unsigned long long)n.frames, n.seconds, double(n.frames) / std::max(n.seconds, 1e-9),
           (unsigned long long)n.calls, (unsigned long long)n.bytes);
    if (n.frames)
        printf(" (%.1f calls, %.1f bytes a frame)", double(n.calls) / double(n.frames),
               double(n.bytes) / double(n.frames));
    printf("%s\n", n.translated ? ", of another definition" : "");
    for (const auto &[name, count] : n.by_call)
        printf("%10llu %s\n", (unsigned long long)count, name.c_str());
}

bool one_pass(const Command &c) {
    Pictures pictures(c.play.file, c.folder);
    wrap::ReplayCounts n;
    const bool good = mgpipe_entry()->replay(c.play, pictures, n);
    if (n.missing)
        pictures.say(std::to_string(n.missing) + " calls were left out");
    if (good && c.play.pictures && !pictures.written && !pictures.failed)
        pictures.say("no picture: it has " + std::to_string(n.frames) + " frames");
    if (c.play.check)
        printf("%llu answers compared, %llu differ\n", (unsigned long long)n.checked,
               (unsigned long long)n.different);
    if (c.stats)
        print_stats(n);
    fflush(stdout);
    return good && !pictures.failed && !n.different;
}

} // namespace

int replay_main(int argc, char **argv) {
    if (wants_help(argc, argv)) {
        printf("usage: mgpipe %s\n", replay_usage);
        return 0;
    }
    Command c;
    const char *wrong = nullptr;
    if (!parse(argc, argv, c, &wrong))
        return refuse("replay", wrong, replay_usage, 2);
    if (!again_with_environment(c, argv))
        return 1;
    c.play.pictures = !c.folder.empty();
    std::error_code error;
    if (c.play.pictures && !std::filesystem::create_directories(c.folder, error) && error) {
        fprintf(stderr, "mgpipe replay: %s: %s\n", c.folder.c_str(), error.message().c_str());
        return 1;
    }
    for (uint64_t pass = 0; !c.passes || pass < c.passes; pass++)
        if (!one_pass(c))
            return 1;
    return 0;
}
