// Contact on the grid, wherever faces lie between its nodes: matter that sticks, adhesion, and
// walls thinner than a cell.
#include <gtest/gtest.h>

#include <map>

#include "knead/geometry/sdf_build.h"
#include "mpm/blocks.h"

namespace knead {
namespace {

using testing::Simulation;

constexpr double dx = 0.05, gravity = 9.81;
constexpr int cells = 4;

Collider plate(const SdfShape& shape, Contact contact, double adhesion = 0) {
    Collider c;
    c.name = "plate";
    c.shape = shape;
    c.contact = contact;
    c.adhesion = adhesion;
    return c;
}

// A cube of jelly whose lowest corner is `shift` cells up along all axes, among obstacles.
Simulation<float> jelly(double shift, const std::vector<Collider>& obstacles, double g = gravity,
                        const char* preset = "jelly", const Vec3d& v = {0, 0, 0},
                        StickyWalls walls = StickyWalls::nodes) {
    const Material material = *find_preset(preset);
    Phase<float> body = testing::cube_body<float>(dx, cells, material.density);
    for (std::size_t i = 0; i < body.particles.size(); ++i) {
        body.particles.x.set(i, body.particles.x.vec(i) + splat(shift * dx));
        body.particles.v.set(i, static_cast<Vec3f>(v));
    }
    const bool surface = walls == StickyWalls::surface;
    MpmSettings settings = testing::settings_of(dx, 2, surface ? Transfer::aflip : Transfer::apic);
    settings.sticky_walls = walls;
    return {settings, {material}, obstacles, {0, -g, 0}, {std::move(body)}};
}

// Both kinds of sticky walls.
Simulation<float> sticking_jelly(StickyWalls walls, double shift, const Collider& wall,
                                 double g = gravity) {
    return jelly(shift, {wall}, g, "jelly", {0, 0, 0}, walls);
}
constexpr StickyWalls both_kinds[] = {StickyWalls::nodes, StickyWalls::surface};

}  // namespace

// Flush under a sticky ceiling; the stretch under its own weight is rho g h^2 / (2 E) = 0.04 m with
// E = 6 kPa, and swings to twice that.
TEST(GridContact, StickyCeilingsHoldWhereverTheyLie) {
    for (const StickyWalls walls : both_kinds)
        for (const double shift : {0.0, 0.1, 0.3, 0.5, 0.7, 0.9}) {
            const SdfShape ceiling = sdf::plane({0, (cells + shift) * dx, 0}, {0, -1, 0});
            auto sim = sticking_jelly(walls, shift, plate(ceiling, Contact::sticky));
            const double start = sim.center().y;
            ASSERT_TRUE(sim.run_to(1.5));
            EXPECT_LT(start - sim.center().y, 0.1) << shift;
        }
}

// A sticky plate lifted slowly, over several planes of nodes, takes a cube along.
TEST(GridContact, ALiftedStickyPlateTakesMatterAlong) {
    Collider lift = plate(sdf::plane({0, (cells + 0.3) * dx, 0}, {0, -1, 0}), Contact::sticky);
    lift.motion.velocity = {0, 0.1, 0};
    for (const StickyWalls walls : both_kinds) {
        auto sim = sticking_jelly(walls, 0.3, lift, 0);
        const double start = sim.center().y;
        ASSERT_TRUE(sim.run_to(1));
        EXPECT_NEAR(sim.center().y - start, 0.1, 0.01);
    }
}

// Adhesion holds rho g h = 2060 Pa from above that on, and lets go below.
TEST(GridContact, AdhesionHoldsUpToItsPull) {
    for (const double shift : {0.0, 0.3, 0.7}) {
        const SdfShape ceiling = sdf::plane({0, (cells + shift) * dx, 0}, {0, -1, 0});
        const auto fall = [&](double adhesion) {
            auto sim = jelly(shift, {plate(ceiling, Contact::separate, adhesion)});
            const double start = sim.center().y;
            EXPECT_TRUE(sim.run_to(0.5));
            return start - sim.center().y;
        };
        EXPECT_GT(fall(1000), 0.4) << shift;  // half of 9.81 / 2 t^2
        EXPECT_LT(fall(8000), 0.15) << shift;
    }
}

// What starts in a sticky collider stays there.
TEST(GridContact, WhatStartsInAStickyColliderIsHeld) {
    const double face = 1.6 * dx;
    const Collider wall = plate(sdf::plane({0, face, 0}, {0, 1, 0}), Contact::sticky);
    for (const StickyWalls walls : both_kinds) {
        auto sim = sticking_jelly(walls, 0.2, wall);
        std::map<std::int64_t, Vec3d> start;
        const auto& p = sim.phases[0].particles;
        for (std::size_t i = 0; i < p.size(); ++i) start[p.id.at(i)] = p.x.vec(i);
        ASSERT_TRUE(sim.run_to(0.2));
        for (std::size_t i = 0; i < p.size(); ++i)
            if (start[p.id.at(i)].y < face) {
                EXPECT_LT(length(p.x.vec(i) - start[p.id.at(i)]), 1e-6);
            }
    }
}

// A jelly that leans on its sticky floor leans by as much for any step: 0.3 cells of floor between
// nodes.
TEST(GridContact, MatterOnASurfaceDoesNotDependOnTheStep) {
    const auto lean = [](double share) {
        Material soft = *find_preset("jelly");
        Phase<float> body = testing::cube_body<float>(dx, cells, soft.density);
        for (std::size_t i = 0; i < body.particles.size(); ++i)
            body.particles.x.set(i, body.particles.x.vec(i) + splat(0.3 * dx));
        MpmSettings settings = testing::settings_of(dx, 2, Transfer::aflip);
        settings.sticky_walls = StickyWalls::surface;
        Simulation<float> sim(settings, {soft},
                              {plate(sdf::plane({0, 0.3 * dx, 0}, {0, 1, 0}), Contact::sticky)},
                              {4, -4, 0}, {std::move(body)});
        const double start = sim.center().x;
        while (sim.time < 1) EXPECT_TRUE(sim.step(share * sim.stable_dt()).ok);
        return sim.center().x - start;
    };
    EXPECT_NEAR(lean(0.2) / lean(1), 1, 0.03);
}

// Plates from a tenth of a cell to two, on a plane of nodes and off it, still and as a piston of
// 6 m/s: jelly, water and sand stay on their side.
TEST(GridContact, NothingPassesThinPlates) {
    for (const char* preset : {"jelly", "water", "sand"})
        for (const double thickness : {0.1, 0.25, 0.5, 0.9, 2.0})
            for (const double push : {0.0, 6.0}) {
                const double shift = 0.37, half = 0.5 * thickness * dx;
                Collider piston =
                    plate(sdf::box({0, shift * dx - half, 0}, {5, half, 5}, 0), Contact::separate);
                piston.friction = 0.3;
                piston.motion.velocity = {0, push, 0};
                auto sim = jelly(shift, {piston}, gravity, preset);
                ASSERT_TRUE(sim.run_to(push > 0 ? 0.05 : 0.25));
                const double face = shift * dx + push * sim.time;
                const auto& p = sim.phases[0].particles;
                int through = 0;
                for (std::size_t i = 0; i < p.size(); ++i)
                    through += p.x.vec(i).y < face - 1e-3 * dx ? 1 : 0;
                EXPECT_EQ(through, 0) << preset << " " << thickness << " " << push;
            }
}

// A paddle of a quarter of a cell turns through water: none changes sides of it.
TEST(GridContact, NothingPassesATurningPaddle) {
    Collider paddle = plate(sdf::box({0.1, 0.1, 0.1}, {0.4, 0.125 * dx, 0.4}, 0), Contact::slip);
    paddle.motion.pivot = {0.1, 0.1, 0.1};
    paddle.motion.angular_velocity = {0, 0, 10};
    auto sim = jelly(0, {paddle}, 0, "water");
    const auto side = [&](const Vec3d& x) { return ColliderAt(paddle, sim.time).normal(x); };
    const auto& p = sim.phases[0].particles;
    std::map<std::int64_t, bool> above;
    for (std::size_t i = 0; i < p.size(); ++i) above[p.id.at(i)] = side(p.x.vec(i)).y > 0;
    ASSERT_TRUE(sim.run_to(0.1));
    const Pose pose = paddle.motion.pose(sim.time);
    int through = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        through += (to_rest(pose, paddle.motion.pivot, p.x.vec(i)).y > 0.1) != above[p.id.at(i)];
    EXPECT_EQ(through, 0);
}

}  // namespace knead
