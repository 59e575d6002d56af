#include "knead/geometry/mesh_to_sdf.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <cmath>

#include "knead/base/error.h"
#include "knead/geometry/mesh_check.h"
#include "knead/geometry/sdf_build.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr double small_hole = 0.3;  // of the mesh's diagonal
constexpr std::size_t few_holes = 64;
constexpr int margin = 4;  // voxels around the mesh
constexpr float band = 3;  // voxels on either side that OpenVDB measures
constexpr double most_voxels = 1.5e9;

// What OpenVDB asks of a mesh, in units of voxels.
struct VoxelMesh {
    const Mesh& mesh;
    Vec3d origin;
    double voxel;

    std::size_t polygonCount() const { return mesh.triangles.size(); }
    std::size_t pointCount() const { return mesh.positions.size(); }
    std::size_t vertexCount(std::size_t) const { return 3; }
    void getIndexSpacePoint(std::size_t n, std::size_t v, openvdb::Vec3d& p) const {
        const Vec3d q = (mesh.point(mesh.triangles[n][static_cast<int>(v)]) - origin) / voxel;
        p = openvdb::Vec3d(q.x, q.y, q.z);
    }
};

Mesh closed(const Mesh& mesh, const std::string& name, bool repair) {
    Mesh result = welded(mesh);
    const std::vector<std::vector<int>> loops = boundary_loops(result);
    if (loops.empty()) return result;
    const double size = length(bounds(result).size());
    std::size_t edges = 0;
    double largest = 0;
    for (const std::vector<int>& loop : loops) {
        Box3 box;
        for (const int v : loop) box.add(result.point(v));
        largest = std::max(largest, length(box.size()));
        edges += loop.size();
    }
    if (!repair && (loops.size() > few_holes || largest > small_hole * size))
        throw InputError(Place{name, 0, 0},
                         fmt::format("the mesh is open: {} open edges around {} holes, the largest "
                                     "{:.3g} of the mesh's size",
                                     edges, loops.size(), largest / size),
                         "close the mesh, or set repair = true to fill every hole");
    return with_holes_filled(result);
}

SdfGrid empty_grid(const Mesh& mesh, double voxel, const std::string& name) {
    if (!(voxel > 0 && is_finite(voxel)))
        throw InputError(Place{name, 0, 0}, fmt::format("the voxel size is {}", voxel),
                         "give a number above 0");
    const Box3 box = bounds(mesh).grown(margin * voxel);
    const Vec3d cells = box.size() / voxel;
    if (cells.x * cells.y * cells.z > most_voxels)
        throw InputError(Place{name, 0, 0},
                         fmt::format("a voxel size of {:.3g} m cuts the mesh, {:.3g} m long, into "
                                     "too many voxels",
                                     voxel, max(box.size().x, max(box.size().y, box.size().z))),
                         "check the units of the mesh, or take larger voxels");
    SdfGrid grid;
    grid.origin = box.lo;
    grid.spacing = voxel;
    for (int i = 0; i < 3; ++i) grid.size[i] = 2 + static_cast<int>(std::ceil(cells[i]));
    grid.values.resize(grid.index(grid.size.x - 1, grid.size.y - 1, grid.size.z - 1) + 1);
    return grid;
}

// One thread, since ties between triangles are settled in the order the threads come by.
openvdb::FloatGrid::Ptr measure(const VoxelMesh& mesh) {
    openvdb::initialize();
    const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
    openvdb::FloatGrid::Ptr level_set;
    oneapi::tbb::task_arena one(1);
    one.execute([&] {
        level_set = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
            mesh, *transform, band, band, openvdb::tools::DISABLE_RENORMALIZATION);
    });
    return level_set;
}

}  // namespace

SdfShape mesh_to_sdf(const Mesh& mesh, double voxel, const std::string& name, bool repair) {
    const Mesh surface = closed(mesh, name, repair);
    auto grid = std::make_shared<SdfGrid>(empty_grid(surface, voxel, name));
    const openvdb::FloatGrid::Ptr level_set = measure({surface, grid->origin, voxel});
    // Near the surface as measured; the rest follows by sweeping.
    std::vector<unsigned char> known(grid->values.size());
    for_each(static_cast<std::size_t>(grid->size.z), 1, [&](std::size_t k) {
        auto accessor = level_set->getConstAccessor();
        for (int j = 0; j < grid->size.y; ++j)
            for (int i = 0; i < grid->size.x; ++i) {
                const std::size_t at = grid->index(i, j, static_cast<int>(k));
                float value = 0;
                known[at] = accessor.probeValue({i, j, static_cast<int>(k)}, value);
                grid->values[at] = value * static_cast<float>(voxel);
            }
    });
    bool encloses = false;
    for (const float v : grid->values) encloses = encloses || v < 0;
    if (!encloses)
        throw InputError(
            Place{name, 0, 0},
            fmt::format("the mesh encloses nothing at a voxel size of {:.3g} m", voxel),
            "take smaller voxels, or give a mesh that bounds a volume");
    sweep_distances(*grid, known);
    return sdf::grid(std::move(grid));
}

}  // namespace knead
