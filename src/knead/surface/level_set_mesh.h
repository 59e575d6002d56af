// The zero of a level set as triangles.
#pragma once

#include <functional>

#include "knead/geometry/box3.h"
#include "knead/io/level_set.h"
#include "knead/io/surface_mesh.h"

namespace knead {

// Closed, counter-clockwise seen from outside. Normals are the gradient of `slopes`, a level set on
// the same voxels, or of the level set itself.
SurfaceMesh mesh_level_set(const LevelSet& set, double adaptivity = 0,
                           const LevelSet* slopes = nullptr);

// The surface of any distance function within a box, sampled at `voxel`; cut off at the box.
SurfaceMesh mesh_distance(const std::function<double(const Vec3d&)>& distance, const Box3& box,
                          double voxel);

}  // namespace knead
