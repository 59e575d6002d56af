// A mesh as a sampled signed distance.
#pragma once

#include <string>

#include "knead/geometry/mesh.h"
#include "knead/geometry/sdf_shape.h"

namespace knead {

// The inside is what the surface encloses, whichever way its triangles turn, without hollows:
// closed parts inside that face the other way. Holes that are few and small (such as those under
// the Stanford bunny) are filled; larger ones too when `repair` is set, else they are an
// InputError. `voxel` [m] is the spacing of the samples; `name` is for messages.
SdfShape mesh_to_sdf(const Mesh& mesh, double voxel, const std::string& name, bool repair = false);

}  // namespace knead
