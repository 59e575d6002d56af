// Meshes that change with time: distances, velocities and what is wrong with them.
#include "knead/geometry/animated_mesh.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/test_meshes.h"
#include "knead/base/error.h"
#include "knead/geometry/collider.h"

namespace knead::test {
namespace {

// A ball that goes from one place and size to another and back.
AnimatedMesh pulsing_ball(bool loop) {
    const Mesh mesh = sphere_mesh(1, 24, 48);
    std::vector<std::vector<Vec3f>> moments;
    for (const float size : {1.0f, 2.0f, 1.5f}) {
        moments.push_back(mesh.positions);
        for (Vec3f& x : moments.back()) x = size * x + Vec3f{size, 0, 0};
    }
    return {mesh.triangles, moments, 10, 0.5, loop, "ball"};
}

TEST(AnimatedMesh, DistanceNormalAndVelocityAreThoseOfTheSurfaceNow) {
    const AnimatedMesh ball = pulsing_ball(false);
    // at 0.55 s half way from size 1 to 2: radius and centre 1.5, growing at 10 a second
    const auto now = ball.at(0.55);
    for (const Vec3d& way : {Vec3d{1, 0, 0}, Vec3d{0, 0.6, 0.8}, Vec3d{-0.48, 0.6, -0.64}})
        for (const double r : {0.3, 1.4, 1.6, 4.0}) {
            const auto found = now->nearest(Vec3d{1.5, 0, 0} + r * way);
            EXPECT_NEAR(found.distance, r - 1.5, 0.02);
            EXPECT_GT(dot(found.normal, way), 0.99);
            EXPECT_NEAR(length(found.normal), 1, 1e-12);
            EXPECT_LT(length(found.velocity - (10.0 * way + Vec3d{10, 0, 0})), 1.5);
        }
    EXPECT_NEAR(ball.max_speed(0.5, 0.6), 20, 0.1);
    EXPECT_EQ(ball.max_speed(0, 0.4), 0);
}

TEST(AnimatedMesh, StandsBeforeAndAfterUnlessItIsALoop) {
    const AnimatedMesh once = pulsing_ball(false), loop = pulsing_ball(true);
    EXPECT_NEAR(once.at(0)->distance({1, 0, 0}), -1, 0.02);
    EXPECT_NEAR(once.at(9)->distance({1.5, 0, 0}), -1.5, 0.03);
    EXPECT_EQ(length(once.at(9)->nearest({5, 0, 0}).velocity), 0);
    EXPECT_NEAR(loop.at(0.8)->distance({1, 0, 0}), -1, 0.02);  // three moments on: the first again
    EXPECT_NEAR(loop.at(0.75)->distance({1.25, 0, 0}), -1.25, 0.03);
    EXPECT_GT(loop.max_speed(100, 100.05), 0);
}

// Bodies that stand in each other: their insides are one.
TEST(AnimatedMesh, PiecesThatOverlapHaveOneInside) {
    Mesh two = cube_mesh(1);
    const Mesh other = cube_mesh(1, {1, 0, 0});
    const int shift = static_cast<int>(two.positions.size());
    two.positions.insert(two.positions.end(), other.positions.begin(), other.positions.end());
    for (Vec3i t : other.triangles)  // turned inside out, which it is mended from
        two.triangles.push_back({t.x + shift, t.z + shift, t.y + shift});
    const AnimatedMesh mesh(two.triangles, {two.positions}, 24, 0, false, "cubes");
    const auto now = mesh.at(0);
    for (double x = -0.95; x < 2; x += 0.1) EXPECT_LT(now->distance({x, 0.3, 0.2}), 0) << x;
    for (const Vec3d& x : {Vec3d{-1.2, 0, 0}, Vec3d{2.2, 0.9, 0.9}, Vec3d{0.5, 1.1, 1.1}})
        EXPECT_GT(now->distance(x), 0);
    // corners and edges: the nearest points that belong to several triangles
    EXPECT_NEAR(now->distance({-2, 2, 2}), std::sqrt(3.0), 1e-9);
    EXPECT_NEAR(now->distance({-2, 2, 0}), std::sqrt(2.0), 1e-9);
}

TEST(AnimatedMesh, AColliderMovesItBesides) {
    const Mesh cube = cube_mesh(1);
    auto moved = cube.positions;
    for (Vec3f& x : moved) x.y += 1;
    Collider collider;
    collider.animation = std::make_shared<AnimatedMesh>(
        cube.triangles, std::vector{cube.positions, moved}, 1.0, 0.0, false, "cube");
    collider.motion.velocity = {2, 0, 0};
    EXPECT_FALSE(collider.still());
    const ColliderAt at(collider, 0.5);
    EXPECT_NEAR(at.distance({1, 0.5, 3}), 2, 1e-6);
    EXPECT_LT(length(at.velocity({1, 0.5, 3}) - Vec3d{2, 1, 0}), 1e-6);
    EXPECT_LT(length(at.normal({1, 0.5, 3}) - Vec3d{0, 0, 1}), 1e-6);
    EXPECT_NEAR(collider.max_speed(0, 0.5), 3, 1e-6);
}

TEST(AnimatedMesh, WhatIsWrongIsNamed) {
    const Mesh cube = cube_mesh(1);
    auto open = cube.triangles;
    open.pop_back();
    EXPECT_THROW(AnimatedMesh(open, {cube.positions}, 24, 0, false, "open"), InputError);
    auto turned = cube.triangles;
    std::swap(turned[0].x, turned[0].y);
    EXPECT_THROW(AnimatedMesh(turned, {cube.positions}, 24, 0, false, "turned"), InputError);
    auto fewer = cube.positions;
    fewer.pop_back();
    EXPECT_THROW(AnimatedMesh(cube.triangles, {cube.positions, fewer}, 24, 0, false, "fewer"),
                 InputError);
    EXPECT_THROW(AnimatedMesh({}, {}, 24, 0, false, "nothing"), InputError);
}

}  // namespace
}  // namespace knead::test
