// SPDX-License-Identifier: MIT
// Runs scenarios: `scenarios [--list] [--fork] [NAME...]`. Every result is one line: `ok NAME`,
// `fail NAME: why`, `skip NAME: why`. Before the first scenario and after each it proves who
// renders.
#include "scenario.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace scenario {

namespace {

struct Skipped {
    std::string why;
};

EGLDisplay the_display = EGL_NO_DISPLAY;
Context the_context;
std::string first_failure;
int failure_count;

std::string env(const char *name, const char *otherwise) {
    const char *v = getenv(name);
    return v && *v ? v : otherwise;
}

// Threads of this process that apply records.
int apply_threads() {
    int count = 0;
    for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream comm(task.path() / "comm");
        std::string name;
        std::getline(comm, name);
        count += name.rfind("mgpipe-apply", 0) == 0;
    }
    return count;
}

// GL_RENDERER names the driver; /proc tells where it runs: in this thread, on a thread of its own,
// or in a server. MGPIPE_DRIVER=native runs the scenarios on whatever GL the machine has: the
// reference for the scenarios.
void prove_who_renders() {
    if (driver() == "native")
        return;
    const std::string renderer = reinterpret_cast<const char *>(glGetString(GL_RENDERER));
    std::string want_driver = driver();
    want_driver[0] = char(toupper(want_driver[0]));
    if (renderer.find("MGPipe " + want_driver) == std::string::npos)
        fail(__FILE__, __LINE__,
             "GL_RENDERER \"" + renderer + "\" does not name driver " + want_driver);
    const int servers = int(server_processes(getpid()).size()), threads = apply_threads();
    if (servers != (apart() ? 1 : 0))
        fail(__FILE__, __LINE__, std::to_string(servers) + " server processes in form " + form());
    if ((threads > 0) != (form() == "inproc"))
        fail(__FILE__, __LINE__, std::to_string(threads) + " apply threads in form " + form());
}

void run_body(const Case &c) {
    the_context = make_context();
    make_current(the_context);
    try {
        if (!glGetString(GL_RENDERER)) {
            fail(__FILE__, __LINE__, "no current context");
        } else {
            prove_who_renders();
            c.body();
        }
        const GLenum e = glGetError();
        if (e != GL_NO_ERROR)
            fail(__FILE__, __LINE__, "left GL error " + std::to_string(e));
    } catch (const Skipped &s) {
        if (!failure_count)
            first_failure = "skip:" + s.why;
    }
    make_current({});
    destroy(the_context);
}

// Returns 0 ok, 1 fail, 2 skip.
int run_case(const Case &c) {
    first_failure.clear();
    failure_count = 0;
    run_body(c);
    if (failure_count == 0 && first_failure.empty()) {
        printf("ok %s\n", c.name);
        return 0;
    }
    if (failure_count == 0) {
        printf("skip %s: %s\n", c.name, first_failure.c_str() + 5);
        return 2;
    }
    printf("fail %s: %s\n", c.name, first_failure.c_str());
    return 1;
}

// In a child, so that a crash is one failure and not the end.
int run_forked(const Case &c) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        const int r = run_case(c);
        fflush(stdout);
        exit(r);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) {
        const int code = WEXITSTATUS(status);
        if (code > 2) // a sanitizer's report at exit
            printf("fail %s: exit status %d\n", c.name, code);
        return code;
    }
    printf("fail %s: killed by signal %d\n", c.name, WTERMSIG(status));
    return 1;
}

// For scenarios that need a second program: draws, says so, and waits to be killed; or ends with
// its context current.
int second_program(bool hold) {
    const Context c = make_context();
    make_current(c);
    glClear(GL_COLOR_BUFFER_BIT);
    glFinish();
    if (!hold)
        exit(0);
    putchar('.');
    fflush(stdout);
    for (;;) {
        glClear(GL_COLOR_BUFFER_BIT);
        glFlush();
        usleep(1000);
    }
}

} // namespace

namespace {

// A program's own server detaches from it and is known by the environment it inherited.
bool inherited(const std::filesystem::path &process, int owner) {
    const std::string mark = "SCENARIO_OWNER=" + std::to_string(owner);
    std::ifstream in(process / "environ", std::ios::binary);
    for (std::string entry; std::getline(in, entry, '\0');)
        if (entry == mark)
            return true;
    return false;
}

// How the statistics page of a process begins.
struct StatsHead {
    char magic[8];
    uint32_t version, size, pid, role, peer_pid;
};
constexpr uint32_t role_server = 3;

// A session of a service says there whom it serves.
bool serves(const std::filesystem::path &process, int owner) {
    std::error_code ignored;
    for (const auto &fd : std::filesystem::directory_iterator(process / "fd", ignored)) {
        const std::string target = std::filesystem::read_symlink(fd, ignored).string();
        if (target.find("mgpipe-stats") == std::string::npos)
            continue;
        StatsHead head{};
        std::ifstream in(fd.path(), std::ios::binary);
        in.read(reinterpret_cast<char *>(&head), sizeof head);
        return in && !memcmp(head.magic, "MGPstats", sizeof head.magic) &&
               head.role == role_server && head.peer_pid == uint32_t(owner);
    }
    return false;
}

} // namespace

std::vector<int> server_processes(int owner) {
    std::vector<int> found;
    std::error_code ignored;
    for (const auto &process : std::filesystem::directory_iterator("/proc", ignored)) {
        std::ifstream comm(process.path() / "comm");
        std::string name;
        if (!std::getline(comm, name) || name != "mgpiped")
            continue;
        if (inherited(process.path(), owner) || serves(process.path(), owner))
            found.push_back(std::stoi(process.path().filename()));
    }
    return found;
}

uint64_t resident_bytes() {
    uint64_t sum = 0;
    std::vector<std::string> processes{"self"};
    for (const int p : server_processes(getpid()))
        processes.push_back(std::to_string(p));
    for (const std::string &p : processes) {
        std::ifstream in("/proc/" + p + "/smaps_rollup");
        for (std::string line; std::getline(in, line);)
            if (line.rfind("Pss:", 0) == 0)
                sum += std::stoull(line.substr(4)) * 1024;
    }
    return sum;
}

std::vector<Case> &cases() {
    static std::vector<Case> all;
    return all;
}

void skip(const std::string &why) {
    throw Skipped{why};
}

void fail(const char *file, int line, const std::string &what) {
    const char *base = strrchr(file, '/');
    const std::string text =
        std::string(base ? base + 1 : file) + ":" + std::to_string(line) + ": " + what;
    if (failure_count++ == 0)
        first_failure = text;
    if (getenv("SCENARIO_VERBOSE"))
        fprintf(stderr, "  %s\n", text.c_str());
}

int failures() {
    return failure_count;
}
std::string form() {
    return env("MGPIPE_FORM", "monolith");
}
bool apart() {
    return form() != "monolith" && form() != "inproc";
}
std::string driver() {
    return env("MGPIPE_DRIVER", "espryt");
}
const Context &current() {
    return the_context;
}

EGLDisplay display() {
    if (the_display == EGL_NO_DISPLAY) {
        setenv("SCENARIO_OWNER", std::to_string(getpid()).c_str(), 1);
        the_display =
            eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (!eglInitialize(the_display, nullptr, nullptr)) {
            fprintf(stderr, "eglInitialize failed: 0x%x\n", eglGetError());
            exit(1);
        }
        eglBindAPI(EGL_OPENGL_API);
    }
    return the_display;
}

EGLConfig config(int samples) {
    const EGLint attribs[] = {EGL_SURFACE_TYPE,
                              EGL_PBUFFER_BIT,
                              EGL_RENDERABLE_TYPE,
                              EGL_OPENGL_BIT,
                              EGL_RED_SIZE,
                              8,
                              EGL_GREEN_SIZE,
                              8,
                              EGL_BLUE_SIZE,
                              8,
                              EGL_ALPHA_SIZE,
                              8,
                              EGL_DEPTH_SIZE,
                              24,
                              EGL_STENCIL_SIZE,
                              8,
                              EGL_SAMPLES,
                              samples,
                              EGL_NONE};
    EGLConfig found[64];
    EGLint count = 0;
    eglChooseConfig(display(), attribs, found, 64, &count);
    for (EGLint i = 0; i < count; i++) {
        EGLint red = 0, alpha = 0;
        eglGetConfigAttrib(display(), found[i], EGL_RED_SIZE, &red);
        eglGetConfigAttrib(display(), found[i], EGL_ALPHA_SIZE, &alpha);
        if (red == 8 && alpha == 8)
            return found[i];
    }
    fprintf(stderr, "no RGBA8 depth 24 stencil 8 samples %d pbuffer config\n", samples);
    exit(1);
}

Context make_context(EGLContext share, const std::vector<EGLint> &extra, int width, int height,
                     int samples) {
    Context c;
    eglBindAPI(EGL_OPENGL_API);
    static const int versions[] = {46, 45, 44, 43, 42, 41, 40, 33, 32, 31};
    for (const int v : versions) {
        std::vector<EGLint> attribs{EGL_CONTEXT_MAJOR_VERSION, v / 10, EGL_CONTEXT_MINOR_VERSION,
                                    v % 10};
        if (v >= 32)
            attribs.insert(attribs.end(),
                           {EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT});
        attribs.insert(attribs.end(), extra.begin(), extra.end());
        attribs.push_back(EGL_NONE);
        c.context = eglCreateContext(display(), config(samples), share, attribs.data());
        if (c.context != EGL_NO_CONTEXT)
            break;
    }
    if (c.context == EGL_NO_CONTEXT) {
        fprintf(stderr, "eglCreateContext failed: 0x%x\n", eglGetError());
        exit(1);
    }
    const EGLint size[] = {EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE};
    c.surface = eglCreatePbufferSurface(display(), config(samples), size);
    if (c.surface == EGL_NO_SURFACE) {
        fprintf(stderr, "eglCreatePbufferSurface failed: 0x%x\n", eglGetError());
        exit(1);
    }
    return c;
}

void make_current(const Context &c) {
    if (!eglMakeCurrent(display(), c.surface, c.surface, c.context))
        fail(__FILE__, __LINE__, "eglMakeCurrent: error " + std::to_string(eglGetError()));
}

void destroy(const Context &c) {
    eglDestroySurface(display(), c.surface);
    eglDestroyContext(display(), c.context);
}

bool has_extension(const char *name) {
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        if (!strcmp(reinterpret_cast<const char *>(glGetStringi(GL_EXTENSIONS, GLuint(i))), name))
            return true;
    return false;
}

int version() {
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    return major * 10 + minor;
}

} // namespace scenario

int main(int argc, char **argv) {
    using namespace scenario;
    std::sort(cases().begin(), cases().end(),
              [](const Case &a, const Case &b) { return strcmp(a.name, b.name) < 0; });
    if (argc == 2 && (!strcmp(argv[1], "--hold") || !strcmp(argv[1], "--exit-current")))
        return second_program(!strcmp(argv[1], "--hold"));
    bool list = false, forked = false;
    std::vector<std::string> names;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--list"))
            list = true;
        else if (!strcmp(argv[i], "--fork"))
            forked = true;
        else
            names.push_back(argv[i]);
    }
    int count[3] = {0, 0, 0};
    for (const std::string &name : names)
        if (std::none_of(cases().begin(), cases().end(),
                         [&](const Case &c) { return name == c.name; })) {
            printf("fail %s: no such scenario\n", name.c_str());
            count[1]++;
        }
    for (const Case &c : cases()) {
        if (!names.empty() && std::find(names.begin(), names.end(), c.name) == names.end())
            continue;
        if (list) {
            puts(c.name);
            continue;
        }
        const int r = forked ? run_forked(c) : run_case(c);
        count[r > 2 ? 1 : r]++;
        fflush(stdout);
    }
    if (!list)
        printf("%d passed, %d failed, %d skipped\n", count[0], count[1], count[2]);
    return count[1] ? 1 : 0;
}
