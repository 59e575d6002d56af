// Whole implicit steps, beside explicit ones [Jiang 2017, section 4.4].
#include <gtest/gtest.h>

#include <cmath>

#include "knead/geometry/sdf_build.h"
#include "mpm/implicit/thin_bodies.h"
#include "support/tolerance.h"

namespace knead {
namespace {

using namespace testing;

constexpr double dx = 0.05;
const Vec3d down{0, -9.8, 0};

MpmSettings implicit_settings(double spacing = dx, int kernel = 2) {
    MpmSettings s = settings_of(spacing, kernel, Transfer::apic);
    s.integrator = Integrator::implicit;
    return s;
}

template <class Real>
double highest(const std::vector<Phase<Real>>& phases) {
    double most = -1e30;
    for (const auto& phase : phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            most = std::max(most, phase.particles.x.vec(i).y);
    return most;
}

// Forces change in a step by what dt v moves, v is at most dt times what forces give, and their
// change acts for dt: the difference of the two velocities falls with dt^3.
double difference_of_one_step(double dt) {
    std::vector<std::vector<Phase<double>>> ends;
    for (const Integrator integrator : {Integrator::symplectic, Integrator::implicit}) {
        MpmSettings settings = implicit_settings();
        settings.integrator = integrator;
        settings.newton_tolerance = 1e-10;
        settings.newton_least = 0;
        settings.minres_tolerance = 1e-8;
        auto bodies = sheet_and_fibre<double>();
        double k = 0;
        for (std::size_t p = 0; p < 4; p += 2)
            for (std::size_t i = 0; i < bodies[p].particles.size(); ++i)
                for (int a = 0; a < 3; ++a)
                    bodies[p].particles.x.at(i, a) += 1e-3 * std::sin(7 * (k += 1));
        Simulation<double> it(settings, {thin_material()}, {}, down, std::move(bodies));
        EXPECT_TRUE(it.step(dt).ok);
        ends.push_back(std::move(it.phases));
    }
    double most = 0;
    for (std::size_t i = 0; i < ends[0][0].particles.size(); ++i)
        most =
            std::max(most, length(ends[0][0].particles.v.vec(i) - ends[1][0].particles.v.vec(i)));
    return most;
}

TEST(ImplicitStep, BecomesTheExplicitOneAsStepsShrink) {
    const double coarse = difference_of_one_step(4e-5), fine = difference_of_one_step(1e-5);
    EXPECT_GT(coarse, 0);
    EXPECT_NEAR(coarse / fine, 64, 2);
}

TEST(ImplicitStep, KeepsMomentum) {
    auto bodies = sheet_and_fibre<double>();
    double k = 0;
    for (auto& phase : bodies)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            for (int a = 0; a < 3; ++a) phase.particles.v.at(i, a) = 0.3 * std::sin(5 * (k += 1));
    for (std::size_t i = 0; i < bodies[2].particles.size(); ++i)
        bodies[2].particles.v.at(i, 1) -= 0.5;  // into the sheet
    Simulation<double> it(implicit_settings(), {thin_material()}, {}, {0, 0, 0}, std::move(bodies));
    const Vec3d before = it.momentum();
    for (int n = 0; n < 50; ++n) ASSERT_TRUE(it.step(std::min(2e-3, it.stable_dt())).ok);
    EXPECT_LT(length(it.momentum() - before), 1e-12 * it.mass() * tolerance::scale());
    EXPECT_EQ(it.totals["newton_limit"], 0);
}

// A stretched sheet that swings freely: what it stores and what moves never grow together.
TEST(ImplicitStep, FreeVibrationNeverGainsEnergy) {
    std::vector<Phase<double>> bodies;
    add_sheet(bodies, {0, 0, 0}, {0.05, 0, 0}, {0, 0, -0.05}, 6, 6);
    for (std::size_t i = 0; i < bodies[0].particles.size(); ++i)
        bodies[0].particles.x.at(i, 0) *= 1.05;
    Material m = thin_material();
    Simulation<double> it(implicit_settings(), {m}, {}, {0, 0, 0}, std::move(bodies));
    const auto energy = [&] {
        return it.solver.elastic_energy(it.phases) +
               it.total([](const Particles<double>& p, std::size_t i) {
                   return 0.5 * p.mass.at(i) * dot(p.v.vec(i), p.v.vec(i));
               });
    };
    double last = energy();
    EXPECT_GT(last, 0);
    const double start = last;
    for (int n = 0; n < 60; ++n) {
        ASSERT_TRUE(it.step(4e-3).ok);  // ten times what an explicit step may take
        const double now = energy();
        EXPECT_LE(now, last + 1e-9 * start) << n;
        last = now;
    }
    EXPECT_LT(last, 0.5 * start);
}

// A solid cube on the floor at ten times the explicit step: it comes to rest where that one does.
template <class Real>
double rest_height(ElasticLaw law, Integrator integrator, double dt) {
    Material m = elastic_material(1000, 2e4, 0.3);
    m.elastic.law = law;
    MpmSettings settings = implicit_settings(0.1);
    settings.integrator = integrator;
    settings.damping = 0.3;
    Collider floor;
    floor.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
    floor.contact = Contact::separate;
    floor.friction = 0.5;
    Simulation<Real> it(settings, {m}, {floor}, down, {cube_body<Real>(0.1, 4, 1000)});
    const double end = 1.0;
    double sum = 0;
    int counted = 0;
    while (it.time < end) {
        EXPECT_TRUE(it.step(std::min(dt, it.stable_dt())).ok);
        if (it.time > 0.7 * end) sum += highest(it.phases), ++counted;
    }
    return sum / counted;
}

TEST(ImplicitStep, JellyRestsAsHighAsWithSmallSteps) {
    for (const ElasticLaw law :
         {ElasticLaw::fixed_corotated, ElasticLaw::hencky, ElasticLaw::neo_hookean}) {
        const double expected = rest_height<float>(law, Integrator::symplectic, 1);
        const double dt = 10 * 6.3e-3;  // explicit: 0.6 * 2 dx / sqrt(6 * 3 K / rho) = 6.9e-3
        const double found = rest_height<float>(law, Integrator::implicit, dt);
        EXPECT_NEAR(found, expected, 0.01 * expected);
        EXPECT_LT(found, 0.39);  // it is pressed by its weight
    }
}

// A cube that lies on the floor, 40 steps after it came to rest; `forget`: each step is searched
// from the velocities alone.
double minres_at_rest(bool forget) {
    MpmSettings settings = implicit_settings(0.1);
    settings.damping = 0.3;
    Collider floor;
    floor.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
    floor.contact = Contact::separate;
    floor.friction = 0.5;
    Simulation<float> it(settings, {elastic_material(1000, 2e4, 0.3)}, {floor}, down,
                         {cube_body<float>(0.1, 4, 1000)});
    double before = 0;
    for (int n = 0; n < 120; ++n) {
        if (n == 80) before = it.totals["minres_iterations"];
        if (forget) it.solver.kicks() = {};
        EXPECT_TRUE(it.step(0.03).ok);
    }
    return it.totals["minres_iterations"] - before;
}

TEST(ImplicitStep, WhatForcesDidInTheLastStepShortensTheSearch) {
    const double without = minres_at_rest(true), with = minres_at_rest(false);
    EXPECT_GT(without, 0);
    EXPECT_LT(with, 0.95 * without);  // found 0.85; knitting that is pulled 0.56
}

// The mean height of the lower end of a strip that is held at its upper edge and hangs.
double hanging_tip(const MpmSettings& settings, double dt) {
    std::vector<Phase<float>> bodies;
    add_sheet(bodies, {0.1, 0.5, 0.1}, {0.02, 0, 0}, {0, -0.02, 0}, 5, 16);
    Material m = thin_material();
    m.thin.shear = 0;
    m.thin.damping = 1;
    Grip grip;
    grip.name = "edge";
    grip.region = sdf::box({0.14, 0.5, 0.1}, {0.2, 0.01, 0.2});
    grip.release = 1e30;
    MpmSolver<float> solver(settings, {m}, {}, down, {grip});
    StepMemory memory;
    solver.prepare(bodies, memory);
    std::map<std::string, double> totals;
    std::int64_t next = 1000000, steps = 0;
    double sum = 0;
    int counted = 0;
    for (double time = 0; time < 0.6; time += dt) {
        double step = dt;
        for (const DtLimit& limit : solver.dt_limits(bodies, memory, time))
            step = std::min(step, limit.dt);
        EXPECT_EQ(step, dt);
        EXPECT_TRUE(solver.advance(bodies, memory, time, dt, {1, steps++, next, totals}).ok);
        double low = 1;
        for (std::size_t i = 0; i < bodies[0].particles.size(); ++i)
            low = std::min(low, bodies[0].particles.x.vec(i).y);
        if (time > 0.3) sum += low, ++counted;
        for (std::size_t i = 0; i < bodies[0].particles.size(); ++i) {
            if (bodies[0].particles.grip.at(i) >= 0) {
                EXPECT_NEAR(bodies[0].particles.x.at(i, 1), 0.5, 1e-9);
            }
        }
    }
    if (settings.is_implicit()) {
        EXPECT_EQ(totals["newton_limit"], 0);
        EXPECT_EQ(totals["minres_limit"], 0);
    }
    return sum / counted;
}

TEST(ImplicitStep, AHeldStripHangsAsLowAsWithSmallSteps) {
    MpmSettings settings = implicit_settings(0.02);
    const double implicit = hanging_tip(settings, 2e-3);
    settings.integrator = Integrator::symplectic;
    const double expected = hanging_tip(settings, 2e-4);
    const double sag = 0.2 - expected;  // of 0.3 that it is long
    EXPECT_GT(sag, 1e-3);
    EXPECT_NEAR(implicit, expected, 0.05 * sag);
}

// Hencky and thin matter at once, on a floor that rises.
TEST(ImplicitStep, AMovingColliderLiftsWhatLiesOnIt) {
    std::vector<Phase<double>> bodies;
    add_sheet(bodies, {0.02, 0.27, 0.18}, {0.04, 0, 0}, {0, 0, -0.04}, 5, 5);
    Phase<double> cube = cube_body<double>(dx, 4, 1000);
    cube.material = 1;
    bodies.push_back(std::move(cube));
    Material solid = elastic_material(1000, 2e4, 0.3);
    solid.elastic.law = ElasticLaw::hencky;
    for (const Contact contact : {Contact::separate, Contact::sticky, Contact::slip}) {
        Collider plate;
        plate.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
        plate.motion.velocity = {0, 0.4, 0};
        plate.contact = contact;
        plate.friction = 0.3;
        MpmSettings settings = implicit_settings();
        settings.damping = 0.5;
        Simulation<double> it(settings, {thin_material(), solid}, {plate}, down, bodies);
        while (it.time < 0.8) ASSERT_TRUE(it.step(std::min(5e-3, it.stable_dt())).ok);
        for (const auto& phase : it.phases)
            for (std::size_t i = 0; i < phase.particles.size(); ++i)
                EXPECT_GT(phase.particles.x.at(i, 1), 0.32 - 0.1 * dx);
        EXPECT_NEAR(it.momentum().y / it.mass(), 0.4, 0.04);
        EXPECT_EQ(it.totals["newton_limit"], 0);
    }
}

TEST(ImplicitStep, IsTheSameForAnyNumberOfThreads) {
    std::vector<std::vector<Vec3d>> ends;
    for (const int threads : {1, 2}) {
        set_thread_count(threads);
        auto bodies = sheet_and_fibre<float>();
        bodies.push_back(cube_body<float>(dx, 3, 1000));
        bodies.back().material = 1;
        for (std::size_t i = 0; i < bodies[2].particles.size(); ++i)
            bodies[2].particles.v.at(i, 1) = -1;
        Simulation<float> it(implicit_settings(),
                             {thin_material(), elastic_material(1000, 1e4, 0.3)}, {}, down,
                             std::move(bodies));
        for (int n = 0; n < 10; ++n) ASSERT_TRUE(it.step(2e-3).ok);
        auto& places = ends.emplace_back();
        for (const auto& phase : it.phases)
            for (std::size_t i = 0; i < phase.particles.size(); ++i)
                places.push_back(phase.particles.x.vec(i));
    }
    set_thread_count(0);
    EXPECT_EQ(ends[0], ends[1]);
}

// A sheet crushed in its plane buckles: single Hessians are indefinite, and the search still ends.
TEST(ImplicitStep, CrushedClothIsSolved) {
    std::vector<Phase<double>> bodies;
    add_sheet(bodies, {0, 0, 0}, {0.05, 0, 0}, {0, 0, -0.05}, 6, 6);
    for (std::size_t i = 0; i < bodies[0].particles.size(); ++i) {
        bodies[0].particles.x.at(i, 0) *= 0.5;
        bodies[0].particles.x.at(i, 1) += 1e-3 * std::sin(3.0 * static_cast<double>(i));
    }
    Simulation<double> it(implicit_settings(), {thin_material()}, {}, {0, 0, 0}, std::move(bodies));
    for (int n = 0; n < 20; ++n) ASSERT_TRUE(it.step(1e-2).ok);
    EXPECT_EQ(it.totals["newton_limit"], 0);
}

// Linear kernels, both ways to step: a ball of jelly falls freely, turns, and keeps its momentum.
TEST(ImplicitStep, LinearKernelsFallFreelyAndTurn) {
    for (const Integrator integrator : {Integrator::symplectic, Integrator::implicit}) {
        MpmSettings settings = implicit_settings(dx, 1);
        settings.integrator = integrator;
        auto body = cube_body<double>(dx, 4, 1000);
        const Vec3d spin{0, 0, 2}, middle{0.1, 0.1, 0.1};
        for (std::size_t i = 0; i < body.particles.size(); ++i)
            body.particles.v.set(i, cross(spin, body.particles.x.vec(i) - middle));
        Simulation<double> it(settings, {elastic_material(1000, 1e4, 0.3)}, {}, down, {body});
        for (std::size_t i = 0; i < it.phases[0].particles.size(); ++i)
            it.phases[0].particles.C.set(i, Mat3d{0, -2, 0, 2, 0, 0, 0, 0, 0});
        for (int n = 0; n < 50; ++n) ASSERT_TRUE(it.step(1e-3).ok);
        const Vec3d v = it.momentum() / it.mass();
        EXPECT_NEAR(v.y, -9.8 * 0.05, 1e-10 * tolerance::scale());
        EXPECT_NEAR(v.x, 0, 1e-10 * tolerance::scale());
        double turn = 0, inertia = 0;
        const Vec3d at = it.center();
        for (std::size_t i = 0; i < it.phases[0].particles.size(); ++i) {
            const Vec3d r = it.phases[0].particles.x.vec(i) - at;
            turn += cross(r, it.phases[0].particles.v.vec(i) - v).z;
            inertia += r.x * r.x + r.y * r.y;
        }
        EXPECT_NEAR(turn / inertia, 2, 0.1);
    }
}

}  // namespace
}  // namespace knead
