// Runs of the embedded method against closed forms and the paper's claims.
#include <gtest/gtest.h>

#include "knead/geometry/sdf_build.h"
#include "knead/parallel/exec.h"
#include "points/neighbours/first_come_tree.h"
#include "support/long_run.h"
#include "support/tolerance.h"

namespace knead {
namespace {

using namespace embedded_test;

EmbeddedSettings with(EmbeddedIntegrator integrator, double viscosity) {
    EmbeddedSettings s = damped();
    s.integrator = integrator;
    s.viscosity = viscosity;
    return s;
}

// y = -g t^2 / 2. Velocities of newmark and leapfrog stand half a step behind.
TEST(EmbeddedMotion, FreeFallHasTheFullAcceleration) {
    for (const auto integrator : {EmbeddedIntegrator::newmark, EmbeddedIntegrator::semi_implicit,
                                  EmbeddedIntegrator::leapfrog}) {
        Course run(with(integrator, 20), solid(1e5, 0.3), {4, 4, 4, 0.02, 0.1}, {}, {0, -9.81, 0});
        const double start = run.p().x.vec(5).y, dt = 1e-3;
        ASSERT_TRUE(run.go(0.2, dt));
        const bool centred = integrator != EmbeddedIntegrator::semi_implicit;
        EXPECT_NEAR(run.p().x.vec(5).y - start, -0.5 * 9.81 * 0.04,
                    centred ? 1e-10 : 0.6 * 9.81 * 0.2 * dt);
        EXPECT_NEAR(run.p().v.vec(5).y, -9.81 * (centred ? 0.1995 : 0.2), 1e-9);
    }
}

// A spinning body keeps its angular momentum; E = 1e6 Pa, 10 rad/s.
TEST(EmbeddedMotion, SpinIsKeptWithoutViscosity) {
    EmbeddedSettings settings = with(EmbeddedIntegrator::newmark, 0);
    Course run(settings, solid(1e6, 0.3), {7, 7, 7, 0.02});
    const Vec3d middle{0.06, 0.06, 0.06};
    for (std::size_t i = 0; i < run.p().size(); ++i) {
        run.p().v.set(i, cross(Vec3d{0, 0, 10}, run.p().x.vec(i) - middle));
    }
    const auto spin = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < run.p().size(); ++i)
            sum += run.p().mass.at(i) * cross(run.p().x.vec(i) - middle, run.p().v.vec(i)).z;
        return sum;
    };
    const double start = spin();
    // The prototype's body; which of equally far neighbours a surface particle has, and with them
    // its mass, is decided by rounding there: 0.09766 and 0.09771 by its tree.
    EXPECT_NEAR(start, 0.09764, 1e-4);
    double worst = 0;
    for (int k = 0; k < 2000; ++k) {
        ASSERT_TRUE(run.take(5e-4).ok);
        worst = std::max(worst, std::abs(spin() / start - 1));
    }
    EXPECT_LE(worst, 5e-5);  // 4 digits
}

// One that is 200 times as light as its neighbours would need a step 1.6 times as short: the
// stiffness about it, 0.14 of modulus / (density spacing^2) in a lattice, is that much larger.
TEST(EmbeddedMotion, HeavyNeighboursDoNotThrowALightParticle) {
    EmbeddedSettings settings = with(EmbeddedIntegrator::newmark, 0);
    settings.volume = EmbeddedVolume::constant;
    Course run(settings, solid(1e5, 0.3), {7, 7, 7, 0.02, 0.1});
    const std::size_t light = run.row(7 * 7 * 3 + 7 * 3 + 3);
    run.p().volume.at(light) /= 200;
    run.p().mass.at(light) /= 200;
    run.p().v.set(light, Vec3d{0.01, 0, 0});
    ASSERT_TRUE(run.go(0.2, run.allowed(1)));
    for (std::size_t i = 0; i < run.p().size(); ++i) EXPECT_LE(length(run.p().v.vec(i)), 0.02);
}

TEST(EmbeddedMotion, MomentumIsKeptToRoundingWithViscosityAndFlow) {
    EmbeddedSettings settings = with(EmbeddedIntegrator::newmark, 100);
    settings.volume = EmbeddedVolume::constant;
    settings.resampling = false;
    Course run(settings, creeping(1e5, 0.3, 200, 0.1), {6, 6, 6, 0.02, 0.2});
    for (std::size_t i = 0; i < run.p().size(); ++i) {
        run.p().mass.at(i) = 1000 * 8e-6;
        const Vec3d x = run.p().x.vec(i);
        run.p().v.set(i, Vec3d{3 + 8 * x.y, -9 * x.x, 5 * x.z});
    }
    const auto momentum = [&] {
        Vec3d sum = splat(0.0);
        for (std::size_t i = 0; i < run.p().size(); ++i)
            sum += run.p().mass.at(i) * run.p().v.vec(i);
        return sum;
    };
    const Vec3d start = momentum();
    ASSERT_TRUE(run.go(0.1, 1e-3));
    EXPECT_GT(run.totals["embeddings"], 50);
    EXPECT_LE(length(momentum() - start), 1e-12 * length(start) * tolerance::scale());
}

double kinetic_energy(Course& run) {
    double sum = 0;
    for (std::size_t i = 0; i < run.p().size(); ++i)
        sum += 0.5 * run.p().mass.at(i) * length_squared(run.p().v.vec(i));
    return sum;
}

// The prototype's choice among equally far neighbours, and volumes that add up again.
void take_prototype_neighbours(Course& run, const Material& material) {
    Particles<double>& p = run.p();
    take_first_come_neighbours(run.phases[0], 0.02, material);
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += p.volume.at(i);
    const double scale = static_cast<double>(p.size()) * 8e-6 / sum;
    for (std::size_t i = 0; i < p.size(); ++i) {
        p.volume_scale.at(i) = scale;
        p.volume.at(i) *= scale;
        p.mass.at(i) = material.density * p.volume.at(i);
    }
    run.solver.prepare(run.phases);
}

// Free vibration of a cube from the velocity (5 x, -2.5 y, -2.5 z) over half a second: energy of
// the new velocities and the old positions, in units of the start.
struct Vibration {
    double largest = 0, end = 0;
    Vibration(double viscosity, double dt) {
        const Material material = solid(1e5, 0.3);
        Course run(as_in_the_paper(with(EmbeddedIntegrator::semi_implicit, viscosity)), material,
                   {7, 7, 7, 0.02, 0, {-0.06, -0.06, -0.06}});
        take_prototype_neighbours(run, material);
        for (std::size_t i = 0; i < run.p().size(); ++i) {
            const Vec3d x = run.p().x.vec(i);
            run.p().v.set(i, {5 * x.x, -2.5 * x.y, -2.5 * x.z});
        }
        const double start = kinetic_energy(run);
        while (run.time < 0.5 - dt / 2) {
            const double stored = run.solver.elastic_energy(run.phases);
            EXPECT_TRUE(run.take(dt).ok);
            end = (stored + kinetic_energy(run)) / start;
            largest = std::max(largest, end);
        }
    }
};

// All digits of the prototype's run. Other neighbours among those equally far leave 0.028 to 0.040
// with viscosity.
TEST(EmbeddedMotion, FreeVibrationKeepsItsEnergyAndViscosityTakesIt) {
    const Vibration coarse(0, 1e-3), fine(0, 2e-4), viscous(20, 1e-3);
    EXPECT_NEAR(coarse.largest, 1.10, 0.005);
    EXPECT_NEAR(coarse.end, 1.03, 0.005);
    EXPECT_NEAR(fine.largest, 1.02, 0.005);
    EXPECT_NEAR(fine.end, 1.004, 0.0005);
    EXPECT_NEAR(viscous.end, 0.03, 0.0055);
}

// A bar whose ends, the outermost layers, are held for a while and turned against each other about
// its axis; twist is between the two layers at either end. In this reading of the oracles the
// prototype's angles come out: 83 degrees at the release, 86 with flow.
struct Bar {
    Course run;
    static constexpr int length = 17;

    Bar(const EmbeddedSettings& settings, const Material& material)
        : run(settings, material, {5, length, 5, 0.02, 0, {-0.04, 0, -0.04}}) {
        for (std::size_t i = 0; i < run.p().size(); ++i) {
            const Vec3d x = run.p().x.vec(i);
            all.push_back({run.p().id.at(i), x});
            if (x.y < 0.025) low.push_back({run.p().id.at(i), x});
            if (x.y > 0.02 * (length - 2) - 0.005) high.push_back({run.p().id.at(i), x});
        }
    }
    struct Held {
        std::int64_t id;
        Vec3d x;
    };
    std::vector<Held> low, high, all;

    // Ends turned by -angle and +angle by `turned` seconds, held to `held`, then let go.
    void twist(double angle, double turned, double held, double end) {
        const double dt = 1e-3;
        while (run.time < end - dt / 2) {
            ASSERT_TRUE(run.take(dt).ok) << run.time;
            if (run.time > held + dt / 2) continue;
            const double a = angle * std::min(run.time / turned, 1.0);
            hold(low, -a);
            hold(high, a);
        }
    }
    void hold(const std::vector<Held>& held, double angle) {
        const double c = std::cos(angle), s = std::sin(angle);
        for (const Held& h : held) {
            if (h.x.y > 0.01 && h.x.y < 0.02 * (length - 1) - 0.01) continue;
            const std::size_t i = run.row(h.id);
            run.p().x.set(i, {c * h.x.x + s * h.x.z, h.x.y, c * h.x.z - s * h.x.x});
            run.p().v.set(i, splat(0.0));
        }
    }
    // The angle by which some particles are turned about the axis [rad], in the world or in
    // embedded space.
    double turn(const std::vector<Held>& layer, const Column<double, 3>& where) {
        Vec3d middle = splat(0.0);
        for (const Held& h : layer) middle += where.vec(run.row(h.id));
        middle = middle / static_cast<double>(layer.size());
        double s = 0, c = 0;
        for (const Held& h : layer) {
            const Vec3d x = where.vec(run.row(h.id)) - middle;
            c += x.x * h.x.x + x.z * h.x.z;
            s += h.x.z * x.x - h.x.x * x.z;
        }
        return std::atan2(s, c);
    }
    // How far the ends are turned against each other [degrees].
    double twist_left(const Column<double, 3>& where) {
        return (turn(high, where) - turn(low, where)) * 180 / 3.14159265358979;
    }
    // And two layers, by where they were at the start.
    double twist_between(double from, double to) {
        const auto layer = [&](double y) {
            std::vector<Held> some;
            for (const Held& h : all)
                if (std::abs(h.x.y - y) < 0.011) some.push_back(h);
            return turn(some, run.p().x);
        };
        return (layer(to) - layer(from)) * 180 / 3.14159265358979;
    }
};

EmbeddedSettings bar_settings() {
    EmbeddedSettings s = with(EmbeddedIntegrator::semi_implicit, 50);
    s.resampling = false;
    s.embedding = Embedding::linear;
    return s;
}

constexpr double quarter = 3.14159265358979 / 4;

// The paper's method, solved as closely as the prototype did; or with our additions.
EmbeddedSettings bar_settings(bool paper) {
    EmbeddedSettings s = paper ? as_in_the_paper(bar_settings()) : bar_settings();
    if (paper) s.embedding_tolerance = 1e-6;
    return s;
}

// A quarter turn, 0.9 s after its release.
TEST(EmbeddedMotion, AnElasticBarRegainsItsTwist) {
    for (const bool paper : {true, false}) {
        Bar bar(bar_settings(paper), solid(1e5, 0.3));
        bar.twist(quarter, 0.24, 0.3, 0.3);
        EXPECT_NEAR(bar.twist_left(bar.run.p().x), paper ? 83 : 85, 0.6);
        bar.twist(quarter, 0.24, 0.3, 1.2);
        EXPECT_LE(std::abs(bar.twist_left(bar.run.p().x)), 0.5);
    }
}

TEST(EmbeddedMotion, APlasticBarKeepsItsTwistAndASlightlyPlasticOneALittle) {
    LONG_RUN();
    for (const bool paper : {true, false}) {
        Bar plastic(bar_settings(paper), creeping(1e5, 0.3, 2e3, 0.1));
        plastic.twist(quarter, 0.24, 0.3, 0.3);
        EXPECT_NEAR(plastic.twist_left(plastic.run.p().x), 86, paper ? 0.5 : 1.2);
        plastic.twist(quarter, 0.24, 0.3, 1.2);
        EXPECT_NEAR(plastic.twist_left(plastic.run.p().x), 70.4, paper ? 0.3 : 1.2);
        // Twist does not show in embedded space.
        EXPECT_NEAR(plastic.twist_left(plastic.run.p().e), paper ? 1.8 : 3.0, 0.2);
        // Ours, stiffer against what is not linear within a neighbourhood, strains the matter next
        // to the grips less: next to nothing flows there.
        Bar slight(bar_settings(paper), creeping(1e5, 0.3, 1e4, 0.01));
        slight.twist(quarter, 0.24, 0.3, 1.2);
        EXPECT_NEAR(slight.twist_left(slight.run.p().x), paper ? 1.6 : 0.2, 0.2);
    }
}

// The creep rate falls from 0.1 at the low end to 0 at the high one.
TEST(EmbeddedMotion, ABarWhoseFlowRateVariesKeepsTwistWhereItFlows) {
    Bar bar(bar_settings(), creeping(1e5, 0.3, 2e3, 0.1));
    Particles<double>& p = bar.run.p();
    p.flow_rate.create(p.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        p.flow_rate.at(i) = 0.1 * std::max(0.0, 1 - p.x.vec(i).y / 0.32);
    bar.twist(quarter, 0.24, 0.3, 1.2);
    const double low = bar.twist_between(0.04, 0.16), high = bar.twist_between(0.16, 0.28);
    EXPECT_GT(low, 35);  // 40 and 22 of 87 degrees
    EXPECT_GT(low, 1.6 * high);
    EXPECT_GT(high, 10);
    EXPECT_LT(low + high, 67);  // less than where all of it flows
}

TEST(EmbeddedMotion, WithoutPlasticOffsetsNoTwistIsKept) {
    EmbeddedSettings settings = bar_settings();
    settings.plastic_offsets = false;
    Bar bar(settings, creeping(1e5, 0.3, 2e3, 0.1));
    bar.twist(quarter, 0.24, 0.3, 1.2);
    EXPECT_LE(std::abs(bar.twist_left(bar.run.p().x)), 2);
}

// Linear and nonlinear embedding place particles differently, but the bar moves the same way.
TEST(EmbeddedMotion, LinearAndNonlinearEmbeddingAgreeInTheWorld) {
    LONG_RUN();
    EmbeddedSettings settings = bar_settings();
    Bar linear(settings, creeping(1e5, 0.3, 2e3, 0.1));
    settings.embedding = Embedding::nonlinear;
    settings.nonlinear_rounds = 3;
    Bar nonlinear(settings, creeping(1e5, 0.3, 2e3, 0.1));
    linear.twist(quarter, 0.24, 0.3, 1.0);
    nonlinear.twist(quarter, 0.24, 0.3, 1.0);
    double worst = 0;
    for (std::size_t i = 0; i < linear.run.p().size(); ++i) {
        const std::size_t j = nonlinear.run.row(linear.run.p().id.at(i));
        worst = std::max(worst, length(linear.run.p().x.vec(i) - nonlinear.run.p().x.vec(j)));
    }
    EXPECT_LE(worst, 0.004 * 0.32);  // measured: 0.1 % of the bar's length
    EXPECT_GT(nonlinear.twist_left(nonlinear.run.p().e), linear.twist_left(linear.run.p().e) + 10);
}

// A block of which one half has eight times as many particles as the other, dropped: it flattens as
// one, and its volume stays [Jones 2014, Fig. 8].
TEST(EmbeddedMotion, AnUnevenlySampledBlockFlowsAsOneAndKeepsItsVolume) {
    LONG_RUN();
    EmbeddedSettings settings = with(EmbeddedIntegrator::semi_implicit, 20);
    settings.embedding_weights = EmbeddingWeights::scale_free;
    Collider floor;
    floor.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
    floor.friction = 0.5;
    Course run(settings, creeping(1e5, 0.3, 200, 0.1), {2, 2, 2, 0.02}, {floor}, {0, -9.81, 0});
    const Phase<double> coarse = make_block<double>({3, 6, 6, 0.02, 0.02, {0.01, 0.04, 0.01}});
    Phase<double> all = make_block<double>({6, 12, 12, 0.01, 0.02, {0.065, 0.035, 0.005}});
    const std::size_t fine = all.particles.size();
    all.particles.resize(fine + coarse.particles.size());
    for (std::size_t k = 0; k < coarse.particles.size(); ++k) {
        all.particles.id.at(fine + k) = static_cast<std::int64_t>(fine + k);
        all.particles.x.set(fine + k, coarse.particles.x.vec(k));
        all.particles.volume.at(fine + k) = 8e-6;
    }
    run.phases = {all};
    run.solver.prepare(run.phases);
    const auto volume = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < run.p().size(); ++i) sum += run.p().volume.at(i);
        return sum;
    };
    // Top of the particles that began in [from, to] along x.
    const auto top = [&](double from, double to) {
        double y = 0;
        for (std::size_t i = 0; i < run.p().size(); ++i)
            if (run.p().e.vec(i).x > from && run.p().e.vec(i).x < to)
                y = std::max(y, run.p().x.vec(i).y);
        return y;
    };
    const double start = volume();
    EXPECT_NEAR(start, 2 * 108 * 8e-6, 1e-9);
    while (run.time < 0.45) {
        ASSERT_TRUE(run.take(run.allowed(5e-4)).ok) << run.time;
        EXPECT_NEAR(volume() / start, 1, 0.03);
    }
    const double low = top(-1, 0.05), high = top(0.07, 1);
    EXPECT_LT(high, 0.11);  // it was 0.12 high and has flowed
    EXPECT_GT(high, 0.06);
    EXPECT_NEAR(low / high, 1, 0.2);
}

// A block that flows, splits and merges on the floor.
Course flowing_block() {
    EmbeddedSettings settings = with(EmbeddedIntegrator::newmark, 20);
    settings.split = 0.9;
    settings.merge_distance = 0.6;
    Collider floor;
    floor.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
    floor.friction = 0.5;
    return {settings,
            creeping(1e5, 0.3, 100, 0.2),
            {9, 9, 9, 0.02, 0.1, {0, 0.02, 0}},
            {floor},
            {0, -9.81, 0}};
}

void expect_same(const Course& a, const Course& b) {
    const Particles<double>&p = a.phases[0].particles, &q = b.phases[0].particles;
    ASSERT_EQ(p.size(), q.size());
    EXPECT_EQ(a.phases[0].links.to, b.phases[0].links.to);
    for (int k = 0; k < 3; ++k) {
        EXPECT_EQ(a.phases[0].links.u[k], b.phases[0].links.u[k]);
        for (std::size_t i = 0; i < p.size(); ++i) {
            ASSERT_EQ(p.x.at(i, k), q.x.at(i, k));
            ASSERT_EQ(p.v.at(i, k), q.v.at(i, k));
            ASSERT_EQ(p.e.at(i, k), q.e.at(i, k));
        }
    }
}

TEST(EmbeddedMotion, TheSameBitsForAnyNumberOfThreads) {
    set_thread_count(1);
    Course one = flowing_block();
    ASSERT_TRUE(one.go(0.15, 1e-3));
    set_thread_count(3);
    Course three = flowing_block();
    ASSERT_TRUE(three.go(0.15, 1e-3));
    set_thread_count(0);
    EXPECT_GT(one.totals["merged"] + one.totals["split"], 0);
    expect_same(one, three);
}

TEST(EmbeddedMotion, AnotherSolverTakesOverWithTheSameBits) {
    Course whole = flowing_block();
    ASSERT_TRUE(whole.go(0.15, 1e-3));
    Course first = flowing_block();
    ASSERT_TRUE(first.go(0.08, 1e-3));
    Course second = flowing_block();
    second.phases = first.phases, second.memory = first.memory, second.rigid = first.rigid;
    second.next_id = first.next_id, second.totals = first.totals;
    second.time = first.time, second.step = first.step;
    second.solver.prepare(second.phases);
    while (second.step < whole.step) ASSERT_TRUE(second.take(1e-3).ok);
    expect_same(whole, second);
}

}  // namespace
}  // namespace knead
