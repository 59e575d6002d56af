#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/sampling.h"
#include "geometry/test_meshes.h"
#include "knead/base/error.h"
#include "knead/geometry/sample_curve.h"
#include "knead/geometry/sample_surface.h"
#include "knead/geometry/sample_volume.h"
#include "knead/geometry/sdf_build.h"
#include "knead/parallel/exec.h"
#include "support/long_run.h"

namespace knead {
namespace {

constexpr double pi = std::numbers::pi;

SdfShape figure() {
    return sdf::subtract(
        sdf::smooth_unite(
            {sdf::sphere({0.1, 0.2, 0}, 0.6), sdf::capsule({0, 0, 0}, {1, 0.5, 0.2}, 0.2)}, 0.2),
        sdf::box({0, 0, 0.5}, {0.3, 0.3, 0.3}));
}

TEST(SampleLattice, EightPointsToACell) {
    const double dx = 0.1;
    const SdfShape box = sdf::box({0.5, 0.5, 0.5}, {0.3, 0.2, 0.1});  // 6 x 4 x 2 cells of dx
    const std::vector<Vec3d> x = sample_lattice(box, dx / 2);
    EXPECT_EQ(x.size(), 8u * 48u);
    for (const Vec3d& p : x)
        for (int a = 0; a < 3; ++a) {
            const double u = p[a] / (dx / 2) - 0.5;
            EXPECT_NEAR(u, std::round(u), 1e-9);
        }
}

TEST(SampleLattice, IsEveryLatticePointInside) {
    const SdfShape s = figure();
    const double h = 0.037;
    const Vec3d origin{0.01, 0.02, 0.03};
    std::size_t count = 0;
    for (int k = -60; k < 60; ++k)
        for (int j = -60; j < 60; ++j)
            for (int i = -60; i < 60; ++i)
                count += s.distance(origin + h * Vec3d{i + 0.5, j + 0.5, k + 0.5}) < 0;
    const std::vector<Vec3d> x = sample_lattice(s, h, origin);
    EXPECT_EQ(x.size(), count);
    for (const Vec3d& p : x) EXPECT_LT(s.distance(p), 0);
}

TEST(SampleLattice, SameOrderForAnyThreadCount) {
    const std::vector<Vec3d> all = sample_lattice(figure(), 0.02);
    const std::vector<Vec3d> disks = sample_poisson(figure(), 0.03, 3);
    set_thread_count(1);
    EXPECT_EQ(sample_lattice(figure(), 0.02), all);
    EXPECT_EQ(sample_poisson(figure(), 0.03, 3), disks);
    set_thread_count(0);
}

TEST(SampleLattice, AMillionPointsFillASphere) {
    const std::vector<Vec3d> x = sample_lattice(sdf::sphere({0, 0, 0}, 1), 0.016);
    EXPECT_NEAR(static_cast<double>(x.size()), 4 * pi / 3 / std::pow(0.016, 3), 3000);
}

TEST(SampleLattice, UnboundedAndSenselessAreRefused) {
    EXPECT_THROW(sample_lattice(sdf::plane({0, 0, 0}, {0, 1, 0}), 0.1), InputError);
    EXPECT_THROW(sample_lattice(figure(), 0), InputError);
    EXPECT_THROW(sample_lattice(figure(), 1e-9), InputError);
    EXPECT_TRUE(sample_lattice(SdfShape(), 0.1).empty());
}

double least_distance(const std::vector<Vec3d>& x) {
    double least = 1e30;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) least = std::min(least, length(x[i] - x[j]));
    return least;
}

// a^3 for a box wherever its faces cut the lattice; 4/3 pi r^3 for a ball.
TEST(SampleLattice, TheVolumeIsThatOfTheShapeWhereverItLies) {
    constexpr double h = 0.02, pi = std::numbers::pi;
    for (const double size : {0.16, 0.17, 0.173, 0.18, 0.19})
        for (const double shift : {0.0, 0.005, 0.01, 0.0137}) {
            const SdfShape box = sdf::box(splat(shift), splat(size / 2));
            EXPECT_NEAR(lattice_volume(box, h) / (size * size * size), 1, 6e-3) << size << shift;
        }
    for (const double r : {0.1, 0.1234})
        EXPECT_NEAR(lattice_volume(sdf::sphere({0.003, 0, 0.01}, r), h) / (4 * pi / 3 * r * r * r),
                    1, 2e-3)
            << r;
    EXPECT_NEAR(lattice_volume(sdf::box(splat(0.0), splat(0.08)), h), 0.16 * 0.16 * 0.16, 1e-15);
}

TEST(SamplePoisson, KeepsItsDistanceAndLeavesNoVoid) {
    const SdfShape s = figure();
    const double r = 0.08;
    const std::vector<Vec3d> x = sample_poisson(s, r, 1);
    EXPECT_GE(least_distance(x), r);
    for (const Vec3d& p : x) EXPECT_LT(s.distance(p), 0);
    int inside = 0, open = 0;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const Vec3d p = random_point(i, s.bounds());
        if (s.distance(p) >= 0) continue;
        ++inside;
        double nearest = 1e30;
        for (const Vec3d& q : x) nearest = std::min(nearest, length(p - q));
        EXPECT_LT(nearest, 1.1 * r);
        open += nearest > r;
    }
    EXPECT_GT(inside, 3000);
    EXPECT_LT(open, inside / 200);
    EXPECT_NE(sample_poisson(s, r, 2), x);
    EXPECT_EQ(sample_poisson(s, r, 1), x);
}

// A maximal packing of disks of diameter r fills the share 0.28 to 0.43 of space.
TEST(SamplePoisson, HasTheDensityOfAMaximalPacking) {
    const double r = 0.07;
    const auto n = static_cast<double>(sample_poisson(sdf::box({0, 0, 0}, {1, 1, 1}), r, 5).size());
    const double share = n * pi / 6 * r * r * r / 8;
    EXPECT_GT(share, 0.28);
    EXPECT_LT(share, 0.45);
}

// Darts fly block by block, eight cells a block; where in a block a point lies must not matter. The
// sixteen slabs of a block get some 13,000 of 70,000 x 3 points each, which chance alone moves by
// less than 1/sqrt(13,000) = 0.9 %. (Were whole blocks filled in turn, the rim would be 7 % off.)
TEST(SamplePoisson, IsAsDenseAtTheRimOfABlockAsInItsMiddle) {
    LONG_RUN();
    const double r = 0.03, block = 8 * r / std::sqrt(3.);
    const Vec3d half = splat(5.5 * block);
    std::vector<double> slabs(16, 0.0);
    double total = 0;
    for (const Vec3d& p : sample_poisson(sdf::box({0, 0, 0}, half), r, 5))
        for (int axis = 0; axis < 3; ++axis) {
            const double u = (p[axis] + half[axis]) / block;
            if (u < 1 || u >= 10) continue;  // a wall does change the density
            ++slabs[static_cast<std::size_t>(16 * (u - std::floor(u)))];
            ++total;
        }
    for (const double n : slabs) EXPECT_NEAR(n, total / 16, 0.035 * total / 16);
}

TEST(SampleLattice, IsCountedWithoutBeingKept) {
    EXPECT_EQ(count_lattice(figure(), 0.03), sample_lattice(figure(), 0.03).size());
    EXPECT_EQ(count_lattice(SdfShape(), 0.1), 0u);
}

TEST(SampleSurface, PointsLieOnTheMeshApartAndEverywhere) {
    const Mesh m = sphere_mesh(1, 60, 120);
    const double r = 0.08;
    const std::vector<SurfacePoint> points = sample_surface(m, r, 4);
    std::vector<Vec3d> x;
    for (const SurfacePoint& p : points) {
        x.push_back(p.position);
        EXPECT_NEAR(length(p.position), 1, 2e-3);
        EXPECT_GT(dot(p.normal, p.position), 0.99);
    }
    EXPECT_GE(least_distance(x), r);
    for (std::uint64_t i = 0; i < 500; ++i) {
        double nearest = 1e30;
        for (const Vec3d& q : x) nearest = std::min(nearest, length(random_direction(i) - q));
        EXPECT_LT(nearest, 1.5 * r);
    }
    EXPECT_THROW(sample_surface(m, 0, 1), InputError);
}

TEST(SampleCurve, PointsAreEquallyFarAlongTheLine) {
    const std::vector<Vec3d> line{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 2, 0}};
    const std::vector<Vec3d> x = sample_curve(line, 0.26);  // 3 / 0.26 = 11.5: twelve pieces of 1/4
    ASSERT_EQ(x.size(), 13u);
    EXPECT_EQ(x.front(), line.front());
    EXPECT_EQ(x.back(), line.back());
    EXPECT_LT(length(x[4] - Vec3d{1, 0, 0}), 1e-14);
    EXPECT_LT(length(x[7] - Vec3d{1, 0.75, 0}), 1e-14);
    EXPECT_THROW(sample_curve({{0, 0, 0}}, 0.1), InputError);
    EXPECT_THROW(sample_curve({{0, 0, 0}, {0, 0, 0}}, 0.1), InputError);
}

}  // namespace
}  // namespace knead
