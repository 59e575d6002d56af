#include "knead/surface/level_set_mesh.h"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Interpolation.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cmath>

#include "knead/io/vdb.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// A quad becomes two triangles along its shorter diagonal. OpenVDB winds clockwise.
void add_quad(const openvdb::Vec4I& q, SurfaceMesh& mesh) {
    std::int32_t v[4];
    for (int k = 0; k < 4; ++k) v[k] = static_cast<std::int32_t>(q[3 - k]);
    const auto& x = mesh.positions;
    const auto at = [&](int k) { return x[static_cast<std::size_t>(v[k])]; };
    const bool cut_02 = length_squared(at(0) - at(2)) <= length_squared(at(1) - at(3));
    const int a = cut_02 ? 0 : 1, b = a + 1, c = a + 2, d = (a + 3) % 4;
    mesh.faces.push_back({v[a], v[b], v[c]});
    mesh.faces.push_back({v[a], v[c], v[d]});
}

// Unit gradients at the vertices: central differences, wide enough to even out ripples.
void add_normals(const openvdb::FloatGrid& grid, double voxel, SurfaceMesh& mesh) {
    constexpr double reach = 1.25;  // voxels
    mesh.normals.resize(mesh.positions.size());
    parallel_chunks(mesh.positions.size(), 4096, [&](std::size_t begin, std::size_t end) {
        auto values = grid.getConstAccessor();
        const auto sample = [&](const openvdb::Vec3d& at) {
            return static_cast<double>(openvdb::tools::BoxSampler::sample(values, at));
        };
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3d p = Vec3d(mesh.positions[i]) / voxel;
            Vec3d g;
            for (int k = 0; k < 3; ++k) {
                openvdb::Vec3d lo(p.x, p.y, p.z), hi = lo;
                lo[k] -= reach;
                hi[k] += reach;
                g[k] = sample(hi) - sample(lo);
            }
            const double size = length(g);
            mesh.normals[i] = size > 0 ? Vec3f(g / size) : Vec3f{0, 1, 0};
        }
    });
}

}  // namespace

SurfaceMesh mesh_level_set(const LevelSet& set, double adaptivity, const LevelSet* slopes) {
    SurfaceMesh mesh;
    if (set.blocks.empty()) return mesh;
    const auto grid = std::static_pointer_cast<openvdb::FloatGrid>(float_grid(set));
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(*grid, points, triangles, quads, 0.0, adaptivity);
    mesh.positions.reserve(points.size());
    for (const auto& p : points) mesh.positions.push_back({p.x(), p.y(), p.z()});
    mesh.faces.reserve(triangles.size() + 2 * quads.size());
    for (const auto& t : triangles)
        mesh.faces.push_back({static_cast<std::int32_t>(t[2]), static_cast<std::int32_t>(t[1]),
                              static_cast<std::int32_t>(t[0])});
    for (const auto& q : quads) add_quad(q, mesh);
    mesh.body.assign(mesh.positions.size(), 0);
    const auto steep =
        slopes ? std::static_pointer_cast<openvdb::FloatGrid>(float_grid(*slopes)) : grid;
    add_normals(*steep, set.voxel, mesh);
    return mesh;
}

SurfaceMesh mesh_distance(const std::function<double(const Vec3d&)>& distance, const Box3& box,
                          double voxel) {
    constexpr int side = LevelSetBlock::side;
    const double edge = side * voxel, reach = edge * std::sqrt(3.0) / 2 + 2 * voxel;
    const Vec3d half = 0.5 * box.size(), center = box.center();
    const auto within_box = [&](const Vec3d& x) {
        double d = distance(x);
        for (int k = 0; k < 3; ++k) d = std::max(d, std::abs(x[k] - center[k]) - half[k]);
        return d;
    };

    // blocks that the surface may cross
    Vec3i lo, hi;
    for (int k = 0; k < 3; ++k) {
        lo[k] = static_cast<int>(std::floor((box.lo[k] - 2 * voxel) / edge));
        hi[k] = static_cast<int>(std::floor((box.hi[k] + 2 * voxel) / edge));
    }
    LevelSet set;
    set.voxel = voxel;
    set.outside = static_cast<float>(4 * voxel);
    for (int i = lo.x; i <= hi.x; ++i)
        for (int j = lo.y; j <= hi.y; ++j)
            for (int k = lo.z; k <= hi.z; ++k) {
                const Vec3d corner = edge * Vec3d{double(i), double(j), double(k)};
                if (std::abs(within_box(corner + splat(0.5 * edge))) > reach) continue;
                set.blocks.emplace_back();
                set.blocks.back().origin = side * Vec3i{i, j, k};
            }
    for_each(set.blocks.size(), 4, [&](std::size_t b) {
        LevelSetBlock& block = set.blocks[b];
        for (int i = 0; i < side; ++i)
            for (int j = 0; j < side; ++j)
                for (int k = 0; k < side; ++k) {
                    const Vec3d x = voxel * Vec3d(block.origin + Vec3i{i, j, k});
                    const auto far = static_cast<double>(set.outside);
                    const double d = std::clamp(within_box(x), -far, far);
                    block.phi[static_cast<std::size_t>(LevelSetBlock::index(i, j, k))] =
                        static_cast<float>(d);
                }
    });
    return mesh_level_set(set);
}

}  // namespace knead
