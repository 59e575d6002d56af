// When the step resamples, and what holds the nodes of a face.
#include <gtest/gtest.h>

#include "blocks.h"
#include "knead/geometry/sdf_build.h"

namespace knead {

using testing::Simulation;

namespace {

// A cube of foam that stretches along x at the given rate, or flies and spins as a whole.
Simulation<double> stretching_cube(double rate, const Vec3d& velocity = {0, 0, 0}) {
    const double dx = 3e-3;
    MpmSettings settings = testing::settings_of(dx, 3, Transfer::flip);
    settings.resampling = true;
    settings.resampling_interval = 1e-5;
    Phase<double> cube = testing::cube_body<double>(dx, 8, 77.7);
    auto& p = cube.particles;
    for (std::size_t i = 0; i < p.size(); ++i)
        p.v.set(i, velocity + rate * Vec3d{1, -0.5, -0.5} * (p.x.vec(i) - splat(4 * dx)));
    return {settings, {*find_preset("shaving-cream")}, {}, {0, 0, 0}, {std::move(cube)}};
}

// |sym(dt grad v)| of the stretch is dt rate sqrt(1 + 1/4 + 1/4). Particles at the surface see a
// little less of the field, those inside all of it.
TEST(Resampling, MeasuresHowFarMatterHasStrained) {
    auto sim = stretching_cube(10);
    const double dt = 1e-5;
    for (int i = 1; i <= 3; ++i) {
        ASSERT_TRUE(sim.step(dt).ok);
        EXPECT_NEAR(sim.memory.resampling_strain, i * dt * 10 * std::sqrt(1.5),
                    0.05 * i * dt * 10 * std::sqrt(1.5));
    }
}

TEST(Resampling, WaitsUntilMatterHasStrained) {
    auto sim = stretching_cube(100);
    const double dt = 2e-5;  // 0.00245 of strain a step at most: never 0.2 within 80 steps
    double most = 0;
    for (int i = 0; i < 80; ++i) {
        ASSERT_TRUE(sim.step(dt).ok);
        EXPECT_GE(sim.memory.resampling_strain, most);
        most = sim.memory.resampling_strain;
    }
    EXPECT_GT(most, 0.02);
    // once it is enough, the count begins anew
    sim.memory.resampling_strain = 0.2;
    ASSERT_TRUE(sim.step(dt).ok);
    EXPECT_EQ(sim.memory.resampling_strain, 0);
    EXPECT_EQ(sim.memory.resampling_due, 0);
}

TEST(Resampling, DoesNotMindMotionWithoutStrain) {
    auto sim = stretching_cube(0, {1, 2, 3});
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(sim.step(2e-5).ok);
    EXPECT_LT(sim.memory.resampling_strain, 1e-6);
    EXPECT_NEAR(sim.memory.resampling_due, 50 * 2e-5, 1e-12);
}

// A sticky face on a plane of nodes, a rounding above or below it: the same nodes are held.
TEST(Contact, HoldsTheNodesOfAFaceHoweverItIsRounded) {
    for (const double dx : {0.1, 1.6e-3, 1.0 / 3}) {
        double height[2];
        for (int k = 0; k < 2; ++k) {
            Collider plate;
            plate.name = "plate";
            plate.contact = Contact::sticky;
            const double face = 3 * dx * (1 + (k == 0 ? 1e-12 : -1e-12));
            plate.shape = sdf::box({0, face - 5 * dx, 0}, {20 * dx, 5 * dx, 20 * dx});
            Phase<double> cube = testing::cube_body<double>(dx, 4, 1000);
            for (std::size_t i = 0; i < cube.particles.size(); ++i)
                cube.particles.x.at(i, 1) += 3 * dx;
            Simulation<double> sim(testing::settings_of(dx, 3, Transfer::flip),
                                   {testing::elastic_material(1000, 1e5, 0.3)}, {plate},
                                   {0, -9.81, 0}, {std::move(cube)});
            const double dt = sim.stable_dt();
            for (int i = 0; i < 20; ++i) ASSERT_TRUE(sim.step(dt).ok);
            height[k] = sim.center().y;
        }
        EXPECT_NEAR(height[0], height[1], 1e-9 * dx);
    }
}

}  // namespace

}  // namespace knead
