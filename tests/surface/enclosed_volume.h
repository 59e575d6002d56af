// The volume inside a closed mesh.
#pragma once

#include "knead/io/surface_mesh.h"

namespace knead {

// A sixth of the sum of a . (b x c) over its faces.
inline double enclosed_volume(const SurfaceMesh& mesh) {
    double six = 0;
    for (const auto& f : mesh.faces) {
        const Vec3d a(mesh.positions[static_cast<std::size_t>(f.x)]);
        const Vec3d b(mesh.positions[static_cast<std::size_t>(f.y)]);
        const Vec3d c(mesh.positions[static_cast<std::size_t>(f.z)]);
        six += dot(a, cross(b, c));
    }
    return six / 6;
}

}  // namespace knead
