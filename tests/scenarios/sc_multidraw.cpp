// SPDX-License-Identifier: MIT
// Many draws in one call, draw parameters, base instance, indirect draws, offsets out of bounds.
#include "scenario.h"

#include <cstring>

using namespace scenario;

namespace {

// Vertices: cells of a row, two triangles each, of one float (the vertex number).
constexpr int kCells = 16;

// Cell number from the vertex number; color from `expr`.
GLuint cells_program(const std::string &expr = "vec4(1)", const std::string &decls = "") {
    return program("#version 330\n" + decls + R"(
        layout(location = 0) in float number;
        flat out vec4 c;
        void main() {
            int n = int(number), corner = n % 6, cell = n / 6;
            vec2 p = vec2(corner == 1 || corner == 4 || corner == 5, corner == 2 || corner == 3 || corner == 5);
            c = )" + expr +
                       R"(;
            gl_Position = vec4((float(cell) + p.x) / 8.0 - 1.0, p.y * 2.0 - 1.0, 0, 1);
        })",
                   "#version 330\nflat in vec4 c; out vec4 o; void main() { o = c; }");
}

void cells_setup() {
    target(kCells * 2, 4, GL_RGBA32F);
    clear_color(0, 0, 0, 0);
    vertex_array();
    float number[kCells * 6];
    for (int i = 0; i < kCells * 6; i++)
        number[i] = float(i);
    buffer(GL_ARRAY_BUFFER, number, sizeof number);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
}

void indices(int count) {
    std::vector<uint16_t> index(static_cast<size_t>(count));
    for (int i = 0; i < count; i++)
        index[size_t(i)] = uint16_t(i);
    buffer(GL_ELEMENT_ARRAY_BUFFER, index.data(), index.size() * 2);
}

void expect_cells(unsigned lit) {
    for (int i = 0; i < kCells; i++)
        EXPECT_RECT(i * 2, 0, 2, 4, float(lit >> i & 1), float(lit >> i & 1), float(lit >> i & 1),
                    float(lit >> i & 1));
}

const void *at(size_t bytes) {
    return reinterpret_cast<void *>(bytes);
}

const std::string parameters = "#extension GL_ARB_shader_draw_parameters : require\n";
const std::string parameter_color =
    "vec4(gl_DrawIDARB, gl_BaseVertexARB, gl_BaseInstanceARB, gl_InstanceID)";

} // namespace

SCENARIO(multi_draw_offsets_and_bases) {
    cells_setup();
    glUseProgram(cells_program());
    indices(24);
    const GLsizei count[4] = {6, 0, 12, 6};
    const void *const offset[4] = {at(0), at(1u << 30), at(12), at(36)};
    const GLint base[4] = {6, 1 << 30, 30, -12};
    glMultiDrawElementsBaseVertex(GL_TRIANGLES, count, GL_UNSIGNED_SHORT, offset, 4, base);
    expect_cells(1u << 1 | 3u << 6 | 1u << 1); // cells 1; 1 + 5 and 2 + 5; 3 - 2
    glMultiDrawElements(GL_TRIANGLES, count, GL_UNSIGNED_SHORT, offset, 4);
    const GLint first[4] = {72, 0, 60, 1};
    const GLsizei some[4] = {6, 0, 12, 0};
    glMultiDrawArrays(GL_TRIANGLES, first, some, 4);
    expect_cells(0xf | 3u << 6 | 1u << 12 | 3u << 10);
}

SCENARIO(multi_draw_counts_to_100000) {
    cells_setup();
    glUseProgram(cells_program());
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    indices(6);
    for (const int n : {1, 1000, 100000}) {
        clear_color(0, 0, 0, 0);
        std::vector<GLsizei> count(size_t(n), 6);
        std::vector<const void *> offset(size_t(n), nullptr);
        std::vector<GLint> base(size_t(n), 0);
        for (size_t i = 0; i < base.size(); i++)
            base[i] = int(i % kCells) * 6;
        glMultiDrawElementsBaseVertex(GL_TRIANGLES, count.data(), GL_UNSIGNED_SHORT, offset.data(),
                                      n, base.data());
        for (int i = 0; i < kCells; i++) {
            const float want = float((n + kCells - 1 - i) / kCells);
            EXPECT_PIXEL(i * 2, 1, want, want, want, want);
        }
    }
}

SCENARIO(multi_draw_parameters) {
    need(46, "GL_ARB_shader_draw_parameters");
    cells_setup();
    glUseProgram(cells_program(parameter_color, parameters));
    indices(6);
    const GLsizei count[3] = {6, 6, 6};
    const void *const offset[3] = {nullptr, nullptr, nullptr};
    const GLint base[3] = {6, 18, 12};
    glMultiDrawElementsBaseVertex(GL_TRIANGLES, count, GL_UNSIGNED_SHORT, offset, 3, base);
    EXPECT_PIXEL(2, 1, 0, 6, 0, 0);
    EXPECT_PIXEL(6, 1, 1, 18, 0, 0);
    EXPECT_PIXEL(4, 1, 2, 12, 0, 0);
    const GLint first[3] = {36, 30, 24};
    glMultiDrawArrays(GL_TRIANGLES, first, count, 3);
    EXPECT_PIXEL(12, 1, 0, 0, 0, 0); // a draw without the parameter: zero
    EXPECT_PIXEL(10, 1, 1, 0, 0, 0);
    EXPECT_PIXEL(8, 1, 2, 0, 0, 0);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr);
    EXPECT_PIXEL(0, 1, 0, 0, 0, 0);
}

SCENARIO(multi_draw_indirect_parameters) {
    need(43, "GL_ARB_multi_draw_indirect");
    cells_setup();
    const bool has_parameters = version() >= 46 || has_extension("GL_ARB_shader_draw_parameters");
    glUseProgram(has_parameters ? cells_program(parameter_color, parameters)
                                : cells_program("vec4(0, 0, 0, gl_InstanceID)"));
    const auto expect = [&](int x, float id, float base, float instance) {
        if (has_parameters)
            EXPECT_PIXEL(x, 1, id, base, instance, 0);
        else
            EXPECT_PIXEL(x, 1, 0, 0, 0, 0);
    };
    indices(6);
    const bool has_base = version() >= 42 || has_extension("GL_ARB_base_instance");
    const GLuint b = has_base ? 5 : 0;
    const GLuint elements[3][8] = {{6, 1, 0, 6, 0}, {6, 1, 0, 12, b}, {6, 1, 0, 24, 2 * b}};
    const GLuint tight[2][5] = {{6, 1, 0, 30, 0}, {6, 1, 0, 36, b}};
    const GLuint arrays[2][4] = {{6, 1, 42, b}, {6, 1, 48, 0}};
    buffer(GL_DRAW_INDIRECT_BUFFER, elements, sizeof elements);
    glMultiDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_SHORT, nullptr, 3, 32);
    expect(2, 0, 6, 0);
    expect(4, 1, 12, float(b));
    expect(8, 2, 24, float(2 * b));
    buffer(GL_DRAW_INDIRECT_BUFFER, tight, sizeof tight);
    glMultiDrawElementsIndirect(GL_TRIANGLES, GL_UNSIGNED_SHORT, nullptr, 2, 0);
    expect(10, 0, 30, 0);
    expect(12, 1, 36, float(b));
    buffer(GL_DRAW_INDIRECT_BUFFER, arrays, sizeof arrays);
    glMultiDrawArraysIndirect(GL_TRIANGLES, nullptr, 2, 0);
    expect(14, 0, 0, float(b));
    expect(16, 1, 0, 0);
}

SCENARIO(multi_draw_indirect_count) {
    need(46, "GL_ARB_indirect_parameters");
    cells_setup();
    glUseProgram(cells_program());
    const GLuint arrays[3][4] = {{6, 1, 0, 0}, {6, 1, 12, 0}, {6, 1, 24, 0}};
    const GLuint counts[4] = {7, 1, 2, 9};
    buffer(GL_DRAW_INDIRECT_BUFFER, arrays, sizeof arrays);
    buffer(GL_PARAMETER_BUFFER, counts, sizeof counts);
    const auto draw = reinterpret_cast<PFNGLMULTIDRAWARRAYSINDIRECTCOUNTPROC>(
        eglGetProcAddress("glMultiDrawArraysIndirectCountARB"));
    EXPECT(draw != nullptr);
    if (!draw)
        return;
    draw(GL_TRIANGLES, nullptr, 8, 3, 0);
    expect_cells(1u << 0 | 1u << 2);
    draw(GL_TRIANGLES, nullptr, 0, 3, 0); // no more than the limit
    expect_cells(1u << 0 | 1u << 2 | 1u << 4);
}

SCENARIO(draw_base_instance) {
    need(42, "GL_ARB_base_instance");
    cells_setup();
    // Per instance: a number; the instance number itself does not know of the base.
    const float per[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    buffer(GL_ARRAY_BUFFER, per, sizeof per);
    glVertexAttribPointer(1, 1, GL_FLOAT, GL_FALSE, 0, nullptr);
    glVertexAttribDivisor(1, 1);
    glEnableVertexAttribArray(1);
    glUseProgram(program(R"(#version 330
        layout(location = 0) in float number;
        layout(location = 1) in float per;
        flat out vec4 c;
        void main() {
            int n = int(number), corner = n % 6, cell = n / 6 + gl_InstanceID;
            vec2 p = vec2(corner == 1 || corner == 4 || corner == 5, corner == 2 || corner == 3 || corner == 5);
            c = vec4(per, gl_InstanceID, gl_VertexID, 1);
            gl_Position = vec4((float(cell) + p.x) / 8.0 - 1.0, p.y * 2.0 - 1.0, 0, 1);
        })",
                         "#version 330\nflat in vec4 c; out vec4 o; void main() { o = c; }"));
    indices(6);
    glDrawElementsInstancedBaseVertexBaseInstance(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 3, 6,
                                                  5);
    for (int i = 0; i < 3; i++)
        EXPECT_PIXEL(2 + 2 * i, 0, float(5 + i), float(i), 8, 1); // by vertex 2 of base 6
    glDrawArraysInstancedBaseInstance(GL_TRIANGLES, 36, 6, 2, 3);
    for (int i = 0; i < 2; i++)
        EXPECT_PIXEL(12 + 2 * i, 0, float(3 + i), float(i), 38, 1);
    glDrawElementsInstanced(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 1);
    EXPECT_PIXEL(0, 0, 0, 0, 2, 1);
}

SCENARIO(draw_offsets_out_of_bounds) {
    // Skipped or harmless; what is drawn afterwards is right.
    cells_setup();
    glUseProgram(cells_program());
    indices(6);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, at(1u << 28));
    glDrawElements(GL_TRIANGLES, 600000, GL_UNSIGNED_SHORT, at(6));
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, at(12));
    glDrawElementsBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 1 << 28);
    glDrawElementsBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, -(1 << 28));
    const GLuint far[6] = {0xfffffff0u, 5, 1u << 30, 0x7fffffff, 1, 2};
    buffer(GL_ELEMENT_ARRAY_BUFFER, far, sizeof far);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_INT, nullptr);
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_SHORT, at(1)); // unaligned
    clear_color(0, 0, 0, 0);
    indices(6);
    glDrawElementsBaseVertex(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr, 12);
    expect_cells(1u << 2);
}

SCENARIO(draw_range_end_too_small) {
    cells_setup();
    glUseProgram(cells_program());
    indices(24);
    glDrawRangeElements(GL_TRIANGLES, 0, 11, 24, GL_UNSIGNED_SHORT, nullptr);
    expect_cells(0xf);
}
