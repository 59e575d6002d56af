// Small runs of the grid solver with answers known in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "knead/geometry/sdf_build.h"
#include "mpm/blocks.h"
#include "support/long_run.h"

namespace knead {

using std::numbers::pi;
using testing::Simulation;

namespace {

Collider floor_of(Contact contact, double friction, double height = 0) {
    Collider c;
    c.name = "floor";
    c.shape = sdf::plane({0, height, 0}, {0, 1, 0});
    c.contact = contact;
    c.friction = friction;
    return c;
}

template <class Real>
Phase<Real> ball(double dx, int cells_across, const Vec3d& center, double density) {
    const double radius = cells_across * dx / 2;
    const int n = 4 * cells_across;
    return testing::lattice_body<Real>(dx, {-n, -n, -n}, {n, n, n}, density,
                                       [&](const Vec3d& x) { return length(x - center) < radius; });
}

// L = sum m x cross v and what APIC's affine motion adds.
template <class Real>
Vec3d angular_momentum(const Simulation<Real>& sim, double D) {
    return sim.total([D](const Particles<Real>& p, std::size_t i) {
        const Mat3d C = static_cast<Mat3d>(p.C.mat(i));
        const Vec3d spin{C.zy - C.yz, C.xz - C.zx, C.yx - C.xy};
        return static_cast<double>(p.mass.at(i)) *
               (cross(p.x.vec(i), static_cast<Vec3d>(p.v.vec(i))) + D * spin);
    });
}

}  // namespace

// A ball that spins at 10 rad/s in empty space keeps its angular momentum over 1000 steps.
TEST(Solids, SpinIsKeptByApic) {
    const double dx = 0.1;
    const Material rubber = testing::elastic_material(1000, 1e6, 0.3);
    Phase<float> body = ball<float>(dx, 6, {0.013, 0.021, -0.017}, rubber.density);
    for (std::size_t i = 0; i < body.particles.size(); ++i)
        body.particles.v.set(i,
                             static_cast<Vec3f>(cross(Vec3d{0, 0, 10}, body.particles.x.vec(i))));
    Simulation<float> sim(testing::settings_of(dx, 2, Transfer::apic), {rubber}, {}, {0, 0, 0},
                          {std::move(body)});
    const double D = dx * dx / 4;
    ASSERT_TRUE(sim.step(sim.stable_dt()).ok);
    const Vec3d before = angular_momentum(sim, D);
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(sim.step(sim.stable_dt()).ok);
    EXPECT_LT(length(angular_momentum(sim, D) - before), 1e-4 * length(before));
}

// Dropped from h, an elastic ball comes back, never higher, and energy is not made.
TEST(Solids, ElasticBallBouncesBack) {
    const double dx = 0.05, drop = 0.3, g = 9.81;
    const Material rubber = testing::elastic_material(1000, 2e5, 0.3);
    Phase<float> body = ball<float>(dx, 8, {0, 0.2 + dx + drop, 0}, rubber.density);
    Simulation<float> sim(testing::settings_of(dx, 2, Transfer::apic), {rubber},
                          {floor_of(Contact::separate, 0)}, {0, -g, 0}, {std::move(body)});
    const double start = sim.center().y;
    const auto energy = [&] {
        const double kinetic = sim.total([](const Particles<float>& p, std::size_t i) {
            return 0.5 * double(p.mass.at(i)) * double(length_squared(p.v.vec(i)));
        });
        return kinetic + sim.mass() * g * sim.center().y + sim.solver.elastic_energy(sim.phases);
    };
    const double first = energy();
    double lowest = start, rebound = 0, most = 0;
    while (sim.time < 0.65) {
        ASSERT_TRUE(sim.step(sim.stable_dt()).ok);
        const double y = sim.center().y;
        lowest = std::min(lowest, y);
        if (sim.time > 0.3) rebound = std::max(rebound, y);
        most = std::max(most, energy());
    }
    EXPECT_LT(most, first + 0.01 * sim.mass() * g * drop);
    EXPECT_GT((rebound - lowest) / (start - lowest), 0.6);
    EXPECT_LT(rebound, start);
}

// a = g (sin - mu cos) on an incline, or none where friction holds; gravity is tilted. The block
// starts on the plane, so that its bouncing stays small beside what friction does.
TEST(Solids, BlockOnInclineObeysCoulomb) {
    struct Case {
        double degrees, friction;
    };
    for (const Case& c : {Case{35, 0.5}, Case{25, 0.3}, Case{20, 0.5}, Case{30, 0.0}}) {
        const double dx = 0.05, angle = c.degrees * pi / 180, g = 9.81;
        const Material wood = testing::elastic_material(1000, 1e6, 0.3);
        Phase<float> body = testing::lattice_body<float>(dx, {0, 0, 0}, {16, 8, 16}, wood.density,
                                                         [](const Vec3d&) { return true; });
        Simulation<float> sim(testing::settings_of(dx, 2, Transfer::apic), {wood},
                              {floor_of(Contact::separate, c.friction)},
                              {g * std::sin(angle), -g * std::cos(angle), 0}, {std::move(body)});
        ASSERT_TRUE(sim.run_to(0.2));
        const double v0 = sim.momentum().x / sim.mass();
        ASSERT_TRUE(sim.run_to(0.8));
        const double a = (sim.momentum().x / sim.mass() - v0) / 0.6;
        const double expected = std::max(0.0, g * (std::sin(angle) - c.friction * std::cos(angle)));
        EXPECT_NEAR(a, expected, 0.03 * g * std::sin(angle)) << c.degrees << " " << c.friction;
        if (expected > 0) {
            EXPECT_NEAR(a, expected, 0.03 * expected) << c.degrees;
        }
    }
}

namespace {

// Frequency of the first axial mode of a free bar, from the zero crossings of its velocity.
double axial_frequency(double dx, double length_, double young) {
    const Material steel = testing::elastic_material(1000, young, 0.0);
    const int n = static_cast<int>(std::lround(2 * length_ / dx)), w = 4;
    Phase<double> body = testing::lattice_body<double>(dx, {0, 0, 0}, {n, w, w}, steel.density,
                                                       [](const Vec3d&) { return true; });
    auto& p = body.particles;
    for (std::size_t i = 0; i < p.size(); ++i)
        p.v.at(i, 0) = 1e-3 * std::cos(pi * p.x.at(i, 0) / length_);
    Simulation<double> sim(testing::settings_of(dx, 2, Transfer::apic), {steel}, {}, {0, 0, 0},
                           {std::move(body)});
    const auto mode = [&] {
        return sim.total([&](const Particles<double>& q, std::size_t i) {
            return q.v.at(i, 0) * std::cos(pi * q.x.at(i, 0) / length_);
        });
    };
    // Half periods between the first and the seventh crossing.
    std::vector<double> crossings;
    double last = mode(), at = 0;
    while (crossings.size() < 7 && sim.time < 10) {
        if (!sim.step(sim.stable_dt()).ok) return 0;
        const double now = mode();
        if (now * last < 0) crossings.push_back(at + (sim.time - at) * last / (last - now));
        last = now, at = sim.time;
    }
    return crossings.size() < 7 ? 0 : 3 / (crossings[6] - crossings[0]);
}

}  // namespace

// f = sqrt(E / rho) / (2 L), within 3 % and closer on the finer grid.
TEST(Solids, BarRingsAtItsFirstAxialFrequency) {
    LONG_RUN();
    const double L = 1, young = 1e5, exact = std::sqrt(young / 1000) / (2 * L);
    const double coarse = axial_frequency(L / 12, L, young) / exact - 1;
    const double fine = axial_frequency(L / 24, L, young) / exact - 1;
    RecordProperty("coarse", std::to_string(coarse));
    RecordProperty("fine", std::to_string(fine));
    EXPECT_LT(std::abs(coarse), 0.03) << coarse;
    EXPECT_LT(std::abs(fine), 0.03) << fine;
    EXPECT_LT(std::abs(fine), std::abs(coarse)) << coarse << " " << fine;
}

}  // namespace knead
