#include "knead/surface/skin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/surface/level_set_mesh.h"
#include "surface/particle_shapes.h"

namespace knead {
namespace {

double volume(const SurfaceMesh& mesh) {
    double six = 0;
    for (const auto& f : mesh.faces) {
        const Vec3d a(mesh.positions[static_cast<std::size_t>(f.x)]);
        const Vec3d b(mesh.positions[static_cast<std::size_t>(f.y)]);
        const Vec3d c(mesh.positions[static_cast<std::size_t>(f.z)]);
        six += dot(a, cross(b, c));
    }
    return six / 6;
}

// Closed and manifold: every edge is run through once in each direction.
::testing::AssertionResult is_closed_manifold(const SurfaceMesh& mesh) {
    std::map<std::pair<int, int>, int> edges;
    for (const auto& f : mesh.faces)
        for (int k = 0; k < 3; ++k) ++edges[{f[k], f[(k + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
        const auto back = edges.find({edge.second, edge.first});
        if (count != 1 || back == edges.end() || back->second != 1)
            return ::testing::AssertionFailure()
                   << "edge " << edge.first << "-" << edge.second << " runs " << count << " times";
    }
    return ::testing::AssertionSuccess() << edges.size();
}

Frame cube_frame(double half, double spacing, double jitter = 0) {
    return lattice_frame(
        [=](const Vec3d& p) {
            return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < half;
        },
        half, spacing, jitter);
}

constexpr double pi = 3.14159265358979323846;

TEST(Skin, OfABallIsClosedAndManifoldWithItsVolume) {
    const double radius = 0.5, spacing = 0.05;
    for (double jitter : {0.0, 0.3}) {
        const SurfaceMesh mesh = skin_frame(ball_frame(radius, spacing, jitter), {});
        EXPECT_TRUE(is_closed_manifold(mesh));
        // volume within cell size / radius; the particles themselves fill n spacing^3
        const double exact = 4.0 / 3 * pi * std::pow(radius, 3);
        std::printf("ball jitter %g: ratio %g faces %zu\n", jitter, volume(mesh) / exact,
                    mesh.faces.size());
        EXPECT_NEAR(volume(mesh) / exact, 1, spacing / 2 / radius);
    }
}

TEST(Skin, OfACubeHasFlatSidesInTheRightPlace) {
    const double half = 0.5, spacing = 0.05;
    for (double jitter : {0.0, 0.3}) {
        const SurfaceMesh mesh = skin_frame(cube_frame(half, spacing, jitter), {});
        EXPECT_TRUE(is_closed_manifold(mesh));
        double lo = 1e9, hi = -1e9, mean = 0;
        int n = 0;
        for (const Vec3f& p : mesh.positions)
            if (std::abs(p.x) < 0.35f && std::abs(p.z) < 0.35f && p.y > 0) {
                lo = std::min<double>(lo, p.y), hi = std::max<double>(hi, p.y), mean += p.y, ++n;
            }
        std::printf("cube jitter %g: top %g..%g mean %g (spacing units %g..%g) vol %g\n", jitter,
                    lo, hi, mean / n, (lo - half) / spacing, (hi - half) / spacing, volume(mesh));
    }
}

}  // namespace
}  // namespace knead
