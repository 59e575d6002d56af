// Set operations and transforms.
#include "knead/geometry/sdf_build.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/sampling.h"
#include "knead/base/error.h"
#include "knead/geometry/rotation.h"

namespace knead {
namespace {

const Box3 around{{-2, -2, -2}, {2, 2, 2}};

SdfShape ball() { return sdf::sphere({0.2, 0, 0}, 0.8); }
SdfShape brick() { return sdf::box({-0.3, 0.2, 0}, {0.6, 0.4, 0.7}); }

TEST(SdfBuild, SetOperationsHaveTheSignOfTheirSets) {
    const SdfShape a = ball(), b = brick();
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const Vec3d p = random_point(i, around);
        const bool in_a = a.distance(p) < 0, in_b = b.distance(p) < 0;
        EXPECT_EQ(sdf::unite({a, b}).distance(p) < 0, in_a || in_b);
        EXPECT_EQ(sdf::intersect({a, b}).distance(p) < 0, in_a && in_b);
        EXPECT_EQ(sdf::subtract(a, b).distance(p) < 0, in_a && !in_b);
        EXPECT_DOUBLE_EQ(sdf::shell(a, 0.2).distance(p), std::fabs(a.distance(p)) - 0.1);
        EXPECT_DOUBLE_EQ(sdf::offset(b, 0.1).distance(p), b.distance(p) - 0.1);
    }
}

std::vector<SdfShape> composed() {
    using namespace sdf;
    const SdfShape a = ball(), b = brick(), c = capsule({0, -1, 0}, {0.5, 1, 0.4}, 0.2);
    return {unite({a, b, c}),
            smooth_unite({a, b, c}, 0.3),
            subtract(a, c),
            intersect({a, b}),
            shell(subtract(b, a), 0.1),
            offset(intersect({a, b}), 0.2),
            rotated(translated(scaled(unite({a, rotated(c, {0.3, 1, 2})}), 0.7), {0.2, 0.1, 0}),
                    {1, 0.5, -0.7})};
}

// |d(p) - d(q)| <= |p - q|: what sphere tracing and block skipping rely on.
TEST(SdfBuild, DistanceNeverChangesFasterThanThePoint) {
    for (const SdfShape& s : composed())
        for (std::uint64_t i = 0; i < 4000; ++i) {
            const Vec3d p = random_point(i, around);
            const double step = std::pow(10., -4. * random_unit(3, i));
            const Vec3d q = p + step * random_direction(i);
            EXPECT_LE(std::fabs(s.distance(p) - s.distance(q)),
                      length(p - q) * (1 + 1e-12) + 1e-15);
        }
}

TEST(SdfBuild, BoundsHoldEveryInsidePoint) {
    for (const SdfShape& s : composed()) {
        int inside = 0;
        for (std::uint64_t i = 0; i < 5000; ++i) {
            const Vec3d p = random_point(i, around);
            if (s.distance(p) > 0) continue;
            ++inside;
            EXPECT_TRUE(s.bounds().contains(p));
        }
        EXPECT_GT(inside, 10);
    }
}

TEST(SdfBuild, GradientOfComposedShapesMatchesCentralDifferences) {
    const double h = 1e-5;
    for (const SdfShape& s : composed()) {
        int smooth = 0;
        for (std::uint64_t i = 0; i < 500; ++i) {
            const Vec3d p = random_point(i, around);
            Vec3d d;
            for (int axis = 0; axis < 3; ++axis) {
                Vec3d e{0, 0, 0};
                e[axis] = h;
                d[axis] = (s.distance(p + e) - s.distance(p - e)) / (2 * h);
            }
            if (length(d) < 0.7) continue;
            const bool close = length(d / length(d) - s.gradient(p)) < 1e-4;
            smooth += close;
        }
        EXPECT_GT(smooth, 480);  // all but the few astride a kink
    }
}

// The quadratic blend: equal distances d give d - blend / 4; apart by the blend, the plain union.
TEST(SdfBuild, SmoothUnionIsLowerByAQuarterBlendWhereDistancesMeet) {
    const SdfShape a = sdf::sphere({-1, 0, 0}, 0.5), b = sdf::sphere({1, 0, 0}, 0.5);
    const SdfShape s = sdf::smooth_unite({a, b}, 0.4);
    EXPECT_NEAR(s.distance({0, 0, 0}), 0.5 - 0.1, 1e-14);
    EXPECT_DOUBLE_EQ(s.distance({-1.2, 0, 0}), a.distance({-1.2, 0, 0}));
    EXPECT_LT(s.distance({0.1, 0.4, 0}), sdf::unite({a, b}).distance({0.1, 0.4, 0}));
}

TEST(SdfBuild, MovedShapesMeasureInTheirOwnFrame) {
    const SdfShape s = brick();
    const Vec3d w{0.4, -1.1, 0.3}, t{0.3, 0.2, -0.5};
    const SdfShape moved = sdf::translated(sdf::rotated(sdf::scaled(s, 1.5), w), t);
    for (std::uint64_t i = 0; i < 500; ++i) {
        const Vec3d rest = random_point(i, around);
        const Vec3d p = t + rotation_of(w) * (1.5 * rest);
        EXPECT_NEAR(moved.distance(p), 1.5 * s.distance(rest), 1e-13);
        EXPECT_LT(length(moved.gradient(p) - rotation_of(w) * s.gradient(rest)), 1e-12);
    }
}

TEST(SdfBuild, EmptyShapesAreNeutral) {
    const SdfShape none, a = ball();
    EXPECT_TRUE(sdf::unite({}).empty());
    EXPECT_TRUE(sdf::intersect({a, none}).empty());
    EXPECT_TRUE(sdf::subtract(none, a).empty());
    EXPECT_TRUE(sdf::rotated(none, {1, 0, 0}).empty());
    EXPECT_EQ(sdf::unite({none, a}).distance({3, 0, 0}), a.distance({3, 0, 0}));
    EXPECT_EQ(sdf::subtract(a, none).distance({3, 0, 0}), a.distance({3, 0, 0}));
    EXPECT_TRUE(none.bounds().empty());
    EXPECT_NEAR(length(none.gradient({0, 0, 0})), 1, 1e-15);
}

TEST(SdfBuild, PlanesAreUnboundedUntilCut) {
    const SdfShape floor = sdf::plane({0, 0, 0}, {0, 1, 0});
    EXPECT_FALSE(floor.bounded());
    const SdfShape half = sdf::intersect({sdf::sphere({0, 0, 0}, 1), floor});
    EXPECT_TRUE(half.bounded());
    EXPECT_EQ(half.bounds().hi.y, 0);
    EXPECT_FALSE(sdf::rotated(floor, {0.3, 0, 0}).bounded());
    EXPECT_FALSE(sdf::subtract(floor, ball()).bounded());
}

TEST(SdfBuild, NestingBeyondTheStackIsRefused) {
    SdfShape s = ball();
    EXPECT_THROW(for (int i = 0; i < 100; ++i) s = sdf::unite({brick(), s}), InputError);
    SdfShape t = ball();  // folding on the left needs no depth
    for (int i = 0; i < 100; ++i) t = sdf::unite({t, brick()});
    EXPECT_LT(t.distance({0, 0, 0}), 0);
}

TEST(SdfBuild, RotationVectorInvertsRotation) {
    for (std::uint64_t i = 0; i < 300; ++i) {
        const double angle = i < 100 ? 3.14159 * random_unit(5, i) : i < 200 ? 1e-7 : 3.1415926;
        const Vec3d w = angle * random_direction(i);
        EXPECT_LT(length(rotation_vector(rotation_of(w)) - w), 1e-7) << i;
        EXPECT_NEAR(determinant(rotation_of(w)), 1, 1e-14);
    }
}

}  // namespace
}  // namespace knead
