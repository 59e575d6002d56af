#include "knead/geometry/mesh_to_sdf.h"

#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

#include <cmath>
#include <map>
#include <numeric>

#include "knead/base/error.h"
#include "knead/geometry/mesh_check.h"
#include "knead/geometry/sdf_build.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr double small_hole = 0.3;  // of the mesh's diagonal
constexpr std::size_t few_holes = 64;
constexpr int margin = 4;  // voxels around the mesh
constexpr float band = 2;  // voxels either side that OpenVDB looks at; wider would be approximate
constexpr double most_voxels = 3e8;

Mesh closed(const Mesh& mesh, const std::string& name, bool repair) {
    Mesh result = welded(mesh);
    if (result.triangles.empty())
        throw InputError(Place{name, 0, 0},
                         "the mesh's vertices fall on one another: it is too far from the origin, "
                         "or one of them is far from the others",
                         "check its coordinates, or give its size");
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

struct Measured {
    openvdb::FloatGrid::Ptr distance;
    openvdb::Int32Grid::Ptr triangle;  // the nearest
};

// In units of voxels, in single precision: the library holds that case ready, and distances near
// the surface are taken anew. One thread, since ties between triangles are settled in the order the
// threads come by.
Measured measure(const Mesh& mesh, const Vec3d& origin, double voxel) {
    openvdb::initialize();
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        const Vec3f q = static_cast<Vec3f>((mesh.point(static_cast<int>(i)) - origin) / voxel);
        points.emplace_back(q.x, q.y, q.z);
    }
    for (const Vec3i& t : mesh.triangles)
        triangles.emplace_back(static_cast<unsigned>(t.x), static_cast<unsigned>(t.y),
                               static_cast<unsigned>(t.z));
    const openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> surface(
        points, triangles);
    const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
    // Made by the library, which holds the code of its trees: made here, it would be compiled anew.
    const auto triangle_grid = openvdb::GridBase::createGrid(openvdb::Int32Grid::gridType());
    Measured m{nullptr, openvdb::gridPtrCast<openvdb::Int32Grid>(triangle_grid)};
    oneapi::tbb::task_arena one(1);
    one.execute([&] {
        openvdb::util::NullInterrupter interrupter;
        m.distance = openvdb::tools::meshToVolume<openvdb::FloatGrid>(
            interrupter, surface, *transform, band, band, openvdb::tools::DISABLE_RENORMALIZATION,
            m.triangle.get());
    });
    return m;
}

Vec3d closest_point(const Mesh& mesh, const Vec3i& t, const Vec3d& p) {
    const auto vdb = [](const Vec3d& a) { return openvdb::Vec3d(a.x, a.y, a.z); };
    openvdb::Vec3d weights;
    const openvdb::Vec3d c = openvdb::math::closestPointOnTriangleToPoint(
        vdb(mesh.point(t.x)), vdb(mesh.point(t.y)), vdb(mesh.point(t.z)), vdb(p), weights);
    return {c.x(), c.y(), c.z()};
}

// Near the surface as measured, elsewhere only the sign; and where the surface is nearest.
std::vector<Vec3f> fill_band(SdfGrid& grid, const Mesh& mesh, const Measured& measured) {
    std::vector<Vec3f> closest(grid.values.size(), splat(1e30f));
    for_each(static_cast<std::size_t>(grid.size.z), 1, [&](std::size_t layer) {
        const int k = static_cast<int>(layer);
        auto distance = measured.distance->getConstAccessor();
        auto triangle = measured.triangle->getConstAccessor();
        for (int j = 0; j < grid.size.y; ++j)
            for (int i = 0; i < grid.size.x; ++i) {
                const std::size_t at = grid.index(i, j, k);
                float d = 0;
                openvdb::Int32 t = 0;
                const bool in_band = distance.probeValue({i, j, k}, d);
                grid.values[at] = d * static_cast<float>(grid.spacing);
                if (!in_band || !triangle.probeValue({i, j, k}, t)) continue;
                const Vec3i& corners = mesh.triangles[static_cast<std::size_t>(t)];
                closest[at] = static_cast<Vec3f>(closest_point(mesh, corners, grid.point(i, j, k)));
            }
    });
    return closest;
}

// Triangles that share no vertices with others, and the volume they enclose; below 0 where they
// face inwards.
struct Part {
    std::vector<Vec3i> triangles;
    double volume = 0;
};

std::vector<Part> parts_of(const Mesh& mesh) {
    std::vector<std::size_t> root(mesh.positions.size());
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](int vertex) {
        auto v = static_cast<std::size_t>(vertex);
        while (root[v] != v) v = root[v] = root[root[v]];
        return v;
    };
    for (const Vec3i& t : mesh.triangles) root[find(t.x)] = root[find(t.y)] = find(t.z);
    std::map<std::size_t, std::size_t> number;
    std::vector<Part> parts;
    for (const Vec3i& t : mesh.triangles) {
        const auto [at, is_new] = number.try_emplace(find(t.x), parts.size());
        if (is_new) parts.emplace_back();
        Part& part = parts[at->second];
        part.triangles.push_back(t);
        part.volume += dot(mesh.point(t.x), cross(mesh.point(t.y), mesh.point(t.z))) / 6;
    }
    return parts;
}

void add(const Part& part, Mesh& mesh) {
    mesh.triangles.insert(mesh.triangles.end(), part.triangles.begin(), part.triangles.end());
}

SdfShape distance_to(const Mesh& surface, double voxel, const std::string& name) {
    auto grid = std::make_shared<SdfGrid>(empty_grid(surface, voxel, name));
    std::vector<Vec3f> closest = fill_band(*grid, surface, measure(surface, grid->origin, voxel));
    bool encloses = false;
    for (const float v : grid->values) encloses = encloses || v < 0;
    if (!encloses)
        throw InputError(
            Place{name, 0, 0},
            fmt::format("the mesh encloses nothing at a voxel size of {:.3g} m", voxel),
            "take smaller voxels, or give a mesh that bounds a volume");
    spread_distances(*grid, std::move(closest));
    return sdf::grid(std::move(grid));
}

}  // namespace

SdfShape mesh_to_sdf(const Mesh& mesh, double voxel, const std::string& name, bool repair) {
    const Mesh surface = closed(mesh, name, repair);
    const std::vector<Part> parts = parts_of(surface);
    double side = 0;
    for (const Part& part : parts)
        if (std::abs(part.volume) > std::abs(side)) side = part.volume;
    Mesh solid = surface, hollow = surface;
    solid.triangles.clear(), hollow.triangles.clear();
    std::vector<Part> inward;
    for (const Part& part : parts)
        if (part.volume * side < 0)
            inward.push_back(part);
        else
            add(part, solid);
    if (inward.empty()) return distance_to(surface, voxel, name);

    // Those inside the others are hollows; what lies beside them only faces the wrong way.
    const SdfShape outer = distance_to(solid, voxel, name);
    const std::size_t count = solid.triangles.size();
    for (const Part& part : inward)
        add(part, outer.distance(surface.point(part.triangles[0].x)) < 0 ? hollow : solid);
    if (hollow.triangles.empty()) return distance_to(surface, voxel, name);
    const bool grew = solid.triangles.size() > count;
    return sdf::subtract(grew ? distance_to(solid, voxel, name) : outer,
                         distance_to(hollow, voxel, name));
}

}  // namespace knead
