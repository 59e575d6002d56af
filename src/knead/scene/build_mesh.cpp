#include "knead/scene/build_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "knead/base/machine.h"
#include "knead/geometry/mesh_check.h"
#include "knead/geometry/mesh_to_sdf.h"

namespace knead {

// Scales to the wanted size, then moves the middle of the bounds to the wanted place.
static void fit(Mesh& mesh, const MeshSpec& spec) {
    const Box3 box = bounds(mesh);
    const Vec3d size = box.size();
    const double longest = std::max({size.x, size.y, size.z});
    const double scale = spec.size && longest > 0 ? *spec.size / longest : 1;
    const Vec3d to = spec.center ? *spec.center : box.center();
    for (Vec3f& p : mesh.positions)
        p = static_cast<Vec3f>(to + scale * (static_cast<Vec3d>(p) - box.center()));
}

namespace {

// Steps that cutting a mesh into voxels takes: every voxel that every triangle passes through.
double steps_of(const Mesh& mesh, double voxel) {
    double sum = 0;
    for (const Vec3i& t : mesh.triangles) {
        const Vec3d a = mesh.point(t.x), b = mesh.point(t.y), c = mesh.point(t.z);
        const double around = length(b - a) + length(c - b) + length(a - c);
        sum += 1 + around / voxel + 0.5 * length(cross(b - a, c - a)) / (voxel * voxel);
    }
    return sum;
}

// Refuses what would take more memory than is left, or hours.
void check_cost(const Mesh& mesh, double voxel, const std::string& file) {
    constexpr double bytes = 24;  // a voxel's distance, its nearest point, and a share of the band
    constexpr double most_steps = 4e8;
    const Vec3d n = bounds(mesh).size() / voxel + splat(8.0);
    const double memory = bytes * n.x * n.y * n.z, available = available_memory();
    if (memory > available)
        throw InputError(
            Place{file, 0, 0},
            fmt::format("voxels of {:.3g} m would take {} of memory, and {} are free", voxel,
                        bytes_in_words(memory), bytes_in_words(available)),
            fmt::format("allowed: voxels of at least {:.2g} m; set voxel, or raise solver.dx",
                        1.05 * voxel * std::cbrt(memory / available)));
    if (steps_of(mesh, voxel) > most_steps)
        throw InputError(
            Place{file, 0, 0},
            fmt::format("the mesh's triangles pass through too many voxels of {:.3g} m: they cover "
                        "each other many times",
                        voxel),
            "set a larger voxel, or give a mesh of one surface");
}

}  // namespace

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
    check_cost(mesh, voxel, spec.file);
    return mesh_to_sdf(mesh, voxel, spec.file, spec.repair);
}

void check_mesh_volume(const Scene& scene, std::size_t body, double filled,
                       std::vector<Mistake>& mistakes, std::vector<Mistake>& warnings) {
    constexpr double tells = 0.15, lost = 0.5;
    const BodySpec& spec = scene.bodies[body];
    const auto* form = std::get_if<MeshSpec>(&spec.shape.form);
    if (!form || spec.thin) return;
    Mesh mesh = welded(read_mesh(form->file));
    const MeshReport report = check_mesh(mesh);
    if (!report.closed() && !form->repair)
        warnings.push_back({scene.place("bodies." + std::to_string(body) + ".shape"),
                            fmt::format("the mesh of body {} has {} holes, which are closed",
                                        spec.name, boundary_loops(mesh).size()),
                            "close the mesh, or set repair = true if that is as it should be"});
    if (!report.closed() || !report.oriented()) return;
    if (form->size || form->center) fit(mesh, *form);
    const double scale = spec.shape.scale;
    const double enclosed = std::abs(enclosed_volume(mesh)) * scale * scale * scale;
    const double missing = 1 - filled / enclosed;
    if (!(enclosed > 0) || missing < tells) return;
    const Mistake said{
        scene.place("bodies." + std::to_string(body) + ".shape"),
        fmt::format("body {} has {:.0f} % less volume than its mesh, {:.3g} of {:.3g} m3: parts of "
                    "it are thinner than its particles or the voxels of its distance field",
                    spec.name, 100 * missing, filled, enclosed),
        "set a smaller solver.dx or the mesh's voxel, thicken it, or model it as a sheet (thin)"};
    (missing > lost ? mistakes : warnings).push_back(said);
}

}  // namespace knead
