#include "knead/scene/build_mesh.h"

#include <fmt/format.h>

#include <algorithm>

#include "knead/geometry/mesh_to_sdf.h"

namespace knead {

// Scales to the wanted size, then moves the middle of the bounds to the wanted place.
static void fit(Mesh& mesh, const MeshSpec& spec) {
    const Box3 box = bounds(mesh);
    const Vec3d size = box.size();
    const double longest = std::max({size.x, size.y, size.z});
    const double scale = spec.size ? *spec.size / longest : 1;
    const Vec3d to = spec.center ? *spec.center : box.center();
    for (Vec3f& p : mesh.positions)
        p = static_cast<Vec3f>(to + scale * (static_cast<Vec3d>(p) - box.center()));
}

SdfShape build_mesh(const MeshSpec& spec, double voxel) {
    constexpr double most_voxels = 4000;  // along the longest side
    Mesh mesh = read_mesh(spec.file);
    if (spec.size || spec.center) fit(mesh, spec);
    const Vec3d size = bounds(mesh).size();
    const double longest = std::max({size.x, size.y, size.z});
    if (spec.voxel) voxel = *spec.voxel;
    if (!(voxel > 0) || longest / voxel > most_voxels)
        throw InputError(
            Place{spec.file, 0, 0},
            fmt::format("the mesh is {:.3g} m long and its voxels {:.3g} m", longest, voxel),
            fmt::format("allowed: voxels of at least {:.3g} m; set voxel, or check the mesh's "
                        "units and give its size",
                        longest / most_voxels));
    return mesh_to_sdf(mesh, voxel, spec.file, spec.repair);
}

}  // namespace knead
