// SPDX-License-Identifier: MIT
// What the measured programs share: an OpenGL 3.3 context on a pbuffer, and what a run took.
#pragma once

#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLEXT_PROTOTYPES 1
#include <GL/glcorearb.h>

#include <ctime>

namespace bench {

// One line with `what` and EGL's error, then exit(1).
[[noreturn]] void fail(const char *what);

// Makes it current; a size of `width` x `height`, with depth.
void open_context(int width, int height);
void swap_buffers();

GLuint shader(GLenum stage, const char *text);
GLuint program(const char *vertex, const char *fragment);

double clock_us(clockid_t id);

// Begins at its construction. Servers of ours are found by a variable that they inherit, so the
// first one is made before the context.
class Meter {
  public:
    Meter();
    // Prints NAME=VALUE lines: renderer; time per frame of this thread (until now, or until
    // thread_done()), of this process, of its servers and by the wall; resident memory of both.
    void report(unsigned frames) const;
    void restart();
    // Before what only waits (glFinish).
    void thread_done();

  private:
    double thread_ = 0, process_ = 0, wall_ = 0, servers_ = 0, thread_end_ = 0;
};

} // namespace bench
