// Points on a mesh, spread evenly at random.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/geometry/mesh.h"

namespace knead {

struct SurfacePoint {
    Vec3d position;
    Vec3d normal;  // of its triangle, unit
    int triangle = 0;
};

// Darts thrown by area, of which none is kept that is nearer than min_distance to one before.
std::vector<SurfacePoint> sample_surface(const Mesh& mesh, double min_distance, std::uint64_t seed);

}  // namespace knead
