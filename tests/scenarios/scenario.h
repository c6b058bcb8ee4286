// SPDX-License-Identifier: MIT
// What a scenario needs: a macro that registers its body, checks, and small GL helpers.
//
// A scenario is one feature in one function. It runs with a fresh core context current, draw and
// read surface a 64x64 RGBA8 depth 24 stencil 8 pbuffer, and must leave no GL error behind. The
// program is an ordinary desktop GL program: it links the system's libEGL and libOpenGL and knows
// nothing of MGPipe but the strings that prove who rendered.
#pragma once

#define GL_GLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace scenario {

struct Case {
    const char *name;
    void (*body)();
};

// All registered scenarios, sorted by name.
std::vector<Case> &cases();

struct Register {
    Register(const char *name, void (*body)()) { cases().push_back({name, body}); }
};

// Ends the running scenario as skipped; only for a feature that the host honestly lacks. The runner
// knows the list of allowed skips.
[[noreturn]] void skip(const std::string &why);
// Records a failure and goes on.
void fail(const char *file, int line, const std::string &what);
// Number of failures of the running scenario so far.
int failures();

// --- EGL -----------------------------------------------------------------------------------------

struct Context {
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;
};

EGLDisplay display();
EGLConfig config(int samples = 0);
// A core context of the highest version, or of the given one; attributes are EGL_NONE-terminated
// extras.
Context make_context(EGLContext share = EGL_NO_CONTEXT, const std::vector<EGLint> &extra = {},
                     int width = 64, int height = 64, int samples = 0);
void make_current(const Context &c);
void destroy(const Context &c);
// The context the harness made for this scenario.
const Context &current();
bool has_extension(const char *name);
// GL version as major * 10 + minor.
int version();
// The form under test ("monolith", "inproc", "spawn", "tcp:HOST:PORT", ...), from MGPIPE_FORM; the driver from
// MGPIPE_DRIVER.
std::string form();
std::string driver();
// Live servers that the process `owner` started.
std::vector<int> server_processes(int owner);
// The driver is in another process: a server of ours or one that listens.
bool apart();
// Resident memory of this process and its servers, what they share counted once.
uint64_t resident_bytes();

// --- GL helpers ----------------------------------------------------------------------------------

using Rgba = std::array<float, 4>;

// Scenarios are written in GLSL 3.30. In a context below OpenGL 3.3 the text is handed over as 1.40
// with the extensions that such a context must then have.
std::string in_version(const std::string &source);
GLuint shader(GLenum stage, const std::string &source);
// Compiles and links; records a failure with the log and returns 0 when that fails.
GLuint program(const std::string &vs, const std::string &fs, const std::string &gs = "");
// A program that draws the attribute-less triangle strip of four vertices over the viewport and
// writes `expr` (a vec4 expression; `uv` is the position in 0..1) to output 0. `decls` stands
// before main.
GLuint fill_program(const std::string &expr, const std::string &decls = "");
// Draws the four-vertex strip (needs no attributes) with an empty vertex array of its own.
void draw_fill(GLsizei instances = 1);
// The vertex shader of fill_program.
extern const char *const fill_vs;

struct Target {
    GLuint fbo = 0, color = 0, depth = 0;
    int width = 0, height = 0;
};
// A complete framebuffer with one 2D texture (and a depth renderbuffer when depth_format is not 0),
// bound.
Target target(int width, int height, GLenum format = GL_RGBA8, GLenum depth_format = 0);
// An immutable 2D texture with one level of RGBA8 texels (may be null), nearest filtering, bound to
// unit 0.
GLuint texture_rgba8(int width, int height, const void *texels);
GLuint buffer(GLenum target, const void *data, size_t size, GLenum usage = GL_STATIC_DRAW);

// Skips unless the context has the version (major * 10 + minor) or the extension.
void need(int version, const char *extension);
// A new vertex array, bound.
GLuint vertex_array();
void clear_color(float r, float g, float b, float a);
// A new texture, complete with nearest filtering, bound to unit 0; `layers` is its depth or its
// layers where it has them.
GLuint texture(GLenum target, GLenum format, int width, int height, int layers = 1, int levels = 1);
// Makes a texture, level 0 whole, an attachment of the bound draw framebuffer.
GLuint attach_texture(GLenum attachment, GLenum format, int width, int height);
// Like target() with renderbuffers of `samples` samples, for color and depth.
Target multisample_target(int width, int height, int samples, GLenum format = GL_RGBA8,
                          GLenum depth_format = 0);
// Resolves color into a new target of the format, which is bound then.
Target resolve(const Target &from, GLenum format = GL_RGBA8);
// A linked program without a fragment stage that captures `names`; 0 with a failure recorded.
GLuint capture_program(const std::string &vs, const std::string &gs,
                       const std::vector<const char *> &names,
                       GLenum mode = GL_INTERLEAVED_ATTRIBS);

std::vector<uint8_t> read_rgba8(int x, int y, int width, int height);
std::vector<float> read_rgba32f(int x, int y, int width, int height);
// One pixel of the read framebuffer as floats.
Rgba pixel(int x, int y);
std::string show(const Rgba &c);
bool near(const Rgba &a, const Rgba &b, float tolerance);

void expect_pixel(const char *file, int line, int x, int y, const Rgba &want, float tolerance);
void expect_rect(const char *file, int line, int x, int y, int w, int h, const Rgba &want,
                 float tolerance);
void expect_error(const char *file, int line, GLenum want);

} // namespace scenario

#define SCENARIO(name)                                                                             \
    static void scenario_##name();                                                                 \
    static const ::scenario::Register register_##name{#name, scenario_##name};                     \
    static void scenario_##name()

#define EXPECT(cond)                                                                               \
    do {                                                                                           \
        if (!(cond))                                                                               \
            ::scenario::fail(__FILE__, __LINE__, #cond);                                           \
    } while (0)
#define EXPECT_EQ(got, want)                                                                       \
    do {                                                                                           \
        const auto got_ = (got);                                                                   \
        const decltype(got_) want_ = (want);                                                       \
        if (!(got_ == want_))                                                                      \
            ::scenario::fail(__FILE__, __LINE__,                                                   \
                             std::string(#got " is ") + std::to_string(got_) + ", want " +         \
                                 std::to_string(want_));                                           \
    } while (0)
#define EXPECT_PIXEL(x, y, r, g, b, a)                                                             \
    ::scenario::expect_pixel(__FILE__, __LINE__, x, y, {r, g, b, a}, 1.5f / 255)
#define EXPECT_RECT(x, y, w, h, r, g, b, a)                                                        \
    ::scenario::expect_rect(__FILE__, __LINE__, x, y, w, h, {r, g, b, a}, 1.5f / 255)
#define EXPECT_ERROR(e) ::scenario::expect_error(__FILE__, __LINE__, e)
