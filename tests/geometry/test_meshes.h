// Closed meshes with known measure, and their text forms.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "knead/geometry/mesh.h"

namespace knead {

inline Mesh cube_mesh(double half, const Vec3d& center = {0, 0, 0}) {
    Mesh m;
    for (int i = 0; i < 8; ++i)
        m.positions.push_back(static_cast<Vec3f>(
            center + half * Vec3d{i & 1 ? 1. : -1., i & 2 ? 1. : -1., i & 4 ? 1. : -1.}));
    m.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                   {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return m;
}

// A torus about z, or a sphere when major is 0: rings of n by m vertices.
inline Mesh torus_mesh(double major, double minor, int n, int m) {
    Mesh mesh;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / m;
            const double r = major + minor * std::cos(b);
            mesh.positions.push_back(
                static_cast<Vec3f>(Vec3d{r * std::cos(a), r * std::sin(a), minor * std::sin(b)}));
        }
    const auto at = [&](int i, int j) { return (i % n) * m + j % m; };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    return mesh;
}

inline Mesh sphere_mesh(double radius, int rings, int sectors) {
    Mesh mesh;
    mesh.positions.push_back(static_cast<Vec3f>(Vec3d{0, 0, radius}));
    for (int i = 1; i < rings; ++i)
        for (int j = 0; j < sectors; ++j) {
            const double a = std::numbers::pi * i / rings, b = 2 * std::numbers::pi * j / sectors;
            mesh.positions.push_back(static_cast<Vec3f>(
                radius * Vec3d{std::sin(a) * std::cos(b), std::sin(a) * std::sin(b), std::cos(a)}));
        }
    const int south = static_cast<int>(mesh.positions.size());
    mesh.positions.push_back(static_cast<Vec3f>(Vec3d{0, 0, -radius}));
    const auto at = [&](int i, int j) { return 1 + (i - 1) * sectors + j % sectors; };
    for (int j = 0; j < sectors; ++j) {
        mesh.triangles.push_back({0, at(1, j), at(1, j + 1)});
        mesh.triangles.push_back({south, at(rings - 1, j + 1), at(rings - 1, j)});
        for (int i = 1; i + 1 < rings; ++i) {
            mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
    }
    return mesh;
}

inline std::string to_obj(const Mesh& mesh) {
    std::string text;
    for (const Vec3f& p : mesh.positions) text += fmt::format("v {} {} {}\n", p.x, p.y, p.z);
    for (const Vec3i& t : mesh.triangles)
        text += fmt::format("f {} {} {}\n", t.x + 1, t.y + 1, t.z + 1);
    return text;
}

}  // namespace knead
