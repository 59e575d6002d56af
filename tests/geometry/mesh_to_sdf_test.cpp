// Meshes: what is wrong with them, and the distances they become.
#include "knead/geometry/mesh_to_sdf.h"

#include <gtest/gtest.h>

#include "geometry/sampling.h"
#include "geometry/test_meshes.h"
#include "knead/base/error.h"
#include "knead/geometry/mesh_check.h"
#include "knead/geometry/sample_volume.h"
#include "knead/geometry/sdf_build.h"
#include "knead/geometry/sdf_program.h"

namespace knead {
namespace {

constexpr double pi = std::numbers::pi;

double volume_of(const SdfShape& s, double spacing) {
    return static_cast<double>(sample_lattice(s, spacing).size()) * spacing * spacing * spacing;
}

// Distances against the true shape, at random points of the mesh's own box and around it.
void expect_like(const SdfShape& found, const SdfShape& truth, double voxel, double tolerance) {
    const Box3 box = truth.bounds().grown(3 * voxel);
    for (std::uint64_t i = 0; i < 4000; ++i) {
        const Vec3d p = random_point(i, box);
        const double d = truth.distance(p);
        EXPECT_NEAR(found.distance(p), d, tolerance) << i;
        EXPECT_NEAR(length(found.gradient(p)), 1, 1e-9);
    }
}

TEST(MeshToSdf, SphereCubeAndTorusWithinHalfAVoxel) {
    const double h = 0.05;
    expect_like(mesh_to_sdf(sphere_mesh(1, 60, 120), h, "sphere"), sdf::sphere({0, 0, 0}, 1), h,
                0.5 * h);
    expect_like(mesh_to_sdf(torus_mesh(1, 0.4, 120, 60), h, "torus"),
                sdf::torus({0, 0, 0}, {0, 0, 1}, 1, 0.4), h, 0.5 * h);
    // off the lattice, and exact up to what interpolation rounds off at its edges
    expect_like(mesh_to_sdf(cube_mesh(0.713), h, "cube"),
                sdf::box({0, 0, 0}, {0.713, 0.713, 0.713}), h, 0.5 * h);
}

TEST(MeshToSdf, SurfaceIsAccurateToSecondOrder) {
    const double h = 0.05;
    const SdfShape s = mesh_to_sdf(sphere_mesh(1, 120, 240), h, "sphere");
    for (std::uint64_t i = 0; i < 500; ++i) {
        const Vec3d n = random_direction(i);
        EXPECT_NEAR(s.distance(n), 0, h * h / 2);  // curvature 1 on each of two axes, h^2 / 8 each
        EXPECT_GT(dot(s.gradient(n), n), 1 - 1e-3);
    }
}

TEST(MeshToSdf, VolumeWithinCellSizeOverRadius) {
    const double h = 0.05;
    const double ball = 4 * pi / 3, ring = 2 * pi * pi * 0.4 * 0.4;
    EXPECT_NEAR(volume_of(mesh_to_sdf(sphere_mesh(1, 60, 120), h, "s"), h / 2), ball, ball * h);
    EXPECT_NEAR(volume_of(mesh_to_sdf(torus_mesh(1, 0.4, 120, 60), h, "t"), h / 2), ring,
                ring * h / 0.4);
    EXPECT_NEAR(volume_of(mesh_to_sdf(cube_mesh(0.7), h, "c"), h / 2), 2.744, 2.744 * h / 0.7);
}

TEST(MeshToSdf, TrianglesTurnedTheWrongWayDoNotMatter) {
    Mesh m = sphere_mesh(1, 30, 60);
    const SdfShape before = mesh_to_sdf(m, 0.08, "s");
    for (std::size_t i = 0; i < m.triangles.size(); i += 3)
        std::swap(m.triangles[i].x, m.triangles[i].y);
    EXPECT_GT(check_mesh(m).misoriented_edges, 0u);
    EXPECT_TRUE(check_mesh(m).closed());
    const SdfShape after = mesh_to_sdf(m, 0.08, "s");
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const Vec3d p = random_point(i, {{-1.2, -1.2, -1.2}, {1.2, 1.2, 1.2}});
        // another triangle may be taken for the nearest one, a little off at the band's rim
        EXPECT_NEAR(before.distance(p), after.distance(p), 0.05 * 0.08);
    }
}

// A closed part inside that faces inwards bounds a hollow; one that faces outwards, or that lies
// beside the rest, is matter.
TEST(MeshToSdf, HollowsStayEmpty) {
    const double h = 0.05;
    const auto with = [&](Mesh part, bool faces_in) {
        Mesh whole = cube_mesh(0.5);
        const int first = static_cast<int>(whole.positions.size());
        for (Vec3i& t : part.triangles) {
            if (faces_in) std::swap(t.y, t.z);
            whole.triangles.push_back({first + t.x, first + t.y, first + t.z});
        }
        for (const Vec3f& x : part.positions) whole.positions.push_back(x);
        return mesh_to_sdf(whole, h, "cube");
    };
    const SdfShape hollow = with(cube_mesh(0.3), true);
    EXPECT_NEAR(hollow.distance({0, 0, 0}), 0.3, 0.02);
    EXPECT_NEAR(hollow.distance({0.4, 0, 0}), -0.1, 0.02);
    EXPECT_NEAR(volume_of(hollow, 0.05), 1 - 0.216, 0.03);
    EXPECT_LT(with(cube_mesh(0.3), false).distance({0, 0, 0}), 0);
    EXPECT_NEAR(with(cube_mesh(0.3, {1.5, 0, 0}), true).distance({1.5, 0, 0}), -0.3, 0.02);
}

TEST(MeshToSdf, SmallHolesAreFilledAndLargeOnesRefusedUntilRepair) {
    const double h = 0.05;
    Mesh pierced = read_mesh_bytes(to_obj(sphere_mesh(1, 40, 80)), "ball.obj");
    pierced.triangles.erase(pierced.triangles.begin() + 500, pierced.triangles.begin() + 504);
    EXPECT_GT(check_mesh(pierced).boundary_edges, 2u);
    const double ball = 4 * pi / 3;
    EXPECT_NEAR(volume_of(mesh_to_sdf(pierced, h, "ball.obj"), h / 2), ball, ball * h);

    Mesh bowl = sphere_mesh(1, 40, 80);
    std::erase_if(bowl.triangles, [&](const Vec3i& t) { return bowl.point(t.x).z > 0.5; });
    try {
        mesh_to_sdf(bowl, h, "bowl.obj");
        FAIL() << "an open bowl was taken for a volume";
    } catch (const InputError& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find("bowl.obj: the mesh is open: 80 open edges around 1 holes"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find("repair = true"), std::string::npos);
    }
    // the lid is flat: a ball less its cap of height c, pi c^2 (3 - c) / 3
    const double rim = bowl.point(boundary_loops(bowl)[0][0]).z, c = 1 - rim;
    const double rest = ball - pi * c * c * (3 - c) / 3;
    EXPECT_NEAR(volume_of(mesh_to_sdf(bowl, h, "bowl.obj", true), h / 2), rest, ball * h);
}

TEST(MeshToSdf, DistanceIsUsableFarOutsideItsGridAndSamplesAgreeWithBlocks) {
    const SdfShape s = mesh_to_sdf(torus_mesh(1, 0.4, 80, 40), 0.08, "torus");
    const SdfShape truth = sdf::torus({0, 0, 0}, {0, 0, 1}, 1, 0.4);
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const Vec3d p = random_point(i, {{-9, -9, -9}, {9, 9, 9}});
        if (truth.distance(p) < 0.5) continue;
        EXPECT_GT(s.distance(p), 0);
        EXPECT_LE(s.distance(p), truth.distance(p) * 1.1 + 0.08);  // never far over the truth
        EXPECT_GE(s.distance(p), 0.5 * truth.distance(p));
    }
    std::size_t plain = 0;
    for (int k = -40; k < 40; ++k)
        for (int j = -40; j < 40; ++j)
            for (int i = -40; i < 40; ++i)
                plain += s.distance({0.05 * (i + 0.5), 0.05 * (j + 0.5), 0.05 * (k + 0.5)}) < 0;
    EXPECT_EQ(sample_lattice(s, 0.05).size(), plain);
}

TEST(MeshToSdf, SenselessVoxelsAndFlatMeshesAreRefused) {
    EXPECT_THROW(mesh_to_sdf(cube_mesh(1), 0, "c"), InputError);
    EXPECT_THROW(mesh_to_sdf(cube_mesh(1), 1e-7, "c"), InputError);
    EXPECT_THROW(mesh_to_sdf(cube_mesh(1), NAN, "c"), InputError);
    Mesh sheet;
    sheet.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    sheet.triangles = {{0, 1, 2}};
    EXPECT_THROW(mesh_to_sdf(sheet, 0.1, "sheet"), InputError);
    EXPECT_THROW(mesh_to_sdf(sheet, 0.1, "sheet", true), InputError);
}

TEST(MeshCheck, CountsWhatIsWrong) {
    const MeshReport good = check_mesh(torus_mesh(1, 0.4, 20, 10));
    EXPECT_TRUE(good.closed() && good.manifold() && good.oriented());
    EXPECT_EQ(good.degenerate_triangles, 0u);
    Mesh m = cube_mesh(1);
    m.triangles.pop_back();
    EXPECT_EQ(check_mesh(m).boundary_edges, 3u);
    EXPECT_TRUE(check_mesh(with_holes_filled(m)).closed());
    EXPECT_TRUE(check_mesh(with_holes_filled(m)).oriented());
    EXPECT_NEAR(enclosed_volume(with_holes_filled(m)), 8, 1e-12);
    m = cube_mesh(1);
    m.triangles.push_back({0, 1, 6});
    EXPECT_EQ(check_mesh(m).boundary_edges, 3u);  // 0 1 three times; 1 6 and 6 0 once or thrice
    EXPECT_GE(check_mesh(m).nonmanifold_edges, 1u);
}

// Two holes that touch in a vertex are two loops.
TEST(MeshCheck, TouchingHolesAreSeparateLoops) {
    Mesh two = sphere_mesh(1, 10, 20);
    const Vec3i a{0, 1, 2}, b{0, 11, 12};
    std::erase_if(two.triangles, [&](const Vec3i& t) { return t == a || t == b; });
    EXPECT_EQ(check_mesh(two).boundary_edges, 6u);
    EXPECT_EQ(boundary_loops(two).size(), 2u);
    EXPECT_TRUE(check_mesh(with_holes_filled(two)).closed());
    EXPECT_TRUE(check_mesh(with_holes_filled(two)).oriented());
}

TEST(MeshCheck, CrossingsAreFound) {
    EXPECT_EQ(count_crossings(torus_mesh(1, 0.4, 40, 20)), 0u);
    EXPECT_EQ(count_crossings(cube_mesh(1)), 0u);
    EXPECT_GT(count_crossings(torus_mesh(0.3, 0.4, 40, 20)), 0u);  // a spindle passes itself
    Mesh two = cube_mesh(1);
    const Mesh other = cube_mesh(0.5, {1, 0.1, 0.2});
    for (const Vec3f& p : other.positions) two.positions.push_back(p);
    for (const Vec3i& t : other.triangles) two.triangles.push_back(t + Vec3i{8, 8, 8});
    EXPECT_GT(count_crossings(two), 3u);
}

}  // namespace
}  // namespace knead
