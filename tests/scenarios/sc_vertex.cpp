// SPDX-License-Identifier: MIT
// Vertex fetch: formats, strides, offsets, divisors, current values, arrays and buffers that go.
#include "scenario.h"

#include <cmath>
#include <cstring>

using namespace scenario;

namespace {

const char *const strip = "gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, "
                          "0, 1); ";

// Draws attribute 0 of `type` (vec4, ivec4, uvec4) over the viewport.
GLuint show_attribute(const std::string &type) {
    return program("#version 330\nlayout(location = 0) in " + type + " a; flat out " + type +
                       " c;\nvoid main() { c = a; " + strip + "}",
                   "#version 330\nflat in " + type + " c; out " + type +
                       " o;\nvoid main() { o = c; }");
}

void *offset(size_t n) {
    return reinterpret_cast<void *>(n);
}

struct Type {
    GLenum name;
    int bytes;
    bool is_signed, is_integer;
};

const Type types[] = {{GL_BYTE, 1, true, true},        {GL_UNSIGNED_BYTE, 1, false, true},
                      {GL_SHORT, 2, true, true},       {GL_UNSIGNED_SHORT, 2, false, true},
                      {GL_INT, 4, true, true},         {GL_UNSIGNED_INT, 4, false, true},
                      {GL_HALF_FLOAT, 2, true, false}, {GL_FLOAT, 4, true, false},
                      {GL_DOUBLE, 8, true, false},     {GL_FIXED, 4, true, false}};

// Component i as an integer of the type: the ends of the range, and others.
int64_t integer(const Type &t, int i) {
    const int bits = t.bytes * 8;
    const int64_t top = (int64_t(1) << (t.is_signed ? bits - 1 : bits)) - 1;
    const int64_t v[4] = {top, t.is_signed ? -top : 0, top / 4, 3};
    return v[i];
}

// Component i: its bytes appended, its value returned.
double component(const Type &t, int i, bool normalized, std::vector<uint8_t> &bytes) {
    const auto append = [&](const void *p) {
        const auto *b = static_cast<const uint8_t *>(p);
        bytes.insert(bytes.end(), b, b + t.bytes);
    };
    if (t.is_integer) {
        const int64_t v = integer(t, i);
        append(&v); // little-endian
        const double top = double((int64_t(1) << (t.bytes * 8 - t.is_signed)) - 1);
        return normalized ? double(v) / top : double(v);
    }
    const double values[4] = {0.5, -2, 1, 0.25};
    const double v = values[i];
    const uint16_t halves[4] = {0x3800, 0xc000, 0x3c00, 0x3400};
    const float f = float(v);
    const int32_t fixed = int32_t(v * 65536);
    append(t.name == GL_HALF_FLOAT ? static_cast<const void *>(&halves[i])
           : t.name == GL_FLOAT    ? static_cast<const void *>(&f)
           : t.name == GL_FIXED    ? static_cast<const void *>(&fixed)
                                   : static_cast<const void *>(&v));
    return v;
}

// `n` vertices of `one`, `stride` apart, the first at `start`.
std::vector<uint8_t> spread(const std::vector<uint8_t> &one, size_t start, size_t stride,
                            size_t n) {
    std::vector<uint8_t> all(start + stride * n + one.size(), 0x5a);
    for (size_t i = 0; i < n; i++)
        std::copy(one.begin(), one.end(), all.begin() + long(start + stride * i));
    return all;
}

bool close(double got, double want) {
    return std::fabs(got - want) <= 1e-6 + std::fabs(want) * 1e-4;
}

void check_float(const Type &t, int size, bool normalized, size_t start, size_t extra) {
    std::vector<uint8_t> one;
    double want[4] = {0, 0, 0, 1};
    for (int i = 0; i < size; i++)
        want[i] = component(t, i, normalized, one);
    const size_t stride = one.size() + extra;
    const std::vector<uint8_t> all = spread(one, start, stride, 4);
    const GLuint b = buffer(GL_ARRAY_BUFFER, all.data(), all.size());
    glVertexAttribPointer(0, size, t.name, normalized, GLsizei(stride), offset(start));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    const Rgba got = pixel(1, 1);
    for (int i = 0; i < 4; i++)
        if (!close(double(got[size_t(i)]), want[i]))
            fail(__FILE__, __LINE__,
                 "type " + std::to_string(t.name) + " size " + std::to_string(size) +
                     (normalized ? " normalized" : "") + " start " + std::to_string(start) + ": " +
                     show(got));
    glDeleteBuffers(1, &b);
}

} // namespace

SCENARIO(vertex_types_sizes_strides) {
    target(4, 4, GL_RGBA32F);
    vertex_array();
    glUseProgram(show_attribute("vec4"));
    glEnableVertexAttribArray(0);
    for (const Type &t : types)
        for (int size = 1; size <= 4; size++) {
            check_float(t, size, false, 0, 0);
            check_float(t, size, false, 3, 5); // unaligned
            if (t.is_integer) {
                check_float(t, size, true, 0, 0);
                check_float(t, size, true, 1, 3);
            }
        }
}

SCENARIO(vertex_integer_types_sizes_strides) {
    for (int is_signed = 0; is_signed < 2; is_signed++) {
        target(4, 4, is_signed ? GL_RGBA32I : GL_RGBA32UI);
        vertex_array();
        glUseProgram(show_attribute(is_signed ? "ivec4" : "uvec4"));
        glEnableVertexAttribArray(0);
        for (const Type &t : types)
            for (int size = 1; size <= 4 && t.is_integer && t.is_signed == bool(is_signed);
                 size++) {
                std::vector<uint8_t> one;
                for (int i = 0; i < size; i++)
                    component(t, i, false, one);
                const size_t stride = one.size() + 1;
                const std::vector<uint8_t> all = spread(one, 1, stride, 4);
                const GLuint b = buffer(GL_ARRAY_BUFFER, all.data(), all.size());
                glVertexAttribIPointer(0, size, t.name, GLsizei(stride), offset(1));
                glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
                uint32_t got[4] = {};
                glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, is_signed ? GL_INT : GL_UNSIGNED_INT,
                             got);
                for (int i = 0; i < 4; i++) {
                    const auto want = uint32_t(i < size ? integer(t, i) : i == 3);
                    if (got[i] != want)
                        fail(__FILE__, __LINE__,
                             "type " + std::to_string(t.name) + " size " + std::to_string(size) +
                                 ": " + std::to_string(got[i]) + ", want " + std::to_string(want));
                }
                glDeleteBuffers(1, &b);
            }
    }
}

SCENARIO(vertex_packed_formats) {
    need(33, "GL_ARB_vertex_type_2_10_10_10_rev");
    struct Packed {
        GLint size;
        GLenum type;
        GLboolean normalized;
        uint32_t word;
        Rgba want;
    };
    const Packed formats[] = {
        {4, GL_INT_2_10_10_10_REV, GL_TRUE, 0x400001ff, {1, 0, 0, 1}}, // bits 10 on: 0
        {4, GL_INT_2_10_10_10_REV, GL_TRUE, 0x400801ff, {1, -1, 0, 1}},
        {4, GL_INT_2_10_10_10_REV, GL_FALSE, 0xc00801ff, {511, -512, 0, -1}},
        {4, GL_UNSIGNED_INT_2_10_10_10_REV, GL_TRUE, 0x400003ff, {1, 0, 0, 1.0f / 3}},
        {4, GL_UNSIGNED_INT_2_10_10_10_REV, GL_FALSE, 0xc01003ff, {1023, 0, 1, 3}},
        {GL_BGRA, GL_UNSIGNED_INT_2_10_10_10_REV, GL_TRUE, 0xc00003ff, {0, 0, 1, 1}},
        {GL_BGRA, GL_INT_2_10_10_10_REV, GL_TRUE, 0x400001ff, {0, 0, 1, 1}},
        {GL_BGRA, GL_UNSIGNED_BYTE, GL_TRUE, 0xff0000ff, {0, 0, 1, 1}},
        {GL_BGRA, GL_UNSIGNED_BYTE, GL_TRUE, 0x00ff3300, {1, 0.2f, 0, 0}},
        {3, GL_UNSIGNED_INT_10F_11F_11F_REV, GL_FALSE, 0x801e0380, {0.5f, 1, 2, 1}},
    };
    const bool has_float = has_extension("GL_ARB_vertex_type_10f_11f_11f_rev");
    target(4, 4, GL_RGBA32F);
    vertex_array();
    glUseProgram(show_attribute("vec4"));
    glEnableVertexAttribArray(0);
    for (const Packed &f : formats)
        for (size_t start : {size_t(0), size_t(2)}) {
            if (f.type == GL_UNSIGNED_INT_10F_11F_11F_REV && !has_float)
                continue;
            std::vector<uint8_t> one(4);
            memcpy(one.data(), &f.word, 4);
            const std::vector<uint8_t> all = spread(one, start, 4 + start, 4);
            buffer(GL_ARRAY_BUFFER, all.data(), all.size());
            glVertexAttribPointer(0, f.size, f.type, f.normalized, GLsizei(4 + start),
                                  offset(start));
            glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
            // Signed zero may be half a step above, by the older rule.
            if (!near(pixel(1, 1), f.want, 0.002f))
                fail(__FILE__, __LINE__,
                     "type " + std::to_string(f.type) + " size " + std::to_string(f.size) + ": " +
                         show(pixel(1, 1)));
        }
}

SCENARIO(vertex_strides_overlap) {
    // Vertices that overlap (a stride below the size), and one vertex for all (stride 0).
    target(4, 4, GL_RGBA32F);
    vertex_array();
    glUseProgram(show_attribute("vec4"));
    const float ramp[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const GLuint b = buffer(GL_ARRAY_BUFFER, ramp, sizeof ramp);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 4, nullptr);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_PIXEL(0, 0, 2, 3, 4, 5); // the lower left triangle: flat by vertex 2
    if (version() < 43 && !has_extension("GL_ARB_vertex_attrib_binding"))
        return;
    glVertexAttribFormat(0, 4, GL_FLOAT, GL_FALSE, 4);
    glBindVertexBuffer(0, b, 4, 0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 4, 4, 2, 3, 4, 5);
}

SCENARIO(vertex_divisors) {
    need(33, "GL_ARB_instanced_arrays");
    target(12, 4, GL_RGBA32F);
    clear_color(0, 0, 0, 0);
    vertex_array();
    const float ramp[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    buffer(GL_ARRAY_BUFFER, ramp, sizeof ramp);
    const GLuint divisors[4] = {1, 2, 3, 100};
    for (GLuint i = 0; i < 4; i++) {
        glVertexAttribPointer(i, 1, GL_FLOAT, GL_FALSE, 4, offset(i * 4));
        glVertexAttribDivisor(i, divisors[i]);
        glEnableVertexAttribArray(i);
    }
    glUseProgram(program(R"(#version 330
        layout(location = 0) in float a; layout(location = 1) in float b;
        layout(location = 2) in float c; layout(location = 3) in float d;
        flat out vec4 v;
        void main() {
            vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            v = vec4(a, b, c, d);
            gl_Position = vec4((p.x + float(gl_InstanceID)) / 3.0 - 1.0, p.y * 2.0 - 1.0, 0, 1);
        })",
                         "#version 330\nflat in vec4 v; out vec4 o; void main() { o = v; }"));
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 6);
    for (int i = 0; i < 6; i++)
        EXPECT_RECT(i * 2, 0, 2, 4, float(1 + i), float(2 + i / 2), float(3 + i / 3), 4);
}

SCENARIO(vertex_current_values) {
    target(4, 4, GL_RGBA32F);
    vertex_array();
    const GLuint p = show_attribute("vec4");
    glUseProgram(p);
    const auto expect = [](float r, float g, float b, float a) {
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        EXPECT_PIXEL(1, 1, r, g, b, a);
    };
    expect(0, 0, 0, 1); // the default
    glVertexAttrib4Nub(0, 255, 0, 51, 255);
    expect(1, 0, 0.2f, 1);
    glVertexAttrib1s(0, -3);
    expect(-3, 0, 0, 1);
    glVertexAttrib3d(0, 0.5, 4, -8);
    expect(0.5f, 4, -8, 1);
    const GLushort us[4] = {65535, 0, 13107, 0};
    glVertexAttrib4Nusv(0, us);
    expect(1, 0, 0.2f, 0);
    if (version() >= 33) {
        glVertexAttribP4ui(0, GL_UNSIGNED_INT_2_10_10_10_REV, GL_FALSE, 0xc01003ff);
        expect(1023, 0, 1, 3);
    }
    // An array that is switched off leaves the current value alone.
    const float data[4] = {9, 9, 9, 9};
    buffer(GL_ARRAY_BUFFER, data, sizeof data);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 4, nullptr);
    glVertexAttrib4f(0, 1, 2, 3, 4);
    glEnableVertexAttribArray(0);
    expect(9, 0, 0, 1);
    glDisableVertexAttribArray(0);
    expect(1, 2, 3, 4);
}

SCENARIO(vertex_current_integers) {
    vertex_array();
    const auto value = [] {
        std::array<GLint, 4> got{};
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        glReadPixels(1, 1, 1, 1, GL_RGBA_INTEGER, GL_INT, got.data());
        return got;
    };
    target(4, 4, GL_RGBA32I);
    glUseProgram(show_attribute("ivec4"));
    glVertexAttribI4i(0, -5, 1 << 30, 0, -1);
    EXPECT((value() == std::array<GLint, 4>{-5, 1 << 30, 0, -1}));
    glVertexAttribI2i(0, 6, -7);
    EXPECT((value() == std::array<GLint, 4>{6, -7, 0, 1}));
    const GLbyte bytes[4] = {-128, 127, 0, 1};
    glVertexAttribI4bv(0, bytes);
    EXPECT((value() == std::array<GLint, 4>{-128, 127, 0, 1}));
}

SCENARIO(vertex_array_without_buffer) {
    // An enabled array that names no buffer and that the program does not read.
    target(4, 4);
    vertex_array();
    glVertexAttribPointer(3, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(3);
    glUseProgram(fill_program("vec4(0, 1, 0, 1)"));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    const uint16_t index[4] = {0, 1, 2, 3};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glDrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, nullptr);
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
}

SCENARIO(vertex_buffer_deleted_elsewhere) {
    // Deleting detaches from the current vertex array only; another one goes on with the bytes.
    target(4, 4);
    glUseProgram(show_attribute("vec4"));
    const float green[16] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    const GLuint b = buffer(GL_ARRAY_BUFFER, green, sizeof green);
    const GLuint first = vertex_array();
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    const GLuint second = vertex_array();
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    glBindVertexArray(first);
    glDeleteBuffers(1, &b);
    GLint bound = -1;
    glGetVertexAttribiv(0, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &bound);
    EXPECT_EQ(bound, 0);
    glBindVertexArray(second);
    glGetVertexAttribiv(0, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &bound);
    EXPECT_EQ(GLuint(bound), b);
    const std::vector<float> red(16, 0.5f);
    buffer(GL_ARRAY_BUFFER, red.data(), 64); // may get the storage, must not
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
}

SCENARIO(vertex_bindings_of_two_arrays) {
    need(43, "GL_ARB_vertex_attrib_binding");
    target(4, 4, GL_RGBA32F);
    glUseProgram(program(std::string("#version 330\nlayout(location = 0) in vec3 a; "
                                     "layout(location = 1) in float b;\nflat out vec4 c;\nvoid "
                                     "main() { c = vec4(a, b); ") +
                             strip + "}",
                         "#version 330\nflat in vec4 c; out vec4 o; void main() { o = c; }"));
    std::vector<float> ramp(64);
    for (size_t i = 0; i < ramp.size(); i++)
        ramp[i] = float(i);
    const GLuint b = buffer(GL_ARRAY_BUFFER, ramp.data(), 256);
    GLuint vao[2];
    for (int i = 0; i < 2; i++) {
        vao[i] = vertex_array();
        glVertexAttribFormat(0, 3, GL_FLOAT, GL_FALSE, 0);
        glVertexAttribFormat(1, 1, GL_FLOAT, GL_FALSE, i ? 8 : 16);
        glVertexAttribBinding(0, i ? 5 : 2);
        glVertexAttribBinding(1, i ? 2 : 5);
        glBindVertexBuffer(2, b, 0, 12);
        glBindVertexBuffer(5, b, 4, 20);
        glEnableVertexAttribArray(0);
        glEnableVertexAttribArray(1);
    }
    for (int round = 0; round < 4; round++) {
        glBindVertexArray(vao[round & 1]);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        // By vertex 2: 12 and 20 bytes a vertex are 3 and 5 floats.
        if (round & 1)
            EXPECT_PIXEL(0, 0, 11, 12, 13, 8);
        else
            EXPECT_PIXEL(0, 0, 6, 7, 8, 15);
    }
}

SCENARIO(vertex_reads_beyond_buffer) {
    // Harmless, whatever is drawn; inside stays what it is.
    target(4, 4);
    vertex_array();
    glUseProgram(show_attribute("vec4"));
    const float green[16] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    buffer(GL_ARRAY_BUFFER, green, sizeof green);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    glDrawArrays(GL_TRIANGLE_STRIP, 1000000, 4);
    glDrawArrays(GL_TRIANGLES, 0, 3000);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, offset(1 << 20));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 4, 4, 0, 1, 0, 1);
}
