#include "knead/surface/skin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/surface/level_set_mesh.h"
#include "surface/enclosed_volume.h"
#include "surface/particle_shapes.h"

namespace knead {
namespace {

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

// The two halves of these shapes are two bodies; here they are one.
SkinSettings together() {
    SkinSettings settings;
    settings.together = true;
    return settings;
}

TEST(Skin, OfABallIsClosedAndManifoldWithItsVolume) {
    const double radius = 0.5, spacing = 0.05;
    const double exact = 4.0 / 3 * pi * std::pow(radius, 3);
    for (double jitter : {0.0, 0.3}) {
        const SurfaceMesh mesh = skin_frame(ball_frame(radius, spacing, jitter), together());
        EXPECT_TRUE(is_closed_manifold(mesh));
        // the bar of the house: within cell size / radius, the cell being half a spacing
        EXPECT_NEAR(enclosed_volume(mesh) / exact, 1, spacing / 2 / radius);
    }
}

TEST(Skin, OfACubeHasFlatSidesInTheRightPlace) {
    const double half = 0.5, spacing = 0.05;
    const SurfaceMesh mesh = skin_frame(cube_frame(half, spacing), together());
    EXPECT_TRUE(is_closed_manifold(mesh));
    EXPECT_NEAR(enclosed_volume(mesh), 1, 0.03);
    double lo = 1e9, hi = -1e9;
    for (const Vec3f& p : mesh.positions)
        if (std::abs(p.x) < 0.35f && std::abs(p.z) < 0.35f && p.y > 0)
            lo = std::min(lo, double(p.y)), hi = std::max(hi, double(p.y));
    EXPECT_LT(hi - lo, 0.02 * spacing);
    EXPECT_NEAR(0.5 * (lo + hi), half, 0.05 * spacing);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i)
        if (std::abs(mesh.positions[i].x) < 0.3f && std::abs(mesh.positions[i].z) < 0.3f &&
            mesh.positions[i].y > 0) {
            ASSERT_GT(mesh.normals[i].y, 0.999f);
        }
}

TEST(Skin, StaysBetweenTheInnerAndTheOuterSpheres) {
    const Frame frame = ball_frame(0.3, 0.05, 0.45);
    const SkinSettings settings;
    const SurfaceMesh mesh = skin_frame(frame, settings);
    const auto x = frame.positions();
    const double r = 0.025, voxel = 0.025;
    for (const Vec3f& v : mesh.positions) {
        double nearest = 1e9;
        for (const Vec3f& p : x) nearest = std::min(nearest, double(length(p - v)));
        // vertices stand between samples of the bounds: half a voxel's diagonal
        EXPECT_GT(nearest, settings.inner * r - 0.87 * voxel);
        EXPECT_LT(nearest, settings.outer * r + 0.87 * voxel);
    }
}

TEST(Skin, KeepsASheetAndAThreadOfOneLayer) {
    const double h = 0.05;
    const Frame sheet = lattice_frame(
        [=](const Vec3d& p) {
            return std::abs(p.x) < 0.3 && std::abs(p.z) < 0.3 && std::abs(p.y - h / 2) < h / 2;
        },
        0.5, h);
    const SurfaceMesh mesh = skin_frame(sheet, together());
    EXPECT_TRUE(is_closed_manifold(mesh));
    EXPECT_NEAR(enclosed_volume(mesh) / (double(sheet.count) * h * h * h), 1, 0.2);
    const Frame thread = lattice_frame(
        [=](const Vec3d& p) {
            return std::abs(p.x) < 0.3 && std::abs(p.z - h / 2) < h / 2 &&
                   std::abs(p.y - h / 2) < h / 2;
        },
        0.5, h);
    const SurfaceMesh line = skin_frame(thread, together());
    EXPECT_TRUE(is_closed_manifold(line));
    // V - E + F = 2: one closed piece, not a row of drops
    EXPECT_EQ(static_cast<int>(line.positions.size()) - static_cast<int>(line.faces.size()) / 2, 2);
}

TEST(Skin, CarriesBodiesVelocityAndColumns) {
    SkinSettings settings = together();
    settings.columns = {"heat"};
    const SurfaceMesh mesh = skin_frame(ball_frame(0.5, 0.05), settings);
    ASSERT_EQ(mesh.columns.size(), 4u);
    EXPECT_EQ(mesh.columns[1].name, "vy");
    EXPECT_EQ(mesh.columns[3].name, "heat");
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        if (std::abs(mesh.positions[i].x) > 0.05f) {
            EXPECT_EQ(mesh.body[i], mesh.positions[i].x > 0 ? 1 : 0);
        }
        // "heat" is the height, as is vy; the average lies within the reach of two spacings
        EXPECT_NEAR(mesh.columns[3].at(i), double(mesh.positions[i].y), 0.1);
        EXPECT_EQ(mesh.columns[1].at(i), mesh.columns[3].at(i));
    }
}

// Half a ball on either side of x = 0: each is closed, and their cut faces stand on each other.
TEST(Skin, OfTwoBodiesThatMeetIsClosedAroundEach) {
    const double radius = 0.5, spacing = 0.05;
    const SurfaceMesh both = skin_frame(ball_frame(radius, spacing), {});
    EXPECT_TRUE(is_closed_manifold(both));
    for (const std::int32_t body : {0, 1}) {
        SurfaceMesh one = both;
        std::erase_if(one.faces, [&](const auto& f) {
            return both.body[static_cast<std::size_t>(f.x)] != body;
        });
        EXPECT_TRUE(is_closed_manifold(one));
        EXPECT_NEAR(enclosed_volume(one) / (2.0 / 3 * pi * std::pow(radius, 3)), 1,
                    spacing / radius);
        for (const auto& f : one.faces)
            for (int k = 0; k < 3; ++k) {
                ASSERT_EQ(both.body[static_cast<std::size_t>(f[k])], body);  // none spans both
                const float x = both.positions[static_cast<std::size_t>(f[k])].x;
                ASSERT_GT(body == 1 ? x : -x, -0.5f * static_cast<float>(spacing));
            }
    }
}

TEST(Skin, IsTheSameForAnyThreadCount) {
    const Frame frame = ball_frame(0.4, 0.03, 0.4);
    SkinSettings settings;
    settings.columns = {"heat"};
    set_thread_count(1);
    const SurfaceMesh one = skin_frame(frame, settings);
    set_thread_count(3);
    const SurfaceMesh three = skin_frame(frame, settings);
    set_thread_count(0);
    EXPECT_EQ(one.positions, three.positions);
    EXPECT_EQ(one.normals, three.normals);
    EXPECT_EQ(one.faces, three.faces);
    EXPECT_EQ(one.columns[0].values, three.columns[0].values);
    EXPECT_GT(one.faces.size(), 1000u);
}

TEST(Skin, OfNothingIsEmptyAndNonsenseIsRefused) {
    Frame none = ball_frame(0.0, 0.05);
    EXPECT_EQ(none.count, 0u);
    EXPECT_TRUE(skin_frame(none, {}).faces.empty());
    const LevelSet empty = skin_level_set(none, {});  // a file of it can be written
    EXPECT_TRUE(empty.blocks.empty());
    EXPECT_GT(empty.voxel, 0);
    EXPECT_GT(empty.outside, 0);
    Frame broken = ball_frame(0.2, 0.05);
    std::get<std::vector<float>>(broken.columns[1].values)[3] = NAN;
    EXPECT_THROW(skin_frame(broken, {}), InputError);
    SkinSettings tiny;
    tiny.voxel = 1e-6;
    EXPECT_THROW(skin_frame(ball_frame(0.2, 0.05), tiny), InputError);
}

TEST(DistanceMesh, OfABallIsClosedAndHasItsVolume) {
    const double radius = 0.4, voxel = 0.02;
    const Box3 box{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    const SurfaceMesh mesh =
        mesh_distance([=](const Vec3d& x) { return length(x) - radius; }, box, voxel);
    EXPECT_TRUE(is_closed_manifold(mesh));
    EXPECT_NEAR(enclosed_volume(mesh) / (4.0 / 3 * pi * std::pow(radius, 3)), 1, voxel / radius);
}

TEST(DistanceMesh, OfAPlaneIsCutOffAtTheBox) {
    const Box3 box{{-1, -1, -1}, {1, 1, 1}};
    const SurfaceMesh mesh = mesh_distance([](const Vec3d& x) { return x.y; }, box, 0.05);
    EXPECT_TRUE(is_closed_manifold(mesh));
    EXPECT_NEAR(enclosed_volume(mesh), 4, 0.1);
}

}  // namespace
}  // namespace knead
