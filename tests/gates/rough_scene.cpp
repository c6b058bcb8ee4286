// SPDX-License-Identifier: MIT
// The programs of rough_edges.py: ordinary desktop GL programs, one per mode. Each prints what it
// saw, one fact a line, and `end` when it came to its end by itself.
#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr int side = 64;

struct Target {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLConfig config = nullptr;
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;
};

EGLConfig choose(EGLDisplay display) {
    const EGLint want[] = {EGL_SURFACE_TYPE,
                           EGL_PBUFFER_BIT,
                           EGL_RENDERABLE_TYPE,
                           EGL_OPENGL_BIT,
                           EGL_RED_SIZE,
                           8,
                           EGL_ALPHA_SIZE,
                           8,
                           EGL_NONE};
    EGLConfig config = nullptr;
    EGLint n = 0;
    return eglChooseConfig(display, want, &config, 1, &n) && n ? config : nullptr;
}

// What cannot be had is said in one line of ours; false then.
bool open_display(Target *t) {
    t->display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (!eglInitialize(t->display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API) ||
        !(t->config = choose(t->display))) {
        printf("no display\n");
        return false;
    }
    return true;
}

bool open_context(Target *t, EGLContext share = EGL_NO_CONTEXT) {
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              3,
                              EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                              EGL_LOSE_CONTEXT_ON_RESET,
                              EGL_NONE};
    const EGLint size[] = {EGL_WIDTH, side, EGL_HEIGHT, side, EGL_NONE};
    eglBindAPI(EGL_OPENGL_API); // per thread
    t->context = eglCreateContext(t->display, t->config, share, version);
    t->surface = t->context ? eglCreatePbufferSurface(t->display, t->config, size) : nullptr;
    if (!t->surface || !eglMakeCurrent(t->display, t->surface, t->surface, t->context)) {
        printf("no context error 0x%x\n", static_cast<unsigned>(eglGetError()));
        return false;
    }
    return true;
}

void close_context(Target *t) {
    eglMakeCurrent(t->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroySurface(t->display, t->surface);
    eglDestroyContext(t->display, t->context);
}

// A program, a uniform, a draw over everything and one pixel back.
class Painter {
  public:
    // `effort` is an expression to be added to the colour.
    bool make(const char *effort = "0.0") {
        const std::string fragment =
            std::string(
                "#version 150\nuniform vec4 color; out vec4 o; void main() { o = color + ") +
            effort + "; }";
        const char *const text[2] = {
            "#version 150\nvoid main() { gl_Position = vec4(gl_VertexID % 2 * 4 - 1, "
            "gl_VertexID / 2 * 4 - 1, 0, 1); }",
            fragment.c_str()};
        program_ = glCreateProgram();
        for (int i = 0; i < 2; i++) {
            const GLuint s = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
            glShaderSource(s, 1, &text[i], nullptr);
            glCompileShader(s);
            glAttachShader(program_, s);
            glDeleteShader(s);
        }
        glLinkProgram(program_);
        glUseProgram(program_);
        color_ = glGetUniformLocation(program_, "color");
        GLuint vao = 0;
        glGenVertexArrays(1, &vao);
        glBindVertexArray(vao);
        return color_ >= 0;
    }
    // Draws without looking.
    void draw(unsigned i) {
        glUniform4f(color_, float(i), 0, 0, 1);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glFlush();
    }
    // Draws shade number `i`; true when the picture has it.
    bool frame(unsigned i) {
        const uint8_t shade[4] = {uint8_t(i * 16), uint8_t(i / 16 * 16), 0, 255};
        glUniform4f(color_, shade[0] / 255.0f, shade[1] / 255.0f, 0, 1);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        uint8_t pixel[4] = {1, 2, 3, 4};
        glReadPixels(side / 2, side / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
        return !memcmp(pixel, shade, 4);
    }

  private:
    GLuint program_ = 0;
    GLint color_ = -1;
};

// Draws for a while. After a loss nothing may be asserted about pictures, only that calls return.
int draw(double seconds) {
    Target t;
    if (!open_display(&t) || !open_context(&t))
        return 1;
    Painter p;
    p.make();
    unsigned right = 0, wrong = 0;
    bool lost = false;
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6));
    for (unsigned i = 0; !lost && std::chrono::steady_clock::now() < end; i++) {
        const bool ok = p.frame(i);
        lost = glGetGraphicsResetStatus() != GL_NO_ERROR; // told once
        if (!lost)
            (ok ? right : wrong)++;
        if (right + wrong == 1)
            printf("drawing\n");
    }
    for (unsigned i = 0; lost && i < 100; i++)
        p.frame(i);
    printf("wrong %u\nlost %d\nsome right %d\n", wrong, lost, right > 0);
    close_context(&t);
    if (lost) { // a new share group gets a new server
        Target again = t;
        if (!open_context(&again))
            return 1;
        Painter q;
        q.make();
        printf("again %s\n", q.frame(3) ? "right" : "wrong");
        close_context(&again);
    }
    eglTerminate(t.display);
    return 0;
}

// Many contexts one after the other, then many at once.
int contexts(unsigned count) {
    Target t;
    if (!open_display(&t))
        return 1;
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!open_context(&t))
            return 1;
        Painter p;
        p.make();
        wrong += !p.frame(i);
        close_context(&t);
    }
    std::vector<Target> all(count, t);
    unsigned open = 0;
    for (; open < count; open++)
        if (!open_context(&all[open], open % 2 ? all[open - 1].context : EGL_NO_CONTEXT))
            break;
    for (unsigned i = 0; i < open; i++) {
        eglMakeCurrent(t.display, all[i].surface, all[i].surface, all[i].context);
        Painter p;
        p.make();
        wrong += !p.frame(i);
    }
    for (unsigned i = 0; i < open; i++)
        close_context(&all[i]);
    printf("wrong %u\nopen %u\n", wrong, open);
    eglTerminate(t.display);
    return 0;
}

// Threads with a context each, made current and drawn with at once, half of them in share groups.
int threads(unsigned count) {
    Target t;
    if (!open_display(&t))
        return 1;
    std::atomic<unsigned> wrong{0}, failed{0};
    Target owner = t;
    if (!open_context(&owner))
        return 1;
    std::vector<std::thread> all;
    for (unsigned n = 0; n < count; n++)
        all.emplace_back([&, n] {
            Target mine = t;
            if (!open_context(&mine, n % 2 ? owner.context : EGL_NO_CONTEXT)) {
                failed++;
                return;
            }
            Painter p;
            p.make();
            for (unsigned i = 0; i < 20; i++) {
                wrong += !p.frame(i + n);
                eglMakeCurrent(mine.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
                eglMakeCurrent(mine.display, mine.surface, mine.surface, mine.context);
            }
            close_context(&mine);
        });
    for (std::thread &thread : all)
        thread.join();
    close_context(&owner);
    printf("wrong %u\nfailed %u\n", wrong.load(), failed.load());
    eglTerminate(t.display);
    return 0;
}

// One context wanted by two threads.
int busy() {
    Target t;
    if (!open_display(&t) || !open_context(&t))
        return 1;
    Painter p;
    p.make();
    bool refused = true;
    std::thread other([&] {
        eglBindAPI(EGL_OPENGL_API);
        for (unsigned i = 0; i < 1000; i++) {
            const bool got = eglMakeCurrent(t.display, t.surface, t.surface, t.context);
            refused = refused && !got && eglGetError() == EGL_BAD_ACCESS;
            if (got)
                eglMakeCurrent(t.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        }
        const EGLint size[] = {EGL_WIDTH, side, EGL_HEIGHT, side, EGL_NONE};
        EGLSurface own = eglCreatePbufferSurface(t.display, t.config, size);
        refused = refused && !eglMakeCurrent(t.display, own, own, t.context) &&
                  eglGetError() == EGL_BAD_ACCESS;
        eglDestroySurface(t.display, own);
        eglReleaseThread();
    });
    unsigned wrong = 0;
    for (unsigned i = 0; i < 50; i++)
        wrong += !p.frame(i);
    other.join();
    printf("wrong %u\nrefused %d\n", wrong, refused);
    close_context(&t);
    eglTerminate(t.display);
    return 0;
}

// A child before there is a context, and one after, which uses what it inherited and then starts
// anew.
int forks() {
    const pid_t before = fork();
    if (before == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(4);
        _exit(draw(0.2) == 0 ? 0 : 1);
    }
    Target t;
    if (!open_display(&t) || !open_context(&t))
        return 1;
    Painter p;
    p.make();
    unsigned wrong = !p.frame(1);
    fflush(stdout);
    const pid_t after = fork();
    if (after == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(4);
        for (unsigned i = 0; i < 20; i++)
            p.frame(i);
        close_context(&t);
        Target own = t;
        if (!open_context(&own))
            _exit(2);
        Painter q;
        q.make();
        const bool right = q.frame(5);
        close_context(&own);
        eglTerminate(t.display);
        _exit(right ? 0 : 3);
    }
    int status[2] = {-1, -1};
    for (unsigned i = 0; i < 30; i++)
        wrong += !p.frame(i);
    waitpid(before, &status[0], 0);
    waitpid(after, &status[1], 0);
    wrong += !p.frame(7);
    printf("wrong %u\nbefore %d\nafter %d\n", wrong, status[0], status[1]);
    close_context(&t);
    eglTerminate(t.display);
    return 0;
}

// The vendor library comes and goes; what it needs stays.
int reload(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        void *lib = dlopen("libEGL_mgpipe.so.0", RTLD_NOW | RTLD_LOCAL);
        if (!lib || !dlsym(lib, "__egl_Main")) {
            printf("no library: %s\n", dlerror());
            return 1;
        }
        dlclose(lib);
    }
    return draw(0.2);
}

// Contents far larger than the stage, faster than anybody draws.
int uploads(unsigned count) {
    Target t;
    if (!open_display(&t) || !open_context(&t))
        return 1;
    Painter p;
    p.make();
    std::vector<uint8_t> bytes(24u << 20, 7);
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    for (unsigned i = 0; i < count; i++)
        glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(bytes.size()), bytes.data(), GL_STATIC_DRAW);
    const GLenum error = glGetError();
    printf("wrong %d\nerror 0x%x\n", !p.frame(1), error);
    close_context(&t);
    eglTerminate(t.display);
    return 0;
}

// The process may take no more memory: GL's error, and all is well when it may again.
int no_memory() {
    Target t;
    if (!open_display(&t) || !open_context(&t))
        return 1;
    Painter p;
    p.make();
    bool wrong = !p.frame(1), told = false;
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    rlimit little = before;
    long pages = 0;
    if (FILE *f = fopen("/proc/self/statm", "r")) {
        wrong |= fscanf(f, "%ld", &pages) != 1;
        fclose(f);
    }
    little.rlim_cur = rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + (2u << 20);
    setrlimit(RLIMIT_AS, &little);
    constexpr int most = 1'000'000;
    GLuint texture = 0;
    for (int i = 0; i < most && !told; i++) {
        glGenTextures(1, &texture);
        glBindTexture(GL_TEXTURE_2D, texture);
        told = glGetError() == GL_OUT_OF_MEMORY;
    }
    setrlimit(RLIMIT_AS, &before);
    wrong |= !p.frame(2);
    printf("told %d\nwrong %d\nerror 0x%x\n", told, wrong, glGetError());
    close_context(&t);
    eglTerminate(t.display);
    return 0;
}

// No descriptor is left for memory that shall hold an answer: an error, or the bytes.
int full_table() {
    Target t;
    if (!open_display(&t) || !open_context(&t))
        return 1;
    const std::vector<uint8_t> bytes(24u << 20, 7);
    const auto size = GLsizeiptr(bytes.size());
    GLuint buffer = 0;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_COPY_READ_BUFFER, buffer);
    glBufferData(GL_COPY_READ_BUFFER, size, bytes.data(), GL_STATIC_DRAW);
    glFinish();
    std::vector<int> full;
    for (int fd; (fd = dup(1)) >= 0;)
        full.push_back(fd);
    std::vector<uint8_t> got(bytes.size());
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, size, got.data());
    printf("silent %d\n", glGetError() == GL_NO_ERROR && got != bytes);
    for (const int fd : full)
        close(fd);
    glGetBufferSubData(GL_COPY_READ_BUFFER, 0, size, got.data());
    printf("wrong %d\n", glGetError() != GL_NO_ERROR || got != bytes);
    close_context(&t);
    eglTerminate(t.display);
    return 0;
}

// A signal every half millisecond, with a handler that restarts nothing.
std::atomic<unsigned> alarms{0};
int interrupted() {
    struct sigaction action {};
    action.sa_handler = [](int) { alarms++; };
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often{{0, 500}, {0, 500}};
    setitimer(ITIMER_REAL, &often, nullptr);
    const int status = draw(0.5);
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    printf("signals %d\n", alarms > 50);
    return status;
}

// Threads that draw in contexts of their own until `stop`.
struct Crowd {
    Target root;
    std::vector<std::thread> all;
    std::atomic<bool> stop{false};
    std::atomic<unsigned> wrong{0}, drawing{0}, failed{0};

    bool start(unsigned count) {
        if (!open_display(&root))
            return false;
        for (unsigned n = 0; n < count; n++)
            all.emplace_back([this, n] { draw_on(n); });
        while (drawing + failed < count)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        printf("drawing\n");
        return failed == 0;
    }
    void draw_on(unsigned n) {
        Target mine = root;
        if (!open_context(&mine)) {
            failed++;
            return;
        }
        Painter p;
        p.make();
        bool lost = false;
        for (unsigned i = n; !stop && !lost; i++) {
            const bool right = p.frame(i);
            lost = glGetGraphicsResetStatus() != GL_NO_ERROR;
            wrong += !right && !lost;
            if (i == n)
                drawing++;
        }
        for (unsigned i = 0; lost && i < 100; i++)
            p.frame(i);
        close_context(&mine);
    }
    void end() {
        stop = true;
        for (std::thread &t : all)
            t.join();
        eglTerminate(root.display);
        printf("wrong %u\n", wrong.load());
    }
};

// Threads that lose what they draw with.
int crowd(double seconds) {
    auto *c = new Crowd;
    if (!c->start(4))
        return 1;
    std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int64_t>(seconds * 1e6)));
    c->end();
    return 0;
}

// Children while threads draw: some end at once, some become another program, some call into GL.
int fork_under_load() {
    auto *c = new Crowd;
    if (!c->start(3))
        return 1;
    unsigned bad = 0;
    for (unsigned i = 0; i < 30; i++) {
        const pid_t child = fork();
        if (child == 0) {
            if (i % 3 == 1)
                execl("/bin/true", "true", static_cast<char *>(nullptr));
            if (i % 3 == 2) {
                glClear(GL_COLOR_BUFFER_BIT);
                eglMakeCurrent(c->root.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            }
            _exit(0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        bad += status != 0;
    }
    c->end();
    printf("bad %u\n", bad);
    return 0;
}

// Threads make contexts and let them go while another one forks.
int fork_among_contexts() {
    Target root;
    if (!open_display(&root))
        return 1;
    std::atomic<bool> stop{false};
    std::atomic<unsigned> made{0}, failed{0};
    std::vector<std::thread> all;
    for (unsigned n = 0; n < 2; n++)
        all.emplace_back([&] {
            while (!stop) {
                Target mine = root;
                if (!open_context(&mine)) {
                    failed++;
                    return;
                }
                close_context(&mine);
                made++;
            }
        });
    unsigned bad = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end) {
        const pid_t child = fork();
        if (child == 0)
            _exit(0);
        int status = -1;
        waitpid(child, &status, 0);
        bad += status != 0;
    }
    stop = true;
    for (std::thread &thread : all)
        thread.join();
    printf("bad %u\nfailed %u\nsome made %d\n", bad, failed.load(), made > 4);
    eglTerminate(root.display);
    return 0;
}

// main() returns while threads draw.
int exit_under_load() {
    auto *c = new Crowd;
    if (!c->start(4))
        return 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return 0;
}

// The host compiles and draws while the process ends.
int exit_with_work() {
    auto *t = new Target;
    if (!open_display(t) || !open_context(t))
        return 1;
    std::string effort = "0.0";
    for (unsigned i = 0; i < 40; i++) {
        effort += " + sin(gl_FragCoord.x * " + std::to_string(i + 1) + ".5) * color.y";
        auto *p = new Painter;
        if (!p->make(effort.c_str()))
            return 1;
        p->draw(i);
    }
    return 0;
}

// Threads that end with their context current, and contexts that another thread destroys.
int orphans() {
    Target t;
    if (!open_display(&t))
        return 1;
    unsigned wrong = 0;
    for (unsigned i = 0; i < 10; i++) {
        Target mine = t;
        std::thread([&] {
            open_context(&mine);
            Painter p;
            p.make();
            wrong += !p.frame(i);
        }).join();
        eglDestroySurface(t.display, mine.surface);
        eglDestroyContext(t.display, mine.context);
    }
    std::atomic<int> step{0};
    Target mine = t;
    std::thread painter([&] {
        open_context(&mine);
        Painter p;
        p.make();
        wrong += !p.frame(1);
        step = 1;
        while (step == 1)
            std::this_thread::yield();
        for (unsigned i = 0; i < 20; i++) // current, though it has no name any more
            wrong += !p.frame(i);
        step = 3;
        while (step == 3)
            std::this_thread::yield();
        for (unsigned i = 0; i < 20; i++) // after eglTerminate()
            p.frame(i);
        eglMakeCurrent(t.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        p.frame(0);
    });
    while (step != 1)
        std::this_thread::yield();
    eglDestroyContext(t.display, mine.context);
    eglDestroySurface(t.display, mine.surface);
    step = 2;
    while (step != 3)
        std::this_thread::yield();
    eglTerminate(t.display);
    step = 4;
    painter.join();
    printf("wrong %u\n", wrong);
    return 0;
}

// A program that reaps every child it hears of, and counts those that are not its own.
std::atomic<int> strangers{0};
void reap(int) {
    const int saved = errno;
    while (waitpid(-1, nullptr, WNOHANG) > 0)
        strangers++;
    errno = saved;
}
int reaper() {
    struct sigaction action {};
    action.sa_handler = reap;
    sigaction(SIGCHLD, &action, nullptr);
    std::atomic<bool> stop{false};
    std::thread waiter([&] {
        while (!stop) {
            if (waitpid(-1, nullptr, 0) > 0)
                strangers++;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    const int status = draw(0.3);
    stop = true;
    waiter.join();
    printf("strangers %d\n", strangers.load());
    return status;
}

} // namespace

int main(int argc, char **argv) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    const char *mode = argc > 1 ? argv[1] : "";
    const double number = argc > 2 ? atof(argv[2]) : 0;
    const auto count = static_cast<unsigned>(number);
    int status = 2;
    if (!strcmp(mode, "draw"))
        status = draw(number);
    else if (!strcmp(mode, "contexts"))
        status = contexts(count);
    else if (!strcmp(mode, "threads"))
        status = threads(count);
    else if (!strcmp(mode, "busy"))
        status = busy();
    else if (!strcmp(mode, "forks"))
        status = forks();
    else if (!strcmp(mode, "reload"))
        status = reload(count);
    else if (!strcmp(mode, "uploads"))
        status = uploads(count);
    else if (!strcmp(mode, "no-memory"))
        status = no_memory();
    else if (!strcmp(mode, "full-table"))
        status = full_table();
    else if (!strcmp(mode, "reaper"))
        status = reaper();
    else if (!strcmp(mode, "interrupted"))
        status = interrupted();
    else if (!strcmp(mode, "crowd"))
        status = crowd(number);
    else if (!strcmp(mode, "fork-under-load"))
        status = fork_under_load();
    else if (!strcmp(mode, "fork-among-contexts"))
        status = fork_among_contexts();
    else if (!strcmp(mode, "exit-under-load"))
        status = exit_under_load();
    else if (!strcmp(mode, "exit-with-work"))
        status = exit_with_work();
    else if (!strcmp(mode, "orphans"))
        status = orphans();
    if (status == 0)
        printf("end\n");
    return status;
}
