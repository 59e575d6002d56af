// Contact rules, and that nothing gets through.
#include "knead/geometry/collider.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/sampling.h"
#include "knead/geometry/rotation.h"
#include "knead/geometry/sdf_build.h"

namespace knead {
namespace {

Collider floor_of(Contact contact, double friction = 0) {
    return {"floor", sdf::plane({0, 0, 0}, {0, 1, 0}), {}, contact, friction, {}};
}
const Vec3d below{0.3, -0.1, 0.2}, up{0, 1, 0};

TEST(Collider, StickyTakesTheObstaclesVelocity) {
    Collider c = floor_of(Contact::sticky);
    c.motion.velocity = {1, 2, 3};
    const ColliderAt at(c, 0);
    EXPECT_EQ(resolve_contact(at, {5, 5, 5}, below, up), (Vec3d{1, 2, 3}));
    EXPECT_EQ(resolve_contact(at, {5, -5, 5}, below, up), (Vec3d{1, 2, 3}));
}

TEST(Collider, SlipRemovesTheNormalPartBothWays) {
    const Collider c = floor_of(Contact::slip);
    const ColliderAt at(c, 0);
    EXPECT_EQ(resolve_contact(at, {3, -4, 1}, below, up), (Vec3d{3, 0, 1}));
    EXPECT_EQ(resolve_contact(at, {3, 4, 1}, below, up), (Vec3d{3, 0, 1}));
}

TEST(Collider, SeparateLetsGoAndRubs) {
    const Collider c = floor_of(Contact::separate, 0.5);
    const ColliderAt at(c, 0);
    EXPECT_EQ(resolve_contact(at, {3, 4, 1}, below, up), (Vec3d{3, 4, 1}));  // leaving
    // |v_t| = 5, loss 0.5 * 2 = 1: four fifths remain
    EXPECT_LT(length(resolve_contact(at, {3, -2, 4}, below, up) - Vec3d{2.4, 0, 3.2}), 1e-14);
    EXPECT_EQ(resolve_contact(at, {0.6, -2, 0.8}, below, up),
              (Vec3d{0, 0, 0}));  // |v_t| = loss: sticks
    const Collider smooth = floor_of(Contact::separate);
    EXPECT_EQ(resolve_contact(ColliderAt(smooth, 0), {3, -2, 4}, below, up), (Vec3d{3, 0, 4}));
}

TEST(Collider, MovingObstacleIsMeasuredWhereItIs) {
    Collider c{"block", sdf::box({1, 0, 0}, {0.5, 0.2, 0.3}), {}, Contact::separate, 0.3, {}};
    c.motion.pivot = {1, 0, 0};
    c.motion.velocity = {0, 1, 0};
    c.motion.angular_velocity = {0, 0, 0.8};
    const double t = 1.3;
    const ColliderAt at(c, t);
    const Mat3d r = rotation_of({0, 0, 0.8 * t});
    for (std::uint64_t i = 0; i < 200; ++i) {
        const Vec3d rest = random_point(i, {{-1, -1, -1}, {2, 1, 1}});
        const Vec3d x = Vec3d{1, t, 0} + r * (rest - Vec3d{1, 0, 0});
        EXPECT_NEAR(at.distance(x), c.shape.distance(rest), 1e-13);
        EXPECT_LT(length(at.normal(x) - r * c.shape.gradient(rest)), 1e-12);
        const Vec3d v = Vec3d{0, 1, 0} + cross(Vec3d{0, 0, 0.8}, x - Vec3d{1, t, 0});
        EXPECT_LT(length(at.velocity(x) - v), 1e-13);
    }
}

// A corner of two walls: what heads into both stops, what heads along one slides.
TEST(Collider, CornerStopsWhatHeadsIntoBothWalls) {
    const Collider ground = floor_of(Contact::separate);
    const Collider wall{"wall", sdf::plane({0, 0, 0}, {1, 0, 0}), {}, Contact::separate, 0, {}};
    const std::vector<ColliderAt> both{ColliderAt(ground, 0), ColliderAt(wall, 0)};
    const Vec3d x{-0.1, -0.2, 0};
    EXPECT_EQ(resolve_all(both, {-1, -2, 3}, x), (Vec3d{0, 0, 3}));
    EXPECT_EQ(resolve_all(both, {1, -2, 0}, x), (Vec3d{1, 0, 0}));
    EXPECT_EQ(resolve_all(both, {-1, -2, 3}, {1, 1, 0}), (Vec3d{-1, -2, 3}));  // in neither
    EXPECT_LT(length(project_out(both, x)), 1e-11);
}

TEST(Collider, TheDeepestHasTheLastWord) {
    Collider ground = floor_of(Contact::sticky);
    ground.motion.velocity = {1, 0, 0};
    Collider wall{"wall", sdf::plane({0, 0, 0}, {1, 0, 0}), {}, Contact::sticky, 0, {}};
    wall.motion.velocity = {0, 2, 0};
    const std::vector<ColliderAt> a{ColliderAt(ground, 0), ColliderAt(wall, 0)};
    const std::vector<ColliderAt> b{ColliderAt(wall, 0), ColliderAt(ground, 0)};
    for (const auto& list : {a, b}) {
        EXPECT_EQ(resolve_all(list, {9, 9, 9}, {-0.1, -0.2, 0}), (Vec3d{1, 0, 0}));
        EXPECT_EQ(resolve_all(list, {9, 9, 9}, {-0.2, -0.1, 0}), (Vec3d{0, 2, 0}));
    }
}

// A tumbling, speeding plate through a cloud at rest: after each step no point is inside it, and
// a wall pushed across the cloud has every point in front of it.
TEST(Collider, SweepingWallLeavesNoPointBehind) {
    for (const Contact contact : {Contact::sticky, Contact::slip, Contact::separate}) {
        Collider wall{"wall", sdf::box({-1.2, 0, 0}, {0.1, 9, 9}), {}, contact, 0.4, {}};
        wall.motion.velocity = {1, 0, 0};
        std::vector<Vec3d> x;
        for (std::uint64_t i = 0; i < 2000; ++i)
            x.push_back(random_point(i, {{-1, -1, -1}, {1, 1, 1}}));
        const double dt = 0.02;
        for (int step = 1; step <= 100; ++step) {
            const std::vector<ColliderAt> at{ColliderAt(wall, step * dt)};
            for (Vec3d& p : x) {
                p += dt * resolve_all(at, {0, 0, 0}, p);
                p = project_out(at, p);
                EXPECT_GE(at[0].distance(p), -1e-12);
            }
        }
        for (const Vec3d& p : x) EXPECT_GE(p.x, 0.9 - 1e-9);  // its front ends at -1.1 + 2
    }
}

TEST(Collider, ProjectOutEndsOnTheSurfaceOfUnevenCorners) {
    const Collider ground = floor_of(Contact::separate);
    const Collider slope{"slope", sdf::plane({0, 0, 0}, {1, 0.6, 0}), {}, Contact::separate, 0, {}};
    const Collider ball{"ball", sdf::sphere({0, 0, 0}, 0.5), {}, Contact::separate, 0, {}};
    const std::vector<ColliderAt> all{ColliderAt(ground, 0), ColliderAt(slope, 0),
                                      ColliderAt(ball, 0)};
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const Vec3d p = project_out(all, random_point(i, {{-1, -1, -1}, {1, 1, 1}}));
        for (const ColliderAt& c : all) EXPECT_GE(c.distance(p), -1e-3) << i;
    }
}

}  // namespace
}  // namespace knead
