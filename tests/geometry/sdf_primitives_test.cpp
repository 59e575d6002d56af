// Every primitive against the distance to a dense sample of its own surface, and its gradient
// against central differences.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "geometry/sampling.h"
#include "knead/base/error.h"
#include "knead/geometry/sdf_build.h"
#include "knead/geometry/sdf_eval.h"

namespace knead {
namespace {

const Box3 around{{-2, -2, -2}, {2, 2, 2}};
constexpr double pi = std::numbers::pi;

struct Case {
    std::string name;
    SdfShape shape;
};

std::vector<Case> cases() {
    using namespace sdf;
    return {{"sphere", sphere({0.1, 0.2, -0.3}, 0.8)},
            {"box", box({0.2, -0.1, 0.3}, {0.5, 0.7, 0.3})},
            {"rounded box", box({0.2, -0.1, 0.3}, {0.5, 0.7, 0.3}, 0.2)},
            {"cylinder", cylinder({-0.4, 0.1, 0}, {0.6, 0.5, 0.3}, 0.4)},
            {"rounded cylinder", cylinder({-0.4, 0.1, 0}, {0.6, 0.5, 0.3}, 0.4, 0.15)},
            {"capsule", capsule({-0.4, 0.1, 0}, {0.6, 0.5, 0.3}, 0.3)},
            {"cone", cone({-0.4, 0.1, 0}, {0.6, 0.5, 0.3}, 0.6, 0.2)},
            {"pointed cone", cone({-0.4, 0.1, 0}, {0.6, 0.5, 0.3}, 0, 0.7)},
            {"torus", torus({0.1, 0, 0.2}, {1, 2, 3}, 0.7, 0.25)},
            {"plane", plane({0.1, 0.2, 0.3}, {1, -2, 0.5})},
            {"ellipsoid", ellipsoid({0.1, 0.2, 0}, {0.9, 0.3, 0.5})},
            {"star", star(5, 1, 0.4, 0.3)},
            {"concave",
             extruded_polygon({{{-1, -1}}, {{1, -1}}, {{1, 1}}, {{0, -0.5}}, {{-1, 1}}}, 0.4)}};
}

// Marches onto the surface along the gradient; the distance travelled must be the distance told.
TEST(SdfPrimitive, DistanceIsTheWayToTheSurfaceAlongTheGradient) {
    for (const Case& c : cases())
        for (std::uint64_t i = 0; i < 2000; ++i) {
            const Vec3d p = random_point(i, around);
            const double d = c.shape.distance(p);
            if (d < 0) continue;
            const Vec3d foot = p - d * c.shape.gradient(p);
            // exact distance and gradient: the foot is on the surface, to rounding
            EXPECT_NEAR(c.shape.distance(foot), 0, 1e-8) << c.name << " " << i;
        }
}

// No surface point is nearer than |d|: with the test above this makes the distance exact.
TEST(SdfPrimitive, NoChangeOfSignWithinTheDistance) {
    for (const Case& c : cases())
        for (std::uint64_t i = 0; i < 500; ++i) {
            const Vec3d p = random_point(i, around);
            const double d = c.shape.distance(p);
            for (std::uint64_t k = 0; k < 40; ++k) {
                const Vec3d q = p + 0.999 * std::fabs(d) * random_direction(40 * i + k);
                EXPECT_GT(c.shape.distance(q) * d, 0) << c.name << " " << i;
            }
        }
}

TEST(SdfPrimitive, InsideDistanceReachesTheSurface) {
    for (const Case& c : cases()) {
        int inside = 0;
        for (std::uint64_t i = 0; i < 6000; ++i) {
            const Vec3d p = random_point(i, around);
            const double d = c.shape.distance(p);
            if (d >= 0) continue;
            ++inside;
            EXPECT_NEAR(c.shape.distance(p - d * c.shape.gradient(p)), 0, 1e-8) << c.name;
        }
        EXPECT_GT(inside, 20) << c.name;
    }
}

TEST(SdfPrimitive, GradientIsUnitAndMatchesCentralDifferences) {
    const double h = 1e-5;
    for (const Case& c : cases()) {
        int smooth = 0;
        for (std::uint64_t i = 0; i < 1000; ++i) {
            const Vec3d p = random_point(i, around);
            const Vec3d g = c.shape.gradient(p);
            EXPECT_NEAR(length(g), 1, 1e-12) << c.name;
            Vec3d difference;
            for (int axis = 0; axis < 3; ++axis) {
                Vec3d e{0, 0, 0};
                e[axis] = h;
                difference[axis] = (c.shape.distance(p + e) - c.shape.distance(p - e)) / (2 * h);
            }
            if (std::fabs(length(difference) - 1) > 1e-7) continue;  // astride a kink
            ++smooth;
            EXPECT_LT(length(difference - g), 1e-5) << c.name;
        }
        EXPECT_GT(smooth, 950) << c.name;
    }
}

// On faces, edges, corners, axes and centres of everything.
TEST(SdfPrimitive, GradientIsUnitAtKinksAndDistanceNeverNan) {
    for (const Case& c : cases())
        for (int x = -4; x <= 4; ++x)
            for (int y = -4; y <= 4; ++y)
                for (int z = -4; z <= 4; ++z) {
                    const Vec3d p = c.shape.bounded()
                                        ? c.shape.bounds().center() +
                                              (0.25 * Vec3d{double(x), double(y), double(z)}) *
                                                  c.shape.bounds().size()
                                        : Vec3d{double(x), double(y), double(z)};
                    EXPECT_TRUE(is_finite(c.shape.distance(p))) << c.name;
                    EXPECT_NEAR(length(c.shape.gradient(p)), 1, 1e-12) << c.name;
                }
}

TEST(SdfPrimitive, BoundsHoldEveryInsidePointAndFitTightly) {
    for (const Case& c : cases()) {
        if (!c.shape.bounded()) continue;
        Box3 seen;
        const Box3 b = c.shape.bounds();
        for (std::uint64_t i = 0; i < 20000; ++i) {
            const Vec3d p = random_point(i, around);
            if (c.shape.distance(p) <= 0) seen.add(p);
        }
        EXPECT_TRUE(b.contains(seen.lo) && b.contains(seen.hi)) << c.name;
        EXPECT_LT(length(b.size() - seen.size()), 0.45) << c.name;
    }
}

TEST(SdfPrimitive, ClosedFormsAtChosenPoints) {
    using namespace sdf;
    const SdfShape b = box({0, 0, 0}, {1, 2, 3});
    EXPECT_DOUBLE_EQ(b.distance({4, 6, 3}), 5);   // edge: 3, 4
    EXPECT_DOUBLE_EQ(b.distance({2, 4, 5}), 3);   // corner: 1, 2, 2
    EXPECT_DOUBLE_EQ(b.distance({0, 0, 0}), -1);  // the nearest face
    EXPECT_DOUBLE_EQ(box({0, 0, 0}, {1, 1, 1}, 0.5).distance({1, 0, 0}), 0);
    const SdfShape t = torus({0, 0, 0}, {0, 0, 1}, 2, 0.5);
    EXPECT_DOUBLE_EQ(t.distance({0, 0, 0}), 1.5);
    EXPECT_DOUBLE_EQ(t.distance({2, 0, 0}), -0.5);
    const SdfShape e = ellipsoid({0, 0, 0}, {3, 1, 2});
    EXPECT_NEAR(e.distance({0, 0, 0}), -1, 1e-8);  // along the shortest axis
    EXPECT_NEAR(e.distance({5, 0, 0}), 2, 1e-8);
    EXPECT_NEAR(e.distance({0, 0, -4}), 2, 1e-8);
    EXPECT_EQ(plane({0, 1, 0}, {0, 2, 0}).distance({7, 3, 1}), 2);
    EXPECT_EQ(SdfShape().distance({0, 0, 0}), 1e30);
}

// An ellipsoid with equal radii is the sphere.
TEST(SdfPrimitive, EllipsoidOfEqualRadiiIsTheSphere) {
    const SdfShape e = sdf::ellipsoid({0.1, 0, 0}, {0.7, 0.7, 0.7}),
                   s = sdf::sphere({0.1, 0, 0}, 0.7);
    for (std::uint64_t i = 0; i < 200; ++i) {
        const Vec3d p = random_point(i, around);
        EXPECT_NEAR(e.distance(p), s.distance(p), 1e-9);
    }
}

// Winding number against the sign of the polygon, for a star whose corners alternate.
TEST(SdfPrimitive, StarHasTheSignOfItsOutline) {
    const int n = 7;
    const double outer = 1, inner = 0.5;
    const SdfShape s = sdf::star(n, outer, inner, 10);
    for (std::uint64_t i = 0; i < 5000; ++i) {
        Vec3d p = random_point(i, around);
        p.z = 0;
        // fold into one spike: between the angles of a tip (0) and of a notch (pi / n)
        double a = std::fmod(std::atan2(p.y, p.x) - pi / 2 + 4 * pi, 2 * pi / n);
        a = std::min(a, 2 * pi / n - a);
        const double r = std::hypot(p.x, p.y), x = r * std::cos(a), y = r * std::sin(a);
        const double ex = inner * std::cos(pi / n) - outer, ey = inner * std::sin(pi / n);
        const double side = ex * y - ey * (x - outer);
        if (std::fabs(side) < 1e-9) continue;
        EXPECT_EQ(side<0, s.distance(p)> 0) << i;
    }
}

TEST(SdfPrimitive, FloatEvaluationAgreesWithDouble) {
    for (const Case& c : cases()) {
        const SdfProgram& program = *c.shape.program();
        const std::vector<float> numbers(program.numbers.begin(), program.numbers.end());
        const SdfProgramView<float> view{program.ops.data(), static_cast<int>(program.ops.size()),
                                         numbers.data(), nullptr};
        for (std::uint64_t i = 0; i < 200; ++i) {
            const Vec3d p = random_point(i, around);
            EXPECT_NEAR(evaluate<float>(view, static_cast<Vec3f>(p)), c.shape.distance(p), 4e-6)
                << c.name;
        }
    }
}

TEST(SdfPrimitive, SenselessSizesAreRefused) {
    EXPECT_THROW(sdf::sphere({0, 0, 0}, -1), InputError);
    EXPECT_THROW(sdf::sphere({0, NAN, 0}, 1), InputError);
    EXPECT_THROW(sdf::box({0, 0, 0}, {1, 1, 0.1}, 0.2), InputError);
    EXPECT_THROW(sdf::cylinder({0, 0, 0}, {0, 0, 0}, 1), InputError);
    EXPECT_THROW(sdf::cone({0, 0, 0}, {0, 1, 0}, 0, 0), InputError);
    EXPECT_THROW(sdf::plane({0, 0, 0}, {0, 0, 0}), InputError);
    EXPECT_THROW(sdf::extruded_polygon({{{0, 0}}, {{1, 1}}, {{1, 0}}, {{0, 1}}}, 1), InputError);
    EXPECT_THROW(sdf::extruded_polygon({{{0, 0}}, {{1, 1}}, {{2, 2}}}, 1), InputError);
}

}  // namespace
}  // namespace knead
