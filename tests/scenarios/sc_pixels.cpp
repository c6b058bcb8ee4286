// SPDX-License-Identifier: MIT
// Texels and pixels as programs hand them over: packed words, strides, guards, depth, borders.
#include "scenario.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

bool all_of(const std::vector<uint8_t> &v, size_t from, size_t to, uint8_t what) {
    for (size_t i = from; i < to; i++)
        if (v[i] != what)
            return false;
    return true;
}

} // namespace

SCENARIO(pixels_packed_words_to_array_layers) {
    struct Pair {
        GLenum format, type;
        uint8_t want[4];
    };
    const Pair pairs[] = {{GL_RGBA, GL_UNSIGNED_INT_8_8_8_8, {0x11, 0x22, 0x33, 0x44}},
                          {GL_RGBA, GL_UNSIGNED_INT_8_8_8_8_REV, {0x44, 0x33, 0x22, 0x11}},
                          {GL_BGRA, GL_UNSIGNED_INT_8_8_8_8, {0x33, 0x22, 0x11, 0x44}},
                          {GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, {0x22, 0x33, 0x44, 0x11}}};
    const uint32_t word = 0x11223344;
    for (const GLenum format : {GL_RGBA8, GL_SRGB8_ALPHA8}) {
        const GLuint t = texture(GL_TEXTURE_2D_ARRAY, format, 2, 2, 3);
        for (const Pair &p : pairs) {
            glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 1, 1, 2, 1, 1, 1, p.format, p.type, &word);
            uint8_t got[3][2][2][4] = {};
            glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA, GL_UNSIGNED_BYTE, got);
            EXPECT(!memcmp(got[2][1][1], p.want, 4));
            uint32_t back[3][2][2] = {};
            glGetTexImage(GL_TEXTURE_2D_ARRAY, 0, p.format, p.type, back);
            EXPECT_EQ(back[2][1][1], word);
        }
        target(2, 2);
        glBindTexture(GL_TEXTURE_2D_ARRAY, t);
        glUseProgram(fill_program("vec4(texture(t, vec3(uv, 2)).a)", "uniform sampler2DArray t;"));
        draw_fill();
        EXPECT_PIXEL(1, 1, 17 / 255.0f, 17 / 255.0f, 17 / 255.0f, 17 / 255.0f);
    }
}

SCENARIO(pixels_buffer_textures_of_every_kind) {
    // 16 normalised bits beside other formats, in both stages, with their sizes.
    need(31, "GL_ARB_texture_buffer_object");
    const uint16_t words[8] = {0, 65535, 32768, 13107, 0x3c00, 0x3800, 0, 0};
    const float floats[4] = {0.25f, 0.5f, 0.75f, 1};
    const uint8_t bytes[8] = {0, 255, 51, 102, 9, 8, 7, 6};
    const struct {
        GLenum format;
        const void *data;
        GLsizeiptr size;
        int at;
        Rgba want;
    } cases[] = {{GL_R16, words, 16, 3, {0.2f, 0, 0, 1}},
                 {GL_RG16, words, 16, 1, {0.5f, 0.2f, 0, 1}},
                 {GL_RGBA16, words, 16, 0, {0, 1, 0.5f, 0.2f}},
                 {GL_RG16F, words, 16, 2, {1, 0.5f, 0, 1}},
                 {GL_R32F, floats, 16, 2, {0.75f, 0, 0, 1}},
                 {GL_RGBA32F, floats, 16, 0, {0.25f, 0.5f, 0.75f, 1}},
                 {GL_R8, bytes, 8, 2, {0.2f, 0, 0, 1}},
                 {GL_RGBA8, bytes, 8, 0, {0, 1, 0.2f, 0.4f}}};
    const GLuint p = program(R"(#version 330
        uniform samplerBuffer s; uniform int at;
        flat out vec4 v;
        void main() {
            v = texelFetch(s, at);
            gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1);
        })",
                             R"(#version 330
        uniform samplerBuffer s, other; uniform isamplerBuffer n; uniform int at, size;
        flat in vec4 v; out vec4 o;
        void main() {
            bool same = textureSize(s) == size && texelFetch(s, at) == v &&
                        texelFetch(n, 1).r == -7 && texelFetch(other, 1).r == 0.5;
            o = same ? v : vec4(1, 0, 1, 0);
        })");
    glUseProgram(p);
    const auto attach = [&](int unit, GLenum format, GLuint store) {
        GLuint t = 0;
        glGenTextures(1, &t);
        glActiveTexture(GLenum(GL_TEXTURE0 + unit));
        glBindTexture(GL_TEXTURE_BUFFER, t);
        glTexBuffer(GL_TEXTURE_BUFFER, format, store);
    };
    const int integers[2] = {5, -7};
    glUniform1i(glGetUniformLocation(p, "other"), 1);
    glUniform1i(glGetUniformLocation(p, "n"), 2);
    attach(1, GL_R32F, buffer(GL_TEXTURE_BUFFER, floats, sizeof floats));
    attach(2, GL_R32I, buffer(GL_TEXTURE_BUFFER, integers, sizeof integers));
    target(4, 4);
    for (const auto &c : cases) {
        attach(0, c.format, buffer(GL_TEXTURE_BUFFER, c.data, size_t(c.size)));
        const GLsizeiptr texel = c.format == GL_R8        ? 1
                                 : c.format == GL_R16     ? 2
                                 : c.format == GL_RGBA16  ? 8
                                 : c.format == GL_RGBA32F ? 16
                                                          : 4;
        glUniform1i(glGetUniformLocation(p, "at"), c.at);
        glUniform1i(glGetUniformLocation(p, "size"), GLint(c.size / texel));
        draw_fill();
        if (!near(pixel(1, 1), c.want, 0.01f))
            fail(__FILE__, __LINE__,
                 "format " + std::to_string(c.format) + ": " + show(pixel(1, 1)));
    }
    EXPECT_ERROR(GL_NO_ERROR);
}

SCENARIO(pixels_border_of_base_format) {
    // The border is a texel of the base format, then swizzled.
    const float border[4] = {0.2f, 0.4f, 0.6f, 0.8f};
    const struct {
        GLenum format;
        Rgba want;
    } cases[] = {{GL_R8, {0.2f, 0, 0, 1}},
                 {GL_RG8, {0.2f, 0.4f, 0, 1}},
                 {GL_RGB8, {0.2f, 0.4f, 0.6f, 1}},
                 {GL_RGBA8, {0.2f, 0.4f, 0.6f, 0.8f}},
                 {GL_DEPTH_COMPONENT24, {0.2f, 0, 0, 1}}};
    for (const auto &c : cases) {
        target(4, 4);
        texture(GL_TEXTURE_2D, c.format, 2, 2);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
        glTexParameterfv(GL_TEXTURE_2D, GL_TEXTURE_BORDER_COLOR, border);
        glUseProgram(fill_program("texture(t, uv + vec2(2.0))", "uniform sampler2D t;"));
        draw_fill();
        const Rgba plain = pixel(1, 1);
        const bool depth = c.format == GL_DEPTH_COMPONENT24; // green and blue are not defined
        if (!near(depth ? Rgba{plain[0], 0, 0, 1} : plain, c.want, 0.01f))
            fail(__FILE__, __LINE__, "format " + std::to_string(c.format) + ": " + show(plain));
        if (depth) {
            const GLint red[4] = {GL_ONE, GL_RED, GL_ZERO, GL_RED};
            glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, red);
            draw_fill();
            EXPECT_PIXEL(1, 1, 1, 0.2f, 0, 0.2f);
            continue;
        }
        const GLint swizzle[4] = {GL_ALPHA, GL_ONE, GL_RED, GL_GREEN};
        glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle);
        draw_fill();
        if (!near(pixel(1, 1), {c.want[3], 1, c.want[0], c.want[1]}, 0.01f))
            fail(__FILE__, __LINE__,
                 "format " + std::to_string(c.format) + " swizzled: " + show(pixel(1, 1)));
    }
}

SCENARIO(pixels_lod_bias_beyond_limit) {
    GLfloat most = 0;
    glGetFloatv(GL_MAX_TEXTURE_LOD_BIAS, &most);
    EXPECT(most >= 2);
    target(4, 4);
    texture(GL_TEXTURE_2D, GL_RGBA8, 4, 4, 1, 3);
    for (int level = 0; level < 3; level++) {
        const std::vector<uint8_t> v(64, uint8_t(level * 100));
        glTexSubImage2D(GL_TEXTURE_2D, level, 0, 0, 4 >> level, 4 >> level, GL_RGBA,
                        GL_UNSIGNED_BYTE, v.data());
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glUseProgram(fill_program("texture(t, uv)", "uniform sampler2D t;"));
    for (const float bias : {1000.0f, -1000.0f}) {
        glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, bias);
        EXPECT_ERROR(GL_NO_ERROR);
        draw_fill();
        const float want = bias > 0 ? 200 / 255.0f : 0;
        EXPECT_PIXEL(1, 1, want, want, want, want);
    }
}

SCENARIO(pixels_view_of_srgb_attached_and_blitted) {
    need(43, "GL_ARB_texture_view");
    const GLuint t = texture(GL_TEXTURE_2D, GL_SRGB8_ALPHA8, 4, 4);
    GLuint view = 0, fbo = 0;
    glGenTextures(1, &view);
    glTextureView(view, GL_TEXTURE_2D, t, GL_RGBA8, 0, 1, 0, 1);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, view, 0);
    glEnable(GL_FRAMEBUFFER_SRGB); // the view is linear: nothing is encoded
    clear_color(0.5f, 0.5f, 0.5f, 1);
    EXPECT_PIXEL(1, 1, 0.5f, 0.5f, 0.5f, 1);
    const Target to = target(4, 4);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, fbo);
    glBlitFramebuffer(0, 0, 4, 4, 0, 0, 4, 4, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, to.fbo);
    EXPECT_PIXEL(1, 1, 0.5f, 0.5f, 0.5f, 1);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glBindTexture(GL_TEXTURE_2D, t); // sampled through the owner: decoded
    glUseProgram(fill_program("texture(t, uv)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_PIXEL(1, 1, 0.2140f, 0.2140f, 0.2140f, 1);
}

SCENARIO(pixels_view_of_blocks_sampled) {
    need(43, "GL_ARB_texture_view");
    need(99, "GL_EXT_texture_compression_s3tc");
    need(99, "GL_EXT_texture_sRGB");
    const GLenum dxt1 = 0x83F1, dxt1_srgb = 0x8C4D;
    const uint8_t grey[8] = {0x10, 0x84, 0x10, 0x84}, red[8] = {0, 0xf8, 0, 0xf8};
    const GLuint t = texture(GL_TEXTURE_2D_ARRAY, dxt1, 4, 4, 3, 1);
    glCompressedTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, 0, 0, 1, 4, 4, 1, dxt1, 8, grey);
    const GLuint p = fill_program("texture(t, uv)", "uniform sampler2D t;");
    target(4, 4);
    glUseProgram(p);
    GLuint view[2] = {};
    glGenTextures(2, view);
    for (int i = 0; i < 2; i++) { // of one layer, as it is and decoded
        glTextureView(view[i], GL_TEXTURE_2D, t, i ? dxt1_srgb : dxt1, 0, 1, 1, 1);
        glBindTexture(GL_TEXTURE_2D, view[i]);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        draw_fill();
        const float v = i ? 0.2271f : 0.5137f;
        const Rgba got = pixel(2, 2);
        EXPECT(near(got, {v, i ? 0.2232f : 0.5098f, v, 1}, 0.01f));
    }
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, dxt1_srgb, 8, red); // through a view
    glBindTexture(GL_TEXTURE_2D, view[0]);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
}

SCENARIO(pixels_compressed_sub_images) {
    // Storage without data, then two sub-images; wrong formats and sizes are errors.
    if (!has_extension("GL_EXT_texture_compression_s3tc"))
        skip("no GL_EXT_texture_compression_s3tc");
    GLuint t = 0;
    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    const GLenum dxt1 = 0x83F1;
    glCompressedTexImage2D(GL_TEXTURE_2D, 0, dxt1, 8, 4, 0, 16, nullptr);
    const uint8_t red[8] = {0, 0xf8, 0, 0xf8}, blue[8] = {0x1f, 0, 0x1f, 0};
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, dxt1, 8, red);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 4, 4, dxt1, 8, blue);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 4, 4, dxt1, 16, blue);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 4, 0, 4, 4, GL_COMPRESSED_RG_RGTC2, 16, blue);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    target(8, 4);
    texture_rgba8(8, 4, nullptr);
    glCompressedTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 4, 4, dxt1, 8, red);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    glBindTexture(GL_TEXTURE_2D, t);
    glUseProgram(fill_program("texture(t, uv)", "uniform sampler2D t;"));
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 4, 0, 0, 1, 1);
}

SCENARIO(pixels_names_never_generated) {
    // Core: a name that was not generated is an error, a huge one costs no memory.
    // Other threads may still be starting: the round that grew least counts, each with other names.
    uint64_t least = UINT64_MAX;
    for (GLuint name = 0xfffffff0u; name > 0xf0000000u; name -= 0x02000000u) {
        const uint64_t before = resident_bytes();
        glBindTexture(GL_TEXTURE_2D, name);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glBindBuffer(GL_ARRAY_BUFFER, name);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glBindVertexArray(name);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        glBindFramebuffer(GL_FRAMEBUFFER, name);
        EXPECT_ERROR(GL_INVALID_OPERATION);
        EXPECT(!glIsTexture(name));
        const uint64_t after = resident_bytes();
        least = std::min(least, after > before ? after - before : 0);
    }
    EXPECT(least < (16u << 20));
}

SCENARIO(pixels_sixteen_bit_planes) {
    // Integer planes with a row length and no alignment, as video players upload them.
    const struct {
        GLenum internal, format;
        int channels;
    } cases[] = {{GL_R16UI, GL_RED_INTEGER, 1}, {GL_RG16UI, GL_RG_INTEGER, 2}};
    for (const auto &c : cases) {
        uint16_t rows[3 * 5 * 2] = {};
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 5 * c.channels; x++)
                rows[y * 5 * c.channels + x] = uint16_t(1000 * y + x + 7);
        const GLuint t = texture(GL_TEXTURE_2D, c.internal, 3, 3);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 5);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 3, 3, c.format, GL_UNSIGNED_SHORT, rows);
        glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
        target(3, 3, GL_RGBA32UI);
        glBindTexture(GL_TEXTURE_2D, t);
        glUseProgram(program(fill_vs,
                             "#version 330\nuniform usampler2D t; out uvec4 o;\nvoid main() "
                             "{ o = texelFetch(t, ivec2(gl_FragCoord.xy), 0); }"));
        draw_fill();
        GLuint got[4] = {};
        glReadPixels(2, 2, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
        EXPECT_EQ(got[0], GLuint(2000 + 2 * c.channels + 7));
        EXPECT_EQ(got[1], c.channels == 2 ? GLuint(2000 + 5 + 7) : 0u);
        EXPECT_EQ(got[3], 1u);
    }
}

SCENARIO(pixels_read_as_bgra) {
    for (const GLenum format : {GL_RGB8, GL_RGBA8, GL_RGB10_A2, GL_RGBA16F, GL_RGBA16}) {
        target(2, 2, format);
        clear_color(1, 0.4f, 0.2f, 1);
        uint8_t b[4] = {};
        glReadPixels(0, 0, 1, 1, GL_BGRA, GL_UNSIGNED_BYTE, b);
        EXPECT_ERROR(GL_NO_ERROR);
        EXPECT(std::abs(b[0] - 51) <= 1 && std::abs(b[1] - 102) <= 1 && b[2] == 255 && b[3] == 255);
        uint32_t word = 0;
        glReadPixels(0, 0, 1, 1, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, &word);
        EXPECT_ERROR(GL_NO_ERROR);
        EXPECT(word >> 16 == 0xffff && std::abs(int(word & 255) - 51) <= 1);
    }
}

SCENARIO(pixels_read_stays_in_its_rectangle) {
    // Guards before, between and behind the rows stay.
    target(5, 5);
    clear_color(1, 1, 1, 1);
    for (const GLenum format : {GL_RGBA, GL_RGB, GL_RED}) {
        const size_t channels = format == GL_RGBA ? 4 : format == GL_RGB ? 3 : 1;
        for (const GLint alignment : {1, 2, 4, 8}) {
            const size_t stride =
                (9 * channels + size_t(alignment) - 1) / size_t(alignment) * size_t(alignment);
            std::vector<uint8_t> out(64 + stride * 8, 0x5a);
            glPixelStorei(GL_PACK_ALIGNMENT, alignment);
            glPixelStorei(GL_PACK_ROW_LENGTH, 9);
            glPixelStorei(GL_PACK_SKIP_PIXELS, 3);
            glPixelStorei(GL_PACK_SKIP_ROWS, 2);
            glReadPixels(1, 1, 3, 4, format, GL_UNSIGNED_BYTE, out.data());
            size_t at = 0;
            for (size_t row = 0; row < 4; row++) {
                const size_t begin = (row + 2) * stride + 3 * channels, end = begin + 3 * channels;
                EXPECT(all_of(out, at, begin, 0x5a));
                EXPECT(all_of(out, begin, end, 0xff));
                at = end;
            }
            EXPECT(all_of(out, at, out.size(), 0x5a));
        }
    }
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glPixelStorei(GL_PACK_SKIP_PIXELS, 0);
    glPixelStorei(GL_PACK_SKIP_ROWS, 0);
}

SCENARIO(pixels_read_depth_and_stencil) {
    struct Format {
        GLenum name;
        bool stencil;
        float step;
    };
    const Format formats[] = {{GL_DEPTH24_STENCIL8, true, 1 / 16777215.0f},
                              {GL_DEPTH32F_STENCIL8, true, 1e-7f},
                              {GL_DEPTH_COMPONENT16, false, 1 / 65535.0f},
                              {GL_DEPTH_COMPONENT32F, false, 1e-7f}};
    for (const Format &f : formats)
        for (const bool to_buffer : {false, true}) {
            GLuint fbo = 0;
            glGenFramebuffers(1, &fbo);
            glBindFramebuffer(GL_FRAMEBUFFER, fbo);
            glDrawBuffer(GL_NONE);
            glReadBuffer(GL_NONE);
            texture(GL_TEXTURE_2D, f.name, 4, 4);
            GLint t = 0;
            glGetIntegerv(GL_TEXTURE_BINDING_2D, &t);
            glFramebufferTexture2D(GL_FRAMEBUFFER,
                                   f.stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT,
                                   GL_TEXTURE_2D, GLuint(t), 0);
            const float depth = 0.3f;
            if (f.stencil)
                glClearBufferfi(GL_DEPTH_STENCIL, 0, depth, 0x5b);
            else
                glClearBufferfv(GL_DEPTH, 0, &depth);
            const GLuint b = buffer(GL_PIXEL_PACK_BUFFER, nullptr, 256, GL_STREAM_READ);
            const auto read = [&](GLenum format, GLenum type, bool image, void *out, size_t n) {
                glBindBuffer(GL_PIXEL_PACK_BUFFER, to_buffer ? b : 0);
                void *where = to_buffer ? nullptr : out;
                std::vector<uint8_t> whole(256);
                if (image)
                    glGetTexImage(GL_TEXTURE_2D, 0, format, type,
                                  to_buffer ? nullptr : whole.data());
                else
                    glReadPixels(1, 1, 1, 1, format, type, where);
                EXPECT_ERROR(GL_NO_ERROR);
                if (to_buffer)
                    glGetBufferSubData(GL_PIXEL_PACK_BUFFER, 0, GLsizeiptr(n), out);
                else if (image)
                    memcpy(out, whole.data(), n);
                glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
            };
            for (const bool image : {false, true}) {
                float d = -1;
                read(GL_DEPTH_COMPONENT, GL_FLOAT, image, &d, 4);
                if (std::fabs(d - 0.3f) > f.step * 0.6f)
                    fail(__FILE__, __LINE__,
                         "format " + std::to_string(f.name) + " depth " + std::to_string(d));
                uint16_t shorts = 0;
                read(GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, image, &shorts, 2);
                EXPECT(std::abs(int(shorts) - 19660) <= 1);
                if (!f.stencil)
                    continue;
                uint32_t both = 0;
                read(GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8, image, &both, 4);
                EXPECT_EQ(both & 255, 0x5bu);
                EXPECT(std::fabs(float(both >> 8) / 16777215 - 0.3f) < 1e-6f);
                if (image)
                    continue;
                uint8_t s = 0;
                read(GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, false, &s, 1);
                EXPECT_EQ(int(s), 0x5b);
            }
            glDeleteBuffers(1, &b);
            glDeleteFramebuffers(1, &fbo);
        }
}
