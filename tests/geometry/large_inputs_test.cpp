// Inputs whose size would take hours if any path were quadratic in it. Each is sized so that the
// test ends in a second or never.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/sampling.h"
#include "knead/base/error.h"
#include "knead/geometry/mesh_check.h"
#include "knead/geometry/mesh_formats.h"
#include "knead/geometry/polygon2.h"
#include "knead/geometry/polygon_edges.h"
#include "knead/geometry/sample_volume.h"
#include "knead/geometry/sdf_build.h"
#include "knead/geometry/shape_blocks.h"

namespace knead {
namespace {

using sdf::Corner2;

// A gear: a circle whose radius goes up and down.
std::vector<Corner2> gear(int corners, double depth) {
    std::vector<Corner2> ring;
    for (int i = 0; i < corners; ++i) {
        const double a = 2 * std::numbers::pi * i / corners, r = 1 + depth * (i % 2);
        ring.push_back({r * std::cos(a), r * std::sin(a)});
    }
    return ring;
}

// A comb of long teeth, turned so that no box tells two of them apart.
std::vector<Corner2> slanted_comb(int teeth) {
    std::vector<Corner2> ring;
    const auto add = [&](double x, double y) { ring.push_back({x - y, x + y}); };
    for (int i = 0; i < teeth; ++i) {
        add(2 * i, 1), add(2 * i, 1e5), add(2 * i + 1, 1e5), add(2 * i + 1, 1);
    }
    add(2 * teeth, 0), add(-1, 0);
    return ring;
}

bool crosses(const std::vector<Corner2>& ring) {
    try {
        simple_counter_clockwise(ring);
        return false;
    } catch (const InputError&) {
        return true;
    }
}

TEST(LargePolygon, IsSearchedForCrossingsInOneSweep) {
    EXPECT_FALSE(crosses(gear(200000, 0.001)));
    EXPECT_FALSE(crosses(slanted_comb(50000)));
    for (const int at : {0, 1, 777, 25000, 49998}) {
        std::vector<Corner2> comb = slanted_comb(50000);
        std::swap(comb[4 * static_cast<std::size_t>(at) + 1],
                  comb[4 * static_cast<std::size_t>(at) + 2]);
        EXPECT_TRUE(crosses(comb)) << at;
        comb = slanted_comb(50000);  // a tooth that just touches the next
        comb[4 * static_cast<std::size_t>(at) + 2] = {2.0 * at + 2 - 5e4, 2.0 * at + 2 + 5e4};
        EXPECT_TRUE(crosses(comb)) << at;
    }
}

TEST(LargePolygon, TheSweepAgreesWithEveryPair) {
    // Random outlines just above and below the number of corners from which the sweep is taken:
    // the same outline with points added along its edges crosses itself if and only if it did.
    int crossed = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        std::vector<Corner2> ring;
        for (int i = 0; i < 12; ++i) {
            const double a = 2 * std::numbers::pi * i / 12;
            const Vec3d p = random_point(100 * seed + static_cast<std::uint64_t>(i),
                                         {{-0.7, -0.7, 0}, {0.7, 0.7, 0}});
            ring.push_back({std::cos(a) + p.x, std::sin(a) + p.y});
        }
        std::vector<Corner2> dense;
        for (std::size_t i = 0; i < ring.size(); ++i)
            for (int k = 0; k < 100; ++k) {
                const Corner2 &a = ring[i], &b = ring[(i + 1) % ring.size()];
                // Bent a little outwards and back, so that no three corners are on one line.
                const double t = k / 100.0, bend = 1 + 1e-9 * k * (100 - k);
                dense.push_back(
                    {bend * (a[0] + t * (b[0] - a[0])), bend * (a[1] + t * (b[1] - a[1]))});
            }
        EXPECT_EQ(crosses(dense), crosses(ring)) << seed;
        crossed += crosses(ring);
    }
    EXPECT_GT(crossed, 5);
    EXPECT_LT(crossed, 55);
}

TEST(LargePolygon, TheTreeFindsTheEdgeOfAPlainSearch) {
    for (const int corners : {65, 100, 511, 512, 513, 5000}) {
        std::vector<double> numbers;
        for (const Corner2& c : gear(corners, 0.2))
            numbers.insert(numbers.end(), c.begin(), c.end());
        const std::vector<double> tree = polygon_tree(numbers);
        ASSERT_FALSE(tree.empty());
        numbers.insert(numbers.end(), tree.begin(), tree.end());
        for (std::uint64_t i = 0; i < 500; ++i) {
            const Vec3d p = random_point(i, {{-2, -2, 0}, {2, 2, 0}});
            NearestEdge<double> plain;
            for (int e = 0; e < corners; ++e) try_edge(numbers.data(), corners, e, p.x, p.y, plain);
            const NearestEdge<double> fast = nearest_edge(numbers.data(), corners, p.x, p.y);
            EXPECT_EQ(fast.edge, plain.edge);
            EXPECT_EQ(fast.d2, plain.d2);
            EXPECT_EQ(fast.where, plain.where);
        }
    }
}

TEST(LargePolygon, IsFilledInSeconds) {
    const SdfShape shape = sdf::extruded_polygon(gear(100000, 0.001), 0.5);
    EXPECT_NEAR(measured_volume(shape), std::numbers::pi, 0.05);
    EXPECT_NEAR(static_cast<double>(sample_lattice(shape, 0.05).size()) * 0.05 * 0.05 * 0.05,
                std::numbers::pi, 0.05);
}

TEST(FarApart, BallsTakeTheParticlesOfBallsThatAreNear) {
    // Between them lie 10^16 empty places.
    const auto pair = [](double apart) {
        return sdf::unite({sdf::sphere({0, 0, 0}, 0.2), sdf::sphere(splat(apart), 0.2)});
    };
    const double spacing = 0.0125;
    const auto near = sample_lattice(pair(1), spacing), far = sample_lattice(pair(4000), spacing);
    EXPECT_EQ(near.size(), far.size());
    EXPECT_GT(near.size(), 30000u);
    EXPECT_EQ(count_lattice(pair(4000), spacing), far.size());
    const double both = 2 * 4 * std::numbers::pi / 3 * 0.008;
    EXPECT_NEAR(measured_volume(pair(4000)), both, 0.1 * both);
    const auto near_disks = sample_poisson(pair(1), 0.02, 1),
               far_disks = sample_poisson(pair(300), 0.02, 1);
    EXPECT_NEAR(static_cast<double>(near_disks.size()), static_cast<double>(far_disks.size()),
                0.02 * static_cast<double>(near_disks.size()));
}

TEST(FarApart, ALatticeHasEveryPointInsideInOrder) {
    const SdfShape shape =
        sdf::unite({sdf::sphere({0, 0, 0}, 0.5), sdf::box({2, 0.3, -1}, {0.2, 0.4, 0.6})});
    std::vector<Vec3d> plain;
    const double h = 0.07;
    const auto point = [&](int i, int j, int k) {
        return h * (Vec3d{double(i), double(j), double(k)} + splat(0.5));
    };
    for (int k = -40; k < 40; ++k)
        for (int j = -40; j < 40; ++j)
            for (int i = -40; i < 40; ++i)
                if (shape.distance(point(i, j, k)) < 0) plain.push_back(point(i, j, k));
    std::vector<Vec3d> found = sample_lattice(shape, h);
    ASSERT_EQ(found.size(), plain.size());
    const auto before = [](const Vec3d& a, const Vec3d& b) {
        return std::tie(a.z, a.y, a.x) < std::tie(b.z, b.y, b.x);
    };
    std::sort(found.begin(), found.end(), before);
    std::sort(plain.begin(), plain.end(), before);
    EXPECT_EQ(found, plain);
}

TEST(MeasuredVolume, IsThatOfThinAndOfSmallShapesToo) {
    const double pi = std::numbers::pi;
    EXPECT_NEAR(measured_volume(sdf::sphere({1, 2, 3}, 2)), 4 * pi / 3 * 8, 0.5);
    EXPECT_NEAR(measured_volume(sdf::box({0, 0, 0}, {1, 1, 1})), 8, 0.1);
    const double thin = measured_volume(sdf::shell(sdf::sphere({0, 0, 0}, 1), 0.002));
    EXPECT_NEAR(thin, 4 * pi * 0.002, 0.3 * 4 * pi * 0.002);
}

TEST(LargeMesh, TrianglesAroundOneVertexAreFollowedOnce) {
    Mesh mesh;
    mesh.positions.push_back({0, 0, 0});
    const int triangles = 300000;
    for (int i = 0; i < triangles; ++i) {
        const float a = static_cast<float>(i) * 1e-3f;
        mesh.positions.push_back({std::cos(a), 0, std::sin(a)});
        mesh.positions.push_back({std::cos(a), 0.2f, std::sin(a)});
        mesh.triangles.push_back({0, 2 * i + 1, 2 * i + 2});
    }
    EXPECT_EQ(boundary_loops(mesh).size(), static_cast<std::size_t>(triangles));
}

TEST(LargeMesh, ManyPolygonsThatAreNotConvexAreCutInSeconds) {
    // Spirals of 256 corners: whoever looks for an ear from the start each time looks at all.
    Mesh mesh;
    std::vector<int> corners;
    for (int i = 0; i < 256; ++i) {
        const bool back = i >= 128;
        const double turn = back ? 255 - i : i, r = (1 + 0.05 * turn) * (back ? 0.9 : 1);
        corners.push_back(i);
        mesh.positions.push_back({static_cast<float>(r * std::cos(0.15 * turn)), 0,
                                  static_cast<float>(r * std::sin(0.15 * turn))});
    }
    for (int n = 0; n < 3000; ++n) mesh_format::add_polygon(mesh, corners);
    EXPECT_EQ(mesh.triangles.size(), 3000u * 254u);
}

}  // namespace
}  // namespace knead
