// Grips, pulls, obstacles that push and obstacles that are pushed.
#include "knead/scenery/surroundings.h"

#include <gtest/gtest.h>

#include "points/incremental/bodies.h"
#include "support/tolerance.h"

namespace knead::incremental_test {

namespace {

Collider block_collider(const Vec3d& center, const Vec3d& size, double mass) {
    Collider c;
    c.name = "block";
    c.shape = sdf::box(center, 0.5 * size, 0);
    c.motion.pivot = center;
    c.rigid.mass = mass;
    c.rigid.inertia = (mass * length_squared(size) / 18) * identity3<double>();
    return c;
}

double height_of(const RigidState& s) { return s.pose.position.y; }

}  // namespace

TEST(RigidBody, InelasticContactSharesMomentum) {
    RigidBody body;
    body.mass = 2;
    const RigidState still{{}, {{0, -1, 0}, {0, 0, 0}}};
    // 3 kg at rest below the centre: (2 * -1 + 3 * 0) / 5
    InelasticContact contact(body, still);
    contact.add(3, {0, -0.1, 0}, {0, -1, 0}, {0, 0, 0});
    EXPECT_NEAR(contact.solve().linear.y, -0.4, 1e-12);
    EXPECT_NEAR(length(contact.solve().angular), 0, 1e-12);
    // off to the side it also turns, and the point of contact comes to share its velocity
    InelasticContact side(body, still);
    side.add(1e9, {0.5, 0, 0}, {0, -1, 0}, {0, 0, 0});
    const Twist t = side.solve();
    EXPECT_NEAR(velocity_at(t, {}, {0.5, 0, 0}).y, 0, 1e-6);
    EXPECT_GT(t.angular.z, 0.1);
}

TEST(RigidBody, GuidesAllowOneDirection) {
    RigidBody body;
    body.mass = 2;
    body.guide = {0, 3, 0};
    const Twist t = pushed(body, {}, {{4, 6, 0}, {1, 1, 1}});
    EXPECT_EQ(t.linear, (Vec3d{0, 3, 0}));
    EXPECT_EQ(t.angular, (Vec3d{0, 0, 0}));
}

// A free body falls as a point and turns with a steady spin.
TEST(Surroundings, AFreeRigidBodyFalls) {
    Scenery scenery;
    scenery.colliders.push_back(block_collider({0, 5, 0}, {1, 1, 1}, 3));
    std::vector<RigidState> rigid;
    std::vector<Phase<double>> none;
    for (int k = 0; k < 100; ++k) {
        Surroundings s(scenery, rigid, 0.01 * k, 0.01);
        if (k == 0) rigid[0].twist.angular = {0, 0, 1};
        s.collide(none);
        s.finish();
    }
    EXPECT_NEAR(height_of(rigid[0]), 5 - 9.81 * 1e-4 * 100 * 101 / 2, 1e-9);
    EXPECT_NEAR(rigid[0].pose.rotation.xx, std::cos(1.0), 1e-9);
}

// Nothing but the pair: what the matter gains the block loses.
TEST(Surroundings, APushedBlockAndMatterKeepTheirMomentum) {
    const Block b{6, 6, 6, 0.02};  // 1.728 kg
    IncrementalSettings s = settings_for(b);
    s.viscosity = 20;
    s.pressure = 5e4;
    Scenery space = empty_space();
    space.colliders.push_back(block_collider({0, 0.13, 0}, {0.2, 0.1, 0.2}, 2));
    space.colliders[0].friction = 0.3;
    Trial<double> run(s, elastic(1e5), make_block<double>(b), space);
    run.set_velocity([](const Vec3d&) { return Vec3d{0.2, 1, 0}; });
    const Vec3d before = run.momentum();
    ASSERT_TRUE(run.run_until(0.2, 2e-4));
    const Vec3d block = 2 * run.rigid[0].twist.linear;
    EXPECT_GT(block.y, 0.3);
    EXPECT_LT(length(run.momentum() + block - before) / length(before), 1e-9);
}

// A block on a guide falls on clay and comes to rest on it; harder matter throws it up.
TEST(Surroundings, MatterCarriesAPushedBlock) {
    const Block b{8, 6, 8, 0.02, 0, {0, 0.06, 0}};
    IncrementalSettings s = settings_for(b);
    s.viscosity = 20;
    s.pressure = 5e4;
    Scenery scenery = ground();
    scenery.colliders.push_back(block_collider({0, 0.2, 0}, {0.2, 0.1, 0.2}, 2));
    scenery.colliders[1].rigid.guide = {0, 1, 0};
    Trial<double> run(s, elastic(1e5), make_block<double>(b), scenery);
    double lowest = 1, highest_after = 0;
    for (int k = 0; k < 1500; ++k) {
        ASSERT_TRUE(run.step(5e-4).ok);
        if (height_of(run.rigid[1]) < lowest) lowest = height_of(run.rigid[1]), highest_after = 0;
        highest_after = std::max(highest_after, height_of(run.rigid[1]));
    }
    // The matter settles until its lowest particles touch the ground, its top ones are then at 0.1:
    // the block's middle rests 0.05 above them, pressed in by about 1 % under 766 Pa.
    EXPECT_LT(lowest, 0.16);
    EXPECT_GT(highest_after, lowest + 0.0005);
    EXPECT_NEAR(height_of(run.rigid[1]), 0.149, 0.003);
    EXPECT_LT(length(run.rigid[1].twist.linear), 0.1);
}

// Until its release a body moves as scripted, whatever is in its way.
TEST(Surroundings, AScriptMovesTheBlockUntilItsRelease) {
    Scenery scenery;
    scenery.colliders.push_back(block_collider({0, 1, 0}, {1, 1, 1}, 1));
    scenery.colliders[0].motion.velocity = {0, -1, 0};
    scenery.colliders[0].rigid.release = 0.5;
    std::vector<RigidState> rigid;
    std::vector<Phase<double>> none;
    for (int k = 0; k < 50; ++k) {
        Surroundings s(scenery, rigid, 0.01 * k, 0.01);
        s.collide(none);
        s.finish();
    }
    EXPECT_NEAR(height_of(rigid[0]), 0.5, 1e-12);
    Surroundings after(scenery, rigid, 0.5, 0.01);
    after.finish();
    EXPECT_NEAR(rigid[0].twist.linear.y, -1 - 0.0981, 1e-12);
}

// Held particles follow their grip's motion exactly, and are free again after its release.
TEST(Surroundings, GripsCarryTheirParticlesUntilTheyLetGo) {
    const Block b{9, 3, 3, 0.02};
    Scenery space = empty_space();
    Grip grip;
    grip.name = "end";
    grip.region = sdf::box({0.08, 0, 0}, {0.03, 1, 1}, 0);
    grip.motion.pivot = {0.08, 0, 0};
    grip.motion.angular_velocity = {3, 0, 0};
    grip.release = 0.1;
    space.grips.push_back(grip);
    IncrementalSettings s = settings_for(b);
    s.viscosity = 20;
    Trial<double> run(s, elastic(1e5), make_block<double>(b), space);
    std::vector<Vec3d> start(run.p().size());
    std::size_t held = 0;
    for (std::size_t i = 0; i < start.size(); ++i) {
        start[static_cast<std::size_t>(run.p().id.at(i))] = run.p().x.vec(i);
        held += run.p().grip.at(i) == 0 ? 1 : 0;
    }
    EXPECT_EQ(held, 18u);  // two of nine layers
    ASSERT_TRUE(run.run_until(0.1, 2e-4));
    const double c = std::cos(0.3), sn = std::sin(0.3);
    for (std::size_t i = 0; i < run.p().size(); ++i) {
        if (run.p().grip.at(i) < 0) continue;
        const Vec3d x = start[static_cast<std::size_t>(run.p().id.at(i))];
        EXPECT_LT(length(run.p().x.vec(i) - Vec3d{x.x, c * x.y - sn * x.z, sn * x.y + c * x.z}),
                  1e-9);
    }
    // the other end was free to follow, and now brakes this one
    ASSERT_TRUE(run.run_until(0.15, 2e-4));
    double ahead = 0;
    for (std::size_t i = 0; i < run.p().size(); ++i) {
        if (run.p().grip.at(i) < 0) continue;
        const Vec3d x = start[static_cast<std::size_t>(run.p().id.at(i))];
        const Vec3d script{x.x, std::cos(0.45) * x.y - std::sin(0.45) * x.z,
                           std::sin(0.45) * x.y + std::cos(0.45) * x.z};
        ahead = std::max(ahead, length(run.p().x.vec(i) - script));
    }
    EXPECT_GT(ahead, 1e-4);
}

// A block slides down a slope: with friction f it gains g (sin a - f cos a) along it, and none
// where f exceeds tan a.
TEST(Surroundings, MatterSlidesWithCoulombFriction) {
    const double angle = 0.4;
    for (const double friction : {0.2, 0.6}) {
        const Block b{6, 4, 6, 0.02, 0, {0, 0.032, 0}};
        IncrementalSettings s = settings_for(b);
        s.viscosity = 20;
        s.pressure = 5e5;
        Scenery scenery = ground(friction);
        scenery.gravity = 9.81 * Vec3d{std::sin(angle), -std::cos(angle), 0};
        Trial<double> run(s, elastic(1e6), make_block<double>(b), scenery);
        ASSERT_TRUE(run.run_until(0.3, 2e-4));
        const double mass = 6 * 4 * 6 * 0.008;
        const double gain = 9.81 * (std::sin(angle) - friction * std::cos(angle));
        EXPECT_NEAR(run.momentum().x / mass, std::max(0.0, gain * 0.3), 0.05) << friction;
    }
}

// A wall that moves into a body and a thin fast one: nothing leaks through.
TEST(Surroundings, NoParticleLeaksThroughAMovingWall) {
    const Block b{8, 8, 8, 0.02};
    Scenery space = empty_space();
    Collider wall;
    wall.name = "wall";
    wall.shape = sdf::box({0, -0.3, 0}, {0.5, 0.2, 0.5}, 0);
    wall.motion.velocity = {0, 2, 0};
    space.colliders.push_back(wall);
    IncrementalSettings s = settings_for(b);
    s.viscosity = 20;
    s.pressure = 5e4;
    Trial<double> run(s, elastic(1e5), make_block<double>(b), space);
    ASSERT_TRUE(run.run_until(0.2, 2e-4));
    for (std::size_t i = 0; i < run.p().size(); ++i)
        EXPECT_GE(run.p().x.vec(i).y, -0.1 + 2 * run.time - 1e-9);
    EXPECT_GT(run.momentum().y, 512 * 0.008 * 1.9);
}

}  // namespace knead::incremental_test
