// SPDX-License-Identifier: MIT
// `mgpipe run` and `mgpipe record`: set the environment for a program and become it (`record` waits
// for it). What cannot work is said in one line before.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <glob.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "commands.h"
#include "entry.h"
#include "form_entry.h"
#include "places.h"
#include "program_environment.h"

// As env(1), timeout(1) and their like: what is ours cannot be mistaken for the program's status.
static constexpr int status_ours = 125;
static constexpr int status_not_executable = 126;
static constexpr int status_not_found = 127;

// Who speaks.
static const char *command = "mgpipe run";

// The value of `--NAME=VALUE` or `--NAME VALUE`, null when argv[i] is another option; `i` moves on.
static const char *option_value(const char *name, int argc, char **argv, int &i) {
    const size_t length = strlen(name);
    if (strncmp(argv[i], "--", 2) || strncmp(argv[i] + 2, name, length))
        return nullptr;
    const char *rest = argv[i] + 2 + length;
    if (*rest == '=')
        return rest + 1;
    return !*rest && i + 1 < argc ? argv[++i] : nullptr;
}

// The index of PROGRAM; 0 when there is none or (then `*wrong`) an option is not understood.
static int parse(int argc, char **argv, RunOptions &options, const char **wrong) {
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "--"))
            return i + 1 < argc ? i + 1 : 0;
        if (argv[i][0] != '-')
            return i;
        if (const char *driver = option_value("driver", argc, argv, i))
            options.driver = driver;
        else if (const char *form = option_value("form", argc, argv, i))
            options.form = form;
        else if (const char *host = option_value("host", argc, argv, i))
            options.host = host;
        else {
            *wrong = argv[i];
            break;
        }
    }
    return 0;
}

// What a variable says; unset or empty is good: the default.
static bool known(const char *what, const char *variable, const char *(*name_at)(unsigned)) {
    const char *name = getenv(variable);
    if (!name || !*name)
        return true;
    std::string all;
    for (unsigned i = 0; const char *at = name_at(i); ++i) {
        if (is_form(at, name))
            return true;
        all += std::string(i ? ", " : "") + at;
    }
    fprintf(stderr, "%s: no %s '%s' in this build, which has %s\n", command, what, name,
            all.c_str());
    return false;
}

static std::string read_all(int fd) {
    std::string text;
    char part[4096];
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
        text.append(part, n > 0 ? static_cast<size_t>(n) : 0);
    return text;
}

// Of a form that leads to a server: its log lines say which, and are about no driver of this host.
static bool is_address() {
    const char *form = getenv("MGPIPE_FORM");
    return form && strchr(form, ':');
}

// The lines of our log (util/log.h) without their heads.
static std::string reasons(const std::string &text) {
    std::string all;
    for (size_t at = 0; (at = text.find("mgpipe[", at)) != std::string::npos;) {
        const size_t level = text.find("] ", at);
        const size_t tag = level == std::string::npos ? level : text.find(' ', level + 2);
        if (tag == std::string::npos)
            break;
        at = std::min(text.find('\n', tag), text.size());
        const std::string line = text.substr(tag + 1, at - tag - 1);
        const size_t skip = is_address() && line.starts_with("remote: ") ? strlen("remote: ") : 0;
        all += (all.empty() ? "" : "; ") + line.substr(skip);
    }
    return all.empty() ? "it gives no reason" : all;
}

// What ssh, or who stands in for it, says.
static void print_others(const std::string &text) {
    for (size_t at = 0, end; at < text.size(); at = end) {
        end = std::min(text.find('\n', at), text.size() - 1) + 1;
        if (text.compare(at, strlen("mgpipe["), "mgpipe["))
            fwrite(text.data() + at, 1, end - at, stderr);
    }
}

// The environment is read when a process starts, so ours is too old by now.
[[noreturn]] static void probe(int log) {
    dup2(log, STDERR_FILENO);
    unsetenv("MGPIPE_LOG");
    setenv("MGPIPE_LOG_LEVEL", "warning", 1);
    execl("/proc/self/exe", "mgpipe", "info", "--probe", nullptr);
    _exit(1);
}

// In a process of its own: the host's driver leaves threads and files, and may crash.
static bool host_works() {
    int ends[2];
    if (pipe(ends)) {
        fprintf(stderr, "%s: pipe: %s\n", command, strerror(errno));
        return false;
    }
    const pid_t child = fork();
    if (!child) {
        close(ends[0]);
        probe(ends[1]);
    }
    close(ends[1]);
    const std::string text = child < 0 ? "" : read_all(ends[0]);
    const std::string reason = child < 0 ? strerror(errno) : reasons(text);
    close(ends[0]);
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!status)
        return true;
    if (is_address() && !WIFSIGNALED(status)) {
        print_others(text);
        fprintf(stderr, "%s: %s\n", command, reason.c_str());
    } else if (WIFSIGNALED(status))
        fprintf(stderr, "%s: no host driver: its library ended with signal %d\n", command,
                WTERMSIG(status));
    else
        fprintf(stderr, "%s: no host driver: %s\n", command, reason.c_str());
    return false;
}

static int not_started(const char *program, int error) {
    fprintf(stderr, "%s: %s: %s\n", command, program, strerror(error));
    return error == ENOENT ? status_not_found : status_not_executable;
}

// The program, while it runs in our foreground: what the terminal sends goes to both.
static pid_t child;

static void pass_on(int signal_number) {
    kill(child, signal_number);
}

// The file, or that of a process of the program which was not the first to draw (FILE.PID).
static bool recorded(const std::string &file, time_t since) {
    if (!access(file.c_str(), F_OK))
        return true;
    glob_t found{};
    bool any = false;
    if (!glob((file + ".[0-9]*").c_str(), 0, nullptr, &found))
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct stat is {};
            any |= !stat(found.gl_pathv[i], &is) && is.st_mtime >= since;
        }
    globfree(&found);
    return any;
}

// Ends as the program ended.
static int end_as(int status) {
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    const rlimit no_core{0, 0}; // the program may have left one
    setrlimit(RLIMIT_CORE, &no_core);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

// Runs the program and says when it recorded nothing.
static int watch(char **program, const std::string &file) {
    const time_t since = time(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) || (child = fork()) < 0)
        return not_started(program[0], errno);
    int error = 0;
    if (!child) {
        execvp(program[0], program);
        error = errno;
        [[maybe_unused]] const ssize_t told = write(ends[1], &error, sizeof error);
        _exit(status_ours);
    }
    for (const int ours : {SIGINT, SIGQUIT})
        signal(ours, SIG_IGN);
    for (const int theirs : {SIGHUP, SIGTERM, SIGUSR1, SIGUSR2})
        signal(theirs, pass_on);
    close(ends[1]);
    while (read(ends[0], &error, sizeof error) < 0 && errno == EINTR) {
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (error)
        return not_started(program[0], error);
    if (recorded(file, since))
        return end_as(status);
    fprintf(stderr, "%s: %s drew nothing with GL: there is no recording\n", command, program[0]);
    return WIFEXITED(status) && !WEXITSTATUS(status) ? status_ours : end_as(status);
}

// Becomes the program, or watches it write a recording.
static int become(char **program, const RunOptions &options, const std::string &record,
                  const std::string &watched = {}) {
    Places places;
    if (!find_places(places))
        return status_ours;
    for (const auto &[name, value] : program_environment(places, options))
        setenv(name.c_str(), value.c_str(), 1);
    const mgpipe_entry_table *entry = mgpipe_entry();
    unsetenv("MGPIPE_RECORD"); // not what is tried first
    if (!known("driver", "MGPIPE_DRIVER", entry->driver_name) ||
        !known("form", "MGPIPE_FORM", entry->form_name) || !host_works())
        return status_ours;
    // A program may do without a window: no error.
    if (const std::string problem = display_problem(); !problem.empty())
        fprintf(stderr, "%s: %s\n", command, problem.c_str());
    if (!record.empty())
        setenv("MGPIPE_RECORD", record.c_str(), 1);
    if (!watched.empty())
        return watch(program, watched);
    execvp(program[0], program);
    return not_started(program[0], errno);
}

static std::string variable(const char *name) {
    const char *text = getenv(name);
    return text ? text : "";
}

int run_main(int argc, char **argv) {
    if (wants_help(argc, argv)) {
        printf("usage: mgpipe %s\n", run_usage);
        return 0;
    }
    RunOptions options;
    const char *wrong = nullptr;
    const int program = parse(argc, argv, options, &wrong);
    if (!program)
        return refuse("run", wrong, run_usage, status_ours);
    return become(argv + program, options, variable("MGPIPE_RECORD"));
}

// The process changes its folder before it opens the file, perhaps.
static std::string absolute(const std::string &path) {
    std::error_code ignored;
    return std::filesystem::absolute(path, ignored).string();
}

static std::string default_name(const char *program) {
    const char *slash = strrchr(program, '/');
    return std::string(slash ? slash + 1 : program) + ".mgrec.zst";
}

int record_main(int argc, char **argv) {
    command = "mgpipe record";
    if (wants_help(argc, argv)) {
        printf("usage: mgpipe %s\n", record_usage);
        return 0;
    }
    RunOptions options;
    std::string file;
    bool portable = false;
    std::vector<char *> rest{argv[0]};
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--"); ++i) {
        if (!strcmp(argv[i], "--portable"))
            portable = true;
        else if (!strcmp(argv[i], "-o") && i + 1 < argc)
            file = argv[++i];
        else if (const char *path = option_value("output", argc, argv, i))
            file = path;
        else
            rest.push_back(argv[i]);
    }
    rest.insert(rest.end(), argv + i, argv + argc);
    const char *wrong = nullptr;
    const int program = parse(int(rest.size()), rest.data(), options, &wrong);
    rest.push_back(nullptr);
    if (!program)
        return refuse("record", wrong, record_usage, status_ours);
    file = absolute(file.empty() ? default_name(rest[size_t(program)]) : file);
    // The recorder, which comes to it later, could only say so.
    const int made = (unlink(file.c_str()) && errno != ENOENT)
                         ? -1
                         : open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) {
        fprintf(stderr, "%s: %s: %s\n", command, file.c_str(), strerror(errno));
        return status_ours;
    }
    close(made);
    unlink(file.c_str());
    return become(rest.data() + program, options, (portable ? "portable:" : "") + file, file);
}
