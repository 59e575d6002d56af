// A mesh file to a distance field.
#pragma once

#include "knead/geometry/sdf_shape.h"
#include "knead/scene/scene.h"

namespace knead {

// Throws InputError that names the file. `voxel` is used where the spec gives none [m].
SdfShape build_mesh(const MeshSpec& spec, double voxel);

// Meshes with walls thinner than voxels or particles vanish as they are sampled: whether particles
// of `filled` m3 in all stand for the body's mesh, where its shape is one and encloses a volume.
void check_mesh_volume(const Scene& scene, std::size_t body, double filled,
                       std::vector<Mistake>& mistakes, std::vector<Mistake>& warnings);

}  // namespace knead
