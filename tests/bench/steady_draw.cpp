// SPDX-License-Identifier: MIT
// An ordinary GL program that draws N times and leaves. Run twice, with N and 2N draws, the
// difference over N is the cost of one draw: of instructions under callgrind, of bytes and records
// under MGPIPE_STATS. With --report it prints the CPU time per frame of the calling thread, of the
// process and of its children, and the resident memory of both.
#include "harness.h"

#include <cstdlib>
#include <string>
#include <vector>

using bench::fail;

namespace {

constexpr int size = 64;
constexpr unsigned uniform_stride = 256; // no host asks for a larger alignment

enum class Change { none, uniform_buffer, texture, blend, viewport };

struct Options {
    unsigned draws = 1000, frames = 1, warm_up = 20;
    Change change = Change::none;
    bool report = false;
};

Options parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (name == "--report") {
            o.report = true;
            continue;
        }
        if (i + 1 >= argc)
            fail("usage: steady_draw [--draws N] [--frames N] [--warm-up N] [--change "
                 "none|ubo|texture|blend|viewport] [--report]");
        const std::string value = argv[++i];
        if (name == "--draws")
            o.draws = unsigned(atoi(value.c_str()));
        else if (name == "--frames")
            o.frames = unsigned(atoi(value.c_str()));
        else if (name == "--warm-up")
            o.warm_up = unsigned(atoi(value.c_str()));
        else if (name == "--change")
            o.change = value == "ubo"        ? Change::uniform_buffer
                       : value == "texture"  ? Change::texture
                       : value == "blend"    ? Change::blend
                       : value == "viewport" ? Change::viewport
                                             : Change::none;
        else
            fail("unknown option");
    }
    return o;
}

struct Scene {
    GLuint program, uniforms, textures[2];

    Scene() {
        program = bench::program(R"(#version 330 core
layout(location = 0) in vec2 position;
layout(std140) uniform Block { vec4 tint; };
out vec2 at;
void main() { at = position; gl_Position = vec4(position * 0.01, 0.0, 1.0) + tint * 0.001; }
)",
                                 R"(#version 330 core
uniform sampler2D image;
in vec2 at;
layout(location = 0) out vec4 color;
void main() { color = texture(image, at); }
)");
        glUseProgram(program);
        glUniformBlockBinding(program, glGetUniformBlockIndex(program, "Block"), 0);
        glUniform1i(glGetUniformLocation(program, "image"), 0);

        GLuint array, vertices;
        const float corners[] = {0, 0, 1, 0, 0, 1};
        glGenVertexArrays(1, &array);
        glBindVertexArray(array);
        glGenBuffers(1, &vertices);
        glBindBuffer(GL_ARRAY_BUFFER, vertices);
        glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
        glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
        glEnableVertexAttribArray(0);

        const std::vector<unsigned char> bytes(2 * uniform_stride);
        glGenBuffers(1, &uniforms);
        glBindBuffer(GL_UNIFORM_BUFFER, uniforms);
        glBufferData(GL_UNIFORM_BUFFER, GLsizeiptr(bytes.size()), bytes.data(), GL_STATIC_DRAW);
        glBindBufferRange(GL_UNIFORM_BUFFER, 0, uniforms, 0, 16);

        const std::vector<unsigned> texels(16 * 16, 0xff8040ffu);
        glGenTextures(2, textures);
        for (GLuint t : textures) {
            glBindTexture(GL_TEXTURE_2D, t);
            glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                         texels.data());
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        }
        glViewport(0, 0, size, size);
    }

    void draw(unsigned count, Change change) {
        for (unsigned i = 0; i < count; ++i) {
            const unsigned odd = i & 1;
            switch (change) {
            case Change::none: break;
            case Change::uniform_buffer:
                glBindBufferRange(GL_UNIFORM_BUFFER, 0, uniforms, odd * uniform_stride, 16);
                break;
            case Change::texture: glBindTexture(GL_TEXTURE_2D, textures[odd]); break;
            case Change::blend: odd ? glEnable(GL_BLEND) : glDisable(GL_BLEND); break;
            case Change::viewport: glViewport(0, 0, size, size - int(odd)); break;
            }
            glDrawArrays(GL_TRIANGLES, 0, 3);
        }
    }
};

} // namespace

int main(int argc, char **argv) {
    const Options o = parse(argc, argv);
    bench::Meter meter;
    bench::open_context(size, size);
    Scene scene;
    glClear(GL_COLOR_BUFFER_BIT);
    scene.draw(o.warm_up, o.change);
    glFinish();
    if (o.report)
        meter.restart();
    for (unsigned f = 0; f < o.frames; ++f) {
        if (o.report)
            glClear(GL_COLOR_BUFFER_BIT);
        scene.draw(o.draws, o.change);
        if (o.report)
            bench::swap_buffers();
    }
    meter.thread_done();
    glFinish();
    if (o.report)
        meter.report(o.frames);
    if (glGetError() != GL_NO_ERROR)
        fail("a GL error");
    return 0;
}
