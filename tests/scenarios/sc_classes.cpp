// SPDX-License-Identifier: MIT
// Formats of one size class: every pair of ARB_texture_view and of ARB_copy_image keeps the bits,
// between all kinds of images.
#include "scenario.h"

#include <cstring>
#include <vector>

using namespace scenario;

namespace {

using Bytes = std::vector<uint8_t>;

struct Format {
    GLenum internal, format, type;
};

// The classes of GL 4.6 table 8.21 without blocks.
const std::vector<std::vector<Format>> &classes() {
    static const std::vector<std::vector<Format>> all = {
        {{GL_RGBA32F, GL_RGBA, GL_FLOAT},
         {GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT},
         {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT}},
        {{GL_RGB32F, GL_RGB, GL_FLOAT},
         {GL_RGB32UI, GL_RGB_INTEGER, GL_UNSIGNED_INT},
         {GL_RGB32I, GL_RGB_INTEGER, GL_INT}},
        {{GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT},
         {GL_RG32F, GL_RG, GL_FLOAT},
         {GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT},
         {GL_RG32UI, GL_RG_INTEGER, GL_UNSIGNED_INT},
         {GL_RGBA16I, GL_RGBA_INTEGER, GL_SHORT},
         {GL_RG32I, GL_RG_INTEGER, GL_INT},
         {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT},
         {GL_RGBA16_SNORM, GL_RGBA, GL_SHORT}},
        {{GL_RGB16, GL_RGB, GL_UNSIGNED_SHORT},
         {GL_RGB16_SNORM, GL_RGB, GL_SHORT},
         {GL_RGB16F, GL_RGB, GL_HALF_FLOAT},
         {GL_RGB16UI, GL_RGB_INTEGER, GL_UNSIGNED_SHORT},
         {GL_RGB16I, GL_RGB_INTEGER, GL_SHORT}},
        {{GL_RG16F, GL_RG, GL_HALF_FLOAT},
         {GL_R11F_G11F_B10F, GL_RGB, GL_UNSIGNED_INT_10F_11F_11F_REV},
         {GL_R32F, GL_RED, GL_FLOAT},
         {GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV},
         {GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE},
         {GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT},
         {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT},
         {GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE},
         {GL_RG16I, GL_RG_INTEGER, GL_SHORT},
         {GL_R32I, GL_RED_INTEGER, GL_INT},
         {GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV},
         {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
         {GL_RG16, GL_RG, GL_UNSIGNED_SHORT},
         {GL_RGBA8_SNORM, GL_RGBA, GL_BYTE},
         {GL_RG16_SNORM, GL_RG, GL_SHORT},
         {GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE},
         {GL_RGB9_E5, GL_RGB, GL_UNSIGNED_INT_5_9_9_9_REV}},
        {{GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE},
         {GL_RGB8_SNORM, GL_RGB, GL_BYTE},
         {GL_SRGB8, GL_RGB, GL_UNSIGNED_BYTE},
         {GL_RGB8UI, GL_RGB_INTEGER, GL_UNSIGNED_BYTE},
         {GL_RGB8I, GL_RGB_INTEGER, GL_BYTE}},
        {{GL_R16F, GL_RED, GL_HALF_FLOAT},
         {GL_RG8UI, GL_RG_INTEGER, GL_UNSIGNED_BYTE},
         {GL_R16UI, GL_RED_INTEGER, GL_UNSIGNED_SHORT},
         {GL_RG8I, GL_RG_INTEGER, GL_BYTE},
         {GL_R16I, GL_RED_INTEGER, GL_SHORT},
         {GL_RG8, GL_RG, GL_UNSIGNED_BYTE},
         {GL_R16, GL_RED, GL_UNSIGNED_SHORT},
         {GL_RG8_SNORM, GL_RG, GL_BYTE},
         {GL_R16_SNORM, GL_RED, GL_SHORT}},
        {{GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE},
         {GL_R8I, GL_RED_INTEGER, GL_BYTE},
         {GL_R8, GL_RED, GL_UNSIGNED_BYTE},
         {GL_R8_SNORM, GL_RED, GL_BYTE}},
    };
    return all;
}

// Bytes of a texel of each class.
constexpr size_t texel_bytes[] = {16, 12, 8, 6, 4, 3, 2, 1};

// Bits that every format keeps: no NaN as floats of any size, no -128 as signed normalised, the
// first mantissa of RGB9_E5 normalised (equal colours have several spellings).
Bytes texels_of(size_t texel, size_t count, unsigned seed) {
    Bytes b(texel * count);
    for (size_t i = 0; i < b.size(); i++)
        b[i] = uint8_t(0x31 + (i * 7 + seed * 13) % 0x0d);
    for (size_t i = 0; texel == 4 && i < b.size(); i += 4)
        b[i + 1] |= 1;
    return b;
}

std::string hex(GLenum v) {
    char text[16];
    snprintf(text, sizeof text, "0x%04x", v);
    return text;
}

GLuint storage(GLenum target, GLenum internal, int size, int layers = 1, int levels = 1) {
    return texture(target, internal, size, size, layers, levels);
}

GLuint filled(const Format &f, int size, const Bytes &texels) {
    const GLuint t = storage(GL_TEXTURE_2D, f.internal, size);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size, size, f.format, f.type, texels.data());
    return t;
}

Bytes read_back(const Format &f, size_t size) {
    Bytes b(size);
    glGetTexImage(GL_TEXTURE_2D, 0, f.format, f.type, b.data());
    return b;
}

void expect_bits(int line, const Bytes &got, const Bytes &want, const Format &from,
                 const Format &to) {
    const GLenum error = glGetError();
    if (got == want && error == GL_NO_ERROR)
        return;
    std::string text =
        hex(from.internal) + " -> " + hex(to.internal) + ", error " + hex(error) + ":";
    for (size_t i = 0; i < got.size() && i < 24; i++)
        text += ' ' + hex(got[i]).substr(4) + (got[i] == want[i] ? "" : "!");
    fail(__FILE__, line, text);
}

// A program that fetches texel (0, 0) of sampler kind `prefix`, as bits.
GLuint fetcher(const Format &f) {
    const bool ints = f.format == GL_RED_INTEGER || f.format == GL_RG_INTEGER ||
                      f.format == GL_RGB_INTEGER || f.format == GL_RGBA_INTEGER;
    const bool is_signed = f.type == GL_BYTE || f.type == GL_SHORT || f.type == GL_INT;
    static GLuint programs[3];
    GLuint &p = programs[!ints ? 0 : is_signed ? 1 : 2];
    if (!p) {
        const char *const prefix = !ints ? "" : is_signed ? "i" : "u";
        const char *const bits = !ints ? "floatBitsToUint(v)" : "uvec4(v)";
        p = program(fill_vs,
                    std::string("#version 330\n#extension GL_ARB_shader_bit_encoding : enable\n"
                                "uniform ") +
                        prefix +
                        "sampler2D t; out uvec4 o;\n"
                        "void main() { " +
                        prefix + "vec4 v = texelFetch(t, ivec2(gl_FragCoord.xy), 0); o = " + bits +
                        "; }");
    }
    return p;
}

// What a shader finds in the bound texture.
Bytes fetched(const Format &f, int size) {
    glUseProgram(fetcher(f));
    draw_fill();
    Bytes b(size_t(size) * size_t(size) * 16);
    glReadPixels(0, 0, size, size, GL_RGBA_INTEGER, GL_UNSIGNED_INT, b.data());
    return b;
}

} // namespace

SCENARIO(class_copies_of_every_pair) {
    need(43, "GL_ARB_copy_image");
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    for (size_t c = 0; c < classes().size(); c++) {
        const size_t texel = texel_bytes[c];
        for (const Format &from : classes()[c]) {
            const Bytes a = texels_of(texel, 16, 1);
            const GLuint src = filled(from, 4, a);
            expect_bits(__LINE__, read_back(from, a.size()), a, from, from);
            for (const Format &to : classes()[c]) {
                Bytes b = texels_of(texel, 16, 2);
                const GLuint dst = filled(to, 4, b);
                glCopyImageSubData(src, GL_TEXTURE_2D, 0, 1, 1, 0, dst, GL_TEXTURE_2D, 0, 2, 0, 0,
                                   2, 3, 1);
                for (size_t y = 0; y < 3; y++)
                    std::memcpy(&b[(y * 4 + 2) * texel], &a[((y + 1) * 4 + 1) * texel], 2 * texel);
                expect_bits(__LINE__, read_back(to, b.size()), b, from, to);
                glDeleteTextures(1, &dst);
            }
            glDeleteTextures(1, &src);
        }
    }
}

SCENARIO(class_views_of_every_pair) {
    need(43, "GL_ARB_texture_view");
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    target(2, 2, GL_RGBA32UI);
    for (size_t c = 0; c < classes().size(); c++) {
        const Bytes a = texels_of(texel_bytes[c], 4, 3), b = texels_of(texel_bytes[c], 4, 4);
        for (const Format &to : classes()[c]) {
            const GLuint plain[] = {filled(to, 2, a), filled(to, 2, b)};
            Bytes want[2];
            for (int i = 0; i < 2; i++) {
                glBindTexture(GL_TEXTURE_2D, plain[i]);
                want[i] = fetched(to, 2);
            }
            for (const Format &from : classes()[c]) {
                const GLuint origin = filled(from, 2, a);
                GLuint view = 0;
                glGenTextures(1, &view);
                glTextureView(view, GL_TEXTURE_2D, origin, to.internal, 0, 1, 0, 1);
                glBindTexture(GL_TEXTURE_2D, view);
                glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
                glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
                expect_bits(__LINE__, fetched(to, 2), want[0], from, to);
                expect_bits(__LINE__, read_back(to, a.size()), a, from, to);
                // What is written through the view is in the origin.
                glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, to.format, to.type, b.data());
                expect_bits(__LINE__, fetched(to, 2), want[1], from, to);
                glBindTexture(GL_TEXTURE_2D, origin);
                expect_bits(__LINE__, read_back(from, b.size()), b, from, to);
                glDeleteTextures(1, &view);
                glDeleteTextures(1, &origin);
            }
            glDeleteTextures(2, plain);
        }
    }
}

namespace {

constexpr int kSize = 4, kSlices = 6;

// One image of RGBA8 or R32UI texels, each a word, in slices.
struct Image {
    GLenum target;
    Format format;
    GLuint name = 0;

    bool layered() const { return slices() > 1; }
    bool flat() const { return target == GL_TEXTURE_1D || target == GL_TEXTURE_1D_ARRAY; }
    int rows() const { return flat() ? 1 : kSize; }
    int slices() const {
        return target == GL_TEXTURE_1D || target == GL_TEXTURE_2D ||
                       target == GL_TEXTURE_RECTANGLE || target == GL_RENDERBUFFER
                   ? 1
                   : kSlices;
    }
    size_t slice_bytes() const { return size_t(kSize * rows()) * 4; }
};

void write_slice(const Image &i, int z, const Bytes &texels) {
    const GLenum f = i.format.format, t = i.format.type;
    glBindTexture(i.target, i.name);
    if (i.target == GL_TEXTURE_1D)
        glTexSubImage1D(i.target, 0, 0, kSize, f, t, texels.data());
    else if (i.target == GL_TEXTURE_1D_ARRAY)
        glTexSubImage2D(i.target, 0, 0, z, kSize, 1, f, t, texels.data());
    else if (i.target == GL_TEXTURE_CUBE_MAP)
        glTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + GLenum(z), 0, 0, 0, kSize, kSize, f, t,
                        texels.data());
    else if (i.slices() > 1)
        glTexSubImage3D(i.target, 0, 0, 0, z, kSize, kSize, 1, f, t, texels.data());
    else
        glTexSubImage2D(i.target, 0, 0, 0, kSize, kSize, f, t, texels.data());
}

Image image(GLenum target, const Format &f, unsigned seed) {
    Image i{target, f};
    if (target == GL_RENDERBUFFER) {
        const GLuint t = filled(f, kSize, texels_of(4, kSize * kSize, seed));
        glGenRenderbuffers(1, &i.name);
        glBindRenderbuffer(GL_RENDERBUFFER, i.name);
        glRenderbufferStorage(GL_RENDERBUFFER, f.internal, kSize, kSize);
        glCopyImageSubData(t, GL_TEXTURE_2D, 0, 0, 0, 0, i.name, target, 0, 0, 0, 0, kSize, kSize,
                           1);
        glDeleteTextures(1, &t);
        return i;
    }
    i.name = storage(target, f.internal, kSize, kSlices);
    for (int z = 0; z < i.slices(); z++)
        write_slice(i, z, texels_of(4, size_t(kSize * i.rows()), seed + unsigned(z)));
    return i;
}

// All slices, tight.
Bytes bytes_of(const Image &i) {
    Bytes b(i.slice_bytes() * size_t(i.slices()));
    if (i.target == GL_RENDERBUFFER) {
        GLuint fbo = 0;
        glGenFramebuffers(1, &fbo);
        glBindFramebuffer(GL_FRAMEBUFFER, fbo);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, i.name);
        glReadPixels(0, 0, kSize, kSize, i.format.format, i.format.type, b.data());
        glDeleteFramebuffers(1, &fbo);
        return b;
    }
    glBindTexture(i.target, i.name);
    const bool cube = i.target == GL_TEXTURE_CUBE_MAP;
    for (int face = 0; face < (cube ? 6 : 1); face++)
        glGetTexImage(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + GLenum(face) : i.target, 0,
                      i.format.format, i.format.type, b.data() + size_t(face) * i.slice_bytes());
    return b;
}

void destroy_image(const Image &i) {
    if (i.target == GL_RENDERBUFFER)
        glDeleteRenderbuffers(1, &i.name);
    else
        glDeleteTextures(1, &i.name);
}

} // namespace

SCENARIO(class_copies_between_targets) {
    need(43, "GL_ARB_copy_image");
    std::vector<GLenum> targets = {GL_TEXTURE_1D,        GL_TEXTURE_2D,       GL_TEXTURE_3D,
                                   GL_TEXTURE_RECTANGLE, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_1D_ARRAY,
                                   GL_TEXTURE_2D_ARRAY,  GL_RENDERBUFFER};
    if (has_extension("GL_ARB_texture_cube_map_array"))
        targets.push_back(GL_TEXTURE_CUBE_MAP_ARRAY);
    const Format words{GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT},
        colors{GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    for (const GLenum from : targets)
        for (const GLenum to : targets) {
            const Image src = image(from, colors, 5), dst = image(to, words, 40);
            const Bytes a = bytes_of(src);
            Bytes want = bytes_of(dst);
            const int z = src.layered() ? 1 : 0, to_z = dst.layered() ? 3 : 0;
            const int h = src.flat() || dst.flat() ? 1 : 2;
            const int d = src.layered() && dst.layered() ? 2 : 1;
            const int y = src.flat() ? 0 : 1, to_y = dst.flat() ? 0 : 2;
            for (int k = 0; k < d; k++)
                for (int row = 0; row < h; row++)
                    std::memcpy(
                        &want[size_t(to_z + k) * dst.slice_bytes() +
                              size_t((to_y + row) * kSize + 2) * 4],
                        &a[size_t(z + k) * src.slice_bytes() + size_t((y + row) * kSize + 1) * 4],
                        2 * 4);
            glCopyImageSubData(src.name, from, 0, 1, y, z, dst.name, to, 0, 2, to_y, to_z, 2, h, d);
            if (bytes_of(dst) != want || bytes_of(src) != a)
                fail(__FILE__, __LINE__, hex(from) + " -> " + hex(to));
            EXPECT_ERROR(GL_NO_ERROR);
            destroy_image(src);
            destroy_image(dst);
        }
}

SCENARIO(class_copies_of_blocks) {
    // A block is a texel of as many bytes.
    need(43, "GL_ARB_copy_image");
    const Format small[] = {{GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT},
                            {GL_RG32I, GL_RG_INTEGER, GL_INT},
                            {GL_RGBA16, GL_RGBA, GL_UNSIGNED_SHORT}},
                 large[] = {{GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT},
                            {GL_RGBA32I, GL_RGBA_INTEGER, GL_INT},
                            {GL_RGBA32F, GL_RGBA, GL_FLOAT}};
    const struct {
        GLenum format;
        size_t bytes;
    } blocks[] = {{GL_COMPRESSED_RED_RGTC1, 8},        {GL_COMPRESSED_SIGNED_RG_RGTC2, 16},
                  {GL_COMPRESSED_RGBA_BPTC_UNORM, 16}, {GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, 16},
                  {0x83F1 /* DXT1 with alpha */, 8},   {0x83F3 /* DXT5 */, 16},
                  {GL_COMPRESSED_RGB8_ETC2, 8},        {GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC, 16},
                  {GL_COMPRESSED_R11_EAC, 8},          {0x93B0 /* ASTC 4x4 */, 16}};
    for (const auto &b : blocks) {
        if (driver() == "native" && b.format >= GL_COMPRESSED_R11_EAC)
            continue; // Mesa keeps other bits of those
        for (const Format &f : b.bytes == 8 ? small : large) {
            const Bytes coded = texels_of(b.bytes, 4, 1);
            GLuint t = 0, rb = 0;
            glGenTextures(1, &t);
            glBindTexture(GL_TEXTURE_2D, t);
            glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
            glCompressedTexImage2D(GL_TEXTURE_2D, 0, b.format, 8, 8, 0, GLsizei(coded.size()),
                                   coded.data());
            Bytes texels = texels_of(b.bytes, 16, 2);
            const GLuint plain = filled(f, 4, texels);
            glCopyImageSubData(t, GL_TEXTURE_2D, 0, 4, 0, 0, plain, GL_TEXTURE_2D, 0, 2, 1, 0, 4, 8,
                               1); // a column of blocks
            std::memcpy(&texels[(1 * 4 + 2) * b.bytes], &coded[1 * b.bytes], b.bytes);
            std::memcpy(&texels[(2 * 4 + 2) * b.bytes], &coded[3 * b.bytes], b.bytes);
            expect_bits(__LINE__, read_back(f, texels.size()), texels, {b.format, 0, 0}, f);
            // Back, by way of a renderbuffer.
            glGenRenderbuffers(1, &rb);
            glBindRenderbuffer(GL_RENDERBUFFER, rb);
            glRenderbufferStorage(GL_RENDERBUFFER, f.internal, 4, 4);
            glCopyImageSubData(plain, GL_TEXTURE_2D, 0, 0, 0, 0, rb, GL_RENDERBUFFER, 0, 0, 0, 0, 4,
                               4, 1);
            glCopyImageSubData(t, GL_TEXTURE_2D, 0, 0, 4, 0, rb, GL_RENDERBUFFER, 0, 0, 3, 0, 4, 4,
                               1);
            std::memcpy(&texels[3 * 4 * b.bytes], &coded[2 * b.bytes], b.bytes);
            glCopyImageSubData(rb, GL_RENDERBUFFER, 0, 0, 2, 0, t, GL_TEXTURE_2D, 0, 4, 0, 0, 1, 2,
                               1);
            Bytes want = coded, got(coded.size());
            std::memcpy(&want[1 * b.bytes], &texels[2 * 4 * b.bytes], b.bytes);
            std::memcpy(&want[3 * b.bytes], &texels[3 * 4 * b.bytes], b.bytes);
            glBindTexture(GL_TEXTURE_2D, t);
            glGetCompressedTexImage(GL_TEXTURE_2D, 0, got.data());
            expect_bits(__LINE__, got, want, f, {b.format, 0, 0});
            glDeleteTextures(1, &t);
            glDeleteTextures(1, &plain);
            glDeleteRenderbuffers(1, &rb);
        }
    }
}

SCENARIO(class_copies_of_samples) {
    need(43, "GL_ARB_copy_image");
    need(32, "GL_ARB_texture_multisample");
    GLuint t[2], fbo = 0;
    glGenTextures(2, t);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t[0]);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 4, 4, GL_TRUE);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t[1]);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_R32UI, 4, 4, GL_TRUE);
    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, t[1],
                           0);
    const GLuint zeros[4] = {};
    glClearBufferuiv(GL_COLOR, 0, zeros);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, t[0],
                           0);
    const GLuint color = fill_program("c", "uniform vec4 c;");
    glUseProgram(color);
    glEnable(GL_SAMPLE_MASK);
    for (unsigned i = 0; i < 4; i++) {
        glSampleMaski(0, 1u << i);
        glUniform4f(glGetUniformLocation(color, "c"), float(16 * (i + 1)) / 255, 0, 0, 0);
        draw_fill();
    }
    glDisable(GL_SAMPLE_MASK);
    glCopyImageSubData(t[0], GL_TEXTURE_2D_MULTISAMPLE, 0, 0, 0, 0, t[1], GL_TEXTURE_2D_MULTISAMPLE,
                       0, 1, 2, 0, 3, 2, 1);
    EXPECT_ERROR(GL_NO_ERROR);
    target(4, 4, GL_RGBA32UI);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, t[1]);
    glUseProgram(program(fill_vs,
                         "#version 330\nuniform usampler2DMS t; out uvec4 o;\n"
                         "uint at(int s) { return texelFetch(t, ivec2(gl_FragCoord.xy), "
                         "s).x; }\nvoid main() { o = uvec4(at(0), at(1), at(2), at(3)); }"));
    draw_fill();
    GLuint got[16][4] = {};
    glReadPixels(0, 0, 4, 4, GL_RGBA_INTEGER, GL_UNSIGNED_INT, got);
    for (int i = 0; i < 16; i++)
        for (unsigned sample = 0; sample < 4; sample++)
            EXPECT_EQ(got[i][sample], i >= 8 && i % 4 ? 16 * (sample + 1) : 0);
}

SCENARIO(class_copies_of_views) {
    need(43, "GL_ARB_copy_image");
    need(43, "GL_ARB_texture_view");
    const Format words{GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT},
        colors{GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
    const Image origin = image(GL_TEXTURE_2D_ARRAY, colors, 5),
                dst = image(GL_TEXTURE_3D, words, 40);
    Bytes a = bytes_of(origin), b = bytes_of(dst);
    GLuint view = 0;
    glGenTextures(1, &view);
    glTextureView(view, GL_TEXTURE_2D_ARRAY, origin.name, GL_RG16I, 0, 1, 2, 3);
    glBindTexture(GL_TEXTURE_2D_ARRAY, view);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glCopyImageSubData(view, GL_TEXTURE_2D_ARRAY, 0, 0, 0, 1, dst.name, GL_TEXTURE_3D, 0, 0, 0, 4,
                       4, 4, 2);
    std::memcpy(&b[4 * 64], &a[3 * 64], 2 * 64);
    EXPECT(bytes_of(dst) == b);
    glCopyImageSubData(dst.name, GL_TEXTURE_3D, 0, 0, 0, 0, view, GL_TEXTURE_2D_ARRAY, 0, 0, 0, 2,
                       4, 4, 1);
    std::memcpy(&a[4 * 64], &b[0], 64);
    EXPECT(bytes_of(origin) == a);
}
