// Whole runs of the implicit method against closed forms and measured anchors.
#include <gtest/gtest.h>

#include "knead/parallel/exec.h"
#include "points/implicit/bodies.h"
#include "support/tolerance.h"

namespace knead::implicit_test {

namespace {

// 7 x 7 x 7 points dropped from 0.1 m.
const Block cube{7, 7, 7, 0.02, 0, {0, 0.16, 0}};

template <class Real = double>
Trial<Real> dropped(const Material& m, ImplicitSettings s = settings_for(cube)) {
    return Trial<Real>(s, m, make_block<Real>(cube), ground());
}
double height(Trial<double>& run) { return run.extent().y / 0.12; }
double width(Trial<double>& run) { return run.extent().x / 0.12; }

}  // namespace

// Comes to rest with the strain of its own weight: rho g h / E at the bottom, 0.0118 at 1e5 Pa.
TEST(ImplicitMotion, CubesOfAnyStiffnessComeToRest) {
    struct Case {
        double young, time, low, high, height;
    };
    for (const Case& c : {Case{1e5, 0.6, 0.983, 1.006, 0.994}, Case{1e6, 0.6, 0.997, 1.002, 0.999},
                          Case{1e7, 0.4, 0.9995, 1.0005, 1.0}, Case{1e8, 0.3, 0.9999, 1.0001, 1}}) {
        Trial<double> run = dropped(elastic(c.young));
        ASSERT_TRUE(run.run_until(c.time, 0.002)) << c.young;
        const auto [low, high] = run.strains();
        EXPECT_GT(low, c.low) << c.young;
        EXPECT_LT(high, c.high) << c.young;
        EXPECT_NEAR(height(run), c.height, 0.003) << c.young;
        EXPECT_EQ(run.totals["cg_limit"], 0);
        EXPECT_EQ(run.totals["cg_breakdown"], 0);
    }
}

// The stiffest stores what its weight asks for, 7e-6 J, not the 5 J of corrections after the step.
TEST(ImplicitMotion, ConstraintsLeaveAStiffCubeUnstrained) {
    Trial<double> run = dropped(elastic(1e8));
    ASSERT_TRUE(run.run_until(0.3, 0.002));
    EXPECT_LT(run.solver.elastic_energy(run.phases), 1e-4);
    ImplicitSettings s = settings_for(cube);
    s.contact = ObstacleContact::project;
    Trial<double> projected = dropped(elastic(1e8), s);
    ASSERT_TRUE(projected.run_until(0.3, 0.002));
    EXPECT_GT(projected.solver.elastic_energy(projected.phases), 1);
}

TEST(ImplicitMotion, AVerySoftCubeSquashesAndStretches) {
    Trial<double> run = dropped(elastic(1e4));
    double least = 1, most = 0;
    while (run.time < 1) {
        ASSERT_TRUE(run.step(0.002).ok);
        least = std::min(least, height(run));
        if (run.time > 0.2) most = std::max(most, height(run));
    }
    EXPECT_NEAR(least, 0.62, 0.06);
    EXPECT_NEAR(most, 1.22, 0.08);
    EXPECT_NEAR(height(run), 0.96, 0.04);
}

// Solves need as many iterations as the prototypes' did, within half.
TEST(ImplicitMotion, SolvesTakeAFewIterationsMoreWithStiffness) {
    for (const auto& [young, expected] :
         std::vector<std::pair<double, double>>{{1e4, 1.9}, {1e5, 3.9}, {1e6, 8}, {1e7, 19}}) {
        ImplicitSettings s = settings_for(cube);
        s.preconditioner = Preconditioner::mass;
        Trial<double> run = dropped(elastic(young), s);
        ASSERT_TRUE(run.run_until(0.3, 0.002));
        EXPECT_GT(run.iterations(), 0.5 * expected) << young;
        EXPECT_LT(run.iterations(), 1.5 * expected) << young;
    }
}

// At 1e8 Pa the coarse space saves a good part of the iterations even in a small cube, and it comes
// to the same rest.
TEST(ImplicitMotion, TheCoarseSpaceSavesIterationsOfAStiffCube) {
    std::vector<double> iterations;
    for (const Preconditioner p : {Preconditioner::mass, Preconditioner::two_level}) {
        const Block block{12, 12, 12, 0.02, 0, {0, 0.16, 0}};
        ImplicitSettings s = settings_for(block);
        s.preconditioner = p;
        Trial<double> run(s, elastic(1e8), make_block<double>(block), ground());
        ASSERT_TRUE(run.run_until(0.2, 0.002));
        EXPECT_NEAR(run.extent().y, 0.22, 1e-4);
        EXPECT_EQ(run.totals["cg_limit"], 0);
        iterations.push_back(run.iterations());
    }
    EXPECT_LT(iterations[1], 0.7 * iterations[0]) << iterations[0] << " " << iterations[1];
}

// Oracle 13.
TEST(ImplicitMotion, FreeVibrationNeverGainsEnergy) {
    for (const double young : {1e5, 1e7})
        for (const RestUpdate rest : {RestUpdate::always, RestUpdate::lazy}) {
            const Block block;
            ImplicitSettings s = settings_for(block);
            s.rest_update = rest;
            s.tolerance = 1e-8;
            Trial<double> run(s, elastic(young), make_block<double>(block));
            run.set_velocity([](const Vec3d& x) { return Vec3d{5 * x.x, -2.5 * x.y, -2.5 * x.z}; });
            double before = run.energy();
            for (int k = 0; k < 100; ++k) {
                ASSERT_TRUE(run.step(0.002).ok);
                const double now = run.energy();
                EXPECT_LE(now, before * (1 + 1e-9)) << young << " step " << k;
                before = now;
            }
        }
}

// Oracle 14: implicit Euler takes spin away, the less the shorter its steps.
TEST(ImplicitMotion, SpinIsLostAsImplicitEulerLosesIt) {
    const auto kept = [](double dt, PointIntegrator integrator) {
        const Block block;
        ImplicitSettings s = settings_for(block);
        s.integrator = integrator;
        Trial<double> run(s, elastic(1e6), make_block<double>(block));
        run.set_velocity([](const Vec3d& x) { return cross(Vec3d{0, 10, 0}, x); });
        const double before = run.angular_momentum().y;
        EXPECT_TRUE(run.run_until(1, dt));
        return run.angular_momentum().y / before;
    };
    EXPECT_NEAR(kept(0.002, PointIntegrator::implicit_euler), 0.85, 0.05);
    EXPECT_NEAR(kept(0.0005, PointIntegrator::explicit_euler), 1, 1e-3);
}

// Oracle 15.
TEST(ImplicitMotion, TheExplicitTwinNeedsShortSteps) {
    const Block block;
    ImplicitSettings s = settings_for(block);
    Trial<double> swing(s, elastic(1e5), make_block<double>(block));
    swing.set_velocity([](const Vec3d& x) { return Vec3d{x.x, -x.y, 0}; });
    EXPECT_TRUE(swing.run_until(0.4, 0.004));
    EXPECT_LT(swing.energy(), 0.1);
    s.integrator = PointIntegrator::explicit_euler;
    const auto runs_at = [&](double dt) {
        Trial<double> run(s, elastic(1e5), make_block<double>(block));
        run.set_velocity([](const Vec3d& x) { return Vec3d{x.x, -x.y, 0}; });
        const double before = run.energy();
        return run.run_until(0.4, dt) && run.energy() < 2 * before;
    };
    EXPECT_TRUE(runs_at(0.0019));
    EXPECT_FALSE(runs_at(0.003));
    // the power iteration says so: 2 / omega is between the two
    Trial<double> run(s, elastic(1e5), make_block<double>(block));
    const double limit = run.solver.dt_limits(run.phases, run.memory)[0].dt / s.stability;
    EXPECT_GT(limit, 0.0019);
    EXPECT_LT(limit, 0.003);
}

// Oracle 16: 100 m away everything is the same.
TEST(ImplicitMotion, ResultsDoNotDependOnTheOrigin) {
    const auto shape = [](const Vec3d& shift) {
        Block block = cube;
        block.center += shift;
        Scenery scenery = ground();
        scenery.colliders[0].shape = sdf::plane(shift, {0, 1, 0});
        Trial<double> run(settings_for(block), elastic(1e6), make_block<double>(block), scenery);
        EXPECT_TRUE(run.run_until(0.3, 0.002));
        std::vector<Vec3d> x(run.p().size());
        for (std::size_t i = 0; i < x.size(); ++i)
            x[static_cast<std::size_t>(run.p().id.at(i))] = run.p().x.vec(i) - shift;
        return x;
    };
    const std::vector<Vec3d> here = shape({0, 0, 0}), there = shape({100, 100, 100});
    double most = 0;
    for (std::size_t i = 0; i < here.size(); ++i) most = std::max(most, length(here[i] - there[i]));
    EXPECT_LT(most, 1e-6);
}

TEST(ImplicitMotion, MomentumIsKeptToRounding) {
    const Block block{7, 7, 7, 0.02, 0.2};
    Trial<double> run(settings_for(block), elastic(1e6), make_block<double>(block));
    run.set_velocity([](const Vec3d& x) {
        return Vec3d{1, 2, 3} + 5 * Vec3d{x.x, -x.y, 0.5 * x.z};
    });
    const Vec3d before = run.momentum();
    ASSERT_TRUE(run.run_until(0.2, 0.002));
    EXPECT_LT(length(run.momentum() - before) / length(before), 1e-12);
}

// Masses of 1 to 5 in one body.
TEST(ImplicitMotion, UnequalMassesFallAndRest) {
    Phase<double> uneven = make_block<double>(cube);
    for (std::size_t i = 0; i < uneven.particles.size(); ++i)
        uneven.particles.mass.at(i) *= 1 + static_cast<double>(i % 5);
    Trial<double> run(settings_for(cube), elastic(1e6), std::move(uneven), ground());
    ASSERT_TRUE(run.run_until(0.5, 0.002));
    EXPECT_NEAR(height(run), 1, 0.01);
    EXPECT_EQ(run.totals["cg_limit"], 0);
}

// Section 16's plastic cubes.
TEST(ImplicitMotion, PlasticCubesEndAtTheHeightsOfThePrototypes) {
    struct Case {
        double young, yield, rate, height, width;
    };
    for (const Case& c : {Case{1e5, 1000, 0.2, 0.933, 1.084}, Case{1e5, 200, 0.1, 0.891, 1.165},
                          Case{1e6, 5000, 0.2, 0.995, 1.006}}) {
        Trial<double> run = dropped(creeping(c.young, c.yield, c.rate));
        ASSERT_TRUE(run.run_until(1, 0.002));
        EXPECT_NEAR(height(run), c.height, 0.02) << c.yield;
        EXPECT_NEAR(width(run), c.width, 0.03) << c.yield;
    }
}

TEST(ImplicitMotion, FloatAndDoubleAgree) {
    Trial<double> wide = dropped<double>(elastic(1e6));
    Trial<float> narrow = dropped<float>(elastic(1e6));
    ASSERT_TRUE(wide.run_until(0.4, 0.002));
    ASSERT_TRUE(narrow.run_until(0.4, 0.002));
    EXPECT_NEAR(narrow.extent().y, wide.extent().y, 2e-4);
    EXPECT_EQ(narrow.totals["cg_limit"], 0);
}

TEST(ImplicitMotion, TheSameBytesForAnyNumberOfThreads) {
    std::vector<std::vector<Vec3d>> ends;
    for (const int threads : {1, 2}) {
        set_thread_count(threads);
        const Block block{12, 12, 12, 0.02, 0.1, {0, 0.15, 0}};
        Trial<float> run(settings_for(block), creeping(1e5, 500, 0.1), make_block<float>(block),
                         ground());
        EXPECT_TRUE(run.run_until(0.2, 0.002));
        auto& x = ends.emplace_back();
        for (std::size_t i = 0; i < run.p().size(); ++i) x.push_back(run.p().x.vec(i));
    }
    set_thread_count(0);
    EXPECT_EQ(ends[0], ends[1]);
}

}  // namespace knead::implicit_test
