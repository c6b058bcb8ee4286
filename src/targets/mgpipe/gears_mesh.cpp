// SPDX-License-Identifier: MIT
// Geometry of a gear: two flat faces, the outline with its teeth, the bore.
#include "gears_mesh.h"

#include <cmath>

namespace {

constexpr float pi = 3.14159265358979f;

struct Point {
    float x, y;
};

Point polar(float radius, float angle) {
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

struct Builder {
    Mesh mesh;

    void quad(const std::array<Vertex, 4> &corners) {
        const auto base = uint16_t(mesh.vertices.size());
        mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
        for (int i : {0, 1, 2, 0, 2, 3})
            mesh.indices.push_back(uint16_t(base + i));
    }

    // A piece of a face at z, facing `side` (+1 or -1); a..d run counterclockwise seen from +z.
    void face(Point a, Point b, Point c, Point d, float z, float side) {
        auto vertex = [z, side](Point p) {
            return Vertex{{p.x, p.y, z}, {0, 0, side}, {p.x * 0.25f, p.y * 0.25f}};
        };
        if (side > 0)
            quad({vertex(a), vertex(b), vertex(c), vertex(d)});
        else
            quad({vertex(d), vertex(c), vertex(b), vertex(a)});
    }

    // A wall from a to b over the whole width; outward is to the right of a->b. Normals per end.
    void wall(Point a, Point b, Point normal_a, Point normal_b, float half) {
        const float length = std::hypot(b.x - a.x, b.y - a.y) * 0.25f;
        auto vertex = [half](Point p, Point n, float z, float u) {
            return Vertex{{p.x, p.y, z * half}, {n.x, n.y, 0}, {u, z * half * 0.25f}};
        };
        quad({vertex(a, normal_a, -1, 0), vertex(b, normal_b, -1, length),
              vertex(b, normal_b, 1, length), vertex(a, normal_a, 1, 0)});
    }

    void flat_wall(Point a, Point b, float half) {
        const float length = std::hypot(b.x - a.x, b.y - a.y);
        const Point normal{(b.y - a.y) / length, -(b.x - a.x) / length};
        wall(a, b, normal, normal, half);
    }
};

} // namespace

Mesh make_gear(const GearShape &shape) {
    const float root = shape.outer_radius - shape.tooth_depth / 2;
    const float tip = shape.outer_radius + shape.tooth_depth / 2;
    const float half = shape.width / 2;
    const float step = 2 * pi / float(shape.teeth) / 4;
    Builder builder;
    for (int tooth = 0; tooth < shape.teeth; tooth++) {
        // Outline: root, up the flank, along the tip, down, and along the root to the next tooth.
        const float start = float(tooth) * 4 * step;
        const Point outline[] = {polar(root, start), polar(tip, start + step),
                                 polar(tip, start + 2 * step), polar(root, start + 3 * step),
                                 polar(root, start + 4 * step)};
        for (int i = 0; i < 4; i++) {
            const float angle = start + float(i) * step;
            const Point bore_a = polar(shape.inner_radius, angle),
                        bore_b = polar(shape.inner_radius, angle + step);
            for (float side : {1.0f, -1.0f})
                builder.face(bore_a, outline[i], outline[i + 1], bore_b, side * half, side);
            builder.flat_wall(outline[i], outline[i + 1], half);
            const Point normal_a = polar(-1, angle), normal_b = polar(-1, angle + step);
            builder.wall(bore_b, bore_a, normal_b, normal_a, half);
        }
    }
    return std::move(builder.mesh);
}

Matrix multiply(const Matrix &a, const Matrix &b) {
    Matrix m{};
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            for (int k = 0; k < 4; k++)
                m[column * 4 + row] += a[k * 4 + row] * b[column * 4 + k];
    return m;
}

Matrix frustum(float l, float r, float b, float t, float n, float f) {
    return {2 * n / (r - l),
            0,
            0,
            0,
            0,
            2 * n / (t - b),
            0,
            0,
            (r + l) / (r - l),
            (t + b) / (t - b),
            -(f + n) / (f - n),
            -1,
            0,
            0,
            -2 * f * n / (f - n),
            0};
}

Matrix translation(float x, float y, float z) {
    return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1};
}

Matrix rotation(float degrees, int axis) {
    const float angle = degrees * pi / 180, c = std::cos(angle), s = std::sin(angle);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    Matrix m = translation(0, 0, 0);
    m[u * 4 + u] = c;
    m[u * 4 + v] = s;
    m[v * 4 + u] = -s;
    m[v * 4 + v] = c;
    return m;
}
