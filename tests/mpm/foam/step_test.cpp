// What a step of foam keeps, when it resamples, and what holds the nodes of a face.
#include <gtest/gtest.h>

#include "knead/geometry/sdf_build.h"
#include "mpm/blocks.h"
#include "support/tolerance.h"

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

// A plate of foam of the given cells along x and y and `thick` along z, alone in space; velocities
// by place from its centre.
Simulation<double> free_plate(Transfer transfer, double flip_fraction, int cells, int thick,
                              const Vec3d& gravity,
                              const std::function<Vec3d(const Vec3d&)>& velocity) {
    const double dx = 3e-3;
    MpmSettings settings = testing::settings_of(dx, 3, transfer);
    settings.flip_fraction = flip_fraction;
    Phase<double> plate = testing::lattice_body<double>(
        dx, {0, 0, 0}, {2 * cells, 2 * cells, 2 * thick}, 77.7, [](const Vec3d&) { return true; });
    auto& p = plate.particles;
    const Vec3d center = 0.5 * dx * Vec3d{double(cells), double(cells), double(thick)};
    for (std::size_t i = 0; i < p.size(); ++i) p.v.set(i, velocity(p.x.vec(i) - center));
    return {settings, {*find_preset("shaving-cream")}, {}, gravity, {std::move(plate)}};
}

// Oracle O8: linear momentum, hence the sum of all forces, to rounding for every FLIP fraction.
TEST(FoamStep, KeepsMassAndMomentumForEveryFlipFraction) {
    const int steps = 50;
    for (const double alpha : {0.0, 0.5, 0.95, 0.99, 1.0}) {
        auto sim = free_plate(Transfer::flip, alpha, 4, 4, {0, 0, 0}, [](const Vec3d& x) {
            return Vec3d{0.3, -0.2, 0.1} + 40 * Vec3d{x.y, -0.5 * x.z, 0.3 * x.x};
        });
        const double mass = sim.mass();
        const Vec3d before = sim.momentum();
        for (int i = 0; i < steps; ++i) ASSERT_TRUE(sim.step(1e-5).ok);
        EXPECT_GT(sim.solver.elastic_energy(sim.phases), 0);
        EXPECT_EQ(sim.mass(), mass);
        EXPECT_LT(length(sim.momentum() - before),
                  tolerance::roundings<double>(4 * steps) * length(before))
            << alpha;
    }
}

// Oracle O8: v = -g n dt, a drop of g n (n + 1) dt^2 / 2, J = 1 and b = I.
TEST(FoamStep, FallsFreelyWithoutStrain) {
    for (const Transfer transfer : {Transfer::flip, Transfer::apic}) {
        auto sim = free_plate(transfer, 0.95, 4, 4, {0, -9.81, 0}, [](const Vec3d&) {
            return Vec3d{0, 0, 0};
        });
        const double dt = 1e-5, y0 = sim.center().y;
        const int n = 200;
        for (int i = 0; i < n; ++i) ASSERT_TRUE(sim.step(dt).ok);
        const double unit = tolerance::roundings<double>(4 * n);
        EXPECT_NEAR(sim.momentum().y / sim.mass() / (-9.81 * n * dt), 1, unit);
        EXPECT_NEAR(sim.center().y - y0, -0.5 * 9.81 * n * (n + 1) * dt * dt, unit * y0);
        const auto& p = sim.phases[0].particles;
        for (std::size_t i = 0; i < p.size(); ++i) {
            ASSERT_NEAR(p.dilation.at(i), 0, 1e-15);
            ASSERT_LT(norm_squared(p.b.sym(i) - sym_identity<double>()), 1e-30);
        }
    }
}

// Oracle O8: what spins keeps its angular momentum with APIC, while PIC's share takes it at the
// rate (1 - alpha) / dt x 2/3 dx^2 / (I / m), here I / m = side^2 / 6. That is for a field that the
// grid sees as linear; at the rim it sees less of it, which is of first order in dx / side, so that
// two sizes tell the limit. (Along z nothing varies: a single layer of cells does.)
TEST(FoamStep, SpinDecaysAtTheRateOfItsFlipFraction) {
    const double dt = 1e-5, dx = 3e-3;
    const int steps = 4;
    const auto decay = [&](Transfer transfer, double alpha, int cells) {
        auto sim = free_plate(transfer, alpha, cells, 1, {0, 0, 0}, [](const Vec3d& x) {
            return cross({0, 0, 0.5}, x);
        });
        const double D = transfer == Transfer::apic ? dx * dx / 3 : 0;
        if (transfer == Transfer::apic)
            for (std::size_t i = 0; i < sim.phases[0].particles.size(); ++i)
                sim.phases[0].particles.C.set(i, {0, -0.5, 0, 0.5, 0, 0, 0, 0, 0});
        const auto angular = [&] {
            return sim.total([&](const Particles<double>& p, std::size_t i) {
                const double spin = D > 0 ? p.C.at(i, 3) - p.C.at(i, 1) : 0;
                return p.mass.at(i) * (cross(p.x.vec(i), p.v.vec(i)).z + D * spin);
            });
        };
        const double before = angular();
        for (int i = 0; i < steps; ++i) EXPECT_TRUE(sim.step(dt).ok);
        return std::log(before / angular()) / (steps * dt);
    };
    const auto formula = [&](double alpha, int cells) {
        return (1 - alpha) / dt * (2.0 / 3.0) / (cells * cells / 6.0);
    };
    EXPECT_NEAR(formula(0.95, 6), 555, 0.6);
    for (const double alpha : {0.95, 0.99}) {
        const double small = decay(Transfer::flip, alpha, 12) / formula(alpha, 12);
        const double large = decay(Transfer::flip, alpha, 24) / formula(alpha, 24);
        EXPECT_NEAR(2 * large - small, 1, 0.005) << alpha;
    }
    EXPECT_NEAR(decay(Transfer::apic, 0, 12), 0, 1e-6 * formula(0.95, 12));
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
