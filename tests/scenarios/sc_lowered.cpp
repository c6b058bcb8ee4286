// SPDX-License-Identifier: MIT
// What the client lowers before the pipe sees it: program pipelines, plain texels for compressed
// formats, mutable chains that move, persistent maps without a shared store.
#include "scenario.h"

#include <algorithm>
#include <cstring>

using namespace scenario;

namespace {

GLuint separable(GLenum stage, const char *source) {
    const std::string spoken = in_version(source);
    const char *text = spoken.c_str();
    const GLuint p = glCreateShaderProgramv(stage, 1, &text);
    GLint ok = 0;
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    EXPECT_EQ(ok, GL_TRUE);
    return p;
}

const char *const vs_text = "#version 330\n#extension GL_ARB_separate_shader_objects : require\n"
                            "out gl_PerVertex { vec4 gl_Position; };\n"
                            "layout(location = 0) out vec2 uv;\nuniform vec2 size = vec2(1);\n"
                            "void main() { uv = vec2(gl_VertexID & 1, gl_VertexID >> 1); "
                            "gl_Position = vec4((uv * 2 - 1) * size, 0, 1); }";
const char *const fs_text = "#version 330\n#extension GL_ARB_separate_shader_objects : require\n"
                            "layout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 "
                            "o;\nuniform vec4 color = vec4(0, 1, 0, 1);\n"
                            "void main() { o = color; }";

void need_pipelines() {
    if (version() < 41 && !has_extension("GL_ARB_separate_shader_objects"))
        skip("no program pipelines");
}

} // namespace

SCENARIO(pipeline_two_programs) {
    need_pipelines();
    target(8, 8);
    const GLuint v = separable(GL_VERTEX_SHADER, vs_text),
                 f = separable(GL_FRAGMENT_SHADER, fs_text);
    GLuint p;
    glGenProgramPipelines(1, &p);
    glUseProgramStages(p, GL_VERTEX_SHADER_BIT, v);
    glUseProgramStages(p, GL_FRAGMENT_SHADER_BIT, f);
    glBindProgramPipeline(p);
    glUseProgram(0);
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
    // Uniforms of both programs reach the composite, also between draws.
    glProgramUniform4f(f, glGetUniformLocation(f, "color"), 1, 0, 0, 1);
    draw_fill();
    EXPECT_PIXEL(4, 4, 1, 0, 0, 1);
    glProgramUniform4f(f, glGetUniformLocation(f, "color"), 0, 0, 1, 1);
    glProgramUniform2f(v, glGetUniformLocation(v, "size"), 0.5f, 0.5f);
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 0, 1, 1);
    EXPECT_PIXEL(0, 0, 1, 0, 0, 1);
    glDeleteProgram(v);
    glDeleteProgram(f);
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 0, 1, 1);
    glDeleteProgramPipelines(1, &p);
}

// No vertex stage is no error: nothing is drawn until there is one.
SCENARIO(pipeline_without_vertex_stage) {
    need_pipelines();
    target(8, 8);
    const GLuint v = separable(GL_VERTEX_SHADER, vs_text),
                 f = separable(GL_FRAGMENT_SHADER, fs_text);
    GLuint p;
    glGenProgramPipelines(1, &p);
    glUseProgramStages(p, GL_FRAGMENT_SHADER_BIT, f);
    glBindProgramPipeline(p);
    clear_color(1, 0, 0, 1);
    draw_fill();
    EXPECT_PIXEL(4, 4, 1, 0, 0, 1);
    EXPECT_EQ(glGetError(), GL_NO_ERROR);
    glUseProgram(f);
    draw_fill();
    EXPECT_PIXEL(4, 4, 1, 0, 0, 1);
    EXPECT_EQ(glGetError(), GL_NO_ERROR);
    glUseProgram(0);
    glUseProgramStages(p, GL_VERTEX_SHADER_BIT, v);
    draw_fill();
    EXPECT_PIXEL(4, 4, 0, 1, 0, 1);
    glDeleteProgramPipelines(1, &p);
    glDeleteProgram(v);
    glDeleteProgram(f);
}

SCENARIO(pipeline_changes_one_stage) {
    need_pipelines();
    target(8, 8);
    const GLuint v = separable(GL_VERTEX_SHADER, vs_text);
    const GLuint green = separable(GL_FRAGMENT_SHADER, fs_text),
                 other = separable(GL_FRAGMENT_SHADER, fs_text);
    glProgramUniform4f(other, glGetUniformLocation(other, "color"), 1, 0, 1, 1);
    GLuint p;
    glGenProgramPipelines(1, &p);
    glUseProgramStages(p, GL_VERTEX_SHADER_BIT, v);
    glBindProgramPipeline(p);
    for (int i = 0; i < 4; i++) {
        glUseProgramStages(p, GL_FRAGMENT_SHADER_BIT, i & 1 ? other : green);
        draw_fill();
        EXPECT_PIXEL(4, 4, i & 1 ? 1.0f : 0.0f, i & 1 ? 0.0f : 1.0f, i & 1 ? 1.0f : 0.0f, 1);
    }
    glDeleteProgramPipelines(1, &p);
    glDeleteProgram(v);
    glDeleteProgram(green);
    glDeleteProgram(other);
}

SCENARIO(texture_compressed_from_plain_texels) {
    // RGTC is core; the client makes its blocks from plain texels.
    std::vector<uint8_t> texels(16 * 16);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            texels[size_t(y * 16 + x)] = uint8_t(x < 8 ? 0 : 255);
    GLuint t;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_COMPRESSED_RED_RGTC1, 16, 16, 0, GL_RED, GL_UNSIGNED_BYTE,
                 texels.data());
    target(16, 16);
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(fill_program("texture(t, uv)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_PIXEL(3, 8, 0, 0, 0, 1);
    EXPECT_PIXEL(12, 8, 1, 0, 0, 1);
}

SCENARIO(texture_compressed_pixel_storage) {
    // Blocks in the middle of a larger image, from memory and from a pixel buffer, and back; RGTC
    // is core.
    const auto fill = [](std::vector<uint8_t> &bytes) {
        for (size_t i = 0; i < bytes.size(); i++)
            bytes[i] = uint8_t(i * 7 + 3);
    };
    const auto modes = [](bool pack, GLint size) {
        glPixelStorei(pack ? GL_PACK_COMPRESSED_BLOCK_WIDTH : GL_UNPACK_COMPRESSED_BLOCK_WIDTH, 4);
        glPixelStorei(pack ? GL_PACK_COMPRESSED_BLOCK_HEIGHT : GL_UNPACK_COMPRESSED_BLOCK_HEIGHT,
                      4);
        glPixelStorei(pack ? GL_PACK_COMPRESSED_BLOCK_DEPTH : GL_UNPACK_COMPRESSED_BLOCK_DEPTH, 1);
        glPixelStorei(pack ? GL_PACK_COMPRESSED_BLOCK_SIZE : GL_UNPACK_COMPRESSED_BLOCK_SIZE, size);
        glPixelStorei(pack ? GL_PACK_ROW_LENGTH : GL_UNPACK_ROW_LENGTH, 16);
        glPixelStorei(pack ? GL_PACK_IMAGE_HEIGHT : GL_UNPACK_IMAGE_HEIGHT, 12);
        glPixelStorei(pack ? GL_PACK_SKIP_PIXELS : GL_UNPACK_SKIP_PIXELS, 4);
        glPixelStorei(pack ? GL_PACK_SKIP_ROWS : GL_UNPACK_SKIP_ROWS, 4);
        glPixelStorei(pack ? GL_PACK_SKIP_IMAGES : GL_UNPACK_SKIP_IMAGES, 1);
    };
    // Client image: 4 x 3 x 3 blocks of 8 bytes; the texture takes 2 x 2 x 2 of them.
    std::vector<uint8_t> image(4 * 3 * 3 * 8), want, got(2 * 2 * 2 * 8);
    fill(image);
    for (size_t z = 1; z < 3; z++)
        for (size_t y = 1; y < 3; y++) {
            const auto at = image.begin() + std::ptrdiff_t((z * 12 + y * 4 + 1) * 8);
            want.insert(want.end(), at, at + 16);
        }
    GLuint t, b;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D_ARRAY, t);
    glGenBuffers(1, &b);
    for (const bool buffer : {false, true}) {
        modes(false, 8);
        if (buffer) {
            glBindBuffer(GL_PIXEL_UNPACK_BUFFER, b);
            glBufferData(GL_PIXEL_UNPACK_BUFFER, GLsizeiptr(image.size()), image.data(),
                         GL_STATIC_DRAW);
        }
        glCompressedTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_COMPRESSED_RED_RGTC1, 8, 8, 2, 0, 64,
                               buffer ? nullptr : image.data());
        EXPECT_ERROR(GL_NO_ERROR);
        modes(true, 0);
        std::fill(got.begin(), got.end(), uint8_t(0));
        glPixelStorei(GL_PACK_ROW_LENGTH, 0);
        glGetCompressedTexImage(GL_TEXTURE_2D_ARRAY, 0, got.data());
        EXPECT(got == want);
        // The same places on the way back, and nothing between them.
        modes(true, 8);
        std::vector<uint8_t> back(image.size(), 0xaa), expected(image.size(), 0xaa);
        for (size_t z = 1; z < 3; z++)
            for (size_t y = 1; y < 3; y++) {
                const size_t at = (z * 12 + y * 4 + 1) * 8;
                std::copy_n(image.begin() + std::ptrdiff_t(at), 16,
                            expected.begin() + std::ptrdiff_t(at));
            }
        if (buffer) {
            glBindBuffer(GL_PIXEL_PACK_BUFFER, b);
            glBufferData(GL_PIXEL_PACK_BUFFER, GLsizeiptr(back.size()), back.data(),
                         GL_STATIC_READ);
        }
        glGetCompressedTexImage(GL_TEXTURE_2D_ARRAY, 0, buffer ? nullptr : back.data());
        if (buffer)
            glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, GLsizeiptr(back.size()), back.data());
        EXPECT(back == expected);
    }
    // A buffer that ends inside the last block, a skip inside a block.
    glBufferData(GL_PIXEL_PACK_BUFFER, GLsizeiptr(image.size()) - 9, nullptr, GL_STATIC_READ);
    glGetCompressedTexImage(GL_TEXTURE_2D_ARRAY, 0, nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBufferData(GL_PIXEL_UNPACK_BUFFER, GLsizeiptr(image.size()) - 9, nullptr, GL_STATIC_DRAW);
    glCompressedTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 8, 8, 2, GL_COMPRESSED_RED_RGTC1, 64,
                              nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 2);
    glCompressedTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, 8, 8, 2, GL_COMPRESSED_RED_RGTC1, 64,
                              image.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(texture_redefined_while_attached) {
    // The attachment follows the texture when a new size moves it to other storage.
    GLuint t, fbo;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, t, 0);
    glClearColor(1, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(4, 4, 1, 0, 0, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glViewport(0, 0, 32, 32);
    glClearColor(0, 1, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_PIXEL(30, 30, 0, 1, 0, 1);
}

SCENARIO(buffer_persistent_read_after_fence) {
    if (version() < 44 && !has_extension("GL_ARB_buffer_storage"))
        skip("no buffer storage");
    const uint32_t first[4] = {1, 2, 3, 4}, second[4] = {5, 6, 7, 8};
    GLuint b[2];
    glGenBuffers(2, b);
    glBindBuffer(GL_COPY_WRITE_BUFFER, b[0]);
    glBufferStorage(GL_COPY_WRITE_BUFFER, sizeof first, first,
                    GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT);
    const auto *p = static_cast<const uint32_t *>(
        glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, sizeof first,
                         GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT));
    EXPECT(p && p[0] == 1);
    glBindBuffer(GL_COPY_READ_BUFFER, b[1]);
    glBufferData(GL_COPY_READ_BUFFER, sizeof second, second, GL_STATIC_DRAW);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, sizeof second);
    const GLsync s = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    EXPECT(glClientWaitSync(s, GL_SYNC_FLUSH_COMMANDS_BIT, 1000000000) != GL_TIMEOUT_EXPIRED);
    glDeleteSync(s);
    if (p)
        EXPECT(memcmp(p, second, sizeof second) == 0);
    glUnmapBuffer(GL_COPY_WRITE_BUFFER);
}
