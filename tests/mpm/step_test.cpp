// Conservation, free fall and equal bytes: what one step must keep, for every kernel and precision.
#include <gtest/gtest.h>

#include <cmath>

#include "knead/base/random.h"
#include "mpm/blocks.h"
#include "mpm/kernels.h"
#include "support/tolerance.h"

namespace knead {

using testing::Simulation;

namespace {

// A cube of 4 cells, shaken: random velocities of about 1 m/s.
template <class Real>
Simulation<Real> shaken_cube(const Kernel& k, const Vec3d& gravity = {0, 0, 0}) {
    const Material material = testing::elastic_material(1000, 1e5, 0.3);
    auto body = testing::cube_body<Real>(0.1, 4, material.density);
    for (std::size_t i = 0; i < body.particles.size(); ++i)
        for (int a = 0; a < 3; ++a)
            body.particles.v.at(i, a) =
                static_cast<Real>(2 * random_unit(7, i, static_cast<std::uint64_t>(a)) - 1);
    return Simulation<Real>(testing::settings_of(0.1, k.order, k.transfer), {material}, {}, gravity,
                            {std::move(body)});
}

template <class Real>
void check_momentum() {
    for (const Kernel& k : kernels) {
        auto sim = shaken_cube<Real>(k);
        const Vec3d before = sim.momentum();
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(sim.step(sim.stable_dt()).ok);
        const double scale = sim.mass();  // times 1 m/s
        EXPECT_LT(length(sim.momentum() - before), tolerance::identity<Real>() * scale)
            << "order " << k.order;
    }
}

}  // namespace

TEST(Step, KeepsLinearMomentum) {
    check_momentum<float>();
    check_momentum<double>();
}

// v = -g n dt and a drop of g n (n + 1) dt^2 / 2; nothing deforms.  [mpm-foam oracle O8]
TEST(Step, FallsFreelyWithoutDeforming) {
    for (const Kernel& k : kernels) {
        const Material material = testing::elastic_material(1000, 1e5, 0.3);
        Simulation<double> sim(testing::settings_of(0.1, k.order, k.transfer), {material}, {},
                               {0, -10, 0}, {testing::cube_body<double>(0.1, 3, 1000)});
        const double dt = 1e-3, y0 = sim.center().y;
        const int n = 200;
        for (int i = 0; i < n; ++i) ASSERT_TRUE(sim.step(dt).ok);
        EXPECT_NEAR(sim.momentum().y / sim.mass(), -10 * n * dt, 1e-11);
        EXPECT_NEAR(sim.center().y - y0, -5.0 * n * (n + 1) * dt * dt, 1e-11);
        const auto& F = sim.phases[0].particles.F;
        for (std::size_t i = 0; i < F.size(); ++i)
            ASSERT_LT(norm_squared(F.mat(i) - identity3<double>()), 1e-20);
    }
}

// APIC keeps angular momentum: L = sum m x cross v + sum m D (C's antisymmetric part).
TEST(Step, ApicKeepsAngularMomentum) {
    for (const int order : {2, 3}) {
        auto sim = shaken_cube<double>({order, Transfer::apic});
        const double D = 0.1 * 0.1 / (6 - order);
        const auto angular = [&] {
            return sim.total([&](const Particles<double>& p, std::size_t i) {
                const Mat3d C = p.C.mat(i);
                const Vec3d spin{C.zy - C.yz, C.xz - C.zx, C.yx - C.xy};
                return p.mass.at(i) * (cross(p.x.vec(i), p.v.vec(i)) + D * spin);
            });
        };
        const Vec3d before = angular();
        for (int i = 0; i < 100; ++i) ASSERT_TRUE(sim.step(sim.stable_dt()).ok);
        EXPECT_LT(length(angular() - before), 1e-11 * sim.mass());
    }
}

TEST(Step, GivesTheSameBytesForAnyThreadCount) {
    for (const Kernel& k : kernels) {
        std::vector<std::vector<double>> results;
        for (const int threads : {1, 2, 3}) {
            set_thread_count(threads);
            auto sim = shaken_cube<float>(k, {0, -9.81, 0});
            for (int i = 0; i < 60; ++i) ASSERT_TRUE(sim.step(sim.stable_dt()).ok);
            std::vector<double> x;
            for (int a = 0; a < 3; ++a)
                x.insert(x.end(), sim.phases[0].particles.x.plane(a),
                         sim.phases[0].particles.x.plane(a) + sim.phases[0].particles.size());
            results.push_back(std::move(x));
        }
        set_thread_count(0);
        EXPECT_EQ(results[0], results[1]);
        EXPECT_EQ(results[0], results[2]);
    }
}

// Float and double runs of the same steps agree to float accuracy.
TEST(Step, FloatFollowsDouble) {
    for (const Kernel& k : kernels) {
        auto single = shaken_cube<float>(k);
        auto exact = shaken_cube<double>(k);
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(single.step(1e-4).ok);
            ASSERT_TRUE(exact.step(1e-4).ok);
        }
        const auto& p = single.phases[0].particles;
        const auto& q = exact.phases[0].particles;
        std::vector<std::size_t> row(q.size());
        for (std::size_t i = 0; i < q.size(); ++i) row[static_cast<std::size_t>(q.id.at(i))] = i;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const std::size_t j = row[static_cast<std::size_t>(p.id.at(i))];
            EXPECT_LT(length(static_cast<Vec3d>(p.v.vec(i)) - q.v.vec(j)), 1e-4);
        }
    }
}

// A particle that has gone wrong is named.
TEST(Step, NamesAParticleThatIsNoLongerFinite) {
    auto sim = shaken_cube<float>({2, Transfer::apic});
    sim.phases[0].particles.F.at(5, 0) = std::nanf("");
    const std::int64_t id = sim.phases[0].particles.id.at(5);
    const StepReport report = sim.step(1e-5);
    EXPECT_FALSE(report.ok);
    EXPECT_EQ(report.particle, id);
}

}  // namespace knead
