#include "knead/geometry/motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/sampling.h"

namespace knead {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Motion> motions() {
    Motion shaken;
    shaken.pivot = {0.1, 0.2, 0.3};
    shaken.amplitude = {0.05, 0, 0.02};
    shaken.frequency = 3;
    shaken.phase = 0.4;
    shaken.ramp = 0.5;
    Motion spun;
    spun.pivot = {1, 0, -1};
    spun.velocity = {0.1, -0.2, 0.3};
    spun.angular_velocity = {1, 2, -0.5};
    spun.start = 0.25;
    spun.stop = 1.6;
    Motion keyed;
    keyed.keys = {{0.2, {0, 0, 0}, {0, 0, 0}},
                  {0.9, {1, 0.5, 0}, {0, 1.5, 0}},
                  {1.3, {1, -0.5, 0.2}, {1, 0.2, -0.5}},
                  {1.9, {0, 0, 0}, {0, 0, 2.9}}};
    Motion smooth = keyed;
    smooth.smooth_path = true;
    Motion all = smooth;
    all.pivot = {0.3, -0.4, 0.5};
    all.velocity = {0, 0.2, 0};
    all.angular_velocity = {0.5, -3, 1};
    all.amplitude = {0, 0.1, 0};
    all.frequency = 2;
    all.ramp = 0.7;
    all.start = 0.1;
    return {shaken, spun, keyed, smooth, all};
}

// Central difference of where a rest point is, against the twist there. Error h^2 |x'''| / 6.
TEST(Motion, TwistIsTheTimeDerivativeOfPose) {
    const double h = 1e-5;
    for (const Motion& m : motions()) {
        int checked = 0;
        for (std::uint64_t i = 0; i < 400; ++i) {
            const double t = 2.2 * random_unit(1, i) - 0.1;
            bool kink = std::fabs(t - m.start) < 2 * h || std::fabs(t - m.stop) < 2 * h;
            for (const MotionKey& k : m.keys)
                kink = kink || std::fabs(t - m.start - k.time) < 2 * h;
            if (kink) continue;
            ++checked;
            const Vec3d rest = random_point(i, {{-1, -1, -1}, {1, 1, 1}});
            const auto at = [&](double s) { return from_rest(m.pose(s), m.pivot, rest); };
            const Vec3d difference = (at(t + h) - at(t - h)) / (2 * h);
            const Vec3d v = velocity_at(m.twist(t), m.pose(t), at(t));
            EXPECT_LT(length(difference - v), 1e-6) << t;
        }
        EXPECT_GT(checked, 390);
    }
}

TEST(Motion, MaxSpeedBoundsEverySampledSpeed) {
    const double radius = 1.3;
    for (const Motion& m : motions())
        for (std::uint64_t i = 0; i < 40; ++i) {
            const double t0 = 2.2 * random_unit(2, i, 0) - 0.1,
                         t1 = t0 + 0.3 * random_unit(2, i, 1);
            const double bound = m.max_speed(t0, t1, radius);
            double seen = 0;
            for (int k = 0; k <= 100; ++k) {
                const double t = t0 + (t1 - t0) * k / 100.;
                const Twist w = m.twist(t);
                seen = std::max(seen, length(w.linear) + radius * length(w.angular));
            }
            EXPECT_GE(bound, seen * (1 - 1e-12));
            EXPECT_LE(bound, 12 + 4 * seen);  // not absurdly loose
        }
}

TEST(Motion, MaxSpeedIsExactForUniformMotion) {
    Motion m;
    m.velocity = {3, 4, 0};
    m.angular_velocity = {0, 0, 2};
    EXPECT_DOUBLE_EQ(m.max_speed(0, 1, 0.5), 6);
    m.start = 2;
    EXPECT_EQ(m.max_speed(0, 1, 0.5), 0);
}

TEST(Motion, PoseIsContinuous) {
    const double h = 1e-7;
    for (const Motion& m : motions())
        for (int i = 0; i < 230; ++i) {
            const double t = 0.01 * i - 0.1;
            EXPECT_LT(length(m.pose(t + h).position - m.pose(t - h).position), 1e-5);
            EXPECT_LT(norm_squared(m.pose(t + h).rotation - m.pose(t - h).rotation), 1e-9);
        }
}

TEST(Motion, KeysAreMet) {
    for (const bool smooth : {false, true}) {
        Motion m = motions()[2];
        m.pivot = {1, 2, 3};
        m.smooth_path = smooth;
        for (const MotionKey& k : m.keys)
            EXPECT_LT(length(m.pose(k.time).position - (m.pivot + k.position)), 1e-14);
        EXPECT_EQ(m.pose(-1).position, m.pivot + m.keys.front().position);
        EXPECT_EQ(m.pose(9).position, m.pivot + m.keys.back().position);
        // half of a straight segment, at constant rate
        const Twist a = m.twist(0.3), b = m.twist(0.8);
        EXPECT_LT(length(a.angular - b.angular), 1e-12);
        EXPECT_NEAR(length(a.angular), 1.5 / 0.7, 1e-12);
        if (!smooth) {
            EXPECT_LT(length(m.pose(0.55).position - m.pivot - Vec3d{0.5, 0.25, 0}), 1e-14);
        }
    }
}

// Three whole turns between two keys about one axis are three turns, not none.
TEST(Motion, KeysAboutOneAxisMayTurnManyTimes) {
    Motion m;
    m.keys = {{0, {0, 0, 0}, {0, 0, 0}}, {2, {0, 0, 0}, {0, 6 * pi, 0}}};
    EXPECT_NEAR(m.twist(1).angular.y, 3 * pi, 1e-12);
    EXPECT_NEAR(m.pose(1. / 3).rotation.xx, -1, 1e-12);  // half a turn
}

// x(t) = A sin(2 pi f t), v(t) = 2 pi f A cos(2 pi f t) once the ramp is over.
TEST(Motion, OscillationFollowsTheSineAndItsRampStartsGently) {
    Motion m;
    m.amplitude = {0, 0.1, 0};
    m.frequency = 5;
    m.ramp = 0.4;
    EXPECT_EQ(length(m.twist(0).linear), 0);
    EXPECT_NEAR(m.pose(0.63).position.y, 0.1 * std::sin(2 * pi * 5 * 0.63), 1e-14);
    EXPECT_NEAR(m.twist(0.63).linear.y, 0.1 * 10 * pi * std::cos(2 * pi * 5 * 0.63), 1e-13);
    EXPECT_NEAR(m.pose(0.25).position.y, 0.1 * 0.68359375 * std::sin(2 * pi * 1.25), 1e-14);
}

TEST(Motion, RestsBeforeStartAndAfterStop) {
    const Motion m = motions()[1];
    EXPECT_EQ(m.pose(0.1).position, m.pivot);
    EXPECT_EQ(length(m.twist(0.1).linear) + length(m.twist(1.7).angular), 0);
    EXPECT_EQ(m.pose(1.6).position, m.pose(5).position);
    EXPECT_LT(length(m.pose(1.6).position - (m.pivot + 1.35 * m.velocity)), 1e-14);
}

TEST(Motion, StillMeansThePoseNeverChanges) {
    EXPECT_TRUE(Motion{}.still());
    for (const Motion& m : motions()) EXPECT_FALSE(m.still());
    Motion held;
    held.keys = {{0, {1, 2, 3}, {0, 1, 0}}};
    EXPECT_TRUE(held.still());
    EXPECT_EQ(held.pose(4).position, (Vec3d{1, 2, 3}));
}

}  // namespace
}  // namespace knead
