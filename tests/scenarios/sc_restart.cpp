// SPDX-License-Identifier: MIT
// Primitive restart: any index, any index type, every topology, against the pieces drawn one by
// one.
#include "scenario.h"

#include <cstring>

using namespace scenario;

namespace {

constexpr int kVertices = 24;

// Vertices in the order of a zigzag over the target; their index shows in the color.
GLuint zigzag_program() {
    return program(R"(#version 330
        layout(location = 0) in float index;
        flat out vec4 c;
        void main() {
            int i = int(index);
            c = vec4(index / 24.0, float(i % 3) / 2.0, float(i % 5) / 4.0, 1);
            float x = float(i >> 1) / 11.0 * 1.8 - 0.9;
            gl_Position = vec4(x, (i & 1) == 0 ? -0.8 + 0.1 * float(i % 5) : 0.7, 0, 1);
        })",
                   "#version 330\nflat in vec4 c; out vec4 o; void main() { o = c; }");
}

void zigzag_setup(int vertices = kVertices) {
    target(48, 48);
    vertex_array();
    std::vector<float> at(static_cast<size_t>(vertices));
    for (int i = 0; i < vertices; i++)
        at[size_t(i)] = float(i % kVertices);
    buffer(GL_ARRAY_BUFFER, at.data(), at.size() * 4);
    glVertexAttribPointer(0, 1, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
    glUseProgram(zigzag_program());
}

size_t bytes_of(GLenum type) {
    return type == GL_UNSIGNED_BYTE ? 1 : type == GL_UNSIGNED_SHORT ? 2 : 4;
}

std::vector<uint8_t> packed(const std::vector<uint32_t> &indices, GLenum type) {
    std::vector<uint8_t> out;
    for (const uint32_t i : indices) {
        const auto *b = reinterpret_cast<const uint8_t *>(&i);
        out.insert(out.end(), b, b + bytes_of(type));
    }
    return out;
}

std::vector<uint8_t> picture() {
    return read_rgba8(0, 0, 48, 48);
}

// The pieces between the restarts, each a draw of its own.
std::vector<uint8_t> in_pieces(GLenum mode, const std::vector<uint32_t> &indices, GLenum type,
                               uint32_t restart, GLint base) {
    glDisable(GL_PRIMITIVE_RESTART);
    glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    clear_color(0, 0, 0, 0);
    for (size_t i = 0; i < indices.size();) {
        size_t end = i;
        while (end < indices.size() && indices[end] != restart)
            end++;
        glDrawElementsBaseVertex(mode, GLsizei(end - i), type,
                                 reinterpret_cast<void *>(i * bytes_of(type)), base);
        i = end + 1;
    }
    return picture();
}

void check(GLenum mode, const std::vector<uint32_t> &indices, GLenum type, uint32_t restart,
           bool fixed = false, GLint base = 0) {
    const std::vector<uint8_t> bytes = packed(indices, type);
    const GLuint b = buffer(GL_ELEMENT_ARRAY_BUFFER, bytes.data(), bytes.size());
    const std::vector<uint8_t> want = in_pieces(mode, indices, type, restart, base);
    glEnable(fixed ? GL_PRIMITIVE_RESTART_FIXED_INDEX : GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(fixed ? 3 : restart);
    clear_color(0, 0, 0, 0);
    glDrawElementsBaseVertex(mode, GLsizei(indices.size()), type, nullptr, base);
    if (picture() != want)
        fail(__FILE__, __LINE__,
             "mode " + std::to_string(mode) + " type " + std::to_string(type) + " restart " +
                 std::to_string(restart));
    glDeleteBuffers(1, &b);
}

// Pieces of several lengths, some too short, restarts beside each other and at both ends.
std::vector<uint32_t> pieces(uint32_t r) {
    return {r, 0, 1, 2, r, 4, 5, 6, 3, 8, r, r, 9, r, 10, 11, 12, 13, 14, 15, 16, r, 17, 18, r};
}

const GLenum modes[] = {GL_POINTS,    GL_LINES,          GL_LINE_LOOP,   GL_LINE_STRIP,
                        GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
const GLenum index_types[] = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};

uint32_t all_ones(GLenum type) {
    return type == GL_UNSIGNED_BYTE ? 0xff : type == GL_UNSIGNED_SHORT ? 0xffff : 0xffffffffu;
}

} // namespace

SCENARIO(restart_any_index_type_topology) {
    zigzag_setup();
    for (const GLenum mode : modes)
        for (const GLenum type : index_types)
            for (const uint32_t restart : {7u, all_ones(type)})
                check(mode, pieces(restart), type, restart);
}

SCENARIO(restart_fixed_index) {
    need(43, "GL_ARB_ES3_compatibility");
    zigzag_setup();
    for (const GLenum mode : modes)
        for (const GLenum type : index_types)
            check(mode, pieces(all_ones(type)), type, all_ones(type), true);
}

SCENARIO(restart_before_base_vertex) {
    // The index in memory is compared, not the sum.
    zigzag_setup();
    check(GL_TRIANGLE_STRIP, {0, 1, 2, 3, 7, 8, 9, 10}, GL_UNSIGNED_SHORT, 7, false, 4);
    check(GL_TRIANGLE_STRIP, {0, 1, 2, 3, 4, 7, 8, 9, 10}, GL_UNSIGNED_INT, 7, false, 3);
}

SCENARIO(restart_index_out_of_type) {
    // No index of the type can be equal.
    zigzag_setup(256);
    check(GL_TRIANGLE_STRIP, {0, 1, 2, 3, 7, 255, 4}, GL_UNSIGNED_BYTE, 0x107);
    check(GL_TRIANGLE_STRIP, {0, 1, 2, 3, 7, 4, 5}, GL_UNSIGNED_SHORT, 0x10007);
    check(GL_TRIANGLE_STRIP, {0, 1, 2, 3, 255, 4, 5}, GL_UNSIGNED_BYTE, 0xffffffffu);
}

SCENARIO(restart_values_are_vertices_when_off) {
    // All ones is an ordinary index while restart is off or another index is set.
    zigzag_setup(65536);
    const uint16_t index[5] = {0, 1, 2, 0xffff, 5};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    const uint32_t same[5] = {0, 1, 2, 65535 % kVertices, 5};
    clear_color(0, 0, 0, 0);
    glDrawElements(GL_TRIANGLE_STRIP, 5, GL_UNSIGNED_SHORT, nullptr);
    const std::vector<uint8_t> off = picture();
    clear_color(0, 0, 0, 0);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(77);
    glDrawElements(GL_TRIANGLE_STRIP, 5, GL_UNSIGNED_SHORT, nullptr);
    const std::vector<uint8_t> other = picture();
    glDisable(GL_PRIMITIVE_RESTART);
    buffer(GL_ELEMENT_ARRAY_BUFFER, same, sizeof same);
    clear_color(0, 0, 0, 0);
    glDrawElements(GL_TRIANGLE_STRIP, 5, GL_UNSIGNED_INT, nullptr);
    const std::vector<uint8_t> want = picture();
    EXPECT(off == want);
    EXPECT(other == want);
}

SCENARIO(restart_in_instanced_and_multi_draws) {
    zigzag_setup();
    const std::vector<uint32_t> list = pieces(7);
    const std::vector<uint8_t> bytes = packed(list, GL_UNSIGNED_SHORT);
    buffer(GL_ELEMENT_ARRAY_BUFFER, bytes.data(), bytes.size());
    const std::vector<uint8_t> want = in_pieces(GL_TRIANGLE_STRIP, list, GL_UNSIGNED_SHORT, 7, 0);
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(7);
    clear_color(0, 0, 0, 0);
    glDrawElementsInstanced(GL_TRIANGLE_STRIP, GLsizei(list.size()), GL_UNSIGNED_SHORT, nullptr, 2);
    EXPECT(picture() == want);
    clear_color(0, 0, 0, 0);
    const GLsizei count[2] = {11, GLsizei(list.size()) - 11};
    const void *const at[2] = {nullptr, reinterpret_cast<void *>(22)};
    glMultiDrawElements(GL_TRIANGLE_STRIP, count, GL_UNSIGNED_SHORT, at, 2);
    EXPECT(picture() == want);
    glDrawRangeElements(GL_TRIANGLE_STRIP, 0, 23, GLsizei(list.size()), GL_UNSIGNED_SHORT, nullptr);
    EXPECT(picture() == want);
}

SCENARIO(restart_index_changes_between_draws) {
    zigzag_setup();
    for (const uint32_t restart : {7u, 9u, 7u, 0xffffu, 7u})
        check(GL_TRIANGLES, pieces(restart), GL_UNSIGNED_SHORT, restart);
}

SCENARIO(restart_sees_new_indices) {
    // What rewrites or scans indices must see what a buffer holds now.
    zigzag_setup();
    glEnable(GL_PRIMITIVE_RESTART);
    glPrimitiveRestartIndex(7);
    const uint16_t first[6] = {0, 1, 2, 7, 3, 4}, second[6] = {0, 1, 7, 2, 3, 4};
    buffer(GL_ELEMENT_ARRAY_BUFFER, first, sizeof first, GL_DYNAMIC_DRAW);
    clear_color(0, 0, 0, 0);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr);
    glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, 0, sizeof second, second);
    clear_color(0, 0, 0, 0);
    glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, nullptr);
    const std::vector<uint8_t> got = picture();
    const std::vector<uint32_t> list(second, second + 6);
    EXPECT(got == in_pieces(GL_TRIANGLES, list, GL_UNSIGNED_SHORT, 7, 0));
}
