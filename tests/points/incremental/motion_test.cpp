// Small runs of the incremental method with known answers; numbers without a closed form come from
// an independent prototype in double precision.
#include <gtest/gtest.h>

#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "points/incremental/bodies.h"
#include "support/long_run.h"
#include "support/tolerance.h"

namespace knead::incremental_test {

namespace {

// A cube of 8^3 at rest 0.1 m above the ground.
const Block falling{8, 8, 8, 0.02, 0, {0, 0.17, 0}};

template <class Real>
Trial<Real> drop_of(const Material& material, double viscosity, double pressure) {
    IncrementalSettings s = settings_for(falling);
    s.viscosity = viscosity;
    s.pressure = pressure;
    return Trial<Real>(s, material, make_block<Real>(falling), ground());
}

template <class Real>
struct Stretch {
    double least = 1, most = 1;
    explicit Stretch(Trial<Real>& run) {
        for (std::size_t i = 0; i < run.p().size(); ++i) {
            const Vec3<Real> s = svd(run.p().F.mat(i)).sigma;
            least = std::min(least, double(s.z)), most = std::max(most, double(s.x));
        }
    }
};

// How far distances between particles are from those of the start: root mean square, relative.
template <class Real>
class Shape {
public:
    explicit Shape(Trial<Real>& run) : start_(by_id(run)) {}
    double change(Trial<Real>& run) const {
        const auto now = by_id(run);
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < now.size(); i += 3)
            for (std::size_t j = i + 1; j < now.size(); j += 7) {
                const double d = length(start_[i] - start_[j]);
                const double e = length(now[i] - now[j]) / d - 1;
                sum += e * e, count += 1;
            }
        return std::sqrt(sum / count);
    }

private:
    static std::vector<Vec3d> by_id(Trial<Real>& run) {
        std::vector<Vec3d> x(run.p().size());
        for (std::size_t i = 0; i < x.size(); ++i)
            x[static_cast<std::size_t>(run.p().id.at(i))] = run.p().x.vec(i);
        return x;
    }
    std::vector<Vec3d> start_;
};

template <class Real>
class Moving : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Moving, Reals);

// A cube squeezed towards its middle for 0.25 s and let go until 0.8 s, while it spins.
struct Squeeze {
    bool survived;
    double time, change;
    Vec3d growth;
};
Squeeze squeeze(DeformationMemory memory, const Material& material, double strength, double spin,
                double viscosity) {
    const Block block{7, 7, 7, 0.02};
    IncrementalSettings s = settings_for(block);
    s.viscosity = viscosity;
    s.memory = memory;
    Scenery space = empty_space();
    space.pulls.push_back({{0, 0, 0}, strength, 0, 0.25});
    Trial<double> run(s, material, make_block<double>(block), space);
    run.set_velocity([&](const Vec3d& x) { return cross(Vec3d{0, 0, spin}, x); });
    const Shape<double> shape(run);
    const Vec3d before = run.extent();
    const bool survived = run.run_until(0.8, 2e-4);
    const Vec3d after = run.extent();
    return {survived,
            run.time,
            shape.change(run),
            {after.x / before.x, after.y / before.y, after.z / before.z}};
}

}  // namespace

// y_n = y_0 - g dt^2 n (n + 1) / 2
TYPED_TEST(Moving, FreeFallIsThatOfAPoint) {
    Trial<TypeParam> run(settings_for(falling), elastic(1e5), make_block<TypeParam>(falling),
                         Scenery{});
    const double start = run.p().x.vec(0).y;
    const std::int64_t id = run.p().id.at(0);
    for (int k = 0; k < 100; ++k) ASSERT_TRUE(run.step(1e-3).ok);
    for (std::size_t i = 0; i < run.p().size(); ++i)
        if (run.p().id.at(i) == id) {
            const double fallen = 9.81 * 1e-6 * 100 * 101 / 2;
            // float velocities round a hundred times
            EXPECT_NEAR((start - run.p().x.vec(i).y) / fallen, 1,
                        tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-5 : 1e-12));
        }
    EXPECT_LT(Stretch<TypeParam>(run).most - 1, tolerance::identity<TypeParam>());
}

// Kinetic and elastic energy of a free vibration after 0.5 s: 0.013 of the start with viscosity
// and pressure; without them it grows twelvefold, the method's own drift.
TEST(IncrementalMotion, VibrationDecaysWithViscosityAndGrowsWithout) {
    const auto left = [](double viscosity, double pressure) {
        const Block block{7, 7, 7, 0.02};
        IncrementalSettings s = settings_for(block);
        s.viscosity = viscosity;
        s.pressure = pressure;
        Trial<double> run(s, elastic(1e5), make_block<double>(block));
        run.set_velocity([](const Vec3d& x) { return Vec3d{5 * x.x, -2.5 * x.y, -2.5 * x.z}; });
        const double start = run.energy();
        EXPECT_TRUE(run.run_until(0.5, 5e-4));
        return run.energy() / start;
    };
    EXPECT_NEAR(left(20, 5e4), 0.013, 5e-4);  // 0.0127
    EXPECT_NEAR(left(0, 0), 12, 1.5);         // 12.7, grown from noise in part
}

// One layer of particles, nearly in a plane: out of it a fit has next to nothing to hold on to, and
// trusting it would let noise of 1 cm/s blow up within 0.02 s. Viscosity takes the noise away.
TEST(IncrementalMotion, AThinLayerDoesNotShakeItselfApart) {
    for (const Block& block : {Block{10, 10, 1, 0.02, 0.03}, Block{10, 10, 1, 0.02, 0.1},
                               Block{12, 2, 1, 0.02, 0.1}, Block{10, 10, 2, 0.02, 0.2}}) {
        IncrementalSettings s = settings_for(block);
        s.viscosity = 20;
        s.pressure = 1e5;
        Trial<double> run(s, elastic(2e5), make_block<double>(block));
        std::uint64_t k = 0;
        run.set_velocity([&](const Vec3d&) {
            const auto noise = [&] { return 0.01 * (random_unit(3, ++k) - 0.5); };
            return Vec3d{noise(), noise(), noise()};
        });
        const double start = run.kinetic_energy();
        ASSERT_TRUE(run.run_until(0.2, 5e-4));
        EXPECT_LT(run.kinetic_energy(), 0.2 * start) << block.nz << " layers";
    }
}

// Pair forces are not central, so spin is kept only nearly: within 1 % for 0.25 s. Then the drift
// of the increments breaks the body apart, before 0.4 s; viscosity prevents that and ends the spin.
TEST(IncrementalMotion, SpinIsKeptForAWhile) {
    LONG_RUN();
    const Block block{7, 7, 7, 0.02};
    for (const double viscosity : {0.0, 20.0}) {
        IncrementalSettings s = settings_for(block);
        s.viscosity = viscosity;
        Trial<double> run(s, elastic(1e6), make_block<double>(block));
        run.set_velocity([](const Vec3d& x) { return cross(Vec3d{0, 0, 10}, x); });
        const double L = run.angular_momentum().z;
        ASSERT_TRUE(run.run_until(0.25, 2e-4));
        EXPECT_LT(length(run.momentum()), 1e-12);  // 2.7 kg at 1 m/s, to rounding
        if (viscosity == 0) {
            EXPECT_NEAR(run.angular_momentum().z / L, 1, 0.01);
            EXPECT_FALSE(run.run_until(0.4, 2e-4));
        } else {
            EXPECT_TRUE(run.run_until(0.5, 2e-4));
            EXPECT_LT(run.angular_momentum().z / L, 0.02);
        }
    }
}

TYPED_TEST(Moving, AnElasticCubeKeepsItsShapeAfterAFall) {
    LONG_RUN();
    auto run = drop_of<TypeParam>(elastic(1e5), 20, 5e4);
    const Vec3d before = run.extent();
    ASSERT_TRUE(run.run_until(1, 5e-4));
    const Vec3d after = run.extent();
    EXPECT_NEAR(after.y / before.y, 0.9987, 6e-4);
    EXPECT_NEAR(after.x / before.x, 1.0041, 6e-4);
    const Stretch<TypeParam> stretch(run);
    EXPECT_NEAR(stretch.least, 0.9703, 6e-4);
    EXPECT_NEAR(stretch.most, 1.0191, 6e-4);
}

TYPED_TEST(Moving, ClayStaysFlattened) {
    LONG_RUN();
    auto run = drop_of<TypeParam>(creeping(1e5, 200, 0.05), 5, 5e4);
    const Vec3d before = run.extent();
    ASSERT_TRUE(run.run_until(1, 5e-4));
    const Vec3d after = run.extent();
    // 0.6900 and 1.5100 in double; flow amplifies the rounding of float to 0.691 and 1.502
    const double tol = sizeof(TypeParam) == 4 ? 0.04 : 1e-3;
    EXPECT_NEAR(after.y / before.y, 0.690, 0.25 * tol + 1e-3);
    EXPECT_NEAR(after.x / before.x, 1.510, tol);
    EXPECT_LT(run.kinetic_energy(), 0.01);  // of 4 J when it landed
}

// Creep without a yield stress sags on. An independent prototype (plain loops over all pairs,
// Jacobi SVD), whose friction corrects velocities alone, gives 0.9604 and 1.0463 of height and
// width after 0.4 s and a mean height of 0.06238 m after 0.6 s, and so did this one within 4e-4
// before its friction held the foot in place: by then another order of the same sums moves it by so
// much. Later on the extent of a creeping cube is that of a corner particle come loose: 0.876 to
// 0.956 after 1 s, as rounding has it.
TEST(IncrementalMotion, CreepSagsWithoutAYieldStress) {
    auto run = drop_of<double>(creeping(1e5, 0, 0.01), 5, 5e4);
    const Vec3d before = run.extent();
    ASSERT_TRUE(run.run_until(0.4, 5e-4));
    EXPECT_NEAR(run.extent().y / before.y, 0.95576, 1e-4);
    EXPECT_NEAR(run.extent().x / before.x, 1.04372, 1e-4);
    ASSERT_TRUE(run.run_until(0.6, 5e-4));
    double mean = 0;
    for (std::size_t i = 0; i < run.p().size(); ++i) mean += run.p().x.vec(i).y / 512;
    EXPECT_NEAR(mean, 0.06323, 1e-3 * 0.06323);
}

// Cornstarch bounces off like a solid, then flows: it leaves the ground after the impact, and ends
// flatter than a cube of clay.
TEST(IncrementalMotion, CornstarchBouncesThenFlows) {
    LONG_RUN();
    Material m = creeping(1e5, 0, 100);
    m.flow.creep_divided = true;
    auto run = drop_of<double>(m, 10, 5e4);  // with 5 a corner comes loose after 0.9 s
    const Vec3d before = run.extent();
    const auto bottom = [&] {
        double low = 1;
        for (std::size_t i = 0; i < run.p().size(); ++i) low = std::min(low, run.p().x.vec(i).y);
        return low;
    };
    ASSERT_TRUE(run.run_until(0.15, 5e-4));  // lands at 0.143 s
    EXPECT_LT(bottom(), 1e-6);
    double highest = 0;
    while (run.time < 0.3) {
        ASSERT_TRUE(run.run_until(run.time + 0.01, 5e-4));
        highest = std::max(highest, bottom());
    }
    EXPECT_GT(highest, 0.005);  // a quarter of a spacing clear of the ground
    ASSERT_TRUE(run.run_until(1, 5e-4));
    EXPECT_NEAR(run.extent().y / before.y, 0.726, 0.002);
    EXPECT_NEAR(run.extent().x / before.x, 1.54, 0.01);
}

TEST(IncrementalMotion, TheHyperelasticVariantKeepsItsShape) {
    LONG_RUN();
    IncrementalSettings s = settings_for(falling);
    s.viscosity = 20;
    s.pressure = 5e4;
    s.squared_stretch = true;
    Trial<double> run(s, elastic(5e4), make_block<double>(falling), ground());
    const Vec3d before = run.extent();
    ASSERT_TRUE(run.run_until(1, 5e-4));
    EXPECT_NEAR(run.extent().y / before.y, 0.9896, 6e-4);
    EXPECT_NEAR(run.extent().x / before.x, 1.0069, 6e-4);
}

// Gerszewski 2009, Fig. 8. Squeezed while it spins, an elastic body comes back with increments and
// with a rest configuration; strains that are added up do not turn with the body and keep a shape
// of their own.
TEST(IncrementalBaselines, AdditiveStrainFailsToReturn) {
    LONG_RUN();
    using M = DeformationMemory;
    const Material m = elastic(1e5);
    const Squeeze ours = squeeze(M::increments, m, 1500, 15, 10);
    const Squeeze rest = squeeze(M::rest_configuration, m, 1500, 15, 10);
    const Squeeze strain = squeeze(M::additive_strain, m, 1500, 15, 10);
    EXPECT_TRUE(ours.survived && rest.survived && strain.survived);
    EXPECT_LT(ours.change, 0.006);
    EXPECT_LT(rest.change, 0.001);
    EXPECT_GT(strain.change, 0.05);
}

// Under large flow the rest configuration becomes ill-conditioned and the run blows up; increments
// end as a ball would: 1.28 of the cube's side for a ball of the same volume, lattice aside.
TEST(IncrementalBaselines, RestConfigurationBlowsUpUnderLargeFlow) {
    LONG_RUN();
    using M = DeformationMemory;
    const Material m = creeping(1e5, 100, 0.05);
    const Squeeze ours = squeeze(M::increments, m, 1500, 0, 20);
    const Squeeze rest = squeeze(M::rest_configuration, m, 1500, 0, 20);
    const Squeeze strain = squeeze(M::additive_strain, m, 1500, 0, 20);
    EXPECT_TRUE(ours.survived);
    EXPECT_NEAR(ours.growth.x, 1.25, 0.03);
    EXPECT_FALSE(rest.survived);
    EXPECT_NEAR(rest.time, 0.32, 0.05);
    EXPECT_TRUE(strain.survived);
    EXPECT_NEAR(strain.growth.x, 1.24, 0.03);
}

namespace {

Material jelly() {
    Material m = elastic(6e3, 0.45);
    m.elastic.law = ElasticLaw::fixed_corotated;
    return m;
}

// As scenes have it where nothing flows.
IncrementalSettings kept_start(const Block& b, const Material& m) {
    IncrementalSettings s = settings_for(b);
    s.memory = DeformationMemory::start;
    s.stress = StressForm::plain;
    s.pressure = 0.5 * m.elastic.bulk_modulus;
    s.viscosity =
        0.2 *
        std::sqrt(m.density * (m.elastic.bulk_modulus + 4.0 / 3.0 * m.elastic.shear_modulus)) *
        b.spacing;
    return s;
}

}  // namespace

// Jelly dropped from 2 m hits faster than its speed of sound, 4.7 m/s. It flattens to less than
// half, comes back, and once it has settled stands as jelly does that was set down: 10 cm of it
// sag by a few per cent.
TYPED_TEST(Moving, JellyThatKeepsItsStartSurvivesAHardFall) {
    for (const double height : {0.0, 1.0, 2.0}) {
        const Block block{6, 6, 6, 0.0167, 0.03, {0, 0.05, 0}};
        Trial<TypeParam> run(kept_start(block, jelly()), jelly(), make_block<TypeParam>(block),
                             ground());
        const Shape<TypeParam> shape(run);
        const Vec3d before = run.extent();
        const double impact = std::sqrt(2 * 9.81 * height);
        run.set_velocity([&](const Vec3d&) { return Vec3d{0, -impact, 0}; });
        double flattest = 1;
        while (run.time < 1.5) {
            ASSERT_TRUE(run.run_until(run.time + 0.01, 5e-4));
            flattest = std::min(flattest, run.extent().y / before.y);
        }
        EXPECT_LT(flattest, height > 0 ? 0.6 : 1) << height;
        EXPECT_NEAR(run.extent().y / before.y, 0.93, 0.05) << height;
        EXPECT_LT(shape.change(run), 0.05) << height;
    }
}

// A bar drawn to twice its length and let go is as long as before.
TEST(IncrementalMotion, ABarThatKeepsItsStartComesBackFromTwiceItsLength) {
    const Block bar{20, 5, 5, 0.02, 0.03};
    Scenery space = empty_space();
    for (const double side : {-1.0, 1.0}) {
        Grip grip;
        grip.name = side < 0 ? "left" : "right";
        grip.region = sdf::box({side * 0.18, 0, 0}, {0.05, 0.2, 0.2});
        grip.motion.velocity = {side * 0.5, 0, 0};
        grip.release = 0.4;
        space.grips.push_back(grip);
    }
    IncrementalSettings s = kept_start(bar, jelly());
    s.viscosity *= 4;  // so that it soon swings no more
    Trial<double> run(s, jelly(), make_block<double>(bar), space);
    const Shape<double> shape(run);
    const Vec3d before = run.extent();
    ASSERT_TRUE(run.run_until(0.4, 5e-4));
    EXPECT_NEAR(run.extent().x / before.x, 2.05, 0.05);
    ASSERT_TRUE(run.run_until(2, 5e-4));
    EXPECT_LT(shape.change(run), 0.02);
}

// The start is kept, and whom matter meets since is pressed away: two cubes that run into each
// other part again, in one piece each.
TEST(IncrementalMotion, BodiesThatKeepTheirStartBounceOffEachOther) {
    Phase<double> two = make_block<double>({5, 12, 5, 0.02});
    for (std::size_t i = 0; i < two.particles.size(); ++i) {
        const bool upper = two.particles.x.vec(i).y > 0;
        two.particles.body.at(i) = upper ? 1 : 0;
        two.particles.x.at(i, 1) += upper ? 0.03 : -0.03;
        two.particles.v.set(i, {0, upper ? -1.0 : 1.0, 0});
    }
    const Block block{5, 12, 5, 0.02};
    Trial<double> run(kept_start(block, jelly()), jelly(), std::move(two));
    const auto middle = [&](int body) {
        double sum = 0;
        for (std::size_t i = 0; i < run.p().size(); ++i)
            if (run.p().body.at(i) == body) sum += run.p().x.vec(i).y / 150;
        return sum;
    };
    double nearest = 1;
    while (run.time < 0.5) {
        ASSERT_TRUE(run.run_until(run.time + 0.01, 1e-3));
        nearest = std::min(nearest, middle(1) - middle(0));
    }
    EXPECT_GT(nearest, 0.04);  // of 0.12 when they touch
    EXPECT_GT(middle(1) - middle(0), 0.14);
}

namespace {

// A cube of jelly above a slab of creeping clay that it runs into, each a phase of its own.
template <class Real>
Trial<Real> jelly_on_clay() {
    const Block cube{6, 6, 6, 0.02, 0.03, {0, 0.15, 0}}, slab{12, 4, 12, 0.02, 0.03, {0, 0.04, 0}};
    std::vector<Phase<Real>> phases;
    phases.push_back(make_block<Real>(cube));
    phases.push_back(make_block<Real>(slab));
    for (std::size_t i = 0; i < phases[1].particles.size(); ++i) {
        phases[1].particles.body.at(i) = 1;
        phases[1].particles.id.at(i) += 1000;
    }
    IncrementalSettings s = kept_start(cube, jelly());
    s.viscosity = -1;  // each its own
    Trial<Real> run(s, {jelly(), creeping(1e5, 200, 0.05)}, std::move(phases), ground());
    run.set_velocity([](const Vec3d&) { return Vec3d{0, -2, 0}; });  // the first phase's
    return run;
}

}  // namespace

// What never flows keeps its start beside matter that flows: the cube dents the slab, which stays
// dented, and has its shape again.
TYPED_TEST(Moving, JellyKeepsItsShapeBesideClayThatDoesNot) {
    Trial<TypeParam> run = jelly_on_clay<TypeParam>();
    EXPECT_TRUE(run.phases[0].particles.rest_x.present());
    EXPECT_FALSE(run.phases[1].particles.rest_x.present());
    const Shape<TypeParam> shape(run);
    const auto top = [&] {  // of the slab's middle
        double y = 0;
        const auto& x = run.phases[1].particles.x;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (std::abs(x.vec(i).x) < 0.03 && std::abs(x.vec(i).z) < 0.03)
                y = std::max(y, x.vec(i).y);
        return y;
    };
    const double before = top();
    double worst = 0;
    while (run.time < 1) {
        ASSERT_TRUE(run.run_until(run.time + 0.02, 5e-4));
        worst = std::max(worst, shape.change(run));
    }
    EXPECT_GT(worst, 0.1);
    EXPECT_LT(shape.change(run), 0.06);
    EXPECT_LT(top(), 0.85 * before);
}

// Each material has its own viscosity: a share of density x speed of sound x spacing, which bounds
// the step by density h^2 / (15 viscosity).
TEST(IncrementalMotion, EachMaterialIsDampedInProportionToItsStiffness) {
    Trial<double> run = jelly_on_clay<double>();
    std::vector<double> bounds;
    for (const DtLimit& limit : run.solver.dt_limits(run.phases, run.memory))
        if (limit.reason == "viscosity") bounds.push_back(limit.dt);
    ASSERT_EQ(bounds.size(), 2u);
    const auto speed = [](const Material& m) {
        return std::sqrt((m.elastic.bulk_modulus + 4.0 / 3 * m.elastic.shear_modulus) / m.density);
    };
    const double h = 0.04, d = 0.02;
    EXPECT_NEAR(bounds[0], 0.5 * h * h / (15 * 0.2 * speed(jelly()) * d), 1e-9);
    EXPECT_NEAR(bounds[1], 0.5 * h * h / (15 * 0.5 * speed(elastic(1e5)) * d), 1e-9);
}

// Rows of what flows are sorted beside rows that stay; neither threads nor fresh scratch show.
TEST(IncrementalMotion, MattersThatRememberDifferentlyGiveTheSameBitsAgain) {
    const auto positions = [](int threads, bool interrupted) {
        set_thread_count(threads);
        Trial<float> run = jelly_on_clay<float>();
        for (int k = 0; k < 200; ++k) {
            if (interrupted && k % 23 == 11) run.solver.prepare(run.phases);
            EXPECT_TRUE(run.step(5e-4).ok);
        }
        std::vector<double> numbers;
        for (const auto& phase : run.phases)
            for (std::size_t i = 0; i < phase.particles.size(); ++i)
                for (int a = 0; a < 3; ++a) numbers.push_back(phase.particles.x.at(i, a));
        set_thread_count(0);
        return numbers;
    };
    const auto one = positions(1, false);
    EXPECT_EQ(one, positions(2, false));
    EXPECT_EQ(one, positions(2, true));
}

// Clay that bears its weight without flowing stays as it stands for 3000 times what a wave takes
// across a spacing. With the kernel's force alone disorder gathers until it flows.
TEST(IncrementalMotion, ClayThatBearsItsWeightStaysQuiet) {
    const auto fastest = [](double share) {
        const Block block{12, 8, 12, 0.02, 0, {0, 0.08, 0}};
        Material clay = creeping(1e5, 4000, 0.05);
        set_young_poisson(clay, 1e5, 0.4);
        IncrementalSettings s = settings_for(block);
        s.pressure = 0.5 * clay.elastic.bulk_modulus;
        s.viscosity = 70;  // a quarter of density x speed of sound x spacing
        s.force_by_fit = share;
        Trial<float> run(s, clay, make_block<float>(block), ground());
        double most = 0;
        while (run.time < 3) {
            if (!run.run_until(run.time + 0.1, 6e-4)) return 1e9;
            if (run.time > 1) most = std::max(most, run.kinetic_energy());
        }
        return std::sqrt(2 * most / (block.density * 12 * 8 * 12 * 8e-6));
    };
    EXPECT_LT(fastest(0.15), 1e-3);  // in the mean [m/s]
    EXPECT_GT(fastest(0), 5e-3);
}

// The same bytes for any number of threads, and for a solver that has to find its candidates anew,
// as after a resume.
TYPED_TEST(Moving, ThreadsAndFreshScratchChangeNoBit) {
    const auto positions = [](int threads, bool interrupted, bool start = false) {
        set_thread_count(threads);
        const Block block{12, 12, 12, 0.02, 0.1, {0, 0.12, 0}};
        IncrementalSettings s = settings_for(block);
        s.viscosity = 5;
        s.pressure = 5e4;
        if (start) s.memory = DeformationMemory::start;
        const Material m = start ? elastic(1e5) : creeping(1e5, 200, 0.05);
        Trial<TypeParam> run(s, m, make_block<TypeParam>(block), ground());
        run.set_velocity([](const Vec3d& x) { return Vec3d{0, -2 - x.x, 0}; });
        for (int k = 0; k < 60; ++k) {
            if (interrupted && k % 7 == 3) run.solver.prepare(run.phases);
            EXPECT_TRUE(run.step(5e-4).ok);
        }
        std::vector<double> numbers;
        for (std::size_t i = 0; i < run.p().size(); ++i) {
            numbers.push_back(double(run.p().id.at(i)));
            for (int a = 0; a < 3; ++a) numbers.push_back(run.p().x.at(i, a));
            for (int a = 0; a < 9; ++a) numbers.push_back(double(run.p().F.at(i, a)));
        }
        set_thread_count(0);
        return numbers;
    };
    const auto one = positions(1, false);
    EXPECT_EQ(one, positions(2, false));
    EXPECT_EQ(one, positions(2, true));
    EXPECT_EQ(positions(1, false, true), positions(2, true, true));
}

}  // namespace knead::incremental_test
