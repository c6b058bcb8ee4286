// SPDX-License-Identifier: MIT
// An ordinary GL program with a busy frame: 3,500 draws from several programs, textures and uniform
// ranges, 1 MiB of vertices written anew and 200 texture updates. Prints what a frame took and the
// memory that it holds (harness.h); --texture-mib adds textures that every frame samples.
#include "harness.h"

#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

using bench::fail;

namespace {

constexpr int width = 256, height = 256;
constexpr unsigned draws = 3500, updates = 200;
constexpr unsigned streamed = 1 << 20, chunks = 16, chunk = streamed / chunks;
constexpr unsigned materials = 32, tile = 32; // textures of tile x tile that are updated
constexpr unsigned uniform_stride = 256, blocks = 256;
constexpr unsigned big = 2048; // 16 MiB of RGBA8

struct Options {
    unsigned frames = 30, warm_up = 10, texture_mib = 0;
    bool hold = false;
};

Options parse(int argc, char **argv) {
    Options o;
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];
        if (name == "--hold") {
            o.hold = true;
            continue;
        }
        unsigned *value = name == "--frames"        ? &o.frames
                          : name == "--warm-up"     ? &o.warm_up
                          : name == "--texture-mib" ? &o.texture_mib
                                                    : nullptr;
        if (!value || i + 1 >= argc)
            fail("usage: heavy_scene [--frames N] [--warm-up N] [--texture-mib N] [--hold]");
        *value = unsigned(atoi(argv[++i]));
    }
    return o;
}

struct Vertex {
    float x, y;
    uint8_t color[4];
    float u;
};
static_assert(sizeof(Vertex) == 16);
constexpr unsigned vertices_in_all = streamed / sizeof(Vertex);

constexpr const char *vertex_text = R"(#version 330 core
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
layout(location = 2) in float u;
layout(std140) uniform Block { vec4 offset; };
out vec4 tint;
out vec2 at;
void main() {
    tint = color;
    at = vec2(u, position.x);
    gl_Position = vec4(position * 0.02 + offset.xy, 0.5, 1.0);
}
)";

std::string fragment_text(int variant) {
    return "#version 330 core\nuniform sampler2D image;\nin vec4 tint;\nin vec2 at;\n"
           "layout(location = 0) out vec4 color;\nvoid main() { color = texture(image, at) * tint "
           "* " +
           std::to_string(variant) + ".0; }\n";
}

class Scene {
  public:
    explicit Scene(unsigned texture_mib) {
        for (int i = 0; i < 4; i++)
            add_program(i + 1);
        make_geometry();
        make_uniforms();
        glGenTextures(materials, textures_);
        const std::vector<uint8_t> texels(tile * tile * 4, 0x80);
        for (const GLuint t : textures_)
            make_texture(t, tile, texels.data());
        big_.resize(texture_mib / 16);
        glGenTextures(GLsizei(big_.size()), big_.data());
        for (const GLuint t : big_) {
            const std::vector<uint8_t> many(size_t(big) * big * 4, uint8_t(t));
            make_texture(t, big, many.data());
        }
        glViewport(0, 0, width, height);
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_LEQUAL);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    }

    void frame(unsigned number) {
        glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
        unsigned updated = 0;
        for (unsigned c = 0; c < chunks; c++) {
            stream(c, number);
            for (; updated < updates * (c + 1) / chunks; updated++)
                update(updated, number);
            for (unsigned i = draws * c / chunks; i < draws * (c + 1) / chunks; i++)
                draw(i);
        }
        bench::swap_buffers();
    }

  private:
    void add_program(int variant) {
        const GLuint p = bench::program(vertex_text, fragment_text(variant).c_str());
        glUseProgram(p);
        glUniformBlockBinding(p, glGetUniformBlockIndex(p, "Block"), 0);
        glUniform1i(glGetUniformLocation(p, "image"), 0);
        programs_.push_back(p);
    }

    void make_geometry() {
        GLuint array;
        glGenVertexArrays(1, &array);
        glBindVertexArray(array);
        glGenBuffers(1, &vertices_);
        glBindBuffer(GL_ARRAY_BUFFER, vertices_);
        glBufferData(GL_ARRAY_BUFFER, streamed, nullptr, GL_STREAM_DRAW);
        const auto at = [](size_t offset) { return reinterpret_cast<const void *>(offset); };
        glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(Vertex), at(0));
        glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex), at(8));
        glVertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, sizeof(Vertex), at(12));
        for (GLuint i = 0; i < 3; i++)
            glEnableVertexAttribArray(i);
        const uint16_t indices[] = {0, 1, 2, 2, 1, 3};
        GLuint elements;
        glGenBuffers(1, &elements);
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, elements);
        glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof indices, indices, GL_STATIC_DRAW);
        data_.resize(vertices_in_all);
    }

    void make_uniforms() {
        std::vector<uint8_t> bytes(blocks * uniform_stride);
        for (unsigned i = 0; i < blocks; i++) {
            const float offset[4] = {float(i % 16) / 8 - 1, float(i / 16) / 8 - 1, 0, 0};
            memcpy(&bytes[i * uniform_stride], offset, sizeof offset);
        }
        glGenBuffers(1, &uniforms_);
        glBindBuffer(GL_UNIFORM_BUFFER, uniforms_);
        glBufferData(GL_UNIFORM_BUFFER, GLsizeiptr(bytes.size()), bytes.data(), GL_STATIC_DRAW);
    }

    static void make_texture(GLuint t, unsigned side, const void *texels) {
        glBindTexture(GL_TEXTURE_2D, t);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, GLsizei(side), GLsizei(side), 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    }

    void stream(unsigned c, unsigned number) {
        Vertex *v = &data_[c * chunk / sizeof(Vertex)];
        for (unsigned i = 0; i < chunk / sizeof(Vertex); i++)
            v[i] = {float(i & 1), float(i >> 1 & 1), {uint8_t(number), uint8_t(c), 200, 255}, 0.5f};
        glBufferSubData(GL_ARRAY_BUFFER, c * chunk, chunk, v);
    }

    void update(unsigned which, unsigned number) {
        memset(texels_, int(number + which), sizeof texels_);
        glBindTexture(GL_TEXTURE_2D, textures_[which % materials]);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, tile, tile, GL_RGBA, GL_UNSIGNED_BYTE, texels_);
    }

    void draw(unsigned i) {
        if (i % 64 == 0)
            glUseProgram(programs_[i / 64 % programs_.size()]);
        if (i % 128 == 0)
            i / 128 % 2 ? glEnable(GL_BLEND) : glDisable(GL_BLEND);
        if (i % 4 == 0)
            glBindTexture(GL_TEXTURE_2D, !big_.empty() && i % 256 == 0
                                             ? big_[i / 256 % big_.size()]
                                             : textures_[i / 4 % materials]);
        glBindBufferRange(GL_UNIFORM_BUFFER, 0, uniforms_, i % blocks * uniform_stride, 16);
        glDrawElementsBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr,
                                 GLint(i * 4 % (vertices_in_all - 4)));
    }

    std::vector<GLuint> programs_, big_;
    GLuint vertices_ = 0, uniforms_ = 0, textures_[materials] = {};
    std::vector<Vertex> data_;
    uint8_t texels_[tile * tile * 4] = {};
};

} // namespace

int main(int argc, char **argv) {
    const Options o = parse(argc, argv);
    bench::Meter meter;
    bench::open_context(width, height);
    Scene scene(o.texture_mib);
    for (unsigned i = 0; i < o.warm_up; i++)
        scene.frame(i);
    glFinish();
    meter.restart();
    for (unsigned i = 0; i < o.frames; i++)
        scene.frame(i);
    meter.thread_done();
    glFinish();
    meter.report(o.frames);
    if (glGetError() != GL_NO_ERROR)
        fail("a GL error");
    if (o.hold) // somebody looks at our memory
        pause();
    return 0;
}
