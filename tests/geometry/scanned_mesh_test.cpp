// Meshes of the size and kind that scanners give: holes, thin limbs, near surfaces, 10^5 triangles.
#include <gtest/gtest.h>

#include "geometry/scanned_meshes.h"
#include "knead/base/error.h"
#include "knead/geometry/mesh_check.h"
#include "knead/geometry/mesh_to_sdf.h"
#include "knead/geometry/sample_volume.h"
#include "support/long_run.h"

namespace knead {
namespace {

double volume_of(const SdfShape& s, double spacing) {
    return static_cast<double>(count_lattice(s, spacing)) * spacing * spacing * spacing;
}

TEST(ScannedMesh, TheyAreWhatTheyClaimToBe) {
    const Mesh closed = closed_rabbit(), pierced = pierced_rabbit(0.03);
    EXPECT_NEAR(static_cast<double>(closed.triangles.size()), 70e3, 1e3);
    EXPECT_TRUE(check_mesh(closed).closed());
    EXPECT_EQ(boundary_loops(pierced).size(), 5u);
    const Mesh& figure = figure_mesh();
    EXPECT_NEAR(static_cast<double>(figure.triangles.size()), 345e3, 35e3);
    EXPECT_TRUE(check_mesh(figure).closed());
    EXPECT_TRUE(check_mesh(figure).oriented());
}

// A surface known to a voxel bounds a volume known to area x voxel; trilinear distances do much
// better, a tenth of that. Off the surface by two voxels every point is on its true side, holes or
// no holes.
TEST(ScannedMesh, HolesUnderTheRabbitAreFilledAtEveryResolution) {
    LONG_RUN();
    const Mesh rabbit = pierced_rabbit(0.03);
    const double volume = enclosed_volume(closed_rabbit()), surface = area(closed_rabbit());
    for (const double h : {0.08, 0.04, 0.02, 0.01}) {
        const SdfShape s = mesh_to_sdf(rabbit, h, "rabbit");
        EXPECT_NEAR(volume_of(s, h / 2), volume, 0.1 * h * surface) << h;
        const Box3 box = bounds(rabbit).grown(3 * h);
        for (std::uint64_t i = 0; i < 20000; ++i) {
            const Vec3d p = random_point(i, box);
            const double d = s.distance(p);
            if (std::abs(d) > 2 * h) {
                EXPECT_EQ(d < 0, in_rabbit(p)) << p.x << " " << p.y << " " << p.z;
            }
        }
    }
}

TEST(ScannedMesh, ARabbitWithoutABaseIsRefusedAndMended) {
    Mesh rabbit = closed_rabbit();
    std::erase_if(rabbit.triangles, [&](const Vec3i& t) {
        return rabbit.point(t.x).y < -0.1 && rabbit.point(t.y).y < -0.1;
    });
    EXPECT_THROW(mesh_to_sdf(rabbit, 0.02, "rabbit"), InputError);
    const SdfShape s = mesh_to_sdf(rabbit, 0.02, "rabbit", true);
    EXPECT_LT(s.distance({0, 0, 0}), 0);
    EXPECT_GT(s.distance({0, -0.2, 0}), 0);
}

// Fingers are 1 cm thick and 8 mm apart: finer voxels tell them apart, coarser ones may lose them
// or join them, but never put matter where there is none for two voxels around.
TEST(ScannedMesh, ThinLimbsNeverTurnInsideOut) {
    LONG_RUN();
    const SdfShape truth = figure_shape();
    const Mesh& figure = figure_mesh();
    const double volume = enclosed_volume(figure), surface = area(figure);
    for (const double h : {0.04, 0.015, 0.004}) {
        const SdfShape s = mesh_to_sdf(figure, h, "figure");
        EXPECT_NEAR(volume_of(s, h / 2), volume, 0.15 * h * surface) << h;
        for (std::uint64_t i = 0; i < 20000; ++i) {
            const Vec3d p = random_point(i, truth.bounds().grown(3 * h));
            const double d = truth.distance(p);
            if (std::abs(d) > 1.8 * h) {
                EXPECT_EQ(s.distance(p) < 0, d < 0) << h << " " << d;
            }
        }
        if (h > 0.004) continue;
        for (const double finger : {-1.0, 0.0, 1.0}) {
            EXPECT_LT(s.distance({0.19 + 0.018 * finger, 0.325, 0.26}), 0);
            EXPECT_GT(s.distance({0.199 + 0.018 * finger, 0.325, 0.26}), 0);
        }
    }
}

}  // namespace
}  // namespace knead
