// SPDX-License-Identifier: MIT
// Buffers: data, maps, copies, clears, indexed ranges, orphans.
#include "scenario.h"

#include <cstring>
#include <numeric>

using namespace scenario;

namespace {

std::vector<uint8_t> ramp(size_t n, int seed = 0) {
    std::vector<uint8_t> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = uint8_t(i * 7 + size_t(seed) * 31 + (i >> 8));
    return v;
}

std::vector<uint8_t> contents(GLenum target, size_t n) {
    std::vector<uint8_t> got(n, 0xee);
    glGetBufferSubData(target, 0, GLsizeiptr(n), got.data());
    return got;
}

} // namespace

SCENARIO(buffer_data_roundtrip) {
    const std::vector<uint8_t> v = ramp(1000);
    buffer(GL_ARRAY_BUFFER, v.data(), v.size());
    EXPECT(contents(GL_ARRAY_BUFFER, 1000) == v);
    GLint size = 0, usage = 0;
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
    glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_USAGE, &usage);
    EXPECT_EQ(size, 1000);
    EXPECT_EQ(usage, GL_STATIC_DRAW);
}

SCENARIO(buffer_sub_data) {
    std::vector<uint8_t> v = ramp(5000);
    buffer(GL_COPY_WRITE_BUFFER, v.data(), v.size());
    const std::vector<uint8_t> part = ramp(700, 5);
    glBufferSubData(GL_COPY_WRITE_BUFFER, 1234, 700, part.data());
    std::copy(part.begin(), part.end(), v.begin() + 1234);
    EXPECT(contents(GL_COPY_WRITE_BUFFER, 5000) == v);
    glBufferSubData(GL_COPY_WRITE_BUFFER, 4900, 101, part.data());
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(buffer_large_roundtrip) {
    const std::vector<uint8_t> v = ramp(20u << 20);
    buffer(GL_ARRAY_BUFFER, v.data(), v.size());
    EXPECT(contents(GL_ARRAY_BUFFER, v.size()) == v);
}

SCENARIO(buffer_copy) {
    const std::vector<uint8_t> v = ramp(256);
    buffer(GL_COPY_READ_BUFFER, v.data(), v.size());
    buffer(GL_COPY_WRITE_BUFFER, nullptr, 256);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 128, 128);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 128, 0, 128);
    std::vector<uint8_t> want(v.begin() + 128, v.end());
    want.insert(want.end(), v.begin(), v.begin() + 128);
    EXPECT(contents(GL_COPY_WRITE_BUFFER, 256) == want);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_READ_BUFFER, 0, 64, 128);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(buffer_map_write) {
    std::vector<uint8_t> v = ramp(4096);
    buffer(GL_ARRAY_BUFFER, v.data(), v.size());
    auto *p = static_cast<uint8_t *>(glMapBufferRange(GL_ARRAY_BUFFER, 100, 200, GL_MAP_WRITE_BIT));
    EXPECT(p != nullptr);
    if (!p)
        return;
    p[0] = 1;
    p[199] = 2;
    EXPECT(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
    v[100] = 1;
    v[299] = 2; // everything else keeps its value
    EXPECT(contents(GL_ARRAY_BUFFER, 4096) == v);
}

SCENARIO(buffer_map_invalidate) {
    buffer(GL_ARRAY_BUFFER, ramp(512).data(), 512, GL_STREAM_DRAW);
    void *p =
        glMapBufferRange(GL_ARRAY_BUFFER, 0, 512, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    const std::vector<uint8_t> v = ramp(512, 9);
    EXPECT(p != nullptr);
    if (!p)
        return;
    memcpy(p, v.data(), 512);
    glUnmapBuffer(GL_ARRAY_BUFFER);
    EXPECT(contents(GL_ARRAY_BUFFER, 512) == v);
}

SCENARIO(buffer_map_flush_explicit) {
    std::vector<uint8_t> v = ramp(1024);
    buffer(GL_ARRAY_BUFFER, v.data(), v.size());
    auto *p = static_cast<uint8_t *>(
        glMapBufferRange(GL_ARRAY_BUFFER, 256, 512, GL_MAP_WRITE_BIT | GL_MAP_FLUSH_EXPLICIT_BIT));
    EXPECT(p != nullptr);
    if (!p)
        return;
    memset(p + 16, 0xaa, 32);
    glFlushMappedBufferRange(GL_ARRAY_BUFFER, 16, 32);
    glFlushMappedBufferRange(GL_ARRAY_BUFFER, 500, 32);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glUnmapBuffer(GL_ARRAY_BUFFER);
    memset(&v[256 + 16], 0xaa, 32);
    EXPECT(contents(GL_ARRAY_BUFFER, 1024) == v);
}

SCENARIO(buffer_map_read) {
    const std::vector<uint8_t> v = ramp(300);
    buffer(GL_ARRAY_BUFFER, v.data(), v.size());
    const auto *p = static_cast<const uint8_t *>(glMapBuffer(GL_ARRAY_BUFFER, GL_READ_ONLY));
    EXPECT(p && !memcmp(p, v.data(), 300));
    glBufferSubData(GL_ARRAY_BUFFER, 0, 4, v.data());
    EXPECT_ERROR(GL_INVALID_OPERATION);
    EXPECT(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
    EXPECT(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_FALSE);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

SCENARIO(buffer_mapped_growth) {
    // A buffer that is mapped, filled, orphaned larger, mapped again, many times, as chunk meshers
    // do.
    const GLuint b = buffer(GL_ARRAY_BUFFER, nullptr, 16);
    std::vector<uint8_t> last;
    for (size_t n = 64; n <= (1u << 20); n *= 4) {
        glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(n), nullptr, GL_DYNAMIC_DRAW);
        void *p = glMapBufferRange(GL_ARRAY_BUFFER, 0, GLsizeiptr(n), GL_MAP_WRITE_BIT);
        EXPECT(p != nullptr);
        if (!p)
            return;
        last = ramp(n, int(n % 97));
        memcpy(p, last.data(), n);
        EXPECT(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
        EXPECT(contents(GL_ARRAY_BUFFER, n) == last);
    }
    glDeleteBuffers(1, &b);
}

SCENARIO(buffer_clear) {
    if (version() < 43 && !has_extension("GL_ARB_clear_buffer_object"))
        skip("no ARB_clear_buffer_object");
    buffer(GL_ARRAY_BUFFER, ramp(256).data(), 256);
    const uint8_t rgba[4] = {1, 2, 3, 4};
    glClearBufferSubData(GL_ARRAY_BUFFER, GL_RGBA8, 64, 128, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    std::vector<uint8_t> want = ramp(256);
    for (size_t i = 64; i < 192; i++)
        want[i] = rgba[i % 4];
    EXPECT(contents(GL_ARRAY_BUFFER, 256) == want);
    glClearBufferData(GL_ARRAY_BUFFER, GL_R8, GL_RED, GL_UNSIGNED_BYTE, nullptr);
    EXPECT(contents(GL_ARRAY_BUFFER, 256) == std::vector<uint8_t>(256, 0));
}

SCENARIO(buffer_uniform_range) {
    target(8, 4);
    const GLuint p = program(fill_vs, R"(#version 330
        in vec2 uv;
        out vec4 o;
        layout(std140) uniform Block { vec4 left; vec4 right; };
        void main() { o = uv.x < 0.5 ? left : right; })");
    glUseProgram(p);
    GLint align = 0;
    glGetIntegerv(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT, &align);
    EXPECT(align > 0 && align <= 256);
    std::vector<uint8_t> data(256 + 32);
    const float colors[8] = {1, 0, 0, 1, 0, 1, 0, 1};
    memcpy(&data[256], colors, sizeof colors);
    const GLuint b = buffer(GL_UNIFORM_BUFFER, data.data(), data.size());
    glUniformBlockBinding(p, glGetUniformBlockIndex(p, "Block"), 3);
    glBindBufferRange(GL_UNIFORM_BUFFER, 3, b, 256, 32);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
    EXPECT_RECT(4, 0, 4, 4, 0, 1, 0, 1);
    const float blue[4] = {0, 0, 1, 1};
    glBufferSubData(GL_UNIFORM_BUFFER, 256 + 16, 16, blue);
    draw_fill();
    EXPECT_RECT(4, 0, 4, 4, 0, 0, 1, 1);
}

SCENARIO(buffer_delete_while_bound) {
    target(4, 4);
    const GLuint p = fill_program("c", "layout(std140) uniform B { vec4 c; };");
    glUseProgram(p);
    const float red[4] = {1, 0, 0, 1}, green[4] = {0, 1, 0, 1};
    GLuint b = buffer(GL_UNIFORM_BUFFER, red, sizeof red);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 1, 0, 0, 1);
    glDeleteBuffers(1, &b);
    GLint bound = -1;
    glGetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, 0, &bound);
    EXPECT_EQ(bound, 0);
    b = buffer(GL_UNIFORM_BUFFER, green, sizeof green);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
    draw_fill();
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
}

SCENARIO(buffer_handle_recycling) {
    // The same slot again and again with other contents: nothing of a dead buffer may show.
    target(4, 4);
    glUseProgram(fill_program("c", "layout(std140) uniform B { vec4 c; };"));
    for (int i = 0; i < 40; i++) {
        const float c[4] = {float(i % 2), float(i % 3) / 2, float(i % 5) / 4, 1};
        const GLuint b = buffer(GL_UNIFORM_BUFFER, c, sizeof c);
        glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
        draw_fill();
        EXPECT_PIXEL(1, 1, c[0], c[1], c[2], c[3]);
        glDeleteBuffers(1, &b);
    }
}

SCENARIO(buffer_storage_persistent) {
    if (version() < 44 && !has_extension("GL_ARB_buffer_storage"))
        skip("no ARB_buffer_storage");
    target(4, 4);
    glUseProgram(fill_program("c", "layout(std140) uniform B { vec4 c; };"));
    GLuint b;
    glGenBuffers(1, &b);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, b);
    const GLbitfield flags = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    glBufferStorage(GL_UNIFORM_BUFFER, 16, nullptr, flags);
    auto *p = static_cast<float *>(glMapBufferRange(GL_UNIFORM_BUFFER, 0, 16, flags));
    EXPECT(p != nullptr);
    if (!p)
        return;
    for (int i = 0; i < 4; i++) {
        p[0] = float(i) / 3;
        p[1] = 0;
        p[2] = 1;
        p[3] = 1;
        draw_fill(); // no other call: the memory alone must be seen
        EXPECT_PIXEL(2, 2, float(i) / 3, 0, 1, 1);
    }
    glUnmapBuffer(GL_UNIFORM_BUFFER);
}

SCENARIO(buffer_uploads_without_swap) {
    // Ten thousand uploads, some read back, and never a swap: an end, and memory that stays bounded
    // in this process and in the server. A gigabyte goes by.
    constexpr int kBytes = 65536, kTexels = 128;
    const GLuint b = buffer(GL_ARRAY_BUFFER, nullptr, 16 * kBytes, GL_DYNAMIC_DRAW);
    const GLuint t = texture_rgba8(kTexels, kTexels, nullptr);
    std::vector<uint8_t> v = ramp(kBytes);
    uint64_t settled = 0;
    for (int i = 0; i < 10000; i++) {
        v[0] = uint8_t(i);
        glBufferSubData(GL_ARRAY_BUFFER, (i % 16) * kBytes, kBytes, v.data());
        if (i % 2)
            glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, kTexels, kTexels, GL_RGBA, GL_UNSIGNED_BYTE,
                            v.data());
        if (i % 1000 == 999) {
            uint8_t first = 0;
            glGetBufferSubData(GL_ARRAY_BUFFER, (i % 16) * kBytes, 1, &first);
            EXPECT_EQ(int(first), int(uint8_t(i)));
        }
        if (i == 1999)
            settled = resident_bytes();
    }
    EXPECT(resident_bytes() < settled + (100u << 20));
    glDeleteBuffers(1, &b);
    glDeleteTextures(1, &t);
}

SCENARIO(buffer_maps_of_many_sizes) {
    // Maps without old bytes, from small to larger than any transport's slot, some of them open at
    // once; what was written arrives.
    constexpr size_t kSizes[] = {100, 65536, 65536 + 52, 1u << 20, 9u << 20};
    GLuint b[5];
    uint8_t *p[5];
    glGenBuffers(5, b);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 5; i++) {
            glBindBuffer(GL_ARRAY_BUFFER, b[i]);
            if (round == 0)
                glBufferData(GL_ARRAY_BUFFER, GLsizeiptr(kSizes[i] + 64), nullptr, GL_STREAM_DRAW);
            p[i] = static_cast<uint8_t *>(
                glMapBufferRange(GL_ARRAY_BUFFER, 20, GLsizeiptr(kSizes[i]),
                                 GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT));
            EXPECT(p[i] && reinterpret_cast<uintptr_t>(p[i]) % 64 == 20);
        }
        for (int i = 4; i >= 0; i--) {
            for (size_t at = 0; at < kSizes[i]; at++)
                p[i][at] = uint8_t(at * 7 + size_t(round) * 3 + size_t(i));
            glBindBuffer(GL_ARRAY_BUFFER, b[i]);
            EXPECT(glUnmapBuffer(GL_ARRAY_BUFFER) == GL_TRUE);
        }
        for (int i = 0; i < 5; i++) {
            std::vector<uint8_t> got(kSizes[i]);
            glBindBuffer(GL_ARRAY_BUFFER, b[i]);
            glGetBufferSubData(GL_ARRAY_BUFFER, 20, GLsizeiptr(got.size()), got.data());
            size_t wrong = 0;
            for (size_t at = 0; at < got.size(); at++)
                wrong += got[at] != uint8_t(at * 7 + size_t(round) * 3 + size_t(i));
            EXPECT_EQ(wrong, size_t(0));
        }
    }
    // Deleted and respecified while mapped.
    glBindBuffer(GL_ARRAY_BUFFER, b[3]);
    glMapBufferRange(GL_ARRAY_BUFFER, 0, 1 << 20, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    glBufferData(GL_ARRAY_BUFFER, 64, nullptr, GL_STREAM_DRAW);
    glMapBufferRange(GL_ARRAY_BUFFER, 0, 64, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
    glDeleteBuffers(5, b);
    EXPECT_ERROR(GL_NO_ERROR);
}

SCENARIO(buffer_errors) {
    glBindBuffer(0x1234, 0);
    EXPECT_ERROR(GL_INVALID_ENUM);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glBufferData(GL_ARRAY_BUFFER, 4, nullptr, GL_STATIC_DRAW);
    EXPECT_ERROR(GL_INVALID_OPERATION);
    buffer(GL_ARRAY_BUFFER, nullptr, 16);
    glBufferData(GL_ARRAY_BUFFER, -1, nullptr, GL_STATIC_DRAW);
    EXPECT_ERROR(GL_INVALID_VALUE);
    glBufferData(GL_ARRAY_BUFFER, 4, nullptr, 0x99);
    EXPECT_ERROR(GL_INVALID_ENUM);
    EXPECT(glMapBufferRange(GL_ARRAY_BUFFER, 0, 99, GL_MAP_READ_BIT) == nullptr);
    EXPECT_ERROR(GL_INVALID_VALUE);
}
