// SPDX-License-Identifier: MIT
// Draws: every entry point, ranges, instances, base vertex, restart, client arrays' replacement.
#include "scenario.h"

using namespace scenario;

namespace {

const char *const flat_vs = R"(#version 330
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
flat out vec4 c;
void main() { c = color; gl_Position = vec4(position, 0, 1); }
)";
const char *const flat_fs = R"(#version 330
flat in vec4 c;
layout(location = 0) out vec4 o;
void main() { o = c; }
)";

struct Vertex {
    float x, y;
    uint8_t rgba[4];
};

// Columns of quads, two triangles each: column i spans x in [i, i+1) of `n` columns.
std::vector<Vertex> columns(int n) {
    static const uint8_t palette[4][4] = {
        {255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 0, 255}};
    std::vector<Vertex> v;
    for (int i = 0; i < n; i++) {
        const float x0 = float(i) / float(n) * 2 - 1, x1 = float(i + 1) / float(n) * 2 - 1;
        const float q[6][2] = {{x0, -1}, {x1, -1}, {x0, 1}, {x0, 1}, {x1, -1}, {x1, 1}};
        for (const auto &p : q) {
            Vertex a{p[0], p[1], {}};
            for (int k = 0; k < 4; k++)
                a.rgba[k] = palette[i % 4][k];
            v.push_back(a);
        }
    }
    return v;
}

void layout() {
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
}

void columns_setup(int n) {
    target(n * 4, 8);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    layout();
    const std::vector<Vertex> v = columns(n);
    buffer(GL_ARRAY_BUFFER, v.data(), v.size() * sizeof(Vertex));
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex),
                          reinterpret_cast<void *>(8));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glUseProgram(program(flat_vs, flat_fs));
}

void expect_columns(int n, unsigned drawn) {
    static const float palette[4][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}, {1, 1, 0, 1}};
    for (int i = 0; i < n; i++) {
        const float *c = palette[i % 4];
        if (drawn >> i & 1)
            EXPECT_RECT(i * 4, 0, 4, 8, c[0], c[1], c[2], c[3]);
        else
            EXPECT_RECT(i * 4, 0, 4, 8, 0, 0, 0, 0);
    }
}

} // namespace

SCENARIO(draw_arrays) {
    columns_setup(4);
    glDrawArrays(GL_TRIANGLES, 0, 24);
    expect_columns(4, 0xf);
}

SCENARIO(draw_arrays_first) {
    columns_setup(4);
    glDrawArrays(GL_TRIANGLES, 6, 12);
    expect_columns(4, 0x6);
}

SCENARIO(draw_elements_each_type) {
    columns_setup(4);
    const uint8_t i8[6] = {0, 1, 2, 3, 4, 5};
    const uint16_t i16[6] = {6, 7, 8, 9, 10, 11};
    const uint32_t i32[6] = {18, 19, 20, 21, 22, 23};
    buffer(GL_ELEMENT_ARRAY_BUFFER, i8, sizeof i8);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, nullptr);
    buffer(GL_ELEMENT_ARRAY_BUFFER, i16, sizeof i16);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr);
    buffer(GL_ELEMENT_ARRAY_BUFFER, i32, sizeof i32);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, nullptr);
    expect_columns(4, 0xb);
}

SCENARIO(draw_elements_offset) {
    columns_setup(4);
    uint16_t index[24];
    for (int i = 0; i < 24; i++)
        index[i] = uint16_t(i);
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, reinterpret_cast<void *>(12 * 2));
    expect_columns(4, 0x4);
}

SCENARIO(draw_range_elements) {
    columns_setup(4);
    const uint16_t index[6] = {12, 13, 14, 15, 16, 17};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glDrawRangeElements(GL_TRIANGLES, 12, 17, 6, GL_UNSIGNED_SHORT, nullptr);
    expect_columns(4, 0x4);
}

SCENARIO(draw_elements_base_vertex) {
    columns_setup(4);
    const uint16_t index[6] = {0, 1, 2, 3, 4, 5};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glDrawElementsBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 18);
    glDrawRangeElementsBaseVertex(GL_TRIANGLES, 0, 5, 6, GL_UNSIGNED_SHORT, nullptr, 6);
    expect_columns(4, 0xa);
}

// Core contexts of desktop drivers take indices from the program's memory, and programs rely on it.
SCENARIO(draw_client_indices) {
    columns_setup(8);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    uint8_t i8[6] = {0, 1, 2, 3, 4, 5};
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, i8);
    for (uint8_t &i : i8)
        i = 0; // read at the call
    const uint16_t i16[7] = {99, 12, 13, 14, 15, 16, 17};
    glDrawRangeElements(GL_TRIANGLES, 12, 17, 6, GL_UNSIGNED_SHORT, i16 + 1);
    const uint32_t i32[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const GLsizei count[3] = {6, 0, 6};
    const void *const where[3] = {i32, nullptr, i32 + 6};
    const GLint base[3] = {24, 0, 36};
    glMultiDrawElementsBaseVertex(GL_TRIANGLES, count, GL_UNSIGNED_INT, where, 3, base);
    expect_columns(8, 0x95);
    EXPECT_ERROR(GL_NO_ERROR);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, nullptr);
    EXPECT_ERROR(GL_INVALID_OPERATION);
}

// More of them than any ring holds.
SCENARIO(draw_client_indices_large) {
    columns_setup(4);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
    std::vector<uint32_t> index(6 * 400'000u, 0);
    for (unsigned i = 0; i < 6; i++)
        index[index.size() - 6 + i] = 18 + i;
    glDrawElements(GL_TRIANGLES, GLsizei(index.size()), GL_UNSIGNED_INT, index.data());
    expect_columns(4, 0x8);
}

SCENARIO(draw_multi_arrays) {
    columns_setup(8);
    const GLint first[3] = {0, 12, 42};
    const GLsizei count[3] = {6, 6, 6};
    glMultiDrawArrays(GL_TRIANGLES, first, count, 3);
    expect_columns(8, 0x85);
}

SCENARIO(draw_multi_elements) {
    columns_setup(8);
    uint16_t index[48];
    for (int i = 0; i < 48; i++)
        index[i] = uint16_t(i);
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    const GLsizei count[3] = {6, 0, 12};
    const void *const offset[3] = {nullptr, nullptr, reinterpret_cast<void *>(24 * 2)};
    glMultiDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_SHORT, offset, 3);
    expect_columns(8, 0x31);
}

SCENARIO(draw_multi_elements_base_vertex) {
    columns_setup(8);
    const uint16_t index[6] = {0, 1, 2, 3, 4, 5};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    const GLsizei count[3] = {6, 6, 6};
    const void *const offset[3] = {nullptr, nullptr, nullptr};
    const GLint base[3] = {6, 18, 36};
    glMultiDrawElementsBaseVertex(GL_TRIANGLES, count, GL_UNSIGNED_SHORT, offset, 3, base);
    expect_columns(8, 0x4a);
}

SCENARIO(draw_instanced) {
    target(32, 8);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(program(R"(#version 330
        flat out int id;
        void main() {
            vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            id = gl_InstanceID;
            gl_Position = vec4((p.x + float(gl_InstanceID)) * 0.5 - 1.0, p.y * 2.0 - 1.0, 0, 1);
        })",
                         R"(#version 330
        flat in int id;
        out vec4 o;
        void main() { o = vec4(float(id) / 3.0, 1, 0, 1); })"));
    draw_fill(4);
    for (int i = 0; i < 4; i++)
        EXPECT_RECT(i * 8, 0, 8, 8, float(i) / 3, 1, 0, 1);
}

SCENARIO(draw_instanced_divisor) {
    target(16, 4);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    layout();
    const float offsets[4] = {0, 1, 2, 3};
    const uint8_t colors[2][4] = {{255, 0, 0, 255}, {0, 0, 255, 255}};
    buffer(GL_ARRAY_BUFFER, offsets, sizeof offsets);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    glVertexAttribDivisor(0, 1);
    buffer(GL_ARRAY_BUFFER, colors, sizeof colors);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, nullptr);
    glEnableVertexAttribArray(1);
    glVertexAttribDivisor(1, 2);
    glUseProgram(program(R"(#version 330
        layout(location = 0) in float offset;
        layout(location = 1) in vec4 color;
        flat out vec4 c;
        void main() {
            vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1);
            c = color;
            gl_Position = vec4((p.x + offset) * 0.5 - 1.0, p.y * 2.0 - 1.0, 0, 1);
        })",
                         flat_fs));
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 4);
    EXPECT_RECT(0, 0, 8, 4, 1, 0, 0, 1);
    EXPECT_RECT(8, 0, 8, 4, 0, 0, 1, 1);
}

SCENARIO(draw_elements_instanced_base_vertex) {
    columns_setup(4);
    const uint16_t index[6] = {0, 1, 2, 3, 4, 5};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glDrawElementsInstancedBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 2, 12);
    glDrawElementsInstanced(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 3);
    expect_columns(4, 0x5);
}

SCENARIO(draw_primitive_restart) {
    target(32, 8);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    layout();
    std::vector<Vertex> v;
    for (int i = 0; i < 2; i++) {
        const float x0 = i ? 0.5f : -1.0f, x1 = i ? 1.0f : -0.5f;
        for (int k = 0; k < 4; k++)
            v.push_back({k & 1 ? x1 : x0,
                         k >> 1 ? 1.0f : -1.0f,
                         {uint8_t(i ? 0 : 255), uint8_t(i ? 255 : 0), 0, 255}});
    }
    buffer(GL_ARRAY_BUFFER, v.data(), v.size() * sizeof(Vertex));
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex),
                          reinterpret_cast<void *>(8));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glUseProgram(program(flat_vs, flat_fs));
    const uint16_t index[9] = {0, 1, 2, 3, 77, 4, 5, 6, 7};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(77);
    glDrawElements(GL_TRIANGLE_STRIP, 9, GL_UNSIGNED_SHORT, nullptr);
    EXPECT_RECT(0, 0, 8, 8, 1, 0, 0, 1);
    EXPECT_RECT(8, 0, 16, 8, 0, 0, 0, 0);
    EXPECT_RECT(24, 0, 8, 8, 0, 1, 0, 1);
}

SCENARIO(draw_every_primitive) {
    // A point, a line and a triangle class each leave something; nothing raises an error.
    target(16, 16);
    glUseProgram(fill_program("vec4(1)"));
    GLuint vao;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    const GLenum modes[] = {GL_POINTS,    GL_LINES,          GL_LINE_LOOP,   GL_LINE_STRIP,
                            GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
    for (const GLenum mode : modes) {
        glClearColor(0, 0, 0, 0);
        glClear(GL_COLOR_BUFFER_BIT);
        glViewport(4, 4, 8, 8);
        glDrawArrays(mode, 0, 4);
        int lit = 0;
        for (const float f : read_rgba32f(0, 0, 16, 16))
            lit += f > 0.5f;
        if (lit == 0)
            fail(__FILE__, __LINE__, "mode " + std::to_string(mode) + " drew nothing");
    }
    glDrawArrays(0x20, 0, 4);
    EXPECT_ERROR(GL_INVALID_ENUM);
    glDrawArrays(GL_TRIANGLES, 0, -1);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(draw_current_attribute) {
    target(8, 8);
    layout();
    glUseProgram(program(R"(#version 330
        layout(location = 3) in vec4 color;
        flat out vec4 c;
        void main() { c = color; gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); })",
                         flat_fs));
    glVertexAttrib4f(3, 0.5f, 0.25f, 1, 1);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 8, 8, 0.5f, 0.25f, 1, 1);
    glVertexAttrib2f(3, 1, 0);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    EXPECT_RECT(0, 0, 8, 8, 1, 0, 0, 1);
}

SCENARIO(draw_integer_attribute) {
    target(4, 4, GL_RGBA32I);
    layout();
    const GLint data[4][2] = {{-7, 1 << 30}, {-7, 1 << 30}, {-7, 1 << 30}, {-7, 1 << 30}};
    buffer(GL_ARRAY_BUFFER, data, sizeof data);
    glVertexAttribIPointer(0, 2, GL_INT, 0, nullptr);
    glEnableVertexAttribArray(0);
    glUseProgram(program(R"(#version 330
        layout(location = 0) in ivec4 a;
        flat out ivec4 c;
        void main() { c = a; gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); })",
                         R"(#version 330
        flat in ivec4 c;
        out ivec4 o;
        void main() { o = c; })"));
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    GLint got[4] = {};
    glReadPixels(2, 2, 1, 1, GL_RGBA_INTEGER, GL_INT, got);
    EXPECT_EQ(got[0], -7);
    EXPECT_EQ(got[1], 1 << 30);
    EXPECT_EQ(got[2], 0);
    EXPECT_EQ(got[3], 1);
}

SCENARIO(draw_vertex_formats) {
    struct Format {
        GLint size;
        GLenum type;
        GLboolean normalized;
        std::vector<uint8_t> bytes;
        Rgba want;
    };
    const Format formats[] = {
        {4, GL_UNSIGNED_BYTE, GL_TRUE, {255, 0, 51, 255}, {1, 0, 0.2f, 1}},
        {4, GL_BYTE, GL_TRUE, {127, 0, 127, 127}, {1, 0, 1, 1}},
        {2, GL_UNSIGNED_SHORT, GL_TRUE, {255, 255, 0, 128}, {1, 0.5f, 0, 1}},
        {3, GL_UNSIGNED_BYTE, GL_FALSE, {1, 0, 1}, {1, 0, 1, 1}},
        {2, GL_SHORT, GL_FALSE, {1, 0, 0, 0}, {1, 0, 0, 1}},
        {4, GL_UNSIGNED_INT_2_10_10_10_REV, GL_TRUE, {0xff, 0x03, 0x00, 0xc0}, {1, 0, 0, 1}},
        {GL_BGRA, GL_UNSIGNED_BYTE, GL_TRUE, {255, 0, 0, 255}, {0, 0, 1, 1}},
        {2, GL_HALF_FLOAT, GL_FALSE, {0x00, 0x38, 0x00, 0x3c}, {0.5f, 1, 0, 1}},
        {1, GL_FIXED, GL_FALSE, {0x00, 0x80, 0x00, 0x00}, {0.5f, 0, 0, 1}},
        {1, GL_DOUBLE, GL_FALSE, {0, 0, 0, 0, 0, 0, 0xe0, 0x3f}, {0.5f, 0, 0, 1}},
    };
    target(4, 4);
    layout();
    glUseProgram(program(R"(#version 330
        layout(location = 0) in vec4 a;
        flat out vec4 c;
        void main() { c = a; gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0, 1); })",
                         flat_fs));
    for (const Format &f : formats) {
        std::vector<uint8_t> data;
        for (int i = 0; i < 4; i++)
            data.insert(data.end(), f.bytes.begin(), f.bytes.end());
        const GLuint b = buffer(GL_ARRAY_BUFFER, data.data(), data.size());
        glVertexAttribPointer(0, f.size, f.type, f.normalized, GLsizei(f.bytes.size()), nullptr);
        glEnableVertexAttribArray(0);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        if (!near(pixel(1, 1), f.want, 2.0f / 255))
            fail(__FILE__, __LINE__, "type " + std::to_string(f.type) + ": " + show(pixel(1, 1)));
        glDeleteBuffers(1, &b);
    }
}

SCENARIO(draw_attrib_binding) {
    columns_setup(4);
    const std::vector<Vertex> v = columns(4);
    GLuint vao, vbo;
    glGenVertexArrays(1, &vao);
    glBindVertexArray(vao);
    vbo = buffer(GL_ARRAY_BUFFER, v.data(), v.size() * sizeof(Vertex));
    glBindVertexBuffer(5, vbo, 6 * sizeof(Vertex), sizeof(Vertex));
    glVertexAttribFormat(0, 2, GL_FLOAT, GL_FALSE, 0);
    glVertexAttribFormat(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, 8);
    glVertexAttribBinding(0, 5);
    glVertexAttribBinding(1, 5);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glDrawArrays(GL_TRIANGLES, 0, 6);
    expect_columns(4, 0x2);
}

SCENARIO(draw_overwrites_buffer_between) {
    // Each draw must see the bytes that were there when it was called.
    target(32, 8);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    layout();
    buffer(GL_ARRAY_BUFFER, nullptr, 6 * sizeof(Vertex), GL_DYNAMIC_DRAW);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(Vertex), nullptr);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex),
                          reinterpret_cast<void *>(8));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glUseProgram(program(flat_vs, flat_fs));
    const std::vector<Vertex> v = columns(8);
    for (size_t i = 0; i < 8; i++) {
        glBufferSubData(GL_ARRAY_BUFFER, 0, 6 * sizeof(Vertex), &v[i * 6]);
        glDrawArrays(GL_TRIANGLES, 0, 6);
    }
    expect_columns(8, 0xff);
}

SCENARIO(draw_without_program) {
    target(4, 4);
    glClearColor(0, 0, 1, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    glUseProgram(0);
    draw_fill(); // undefined, but neither an error nor a crash
    glDeleteProgram(glCreateProgram());
}

SCENARIO(draw_multi_million_ranges) {
    // A million one-point ranges: larger than any ring. Every one of them counts.
    target(16, 16, GL_R32F);
    glClearColor(0, 0, 0, 0);
    glClear(GL_COLOR_BUFFER_BIT);
    layout();
    glUseProgram(program(R"(#version 330
        void main() { gl_Position = vec4(0.03, 0.03, 0, 1); })",
                         R"(#version 330
        out vec4 o;
        void main() { o = vec4(1); })"));
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    const GLsizei n = 1000000;
    std::vector<GLint> first(n, 0);
    std::vector<GLsizei> count(n, 1);
    glMultiDrawArrays(GL_POINTS, first.data(), count.data(), n);
    float total = 0;
    glReadPixels(8, 8, 1, 1, GL_RED, GL_FLOAT, &total);
    EXPECT_EQ(total, 1000000.0f);
}

SCENARIO(draw_indirect) {
    columns_setup(4);
    const GLuint arrays[4] = {6, 1, 6, 0};
    buffer(GL_DRAW_INDIRECT_BUFFER, arrays, sizeof arrays);
    if (version() < 40 && !has_extension("GL_ARB_draw_indirect"))
        skip("no ARB_draw_indirect");
    glDrawArraysIndirect(GL_TRIANGLES, nullptr);
    const uint16_t index[6] = {0, 1, 2, 3, 4, 5};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    const GLuint elements[5] = {6, 1, 0, 18, 0};
    buffer(GL_DRAW_INDIRECT_BUFFER, elements, sizeof elements);
    glDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_SHORT, nullptr);
    expect_columns(4, 0xa);
}
