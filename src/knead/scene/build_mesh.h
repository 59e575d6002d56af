// A mesh file to a distance field.
#pragma once

#include "knead/geometry/sdf_shape.h"
#include "knead/scene/scene.h"

namespace knead {

// Throws InputError that names the file. `voxel` is used where the spec gives none [m].
SdfShape build_mesh(const MeshSpec& spec, double voxel);

}  // namespace knead
