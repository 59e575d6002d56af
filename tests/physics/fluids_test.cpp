// Water at rest, and colliders that hold what is thrown at them.
#include <gtest/gtest.h>

#include <cmath>

#include "knead/base/random.h"
#include "knead/geometry/sdf_build.h"
#include "mpm/blocks.h"
#include "support/long_run.h"

namespace knead {

using testing::Simulation;

namespace {

Collider wall(const Vec3d& point, const Vec3d& normal) {
    Collider c;
    c.name = "wall";
    c.shape = sdf::plane(point, normal);
    c.contact = Contact::slip;
    return c;
}

}  // namespace

// p = rho g depth once the column has come to rest in its box.
TEST(Fluids, WaterStandsUnderHydrostaticPressure) {
    LONG_RUN();
    const double dx = 0.05, g = 9.81, H = 0.8;
    Material water;
    water.name = "water";
    water.density = 1000;
    water.elastic.law = ElasticLaw::fluid;
    water.elastic.bulk_modulus = 2e5;
    water.elastic.fluid_viscosity = 2;
    Phase<double> body = testing::lattice_body<double>(dx, {0, 0, 0}, {8, 32, 8}, water.density,
                                                       [](const Vec3d&) { return true; });
    const double w = 8 * dx / 2;
    Simulation<double> sim(
        testing::settings_of(dx, 2, Transfer::apic), {water},
        {wall({0, 0, 0}, {0, 1, 0}), wall({0, 0, 0}, {1, 0, 0}), wall({w, 0, 0}, {-1, 0, 0}),
         wall({0, 0, 0}, {0, 0, 1}), wall({0, 0, w}, {0, 0, -1})},
        {0, -g, 0}, {std::move(body)});
    ASSERT_TRUE(sim.run_to(1.5));
    // Mean pressure and depth over a second of what swing is left, in the lower half.
    double pressure = 0, expected = 0;
    for (int sample = 0; sample < 20; ++sample) {
        ASSERT_TRUE(sim.run_to(1.5 + 0.05 * (sample + 1)));
        const auto& p = sim.phases[0].particles;
        double top = 0;
        for (std::size_t i = 0; i < p.size(); ++i) top = std::max(top, p.x.at(i, 1));
        for (std::size_t i = 0; i < p.size(); ++i) {
            if (p.x.at(i, 1) > H / 2 || p.x.at(i, 1) < 2 * dx) continue;
            pressure -= (p.stress.at(i, 0) + p.stress.at(i, 1) + p.stress.at(i, 2)) / 3;
            expected += water.density * g * (top + dx / 4 - p.x.at(i, 1));
        }
    }
    EXPECT_NEAR(pressure / expected, 1, 0.05);
}

// A plate two cells thick sweeps through loose matter: none of it ends inside or behind.
TEST(Fluids, MovingPlateLeaksNothing) {
    const double dx = 0.05;
    const Material sand = *find_preset("sand");
    Phase<float> body = testing::lattice_body<float>(dx, {4, -8, -8}, {16, 8, 8}, sand.density,
                                                     [](const Vec3d&) { return true; });
    for (std::size_t i = 0; i < body.particles.size(); ++i)
        for (int a = 0; a < 3; ++a)
            body.particles.v.at(i, a) =
                static_cast<float>(4 * random_unit(3, i, static_cast<std::uint64_t>(a)) - 2);
    Collider plate;
    plate.name = "plate";
    plate.shape = sdf::box({-0.1, 0, 0}, {dx, 10, 10});
    plate.motion.velocity = {3, 0, 0};
    plate.friction = 0.4;
    Simulation<float> sim(testing::settings_of(dx, 2, Transfer::apic), {sand}, {plate}, {0, 0, 0},
                          {std::move(body)});
    ASSERT_TRUE(sim.run_to(0.2));
    const double face = -0.1 + dx + 3 * 0.2;
    const auto& p = sim.phases[0].particles;
    for (std::size_t i = 0; i < p.size(); ++i) ASSERT_GT(p.x.at(i, 0), face - 1e-6);
}

}  // namespace knead
