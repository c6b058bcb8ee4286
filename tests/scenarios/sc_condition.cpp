// SPDX-License-Identifier: MIT
// Conditional rendering in every mode, batches without an end, shader images.
#include "scenario.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace scenario;

namespace {

const GLenum modes[] = {GL_QUERY_WAIT, GL_QUERY_NO_WAIT, GL_QUERY_BY_REGION_WAIT,
                        GL_QUERY_BY_REGION_NO_WAIT};
const GLenum inverted_modes[] = {GL_QUERY_WAIT_INVERTED, GL_QUERY_NO_WAIT_INVERTED,
                                 GL_QUERY_BY_REGION_WAIT_INVERTED,
                                 GL_QUERY_BY_REGION_NO_WAIT_INVERTED};

bool waits(GLenum mode) {
    return mode == GL_QUERY_WAIT || mode == GL_QUERY_BY_REGION_WAIT ||
           mode == GL_QUERY_WAIT_INVERTED || mode == GL_QUERY_BY_REGION_WAIT_INVERTED;
}

// A query that counted nothing or something; its result is not asked for.
GLuint occlusion(GLenum target, bool passes, GLuint program) {
    GLuint q;
    glGenQueries(1, &q);
    glUseProgram(program);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, passes ? 1 : 0, 1);
    glBeginQuery(target, q);
    draw_fill();
    glEndQuery(target);
    glDisable(GL_SCISSOR_TEST);
    return q;
}

void check_modes(const GLenum *list, bool inverted) {
    target(4, 4);
    const GLuint green = fill_program("vec4(0, 1, 0, 1)");
    glClearColor(0, 0, 1, 1);
    for (int i = 0; i < 4; i++)
        for (int passes = 0; passes < 2; passes++) {
            const GLuint q = occlusion(GL_ANY_SAMPLES_PASSED, passes, green);
            glClear(GL_COLOR_BUFFER_BIT);
            if (!waits(list[i])) // without a result these modes may draw
                glFinish();
            glBeginConditionalRender(q, list[i]);
            draw_fill();
            glEndConditionalRender();
            const bool drawn = bool(passes) != inverted;
            EXPECT_PIXEL(2, 2, 0, drawn ? 1.0f : 0.0f, drawn ? 0.0f : 1.0f, 1);
            draw_fill(); // no condition any more
            EXPECT_PIXEL(2, 2, 0, 1, 0, 1);
            glDeleteQueries(1, &q);
        }
}

long resident_kib(int process) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", process);
    long kib = 0;
    if (FILE *f = fopen(path, "r")) {
        while (fgets(line, sizeof line, f))
            if (!strncmp(line, "VmRSS:", 6))
                sscanf(line + 6, "%ld", &kib);
        fclose(f);
    }
    return kib;
}

} // namespace

SCENARIO(condition_modes) {
    check_modes(modes, false);
}

SCENARIO(condition_modes_inverted) {
    if (version() < 45 && !has_extension("GL_ARB_conditional_render_inverted"))
        skip("no inverted conditions");
    check_modes(inverted_modes, true);
}

SCENARIO(condition_of_sample_counts) {
    GLint bits = 0;
    glGetQueryiv(GL_SAMPLES_PASSED, GL_QUERY_COUNTER_BITS, &bits);
    if (!bits)
        skip("no exact sample counts");
    target(4, 4);
    const GLuint green = fill_program("vec4(0, 1, 0, 1)");
    glClearColor(0, 0, 1, 1);
    for (int passes = 0; passes < 2; passes++) {
        const GLuint q = occlusion(GL_SAMPLES_PASSED, passes, green);
        glClear(GL_COLOR_BUFFER_BIT);
        glBeginConditionalRender(q, GL_QUERY_WAIT);
        draw_fill();
        glEndConditionalRender();
        EXPECT_PIXEL(2, 2, 0, float(passes), float(1 - passes), 1);
    }
}

// Clears and blits are rendering commands, also as the first thing of a framebuffer's life.
SCENARIO(condition_clears_and_blits) {
    const GLuint green = fill_program("vec4(0, 1, 0, 1)");
    for (int passes = 0; passes < 2; passes++) {
        const Target a = target(4, 4), b = target(4, 4);
        glClearColor(1, 0, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT); // b is red
        glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
        glClearColor(0, 0, 1, 1);
        glClear(GL_COLOR_BUFFER_BIT); // a is blue
        const GLuint q = occlusion(GL_ANY_SAMPLES_PASSED, passes, green);
        glClear(GL_COLOR_BUFFER_BIT);
        glBeginConditionalRender(q, GL_QUERY_WAIT);
        glClearColor(0, 1, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, b.fbo);
        glBlitFramebuffer(0, 0, 4, 4, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glEndConditionalRender();
        EXPECT_PIXEL(1, 1, 0, float(passes), float(1 - passes), 1);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, b.fbo);
        EXPECT_PIXEL(1, 1, float(1 - passes), float(passes), 0, 1);
    }
}

// A condition outlives flushes, other framebuffers and uploads.
SCENARIO(condition_across_flushes) {
    const GLuint green = fill_program("vec4(0, 1, 0, 1)");
    for (int passes = 0; passes < 2; passes++) {
        const Target a = target(4, 4), b = target(4, 4);
        const GLuint q = occlusion(GL_ANY_SAMPLES_PASSED, passes, green);
        glClearColor(0, 0, 1, 1);
        for (const Target &t : {a, b}) {
            glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
            glClear(GL_COLOR_BUFFER_BIT);
        }
        glBeginConditionalRender(q, GL_QUERY_WAIT);
        draw_fill();
        glFlush();
        const uint32_t texel = 0xffffffffu; // an upload is no rendering command
        const GLuint t = texture_rgba8(1, 1, &texel);
        glBindFramebuffer(GL_FRAMEBUFFER, a.fbo);
        draw_fill();
        glFinish();
        uint32_t back = 0;
        glBindTexture(GL_TEXTURE_2D, t);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, &back);
        glEndConditionalRender();
        EXPECT_EQ(back, texel);
        for (const Target &x : {a, b}) {
            glBindFramebuffer(GL_FRAMEBUFFER, x.fbo);
            EXPECT_PIXEL(2, 2, 0, float(passes), float(1 - passes), 1);
        }
    }
}

// Draws that nothing ends are submitted on the way: neither half of the driver grows with them.
SCENARIO(draw_without_flush_bounded) {
    target(4, 4);
    const GLuint p = fill_program("value", "uniform vec4 value;");
    glUseProgram(p);
    const GLint at = glGetUniformLocation(p, "value");
    auto draws = [&](int n) {
        for (int i = 0; i < n; i++) {
            glUniform4f(at, float(i & 1), 1, 0, 1);
            draw_fill();
        }
    };
    // The most that was resident while so many draws went out: what is on its way counts too, and
    // comes and goes.
    auto peak = [&](int n) {
        long most = 0;
        for (; n > 0; n -= 5000) {
            draws(5000);
            long kib = resident_kib(getpid());
            for (int server : server_processes(getpid()))
                kib += resident_kib(server);
            most = std::max(most, kib);
        }
        return most;
    };
    const long before = peak(40000);
    const long grown = peak(80000) - before;
    EXPECT_PIXEL(1, 1, 1, 1, 0, 1);
    if (grown > 96 * 1024)
        fail(__FILE__, __LINE__, "grew by " + std::to_string(grown) + " KiB");
}

namespace {

bool has_images() {
    return version() >= 42 || has_extension("GL_ARB_shader_image_load_store");
}

// What `expr` yields from one texel of `format` through an image of qualifier `layout`.
void check_image(GLenum format, const char *layout, const char *type, const void *texel,
                 GLenum data_format, GLenum data_type, const char *expr) {
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexStorage2D(GL_TEXTURE_2D, 1, format, 2, 2);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 1, 1, data_format, data_type, texel);
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_READ_ONLY, format);
    const GLuint p =
        program(fill_vs, std::string("#version 330 core\n"
                                     "#extension GL_ARB_shader_image_load_store : "
                                     "require\nlayout(") +
                             layout + ") readonly uniform " + type +
                             " image;\nout vec4 color;\nvoid main() { color = " + expr + "; }\n");
    glUseProgram(p);
    draw_fill();
    EXPECT_PIXEL(1, 1, 0.2f, 0.4f, 0.6f, 1);
    glDeleteTextures(1, &t);
}

} // namespace

SCENARIO(image_load_formats) {
    if (!has_images())
        skip("no shader images");
    target(4, 4);
    const uint8_t bytes[4] = {51, 102, 153, 255};
    const float floats[4] = {0.2f, 0.4f, 0.6f, 1};
    const int32_t ints[4] = {51, 102, 153, 255};
    check_image(GL_RGBA8, "rgba8", "image2D", bytes, GL_RGBA, GL_UNSIGNED_BYTE,
                "imageLoad(image, ivec2(1))");
    check_image(GL_RGBA32F, "rgba32f", "image2D", floats, GL_RGBA, GL_FLOAT,
                "imageLoad(image, ivec2(1))");
    check_image(GL_RGBA8UI, "rgba8ui", "uimage2D", bytes, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE,
                "vec4(imageLoad(image, ivec2(1))) / 255.0");
    check_image(GL_RGBA32I, "rgba32i", "iimage2D", ints, GL_RGBA_INTEGER, GL_INT,
                "vec4(imageLoad(image, ivec2(1))) / 255.0");
}

namespace {

// Each pixel writes one texel of an image with this format qualifier and adds one to a counter.
void check_store(const std::string &layout) {
    target(4, 4);
    GLuint t[2];
    glGenTextures(2, t);
    glBindTexture(GL_TEXTURE_2D, t[0]);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 4, 4);
    glBindTexture(GL_TEXTURE_2D, t[1]);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, 1, 1);
    const GLuint zero = 0;
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RED_INTEGER, GL_UNSIGNED_INT, &zero);
    glBindImageTexture(0, t[0], 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    glBindImageTexture(1, t[1], 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
    const GLuint p =
        program(fill_vs, "#version 330 core\n"
                         "#extension GL_ARB_shader_image_load_store : require\n" +
                             layout +
                             " writeonly uniform image2D image;\n"
                             "layout(r32ui) coherent uniform uimage2D counter;\n"
                             "out vec4 color;\n"
                             "void main() {\n"
                             "  ivec2 at = ivec2(gl_FragCoord.xy);\n"
                             "  imageStore(image, at, vec4(vec2(at) / 5.0, 0.6, 1.0));\n"
                             "  imageAtomicAdd(counter, ivec2(0), 1u);\n"
                             "  color = vec4(0.0, 1.0, 0.0, 1.0);\n"
                             "}\n");
    glUseProgram(p);
    glUniform1i(glGetUniformLocation(p, "image"), 0);
    glUniform1i(glGetUniformLocation(p, "counter"), 1);
    draw_fill();
    glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT);
    uint8_t texels[4][4][4] = {};
    GLuint counted = 0;
    glBindTexture(GL_TEXTURE_2D, t[0]);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    glBindTexture(GL_TEXTURE_2D, t[1]);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, &counted);
    EXPECT_EQ(counted, 16u);
    EXPECT_EQ(int(texels[2][3][0]), 153);
    EXPECT_EQ(int(texels[2][3][1]), 102);
    EXPECT_EQ(int(texels[2][3][2]), 153);
}

} // namespace

SCENARIO(image_store_and_atomic) {
    if (!has_images())
        skip("no shader images");
    check_store("layout(rgba8)");
}

SCENARIO(image_store_without_format) {
    if (!has_images() || driver() == "espryt")
        skip("images need a format qualifier here");
    check_store("");
}
