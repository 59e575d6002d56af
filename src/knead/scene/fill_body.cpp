#include "knead/scene/fill_body.h"

#include <fmt/format.h>

#include <cmath>

#include "knead/base/random.h"
#include "knead/geometry/sample_volume.h"
#include "knead/parallel/exec.h"
#include "knead/scene/fit_to_surface.h"

namespace knead {

namespace {

// A dense set of Poisson disks at distance r holds about 0.76 points per r^3 (measured), so this
// distance gives as many particles as a lattice of the same spacing.
constexpr double disk_distance = 0.91;

Vec3d add(const Vec3d& a, const Vec3d& b) { return a + b; }

template <class Inside>
std::size_t count(const std::vector<Vec3d>& points, const Inside& inside) {
    return reduce(
        points.size(), std::size_t{0},
        [&](std::size_t i) { return inside(points[i]) ? std::size_t{1} : std::size_t{0}; },
        [](std::size_t a, std::size_t b) { return a + b; });
}

bool meet(const Box3& a, const Box3& b) {
    return a.lo.x < b.hi.x && b.lo.x < a.hi.x && a.lo.y < b.hi.y && b.lo.y < a.hi.y &&
           a.lo.z < b.hi.z && b.lo.z < a.hi.z;
}

}  // namespace

// Lattice points, with finer or coarser ones in the refined part.
static void fill_lattice(Fill& fill, double spacing, double refined_spacing) {
    fill.points = sample_lattice(fill.shape, spacing);
    if (fill.refined.empty()) return;
    std::erase_if(fill.points, [&](const Vec3d& x) { return fill.refined.distance(x) < 0; });
    fill.volumes.assign(fill.points.size(), fill.volume);
    for (const Vec3d& x : sample_lattice(fill.shape, refined_spacing))
        if (fill.refined.distance(x) < 0) {
            fill.points.push_back(x);
            fill.volumes.push_back(refined_spacing * refined_spacing * refined_spacing);
        }
}

// Up to `share` of the distance between particles, each way.
static void jitter(Fill& fill, double share, std::uint64_t seed) {
    for (std::size_t i = 0; i < fill.points.size() && share > 0; ++i)
        for (int a = 0; a < 3; ++a)
            fill.points[i][a] += share * std::cbrt(fill.volume_of(i)) *
                                 (2 * random_unit(seed, i, static_cast<std::uint64_t>(a)) - 1);
}

void fill(Fill& fill, const Scene& scene, std::size_t body) {
    const BodySpec& spec = scene.bodies[body];
    const double spacing = spacing_of(scene, spec);
    fill.volume = spacing * spacing * spacing;
    if (spec.sampling != Sampling::poisson) {
        fill_lattice(fill, spacing, spec.refine ? spec.refine->spacing : spacing);
        if (spec.sampling == Sampling::fitted) fit_to_surface(fill);
        jitter(fill, spec.jitter, random_bits(scene.seed, 0x6a697474, body));
        return;
    }
    fill.points =
        sample_poisson(fill.shape, disk_distance * spacing, random_bits(scene.seed, body));
    if (fill.points.empty()) return;
    const double half = 0.5 * spacing;
    const auto probes = static_cast<double>(count_lattice(fill.shape, half));
    fill.volume = probes * half * half * half / static_cast<double>(fill.points.size());
}

void share_volume(Fill& fill, const Scene& scene, std::size_t body) {
    const BodySpec& spec = scene.bodies[body];
    if (spec.sampling != Sampling::fitted || fill.points.empty()) return;
    const double more = lattice_volume(fill.shape, spacing_of(scene, spec)) / fill.total();
    if (std::abs(more - 1) < 1e-6) return;
    fill.volume *= more;
    for (double& v : fill.volumes) v *= more;
}

Vec3d middle_of(const std::vector<Vec3d>& points) {
    const Vec3d sum = reduce(
        points.size(), Vec3d{0, 0, 0}, [&](std::size_t i) { return points[i]; }, add);
    return points.empty() ? sum : sum / static_cast<double>(points.size());
}

static void check_colliders(const Scene& scene, const Model& model, const Fill& fill,
                            std::size_t body, std::vector<Mistake>& mistakes,
                            std::vector<Mistake>& warnings) {
    const std::string path = "bodies." + std::to_string(body) + ".shape";
    const double depth = 0.25 * model.bodies[body].spacing;
    for (const Collider& collider : model.colliders) {
        if (collider.shape.empty() && !collider.animation) continue;
        const ColliderAt at(collider, 0);
        const std::size_t inside =
            count(fill.points, [&](const Vec3d& x) { return at.distance(x) < -depth; });
        if (inside == 0) continue;
        if (inside == fill.points.size()) {
            mistakes.push_back({scene.place(path),
                                fmt::format("body {} starts wholly inside collider {}",
                                            model.bodies[body].name, collider.name),
                                "move one of the two; a plane is solid behind its normal"});
        } else if (collider.contact != Contact::sticky) {
            // Particles are put out in the first step, and the grid takes none that moves them by
            // two cells.
            const double most = 1.5 * scene.solver.dx;
            const bool thrown =
                scene.solver.method == Method::mpm &&
                count(fill.points, [&](const Vec3d& x) { return at.distance(x) < -most; }) > 0;
            (thrown ? mistakes : warnings)
                .push_back(
                    {scene.place(path),
                     fmt::format("body {} starts inside collider {}: {} of {} particles{}",
                                 model.bodies[body].name, collider.name, inside, fill.points.size(),
                                 thrown ? ", some deeper than 1.5 cells" : ""),
                     "move one of the two, or cut the collider away with difference"});
        }
    }
}

void check_overlaps(const Scene& scene, const Model& model, const std::vector<Fill>& fills,
                    std::vector<Mistake>& mistakes, std::vector<Mistake>& warnings) {
    for (std::size_t b = 0; b < fills.size(); ++b) {
        if (fills[b].points.empty()) continue;
        check_colliders(scene, model, fills[b], b, mistakes, warnings);
        for (std::size_t other = 0; other < b; ++other) {
            const SdfShape& shape = fills[other].shape;
            if (fills[other].points.empty() || !meet(shape.bounds(), fills[b].shape.bounds()))
                continue;
            const double depth = 0.25 * model.bodies[b].spacing;
            const std::size_t inside =
                count(fills[b].points, [&](const Vec3d& x) { return shape.distance(x) < -depth; });
            if (inside > 0)
                warnings.push_back(
                    {scene.place("bodies." + std::to_string(b) + ".shape"),
                     fmt::format("body {} overlaps body {}: {} particles are in both",
                                 model.bodies[b].name, model.bodies[other].name, inside),
                     "move one of the two, or cut it away with difference"});
        }
    }
}

}  // namespace knead
