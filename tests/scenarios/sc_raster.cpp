// SPDX-License-Identifier: MIT
// Rasterisation: provoking vertex and flat colors, polygon modes and offsets, lines and points.
#include "scenario.h"

#include <cmath>

using namespace scenario;

namespace {

int lit(int x, int y, int w, int h) {
    int n = 0;
    const std::vector<uint8_t> p = read_rgba8(x, y, w, h);
    for (size_t i = 0; i < p.size(); i += 4)
        n += p[i] > 127;
    return n;
}

const char *const white_fs = "#version 330\nout vec4 o; void main() { o = vec4(1); }";

// Number i of six vertices as a flat value; three-component positions from an attribute.
const char *const number_vs = "#version 330\nlayout(location = 0) in vec2 p; flat out int number;\n"
                              "void main() { number = gl_VertexID; gl_Position = vec4(p, 0, 1); }";
const char *const number_fs =
    "#version 330\nflat in int number; out vec4 o; void main() { o = vec4(number, 0, 0, 1); }";

void positions(const std::vector<float> &xy) {
    vertex_array();
    buffer(GL_ARRAY_BUFFER, xy.data(), xy.size() * 4);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, nullptr);
    glEnableVertexAttribArray(0);
}

struct Flat {
    GLenum mode;
    int count;
    int primitive;   // whose vertex shows
    int last, first; // vertex numbers by the two conventions
};

// Each primitive alone in a feedback-like fashion: the numbers that reach the target.
void expect_numbers(const Flat &f, GLenum convention) {
    glProvokingVertex(convention);
    clear_color(-1, 0, 0, 0);
    glDrawArrays(f.mode, 0, f.count);
    const int want = convention == GL_FIRST_VERTEX_CONVENTION ? f.first : f.last;
    bool found = false;
    const std::vector<float> p = read_rgba32f(0, 0, 16, 16);
    for (size_t i = 0; i < p.size(); i += 4)
        found = found || int(p[i]) == want;
    if (!found)
        fail(__FILE__, __LINE__,
             "mode " + std::to_string(f.mode) + " convention " + std::to_string(convention) +
                 ": no pixel of vertex " + std::to_string(want));
}

// All numbers that a draw of one primitive (the fan and the strips: two) may show, no others.
void check_flat(GLuint p) {
    target(16, 16, GL_RGBA32F);
    positions({-0.9f, -0.9f, 0.9f, -0.9f, -0.9f, 0.9f, 0.9f, 0.9f});
    glUseProgram(p);
    const Flat cases[] = {
        {GL_TRIANGLES, 3, 0, 2, 0},      {GL_TRIANGLE_STRIP, 4, 0, 2, 0},
        {GL_TRIANGLE_STRIP, 4, 1, 3, 1}, {GL_LINES, 2, 0, 1, 0},
        {GL_LINE_STRIP, 3, 1, 2, 1},     {GL_LINE_STRIP, 2, 0, 1, 0},
    };
    for (const Flat &f : cases) {
        expect_numbers(f, GL_LAST_VERTEX_CONVENTION);
        expect_numbers(f, GL_FIRST_VERTEX_CONVENTION);
    }
}

} // namespace

SCENARIO(raster_provoking_vertex_of_topologies) {
    need(32, "GL_ARB_provoking_vertex");
    check_flat(program(number_vs, number_fs));
    // The fan, and the loop's closing line.
    const Flat cases[] = {
        {GL_TRIANGLE_FAN, 4, 0, 2, 1}, {GL_TRIANGLE_FAN, 4, 1, 3, 2}, {GL_LINE_LOOP, 3, 2, 0, 2}};
    for (const Flat &f : cases) {
        expect_numbers(f, GL_LAST_VERTEX_CONVENTION);
        expect_numbers(f, GL_FIRST_VERTEX_CONVENTION);
    }
}

SCENARIO(raster_provoking_vertex_of_geometry) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    target(16, 16, GL_RGBA32F);
    positions({0, 0});
    glUseProgram(program("#version 330\nvoid main() { gl_Position = vec4(0); }", number_fs,
                         R"(#version 330
        layout(points) in;
        layout(triangle_strip, max_vertices = 3) out;
        flat out int number;
        void main() {
            for (int i = 0; i < 3; i++) {
                number = 10 + i;
                gl_Position = vec4(vec2(i & 1, i >> 1) * 2.0 - 1.0, 0, 1);
                EmitVertex();
            }
        })"));
    const Flat f{GL_POINTS, 1, 0, 12, 10};
    expect_numbers(f, GL_LAST_VERTEX_CONVENTION);
    expect_numbers(f, GL_FIRST_VERTEX_CONVENTION);
}

// Two strips; the flat values of a vertex are set by all, by none after the first, and in a block.
SCENARIO(raster_provoking_vertex_of_emitted_strips) {
    if (version() < 32)
        skip("no geometry shaders below OpenGL 3.2");
    target(16, 16, GL_RGBA32F);
    vertex_array();
    const auto emits = [](const char *kind, const char *vertex) {
        return program("#version 330\nvoid main() { gl_Position = vec4(0); }",
                       R"(#version 330
        flat in int number;
        in Block { flat vec2 pair; vec2 plain; } b;
        out vec4 o;
        void main() { o = vec4(number, b.pair.x, gl_PrimitiveID, b.plain.y); })",
                       std::string("#version 330\nlayout(points) in;\nlayout(") + kind +
                           R"(, max_vertices = 8) out;
        flat out int number;
        out Block { flat vec2 pair; vec2 plain; } b;
        void emit(int strip, int i) {
            number = 10 * strip + i;
            b.pair = vec2(number + 100);
            b.plain = vec2(7);
            gl_PrimitiveID = number + 200;
            )" + vertex + R"(
            EmitVertex();
        }
        void main() {
            for (int strip = 0; strip < 2; strip++) {
                for (int i = 0; i < 4; i++)
                    emit(strip, i);
                EndPrimitive();
            }
        })");
    };
    const auto expect = [](int x, int y, float number) {
        const Rgba got = pixel(x, y);
        EXPECT(near(got, {number, number + 100, number + 200, 7}, 0.01f));
    };
    // Each strip is a quad: left half, right half.
    glUseProgram(emits("triangle_strip", "gl_Position = vec4(float(strip) - float(1 - (i & 1)), "
                                         "float(i >> 1) * 2.0 - 1.0, 0, 1);"));
    for (GLenum mode : {GL_LAST_VERTEX_CONVENTION, GL_FIRST_VERTEX_CONVENTION}) {
        const float last = mode == GL_LAST_VERTEX_CONVENTION ? 2 : 0;
        glProvokingVertex(mode);
        clear_color(-1, 0, 0, 0);
        glDrawArrays(GL_POINTS, 0, 1);
        expect(1, 2, last);
        expect(6, 13, last + 1);
        expect(9, 2, 10 + last);
        expect(14, 13, 11 + last);
    }
    // Each strip is a row of three lines.
    glUseProgram(emits("line_strip", "gl_Position = vec4(float(i) / 1.5 - 1.0, float(strip) - "
                                     "0.46875, 0, 1);"));
    for (GLenum mode : {GL_LAST_VERTEX_CONVENTION, GL_FIRST_VERTEX_CONVENTION}) {
        const float last = mode == GL_LAST_VERTEX_CONVENTION ? 1 : 0;
        glProvokingVertex(mode);
        clear_color(-1, 0, 0, 0);
        glDrawArrays(GL_POINTS, 0, 1);
        expect(2, 4, last);
        expect(8, 4, last + 1);
        expect(13, 12, 12 + last);
    }
}

SCENARIO(raster_flat_with_indices) {
    need(32, "GL_ARB_provoking_vertex");
    target(16, 16, GL_RGBA32F);
    positions({-0.9f, -0.9f, 0.9f, -0.9f, -0.9f, 0.9f, 0.9f, 0.9f});
    glUseProgram(program(number_vs, number_fs));
    const uint8_t index[3] = {3, 1, 2};
    buffer(GL_ELEMENT_ARRAY_BUFFER, index, sizeof index);
    clear_color(-1, 0, 0, 0);
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_PIXEL(12, 12, 2, 0, 0, 1);
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, nullptr);
    EXPECT_PIXEL(12, 12, 3, 0, 0, 1);
}

SCENARIO(raster_polygon_mode) {
    target(16, 16);
    glUseProgram(program(number_vs, white_fs));
    positions({-0.7f, -0.7f, 0.7f, -0.7f, -0.7f, 0.7f});
    clear_color(0, 0, 0, 1);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    const int wire = lit(0, 0, 16, 16);
    EXPECT(wire >= 25 && wire <= 50); // three edges, the inside is empty
    EXPECT_PIXEL(6, 5, 0, 0, 0, 1);
    EXPECT(lit(4, 2, 4, 1) == 4 || lit(4, 1, 4, 2) == 4);
    clear_color(0, 0, 0, 1);
    glPolygonMode(GL_FRONT_AND_BACK, GL_POINT);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    const int corners = lit(0, 0, 16, 16);
    EXPECT(corners == 3);
    clear_color(0, 0, 0, 1);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT_PIXEL(6, 5, 1, 1, 1, 1);
    GLint mode[2] = {};
    glGetIntegerv(GL_POLYGON_MODE, mode);
    EXPECT_EQ(mode[0], GL_FILL);
    glPolygonMode(GL_FRONT, GL_LINE); // both faces alike in core
    EXPECT_ERROR(GL_INVALID_ENUM);
}

SCENARIO(raster_polygon_mode_culls) {
    // Culling is by the polygon's face, also for its lines.
    target(16, 16);
    glUseProgram(program(number_vs, white_fs));
    positions({-0.7f, -0.7f, -0.7f, 0.7f, 0.7f, -0.7f}); // clockwise
    clear_color(0, 0, 0, 1);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glEnable(GL_CULL_FACE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT_EQ(lit(0, 0, 16, 16), 0);
    glFrontFace(GL_CW);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT(lit(0, 0, 16, 16) > 20);
}

SCENARIO(raster_polygon_mode_keeps_the_polygon) {
    // Lines have the varyings of the polygon: flat ones of the vertex that provokes, on each edge;
    // the face; blocks and arrays. Indirect draws, too.
    target(16, 16);
    positions({-0.7f, -0.7f, -0.7f, 0.7f, 0.7f, -0.7f}); // clockwise: shows the back
    glUseProgram(program(R"(#version 330
        layout(location = 0) in vec2 p;
        flat out vec3 flag;
        out Shade { vec2 a; float b[2]; } shade;
        void main() {
            flag = vec3(gl_VertexID == 2, gl_VertexID == 0, gl_VertexID == 1);
            shade.a = vec2(0.25, 1);
            shade.b[0] = 0.0;
            shade.b[1] = 1.0;
            gl_Position = vec4(p, 0, 1);
        })",
                         R"(#version 330
        flat in vec3 flag;
        in Shade { vec2 a; float b[2]; } shade;
        out vec4 o;
        void main() {
            o = vec4(flag.xy, gl_FrontFacing ? 1 : 0, 1) * (shade.a.y + shade.b[0] > 0.5 ? 1 : 0) +
                (shade.b[1] > 0.5 ? 0 : 1);
        })"));
    const GLuint arguments[4] = {3, 1, 0, 0};
    if (version() >= 40 || has_extension("GL_ARB_draw_indirect"))
        buffer(GL_DRAW_INDIRECT_BUFFER, arguments, sizeof(arguments));
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    for (const bool first : {false, true}) {
        glProvokingVertex(first ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
        for (int indirect = 0; indirect < 2; indirect++) {
            clear_color(0, 0, 0, 1);
            if (indirect && (version() >= 40 || has_extension("GL_ARB_draw_indirect")))
                glDrawArraysIndirect(GL_TRIANGLES, nullptr);
            else
                glDrawArrays(GL_TRIANGLES, 0, 3);
            const std::vector<uint8_t> all = read_rgba8(0, 0, 16, 16);
            int right = 0, wrong = 0;
            for (size_t i = 0; i < all.size(); i += 4) {
                const bool drawn = all[i] || all[i + 1] || all[i + 2];
                const bool want =
                    all[i] == (first ? 0 : 255) && all[i + 1] == (first ? 255 : 0) && !all[i + 2];
                right += drawn && want;
                wrong += drawn && !want;
            }
            EXPECT(right > 20 && right < 60);
            EXPECT_EQ(wrong, 0);
        }
    }
}

SCENARIO(raster_polygon_offset_of_lines) {
    target(16, 16, GL_RGBA8, GL_DEPTH_COMPONENT24);
    clear_color(0, 0, 0, 1);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glUseProgram(fill_program("vec4(0, 0, 1, 1)"));
    draw_fill();
    glUseProgram(program(number_vs, white_fs));
    positions({-0.7f, -0.7f, 0.7f, -0.7f, -0.7f, 0.7f});
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
    glPolygonOffset(0, -16);
    glDrawArrays(GL_TRIANGLES, 0, 3); // equal depth, no offset for lines
    EXPECT_EQ(lit(0, 0, 16, 16), 0);
    glEnable(GL_POLYGON_OFFSET_LINE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    EXPECT(lit(0, 0, 16, 16) > 20);
}

SCENARIO(raster_wide_lines) {
    GLfloat range[2] = {};
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    EXPECT(range[0] <= 1 && range[1] >= 1);
    target(16, 16);
    glUseProgram(program(number_vs, white_fs));
    positions({-0.95f, 0.06f, 0.95f, 0.06f, 0.06f, -0.95f, 0.06f, 0.95f});
    for (const float width : {1.0f, 3.0f, 5.0f}) {
        const int want = int(std::fmin(width, range[1]));
        clear_color(0, 0, 0, 1);
        glLineWidth(width);
        glDrawArrays(GL_LINES, 0, 2);
        EXPECT_EQ(lit(8, 0, 1, 16), want);
        clear_color(0, 0, 0, 1);
        glDrawArrays(GL_LINES, 2, 2);
        EXPECT_EQ(lit(0, 8, 16, 1), want);
    }
    glLineWidth(0);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(raster_wide_lines_of_a_program) {
    // Wide lines are no polygons: nothing culls or offsets them; flat values come from the vertex
    // that provokes, others are interpolated, also when one end is behind the eye.
    need(32, "GL_ARB_provoking_vertex");
    GLfloat range[2] = {};
    glGetFloatv(GL_ALIASED_LINE_WIDTH_RANGE, range);
    if (range[1] < 4)
        skip("no wide lines");
    target(16, 16, GL_RGBA32F, GL_DEPTH_COMPONENT24);
    glClear(GL_DEPTH_BUFFER_BIT);
    glUseProgram(
        program("#version 330\nlayout(location = 0) in vec2 p; flat out int n; out vec2 v;\n"
                "uniform float behind; void main() { n = gl_VertexID + 1; v = p; float w = "
                "gl_VertexID == 1 ? behind : 1.0; gl_Position = vec4(p, 0, 1) * w; }",
                "#version 330\nflat in int n; in vec2 v; out vec4 o;\n"
                "void main() { o = vec4(n, v, gl_FrontFacing); }"));
    const GLint behind = glGetUniformLocation(
        [] {
            GLint p = 0;
            glGetIntegerv(GL_CURRENT_PROGRAM, &p);
            return GLuint(p);
        }(),
        "behind");
    positions({-1, 0, 1, 0});
    glLineWidth(4);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT_AND_BACK);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(0, 1e6f);
    glEnable(GL_DEPTH_TEST);
    glUniform1f(behind, 1);
    clear_color(0, 0, 0, 0);
    glDrawArrays(GL_LINES, 0, 2);
    EXPECT_EQ(lit(8, 0, 1, 16), 4);
    for (int y = 6; y < 10; y++) {
        const std::vector<float> at = read_rgba32f(4, y, 1, 1);
        EXPECT(at[0] == 2 && std::fabs(at[1] + 0.4375f) < 0.01f && at[3] == 1);
    }
    glProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    glUniform1f(behind, -1); // from the left edge outwards: v grows to infinity and comes back
    clear_color(0, 0, 0, 0);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDrawArrays(GL_LINES, 0, 2);
    EXPECT_EQ(lit(8, 0, 1, 16), 0);
    glUniform1f(behind, 2);
    clear_color(0, 0, 0, 0);
    glClear(GL_DEPTH_BUFFER_BIT);
    glDrawArrays(GL_LINES, 0, 2);
    EXPECT_EQ(lit(8, 0, 1, 16), 4);
    const std::vector<float> at = read_rgba32f(4, 8, 1, 1);
    // Perspective: the far end weighs half as much.
    EXPECT(at[0] == 1 &&
           std::fabs(at[1] - (2 * 0.28125f / 2 / (0.71875f + 0.28125f / 2) - 1)) < 0.02f);
}

SCENARIO(raster_smooth_lines) {
    // Coverage goes to alpha where the host smooths; without, the line is there all the same.
    target(16, 16, GL_RGBA32F);
    glUseProgram(program(number_vs, white_fs));
    positions({-0.9f, -0.9f, 0.9f, 0.6f});
    clear_color(0, 0, 0, 0);
    glEnable(GL_LINE_SMOOTH);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDrawArrays(GL_LINES, 0, 2);
    float sum = 0;
    for (const float f : read_rgba32f(0, 0, 16, 16))
        sum += f / 4;
    EXPECT(sum > 8 && sum < 32);
    GLint is_on = 0;
    glGetIntegerv(GL_LINE_SMOOTH, &is_on);
    EXPECT_EQ(is_on, 1);
}

SCENARIO(raster_point_sizes) {
    GLfloat range[2] = {};
    glGetFloatv(GL_POINT_SIZE_RANGE, range);
    EXPECT(range[0] <= 1 && range[1] >= 8);
    target(16, 16);
    positions({0, 0});
    glUseProgram(program(number_vs, white_fs));
    for (const float size : {1.0f, 4.0f, 7.0f}) {
        clear_color(0, 0, 0, 1);
        glPointSize(size);
        glDrawArrays(GL_POINTS, 0, 1);
        EXPECT_EQ(lit(0, 0, 16, 16), int(size * size));
    }
    glPointSize(0);
    EXPECT_ERROR(GL_INVALID_VALUE);
}

SCENARIO(raster_point_coordinates) {
    target(16, 16, GL_RGBA32F);
    positions({0, 0});
    glPointSize(8);
    glUseProgram(program(number_vs, "#version 330\nout vec4 o; void main() { o = "
                                    "vec4(gl_PointCoord, 0, 1); }"));
    const auto at = [](float top) {
        clear_color(0, 0, 0, 0);
        glDrawArrays(GL_POINTS, 0, 1);
        EXPECT_PIXEL(4, 11, 1 / 16.0f, top, 0, 1); // the upper left pixel
        EXPECT_PIXEL(11, 11, 15 / 16.0f, top, 0, 1);
        EXPECT_PIXEL(4, 4, 1 / 16.0f, 1 - top, 0, 1);
    };
    at(1 / 16.0f);
    glPointParameteri(GL_POINT_SPRITE_COORD_ORIGIN, GL_LOWER_LEFT);
    at(15 / 16.0f);
    glBindFramebuffer(GL_FRAMEBUFFER, 0); // the same on a surface
    glViewport(0, 0, 16, 16);
    clear_color(0, 0, 0, 0);
    glDrawArrays(GL_POINTS, 0, 1);
    EXPECT_PIXEL(4, 11, 1 / 16.0f, 15 / 16.0f, 0, 1);
}

SCENARIO(raster_equal_depth_of_two_programs) {
    // The same position maths, declared invariant, in two programs: bit-equal depth.
    target(16, 16, GL_RGBA8, GL_DEPTH_COMPONENT24);
    clear_color(0, 0, 0, 1);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    const std::string vs = R"(#version 330
        invariant gl_Position;
        uniform mat4 m;
        out vec2 extra;
        void main() {
            vec2 p = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
            extra = p;
            gl_Position = m * vec4(p, 0.3 * p.x + 0.17 * p.y, 1);
        })";
    const GLuint programs[2] = {
        program(vs, "#version 330\nout vec4 o; void main() { o = vec4(1, 0, 0, 1); }"),
        program(vs, "#version 330\nin vec2 extra; out vec4 o; void main() { o = vec4(0, 1, extra.x "
                    "* 0.0, 1); }")};
    const float m[16] = {1.1f, 0.01f, 0.2f, 0,    0, 1.2f, -0.13f, 0.1f,
                         0,    0,     0.7f, 0.3f, 0, 0,    0,      1.3f};
    for (int i = 0; i < 2; i++) {
        glUseProgram(programs[i]);
        glUniformMatrix4fv(glGetUniformLocation(programs[i], "m"), 1, GL_FALSE, m);
        glDepthFunc(i ? GL_EQUAL : GL_LESS);
        draw_fill();
    }
    const std::vector<uint8_t> p = read_rgba8(0, 0, 16, 16);
    int red = 0, green = 0;
    for (size_t i = 0; i < p.size(); i += 4) {
        red += p[i] > 127;
        green += p[i + 1] > 127;
    }
    EXPECT_EQ(red, 0);
    EXPECT(green > 150);
}
