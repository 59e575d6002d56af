// Bodies of the point methods, with default settings, on obstacles: friction that holds, matter
// that sticks, adhesion, and walls thinner than a spacing.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "knead/geometry/sdf_build.h"
#include "knead/materials/presets.h"
#include "points/embedded/bodies.h"
#include "points/incremental/bodies.h"

namespace knead {
namespace {

constexpr double spacing = 0.03, gravity = 9.81;
constexpr double degree = std::numbers::pi / 180;

Collider plate(const SdfShape& shape, Contact contact, double friction = 0, double adhesion = 0) {
    Collider c;
    c.name = "plate";
    c.shape = shape;
    c.contact = contact;
    c.friction = friction;
    c.adhesion = adhesion;
    return c;
}
SdfShape floor_at(double y) { return sdf::plane({0, y, 0}, {0, 1, 0}); }
SdfShape ceiling_at(double y) { return sdf::plane({0, y, 0}, {0, -1, 0}); }

// A block of n^3 of jelly whose lowest layer is at y = 0, among obstacles.
struct Incremental {
    incremental_test::Trial<double> run;
    Incremental(int n, std::vector<Collider> obstacles, const Vec3d& g,
                const char* preset = "jelly")
        : run(settings(), *find_preset(preset),
              point_test::make_block<double>(
                  {n, n, n, spacing, 0, {0, 0.5 * (n - 1) * spacing, 0}, 1050}),
              Scenery{std::move(obstacles), {}, {}, g}) {}
    static IncrementalSettings settings() {
        IncrementalSettings s;
        s.spacing = spacing;
        return s;
    }
    bool take(double dt) { return run.step(dt).ok; }
    double allowed() {
        double dt = 5e-3;
        for (const DtLimit& l : run.solver.dt_limits(run.phases, run.memory))
            dt = std::min(dt, l.dt);
        return dt;
    }
};
struct Embedded {
    embedded_test::Course run;
    Embedded(int n, std::vector<Collider> obstacles, const Vec3d& g, const char* preset = "jelly")
        : run(settings(), *find_preset(preset),
              {n, n, n, spacing, 0, {-0.5 * (n - 1) * spacing, 0, -0.5 * (n - 1) * spacing}},
              std::move(obstacles), g) {}
    static EmbeddedSettings settings() {
        EmbeddedSettings s;
        s.spacing = spacing;
        return s;
    }
    bool take(double dt) { return run.take(dt).ok; }
    double allowed() { return run.allowed(5e-3); }
};

template <class Body>
bool run_to(Body& body, double end, double share = 1) {
    while (body.run.time < end) {
        double dt = share * body.allowed();
        for (const DtLimit& l :
             scenery_dt_limits(body.run.scenery, body.run.time, dt, 0.5 * spacing))
            dt = std::min(dt, l.dt);
        if (!body.take(dt)) return false;
    }
    return true;
}
template <class Body>
Vec3d middle(Body& body) {
    Vec3d sum{0, 0, 0};
    auto& p = body.run.p();
    for (std::size_t i = 0; i < p.size(); ++i) sum += p.x.vec(i) / double(p.size());
    return sum;
}
template <class Body>
Vec3d speed(Body& body) {
    Vec3d sum{0, 0, 0};
    auto& p = body.run.p();
    for (std::size_t i = 0; i < p.size(); ++i)
        sum += static_cast<Vec3d>(p.v.vec(i)) / double(p.size());
    return sum;
}
Vec3d tilted(double degrees) {
    return {gravity * std::sin(degrees * degree), -gravity * std::cos(degrees * degree), 0};
}

template <class Body>
struct OnObstacles : ::testing::Test {};
using Bodies = ::testing::Types<Incremental, Embedded>;
TYPED_TEST_SUITE(OnObstacles, Bodies);

}  // namespace

// Friction above tan(15 degrees) = 0.268 holds: the lowest layer of a block of clay stays where it
// is, whatever the step. It crept by 12 mm a second while friction corrected velocities alone. Soft
// jelly sways, and slips where that lifts an edge.
TYPED_TEST(OnObstacles, FrictionHoldsABlockOnASlope) {
    struct Case {
        Contact contact;
        double friction;
    };
    for (const Case& c : {Case{Contact::separate, 0.6}, Case{Contact::sticky, 0}})
        for (const double share : {1.0, 0.3}) {
            TypeParam body(5, {plate(floor_at(0), c.contact, c.friction)}, tilted(15), "clay");
            ASSERT_TRUE(run_to(body, 0.3, share));
            std::map<std::int64_t, double> before;
            auto& p = body.run.p();
            for (std::size_t i = 0; i < p.size(); ++i)
                if (p.x.vec(i).y < 0.1 * spacing) before[p.id.at(i)] = p.x.vec(i).x;
            ASSERT_TRUE(run_to(body, 0.6, share));
            double crept = 0;
            for (std::size_t i = 0; i < p.size(); ++i)
                if (before.contains(p.id.at(i)))
                    crept += std::abs(p.x.vec(i).x - before[p.id.at(i)]) / double(before.size());
            EXPECT_GE(before.size(), 15u);
            EXPECT_LT(crept, 1e-4) << c.friction << " " << share;
        }
}

// a = g (sin - mu cos) below that.
TYPED_TEST(OnObstacles, ABlockSlidesAsCoulombHasIt) {
    TypeParam body(5, {plate(floor_at(0), Contact::separate, 0.1)}, tilted(15));
    ASSERT_TRUE(run_to(body, 0.2));
    const double v = speed(body).x, start = body.run.time;
    ASSERT_TRUE(run_to(body, 0.6));
    const double expected = gravity * (std::sin(15 * degree) - 0.1 * std::cos(15 * degree));
    EXPECT_NEAR((speed(body).x - v) / (body.run.time - start), expected, 0.03 * expected);
}

// Set free where its surface touches the floor, half a spacing below its lowest particles, a block
// slides from the start: v = a t. What it is too fast by is friction of its first swing, a few
// milliseconds in which its foot sticks. With particles whose middles touch it first fell by that
// half spacing, and its foot stuck where it hit: 2.1 a t after 0.2 s.
TYPED_TEST(OnObstacles, ABlockStartsToSlideAtOnce) {
    for (const char* preset : {"clay", "rubber"}) {
        const double floor = -0.5 * spacing, mu = 0.4;
        TypeParam body(5, {plate(floor_at(floor), Contact::separate, mu)}, tilted(25), preset);
        body.run.gap = 0.5 * spacing;
        const double start = middle(body).y;
        ASSERT_TRUE(run_to(body, 0.2));
        const double a = gravity * (std::sin(25 * degree) - mu * std::cos(25 * degree));
        EXPECT_NEAR(speed(body).x / (a * body.run.time), 1, 0.2) << preset;
        EXPECT_NEAR(middle(body).y, start, 0.01 * spacing) << preset;
    }
}

// Soft jelly, which is squeezed by a quarter and bounces, while all of its foot slides: friction
// takes mu times the momentum that the floor gives it, whatever the bounce. What is missing is
// where the foot spreads sideways, so that friction points a little askew.
TYPED_TEST(OnObstacles, FrictionOfABouncingJellyIsThatOfCoulomb) {
    const double mu = 0.4;
    TypeParam body(5, {plate(floor_at(-0.5 * spacing), Contact::separate, mu)}, tilted(25));
    body.run.gap = 0.5 * spacing;
    for (std::size_t i = 0; i < body.run.p().size(); ++i) body.run.p().v.set(i, {6, 0, 0});
    ASSERT_TRUE(run_to(body, 0.5));
    const Vec3d g = tilted(25), v = speed(body) - Vec3d{6, 0, 0}, given = v - body.run.time * g;
    EXPECT_NEAR(-given.x / (mu * given.y), 1, 0.01);
}

// Flush under a sticky ceiling a cube hangs; with adhesion it does as long as that is above the
// pressure of its weight, rho g h = 1545 Pa. Plates that turn by 60 degrees keep what is between
// them: the uppermost layer has turned by just that.
TYPED_TEST(OnObstacles, StickyCeilingsHoldAndAdhesionLetsGo) {
    const int n = 5;
    const double top = (n - 0.5) * spacing;
    const auto fall = [&](Contact contact, double adhesion) {
        TypeParam body(n, {plate(ceiling_at(top), contact, 0, adhesion)}, {0, -gravity, 0});
        const double start = middle(body).y;
        EXPECT_TRUE(run_to(body, 0.4));
        return start - middle(body).y;
    };
    EXPECT_LT(fall(Contact::sticky, 0), 0.03);
    EXPECT_LT(fall(Contact::separate, 4000), 0.03);
    EXPECT_GT(fall(Contact::separate, 700), 0.4);  // g t^2 / 2 = 0.78
}

TYPED_TEST(OnObstacles, TurningStickyPlatesTakeMatterAlong) {
    const int n = 5;
    const double top = (n - 0.5) * spacing;
    Collider lid = plate(sdf::box({0, top + spacing, 0}, {0.2, spacing, 0.2}, 0), Contact::sticky);
    lid.motion.pivot = {0, top, 0};
    lid.motion.angular_velocity = {0, 60 * degree / 0.2, 0};
    lid.motion.stop = 0.2;
    TypeParam body(n, {plate(floor_at(-0.5 * spacing), Contact::sticky), lid}, {0, 0, 0});
    auto& p = body.run.p();
    std::map<std::int64_t, Vec3d> places;
    for (std::size_t i = 0; i < p.size(); ++i) places[p.id.at(i)] = p.x.vec(i);
    ASSERT_TRUE(run_to(body, 0.5));
    int layer = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3d at = places[p.id.at(i)], now = p.x.vec(i);
        const bool upper = at.y > (n - 1.5) * spacing, lower = at.y < 0.5 * spacing;
        const double c = std::cos(60 * degree), s = std::sin(60 * degree);
        const Vec3d turned{c * at.x + s * at.z, at.y, c * at.z - s * at.x};
        if (upper) {
            EXPECT_LT(length(now - turned), 1e-3 * spacing);
        }
        if (lower) {
            EXPECT_LT(length(now - at), 1e-9 * spacing);
        }
        layer += upper ? 1 : 0;
    }
    EXPECT_EQ(layer, n * n);
}

// What starts in a sticky obstacle stays there.
TYPED_TEST(OnObstacles, WhatStartsInAStickyObstacleIsHeld) {
    TypeParam body(5, {plate(floor_at(1.2 * spacing), Contact::sticky)}, {0, -gravity, 0});
    std::map<std::int64_t, Vec3d> places;
    auto& p = body.run.p();
    for (std::size_t i = 0; i < p.size(); ++i) places[p.id.at(i)] = p.x.vec(i);
    ASSERT_TRUE(run_to(body, 0.2));
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3d at = places[p.id.at(i)];
        if (at.y < 1.2 * spacing) {
            EXPECT_LT(length(p.x.vec(i) - at), 1e-9);
        }
    }
}

// A cube on a plate of any thickness, and a piston of it that meets one at 6 m/s: nothing gets
// through. It starts 0.2 spacings above, and where there is a gap it comes no nearer.
TYPED_TEST(OnObstacles, NothingPassesThinPlates) {
    for (const double thickness : {0.1, 0.4, 0.9, 2.0}) {
        const double half = 0.5 * thickness * spacing;
        const SdfShape shape = sdf::box({0, -half - 0.2 * spacing, 0}, {1, half, 1}, 0);
        for (const double push : {0.0, 6.0})
            for (const double gap : {0.0, 0.5 * spacing}) {
                Collider piston = plate(shape, Contact::separate, 0.3);
                piston.motion.velocity = {0, push, 0};
                TypeParam body(4, {piston}, {0, -gravity, 0});
                body.run.gap = gap;
                ASSERT_TRUE(run_to(body, push > 0 ? 0.05 : 0.3));
                const double face = push * body.run.time - (gap > 0 ? 0 : 0.2 * spacing);
                auto& p = body.run.p();
                for (std::size_t i = 0; i < p.size(); ++i)
                    EXPECT_GT(p.x.vec(i).y, face - 1e-3 * spacing) << thickness << " " << push;
            }
    }
}

}  // namespace knead
