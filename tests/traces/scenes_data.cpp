// SPDX-License-Identifier: MIT
// Scenes of buffers, textures and several contexts.
#include "scenes.h"

#include <cstring>

// EXT_texture_sRGB_R8
#ifndef GL_SR8_EXT
#define GL_SR8_EXT 0x8FBD
#endif

using namespace scenes;

namespace {

const char *const colored_vs = R"(
layout(location = 0) in vec2 position;
layout(location = 1) in vec3 tint;
flat out vec3 c;
void main() { gl_Position = vec4(position, 0.0, 1.0); c = tint; })";
const char *const colored_fs =
    "flat in vec3 c; out vec4 color; void main() { color = vec4(c, 1.0); }";

struct Vertex {
    float x, y;
    uint8_t r, g, b, a;
};

// A square of two triangles around (x, y).
void square(Vertex *v, float x, float y, float r, uint8_t red, uint8_t green, uint8_t blue) {
    const float dx[] = {-r, r, -r, r}, dy[] = {-r, -r, r, r};
    for (int i = 0; i < 4; i++)
        v[i] = {x + dx[i], y + dy[i], red, green, blue, 255};
}

void attributes() {
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
    glVertexAttribPointer(1, 3, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex),
                          reinterpret_cast<const void *>(8));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
}

} // namespace

SCENE(buffers) {
    const GLuint p = program(colored_vs, colored_fs);
    Vertex v[8];
    square(v, -0.5f, 0, 0.4f, 255, 64, 0);
    square(v + 4, 0.5f, 0, 0.4f, 0, 128, 255);
    const uint16_t indices[] = {0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7};
    buffer(GL_ARRAY_BUFFER, v, sizeof v, GL_DYNAMIC_DRAW);
    attributes();
    buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof indices);
    glUseProgram(p);
    for (int frame = 0; frame < 4; frame++) {
        glClearColor(0.125f, 0.125f, 0.125f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        if (frame == 1) { // a part
            square(v, -0.5f, 0.25f, 0.25f, 255, 255, 0);
            glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof v / 2, v);
        } else if (frame == 2) { // mapped
            void *m = glMapBufferRange(GL_ARRAY_BUFFER, sizeof v / 2, sizeof v / 2,
                                       GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT);
            square(v + 4, 0.5f, -0.25f, 0.5f, 0, 255, 64);
            memcpy(m, v + 4, sizeof v / 2);
            glUnmapBuffer(GL_ARRAY_BUFFER);
        } else if (frame == 3) { // copied from another one
            square(v, 0, 0, 0.75f, 255, 0, 255);
            buffer(GL_COPY_READ_BUFFER, v, sizeof v);
            glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_ARRAY_BUFFER, 0, 0, sizeof v);
        }
        glDrawElements(GL_TRIANGLES, 12, GL_UNSIGNED_SHORT, nullptr);
        swap();
    }
}

SCENE(textures) {
    struct Format {
        GLenum internal, format, type;
        unsigned bytes;
    };
    static const Format formats[] = {
        {GL_R8, GL_RED, GL_UNSIGNED_BYTE, 1},
        {GL_RG8, GL_RG, GL_UNSIGNED_BYTE, 2},
        {GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE, 3},
        {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
        {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE, 4},
        {GL_RGBA8, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, 4},
        {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE, 4},
        {GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2},
        {GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2},
        {GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2},
        {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV, 4},
        {GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV, 4},
        {GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV, 4},
        {GL_R16, GL_RED, GL_UNSIGNED_SHORT, 2},
        {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT, 8},
        {GL_RG16F, GL_RG, GL_HALF_FLOAT, 4},
    };
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    const GLuint sampled =
        quad_program("color = vec4(texture(t, at).rgb, 1.0);", "uniform sampler2D t;");
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    int at = 0;
    for (const Format &f : formats) {
        uint8_t texels[4 * 4 * 8];
        for (unsigned i = 0; i < sizeof texels; i++)
            texels[i] =
                uint8_t((i / f.bytes % 4) * 20 + (i / f.bytes / 4) * 10 + i % f.bytes * 30 + 15);
        texture(GL_TEXTURE_2D);
        glTexImage2D(GL_TEXTURE_2D, 0, GLint(f.internal), 4, 4, 0, f.format, f.type, texels);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 2, 1, f.format, f.type, texels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        quad(sampled, float(at % 4 * 24), float(at / 4 * 16), 24, 16);
        at++;
    }
    swap();

    // Shapes: an array, a volume, a cube, mip levels.
    const GLuint layered = quad_program("color = texture(t, vec3(at, floor(at.x * 4.0)));",
                                        "uniform sampler2DArray t;");
    const GLuint volume =
        quad_program("color = texture(t, vec3(at, at.x));", "uniform sampler3D t;");
    const GLuint cube =
        quad_program("color = texture(t, vec3(1.0, 0.5 - at));", "uniform samplerCube t;");
    const GLuint levels =
        quad_program("color = textureLod(t, at, floor(at.x * 3.0));", "uniform sampler2D t;");
    std::vector<uint8_t> texels(4 * 4 * 4 * 6);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = uint8_t(i % 4 == 3 ? 255 : i / 64 * 40 + i / 4 % 16 * 3);
    texture(GL_TEXTURE_2D_ARRAY);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 texels.data());
    quad(layered, 0, 0, 48, 32);
    texture(GL_TEXTURE_3D);
    glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 4, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    quad(volume, 48, 0, 48, 32);
    texture(GL_TEXTURE_CUBE_MAP);
    for (unsigned face = 0; face < 6; face++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA8, 4, 4, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, texels.data() + face * 64);
    quad(cube, 0, 32, 48, 32);
    texture(GL_TEXTURE_2D);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    quad(levels, 48, 32, 48, 32);
    swap();
}

SCENE(contexts) {
    add_context();
    const GLuint shared = texture(GL_TEXTURE_2D);
    const GLuint show = quad_program("color = texture(t, at);", "uniform sampler2D t;");
    for (int frame = 0; frame < 3; frame++) {
        // One writes, the other one draws what was written.
        make_current(1);
        uint8_t texels[16];
        for (int i = 0; i < 16; i++)
            texels[i] = uint8_t(i % 4 == 3 ? 255 : frame * 80 + i * 5);
        glBindTexture(GL_TEXTURE_2D, shared);
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 2, 2, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
        glClearColor(float(frame) / 2, 0, 0.5f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        swap();
        glFinish();
        make_current(0);
        glBindTexture(GL_TEXTURE_2D, shared);
        glClearColor(0, 0.25f, 0, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        quad(show, 8, 8, 64, 48);
        swap();
    }
}

SCENE(persistent_maps) {
    const GLuint p = program(colored_vs, colored_fs);
    const GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    GLuint b;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferStorage(GL_ARRAY_BUFFER, 8 * sizeof(Vertex), nullptr, flags);
    auto *v =
        static_cast<Vertex *>(glMapBufferRange(GL_ARRAY_BUFFER, 0, 8 * sizeof(Vertex), flags));
    if (!v)
        give_up("no persistent map");
    attributes();
    glUseProgram(p);
    glClearColor(0.25f, 0.25f, 0, 1);
    for (int frame = 0; frame < 3; frame++) {
        glClear(GL_COLOR_BUFFER_BIT);
        square(v, float(frame - 1) / 2, 0.5f, 0.25f, uint8_t(frame * 100), 255, 0);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        square(v + 4, float(1 - frame) / 2, -0.5f, 0.25f, 0, uint8_t(frame * 100), 255);
        glDrawArrays(GL_TRIANGLE_STRIP, 4, 4);
        swap();
        glFinish();
    }
}

// Not portable: formats that not every driver has, to be played with wider ones.
SCENE(wider_formats) {
    const GLuint sampled =
        quad_program("color = vec4(texture(t, at).rgb, 1.0);", "uniform sampler2D t;");
    uint8_t texels[32];
    for (unsigned i = 0; i < sizeof texels; i++)
        texels[i] = uint8_t(i * 8);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    texture(GL_TEXTURE_2D);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_SR8_EXT, 4, 4, 0, GL_RED, GL_UNSIGNED_BYTE, texels);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 1, 1, 2, 2, GL_RED, GL_UNSIGNED_BYTE, texels + 20);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    quad(sampled, 0, 0, 48, 64);
    const GLuint layered = quad_program("color = texture(t, vec3(at, floor(at.x * 2.0)));",
                                        "uniform sampler2DArray t;");
    texture(GL_TEXTURE_2D_ARRAY);
    glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_SR8_EXT, 4, 4, 2, 0, GL_RED, GL_UNSIGNED_BYTE, texels);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAX_LEVEL, 0);
    quad(layered, 48, 0, 48, 64);
    swap();
}

// Not portable either: blocks that a driver without them cannot hold as anything else.
SCENE(blocks) {
    const GLuint sampled = quad_program("color = texture(t, at);", "uniform sampler2D t;");
    const uint8_t block[8] = {0x80, 0x40, 0xc0, 0x22, 0x12, 0x34, 0x56, 0x78};
    texture(GL_TEXTURE_2D);
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RGB8_ETC2, 4, 4, 0, 8, block);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    quad(sampled, 0, 0, 96, 64);
    swap();
}
