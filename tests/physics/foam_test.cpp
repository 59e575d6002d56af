// Whole runs of the foam step against the spec's oracles O14, O17, O19, O20 and its drops, and the
// claims of the paper's figures, each as a number.
#include <gtest/gtest.h>

#include "foam_bodies.h"
#include "support/long_run.h"

namespace knead {

using testing::Simulation;

namespace {

// Spec, section 20, drop A: a 24 mm cube of shaving cream lands at 1 m/s on a sticky floor.
TEST(Foam, DroppedCreamComesToRestAtItsHeight) {
    LONG_RUN();
    const double dx = 3e-3;
    const Material cream = *find_preset("shaving-cream");
    MpmSettings settings = testing::foam_settings(dx, 1e-5);
    settings.estimate_volumes = true;
    settings.resampling = true;
    settings.resampling_interval = 5e-4;
    Simulation<float> sim(settings, {cream}, {testing::ground(Contact::sticky)}, {0, -9.81, 0},
                          {testing::falling_cube<float>(dx, 8, 3e-3, 1, cream.density)});
    while (sim.time < 0.1) ASSERT_TRUE(sim.step(1e-5).ok);  // the oracle's step
    EXPECT_NEAR(sim.center().y, 13.61e-3, 5.1e-6);
    EXPECT_LT(length(sim.momentum()) / sim.mass(), 0.02);
    for (const auto& [name, value] : sim.solver.statistics(sim.phases, sim.totals)) {
        if (name == "min_J") {
            EXPECT_GT(value, 0.992);
        }
        if (name == "mean_J") {
            EXPECT_NEAR(value, 1, 4e-4);  // the paper's density is within 0.89 %
        }
        if (name == "max_J") {
            EXPECT_LT(value, 1.006);
        }
    }
}

// Oracle O19: only the exponent differs; oobleck leaves the floor, the viscoplastic cube does not.
TEST(Foam, OobleckReboundsAndTheViscoplasticCubeStays) {
    LONG_RUN();
    const double dx = 1.6e-3;
    double height[2], speed[2], leaving = 0, tall = 0, slumped = 0;
    for (int k = 0; k < 2; ++k) {
        const Material m = *find_preset(k == 0 ? "oobleck" : "viscoplastic");
        MpmSettings settings = testing::foam_settings(dx, 5e-6);
        settings.estimate_volumes = true;
        Simulation<float> sim(settings, {m}, {testing::ground(Contact::separate, 0.3)},
                              {0, -9.81, 0},
                              {testing::falling_cube<float>(dx, 4, dx, 1.5, m.density)});
        while (sim.steps < 4000) {
            ASSERT_TRUE(sim.step(5e-6).ok);  // the oracle's step
            if (k == 0 && sim.steps == 1000) leaving = sim.momentum().y / sim.mass();
        }
        height[k] = sim.center().y;
        speed[k] = sim.momentum().y / sim.mass();
        if (k == 0) {
            const auto height_now = [&] {
                const testing::Part all = testing::parts(sim.phases, 2 * dx, 1).front();
                return all.hi.y - all.lo.y;
            };
            tall = height_now();
            ASSERT_TRUE(sim.run_to(0.5));
            slumped = height_now();
        }
    }
    EXPECT_NEAR(leaving, 0.35, 0.0051);
    EXPECT_NEAR(height[0], 9.53e-3, 0.0051e-3);
    EXPECT_NEAR(speed[0], 0.20, 0.0051);
    EXPECT_NEAR(height[1], 3.99e-3, 0.0051e-3);
    EXPECT_NEAR(speed[1], 0, 0.0051);
    // In the air it is still nearly as tall as the cube it was; once down again it flows.
    EXPECT_GT(tall, 0.9 * 3.5 * dx);
    EXPECT_LT(slumped, 0.8 * tall);
}

// What is seen at every millisecond of a pull.
struct Pull {
    static constexpr int most = 91;
    double energy[most] = {};  // stored [J]
    double weak[most] = {};    // torn particles
    double least_J[most], largest_J[most];
    double first_weak = -1, last_weak = -1;  // times at which torn particles were seen [s]
    double parted = -1;                      // when the two halves came apart [s]
    double removed_share = 0;
    std::size_t particles = 0;

    double most_weak() const { return *std::max_element(weak, weak + most); }
    double most_energy() const { return *std::max_element(energy, energy + most); }
};

// Oracle O14: a 9.6 mm cube of pie between sticky plates, the upper one moving up at 0.6 m/s, with
// the oracle's steps: 10 us, healing and removal in each of them, resampling in the first and every
// fiftieth after it. The first step still finds the plate at the cube. It is only a step's way, a
// part in 270 of dx, but moves a plane of nodes once, and decides how the neck recoils: of a plate
// that has left by then, the tips fall to J = 0.961..0.971. Where new particles fall, by the seed,
// is up to each program.
Pull pull_pie(bool tearing, double recovery_time, int milliseconds, std::uint64_t seed) {
    const double dx = 1.6e-3, side = 6 * dx, dt = 1e-5;
    Material pie = *find_preset("pie");
    pie.tear.recovery_time = recovery_time;
    MpmSettings settings = testing::foam_settings(dx, dt);
    settings.estimate_volumes = true;
    settings.tearing = tearing;
    settings.remove_subgrid = tearing;
    settings.healing_interval = 1;
    settings.resampling = true;
    settings.resampling_strain = 0;
    Collider lower = testing::plate("lower", {side / 2, -4e-3, side / 2}, {0.02, 4e-3, 0.02});
    Collider upper = testing::plate("upper", {side / 2, side + 4e-3, side / 2}, {0.02, 4e-3, 0.02});
    upper.motion.velocity = {0, 0.6, 0};
    upper.motion.start = dt;
    Simulation<float> sim(settings, {pie}, {lower, upper}, {0, -9.81, 0},
                          {testing::cube_body<float>(dx, 6, pie.density)});
    sim.seed = seed;
    sim.memory.resampling_steps = 49;
    const double mass = sim.mass();
    Pull pull;
    for (int ms = 1; ms <= milliseconds; ++ms) {
        while (sim.steps < 100 * ms)
            if (!sim.step(dt).ok) return pull;
        std::map<std::string, double> now;
        for (const auto& [name, value] : sim.solver.statistics(sim.phases, sim.totals))
            now[name] = value;
        pull.weak[ms] = now["weak"];
        if (pull.weak[ms] > 0) {
            if (pull.first_weak < 0) pull.first_weak = sim.time;
            pull.last_weak = sim.time;
        }
        pull.least_J[ms] = now["min_J"];
        pull.largest_J[ms] = now["max_J"];
        pull.energy[ms] = sim.solver.elastic_energy(sim.phases);
        if (pull.parted < 0 && testing::components(sim.phases, 2 * dx, 100) > 1)
            pull.parted = sim.time;
    }
    pull.removed_share = sim.totals["removed_mass"] / mass;
    pull.particles = sim.phases[0].particles.size();
    return pull;
}

// With everything as in the paper, for all tests that ask.
const Pull& torn_pie() {
    static const Pull pull = pull_pie(true, 0.3, 90, 1);
    return pull;
}

// Oracle O14, with tearing (Fig. 7: the neck breaks; Fig. 8: what is removed is little). Ten seeds
// gave 311 to 346 torn of 2033 to 2041 particles at 25 ms, 2.38e-6 to 2.46e-6 J then and 5.4e-7 to
// 6.7e-7 J at 30 ms (5.7e-7 in the mean), J from 0.969..0.986 to 1.042..1.047: the oracle's numbers
// are one such throw, and so are its removed 0.027 %, one straggler, of which these left none.
// Rounding throws anew, so the bars hold for all of them.
TEST(Foam, PulledPieTears) {
    const Pull pulls[] = {torn_pie(), pull_pie(true, 0.3, 35, 2), pull_pie(true, 0.3, 35, 3)};
    double energy = 0;  // at 30 ms, in the mean
    for (const Pull& torn : pulls) {
        EXPECT_GE(torn.first_weak, 20e-3);
        EXPECT_LE(torn.first_weak, 25e-3);
        EXPECT_NEAR(torn.weak[25], 300, 50);
        EXPECT_NEAR(static_cast<double>(torn.particles), 2030, 15);
        EXPECT_NEAR(torn.energy[25], 2.4e-6, 0.071e-6);
        EXPECT_EQ(torn.weak[35], 0);  // the flag is short-lived
        double least = 1, largest = 1;
        for (int ms = 5; ms <= 35; ms += 5) {
            least = std::min(least, torn.least_J[ms]);
            largest = std::max(largest, torn.largest_J[ms]);
        }
        EXPECT_NEAR(torn.least_J[25], 0.986, 0.005);  // before the recoil
        EXPECT_NEAR(least, 0.986, 0.02);
        EXPECT_NEAR(largest, 1.048, 0.008);
        ASSERT_GT(torn.parted, 25e-3);
        EXPECT_LE(torn.parted, 35e-3);
        EXPECT_LE(torn.removed_share, 2.8e-4);  // a particle at most; the paper has up to 28e-4
        energy += torn.energy[30] / 3;
    }
    EXPECT_NEAR(energy, 5.5e-7, 0.8e-7);
}

// Oracle O14, without tearing: the neck holds longer, is stretched further and keeps its stress.
// Five seeds gave 3.67e-6 to 3.82e-6 J at most (3.7e-6), J from 0.898..0.936 (0.93) to 1.079..1.119
// (1.10), parted after 37 to 41 ms, and 2.9 to 3.4 times as much stored at 90 ms (2.8); this one
// 3.68e-6 J, 0.926, 1.111, 41 ms and 3.0.
TEST(Foam, PulledPieThatCannotTearHoldsLonger) {
    LONG_RUN();
    const Pull& torn = torn_pie();
    const Pull whole = pull_pie(false, 0.3, 90, 1);
    EXPECT_EQ(whole.most_weak(), 0);
    EXPECT_GT(whole.energy[35], 3e-6);
    EXPECT_LT(whole.energy[45], 2e-6);
    EXPECT_GE(whole.parted, torn.parted + 5e-3);
    EXPECT_LE(whole.parted, 45e-3);
    EXPECT_NEAR(whole.most_energy(), 3.7e-6, 0.15e-6);
    double least = 1, largest = 1;
    for (int ms = 5; ms <= 90; ms += 5) {
        least = std::min(least, whole.least_J[ms]);
        largest = std::max(largest, whole.largest_J[ms]);
    }
    EXPECT_NEAR(least, 0.93, 0.035);
    EXPECT_NEAR(largest, 1.10, 0.025);
    EXPECT_GT(whole.energy[90], 2.6 * torn.energy[90]);
    EXPECT_LT(whole.energy[90], 3.6 * torn.energy[90]);
}

// Fig. 8: slow healing looks brittle; what has torn stays torn for longer.
TEST(Foam, HealingTimeDecidesHowLongTornFoamStaysTorn) {
    LONG_RUN();
    const Pull& paper = torn_pie();
    const Pull sticky = pull_pie(true, 0.1, 34, 1), brittle = pull_pie(true, 100, 34, 1);
    EXPECT_LE(sticky.most_weak(), paper.most_weak());
    EXPECT_LT(paper.most_weak(), brittle.most_weak());
    EXPECT_LT(paper.last_weak, brittle.last_weak);
    EXPECT_GT(brittle.weak[34], 0);
}

// A small swelling of a 4^3-cell cube of cream for 400 steps: its energy after and before.
struct Swelling {
    MpmSettings settings = testing::foam_settings(3e-3, 0);
    Material cream = *find_preset("shaving-cream");

    explicit Swelling(bool estimate_volumes) {
        settings.flip_fraction = 1;
        settings.stability = 1;
        settings.tearing = false;
        settings.estimate_volumes = estimate_volumes;
    }
    Simulation<double> start() const {
        return {settings, {cream}, {}, {0, 0, 0}, {testing::cube_body<double>(3e-3, 4, 77.7)}};
    }
    double bound() const {
        Simulation<double> sim = start();
        double dt = 1;
        for (const DtLimit& limit : sim.solver.dt_limits(sim.phases, sim.memory, 0))
            if (limit.reason.starts_with("stiffness")) dt = std::min(dt, limit.dt);
        return dt;
    }
    double growth(double dt) const {
        Simulation<double> sim = start();
        for (std::size_t i = 0; i < sim.phases[0].particles.size(); ++i)
            sim.phases[0].particles.dilation.at(i) = 1e-4;
        sim.step(1e-9);  // brings the stress up to date
        const double before = sim.solver.elastic_energy(sim.phases);
        for (int i = 0; i < 400; ++i)
            if (!sim.step(dt).ok) return 1e30;
        return sim.solver.elastic_energy(sim.phases) / before;
    }
};

// Oracle O20: it stays small at 0.9 of the step bound and grows at 1.6 of it. Between these, steps
// of 60 us do and 70 us do not with exact volumes, 35 us do and 40 us do not with estimated ones.
TEST(Foam, StepBoundIsNeitherLooseNorTight) {
    const Swelling exact(false), estimated(true);
    EXPECT_NEAR(exact.bound(), 52.2e-6, 0.051e-6);
    EXPECT_NEAR(estimated.bound(), 25.2e-6, 0.051e-6);
    for (const Swelling& s : {exact, estimated}) {
        EXPECT_LT(s.growth(0.9 * s.bound()), 2);
        EXPECT_GT(s.growth(1.6 * s.bound()), 100);
    }
    EXPECT_LT(exact.growth(60e-6), 2);
    EXPECT_GT(exact.growth(70e-6), 100);
    EXPECT_LT(estimated.growth(35e-6), 2);
    EXPECT_GT(estimated.growth(40e-6), 100);
}

struct Stretched {
    double largest_void;  // distance from the axis to the next particle at most, in r = dx / 2
    std::int64_t particles;
    double mass_error, volume_error;
};

// Fig. 6: strong flow, here a cube drawn out to three times its length, with or without resampling.
Stretched stretch_cube(bool resampling) {
    const double dx = 3e-3, r = dx / 2, side = 8 * dx;
    const Material cream = *find_preset("shaving-cream");
    MpmSettings settings = testing::foam_settings(dx, 1e-5);
    settings.tearing = false;
    settings.resampling = resampling;
    settings.resampling_interval = 5e-4;
    Collider lower = testing::plate("lower", {side / 2, -6e-3, side / 2}, {0.04, 6e-3, 0.04});
    Collider upper = testing::plate("upper", {side / 2, side + 6e-3, side / 2}, {0.04, 6e-3, 0.04});
    lower.motion.velocity = {0, -0.4, 0};
    upper.motion.velocity = {0, 0.4, 0};
    Simulation<float> sim(settings, {cream}, {lower, upper}, {0, 0, 0},
                          {testing::cube_body<float>(dx, 8, cream.density)});
    const double mass = sim.mass();
    const auto volume = [&] {
        return sim.total([](const Particles<float>& p, std::size_t i) {
            return static_cast<double>(p.volume.at(i));
        });
    };
    const double before = volume();
    if (!sim.run_to(side / 0.4)) return {1e30, 0, 1, 1};

    // How far the next particle is from points in the middle of the neck, on and off its axis; its
    // surface is more than 2 dx away, so they are as deep as resampling reaches.
    const PointGrid grid(sim.phases, dx);
    double largest = 0;
    for (double y = -side / 4; y < side / 4; y += dx / 20)
        for (int k = 0; k < 9; ++k) {
            const int a = k / 3 - 1, b = k % 3 - 1;
            const Vec3d x{side / 2 + 0.5 * dx * a, side / 2 + y, side / 2 + 0.5 * dx * b};
            double nearest = 9 * dx * dx;
            grid.for_each_within(x, 3 * dx, [&](std::uint32_t, std::uint32_t, double d2) {
                nearest = std::min(nearest, d2);
            });
            largest = std::max(largest, std::sqrt(nearest) / r);
        }
    return {largest, static_cast<std::int64_t>(sim.phases[0].particles.size()),
            sim.mass() / mass - 1, volume() / before - 1};
}

TEST(Foam, ResamplingKeepsStretchedFoamFreeOfVoids) {
    const Stretched on = stretch_cube(true), off = stretch_cube(false);
    EXPECT_LT(on.largest_void, 1);  // r
    EXPECT_GT(off.largest_void, 1);
    EXPECT_GT(on.particles, off.particles);
    EXPECT_NEAR(on.mass_error, 0, 1e-6);
    EXPECT_NEAR(on.volume_error, 0, 1e-6);
}

}  // namespace

}  // namespace knead
