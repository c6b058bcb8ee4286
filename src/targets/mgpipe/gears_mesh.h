// SPDX-License-Identifier: MIT
// Geometry and matrices of the gears demo.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

struct Vertex {
    float position[3];
    float normal[3];
    float uv[2];
};

struct Mesh {
    std::vector<Vertex> vertices;
    std::vector<uint16_t> indices; // triangles, counterclockwise seen from outside
};

struct GearShape {
    float inner_radius, outer_radius, width;
    int teeth;
    float tooth_depth;
};

// A gear around the z axis, centred at the origin.
Mesh make_gear(const GearShape &shape);

using Matrix = std::array<float, 16>; // columns, as OpenGL wants them

Matrix multiply(const Matrix &a, const Matrix &b);
Matrix frustum(float left, float right, float bottom, float top, float near_plane, float far_plane);
Matrix translation(float x, float y, float z);
Matrix rotation(float degrees, int axis); // axis 0 = x, 1 = y, 2 = z
