// Flow rules on Hencky and creeping solids: where they land, and their worked numbers.
#include <gtest/gtest.h>

#include <limits>

#include "support.h"

namespace knead::test {
namespace {

const Mat3d still = 0 * identity3<double>();

template <class L>
L law_of(const Material& m) {
    return std::get<L>(make_law<double>(m));
}

Material hencky(FlowRule rule) {
    Material m;
    m.name = "test";
    m.elastic = {ElasticLaw::hencky, 2000, 1000};
    m.flow.rule = rule;
    return m;
}

double deviator_norm(const Sym3d& tau) { return std::sqrt(norm_squared(deviator(tau))); }

TEST(VonMises, LandsOnTheCylinderAndStaysThere) {
    Material m = hencky(FlowRule::von_mises);
    m.flow.yield_stress = 60;
    const auto law = law_of<HenckySolid<double, VonMises<double>>>(m);
    Random random;
    for (int sample = 0; sample < 300; ++sample) {
        auto state = state_of(random.deformation(0.2));
        const double J = determinant(state.F), radius = std::sqrt(2.0 / 3.0) * 60;
        const double trial = deviator_norm(law.stress(state));
        const auto untouched = state;
        const Sym3d tau = law.advance(state, still, 1);
        EXPECT_NEAR(deviator_norm(tau), std::min(trial, radius), 1e-10);
        EXPECT_NEAR(determinant(state.F), J, 1e-13);
        if (trial <= radius) {
            EXPECT_EQ(state.F, untouched.F);
        }
        const auto once = state;
        law.advance(state, still, 1);
        EXPECT_LT(largest(state.F - once.F), 1e-13);
    }
}

// Pulled bar: tau_xx - tau_yy = yield stress, for any stretch beyond yield.
TEST(VonMises, YieldsAtItsUniaxialStress) {
    Material m = hencky(FlowRule::von_mises);
    m.flow.yield_stress = 60;
    const auto law = law_of<HenckySolid<double, VonMises<double>>>(m);
    auto state = state_of(diagonal(Vec3d{1.3, 1 / std::sqrt(1.3), 1 / std::sqrt(1.3)}));
    const Sym3d tau = law.advance(state, still, 1);
    EXPECT_NEAR(tau.xx - tau.yy, 60, 1e-10);
}

// |s|' = y + (|s| - y) / (1 + 2 mu dt / eta): mu 1000, y 5, eta 20, |s| 80, dt 1e-3.
TEST(HerschelBulkley, TakesABinghamStep) {
    EXPECT_NEAR((HerschelBulkley<double>{5, 20, 1}.relaxed(80.0, 1000.0, 1e-3)), 73.1818, 5e-5);

    Material m = hencky(FlowRule::herschel_bulkley);
    m.flow.yield_stress = 5 / std::sqrt(2.0 / 3.0);
    m.flow.viscosity = 20;
    m.flow.exponent = 1;
    const auto law = law_of<HenckySolid<double, HerschelBulkley<double>>>(m);
    const double e = 80 / 2000.0 / std::sqrt(2.0);  // |2 mu dev e| = 80
    auto state = state_of(diagonal(exp(Vec3d{e, -e, 0})));
    EXPECT_NEAR(deviator_norm(law.advance(state, still, 1e-3)), 73.1818, 5e-5);
}

TEST(HerschelBulkley, TendsToVonMisesAsViscosityVanishes) {
    Material m = hencky(FlowRule::herschel_bulkley);
    m.flow.yield_stress = 60;
    m.flow.viscosity = 1e-9;
    m.flow.exponent = 0.5;
    const auto law = law_of<HenckySolid<double, HerschelBulkley<double>>>(m);
    auto state = state_of(diagonal(Vec3d{1.2, 1, 0.9}));
    EXPECT_NEAR(deviator_norm(law.advance(state, still, 1)), std::sqrt(2.0 / 3.0) * 60, 1e-6);
}

Material sand(double angle) {
    Material m = hencky(FlowRule::drucker_prager);
    m.flow.friction_angle = angle;
    return m;
}

double cone_slope(double degrees) {
    const double s = std::sin(degrees * std::acos(-1) / 180);
    return std::sqrt(2.0 / 3.0) * 2 * s / (3 - s);
}

// |dev tau| + alpha tr(tau) <= 0, since 2 mu |dev e| + alpha (3 lambda + 2 mu) tr e is that in
// stress.
TEST(DruckerPrager, LandsOnTheConeOrItsTip) {
    const auto law = law_of<Sand<double>>(sand(35));
    Random random;
    int flowed = 0, tipped = 0, elastic = 0;
    for (int sample = 0; sample < 1000; ++sample) {
        const double squeeze = random.uniform(0.9, 1.02);
        auto state = state_of(squeeze * random.deformation(0.1));
        const auto before = state;
        const Sym3d trial = law.stress(state);
        const Sym3d tau = law.advance(state, still, 1);
        const double yield = deviator_norm(tau) + cone_slope(35) * trace(tau);
        EXPECT_LE(yield, 1e-9);
        if (trace(trial) > 0) {
            ++tipped;
            EXPECT_LT(largest(tau), 1e-10);
        } else if (deviator_norm(trial) + cone_slope(35) * trace(trial) > 0) {
            ++flowed;
            EXPECT_NEAR(yield, 0, 1e-9);
            EXPECT_NEAR(determinant(state.F), determinant(before.F), 1e-13);  // volume is kept
        } else {
            ++elastic;
            EXPECT_EQ(state.F, before.F);
        }
        const auto once = state;
        law.advance(state, still, 1);
        EXPECT_LT(largest(state.F - once.F), 1e-12);
        EXPECT_NEAR(state.volume_correction, once.volume_correction, 1e-13);
    }
    EXPECT_GT(flowed, 100);
    EXPECT_GT(tipped, 50);
    EXPECT_GT(elastic, 100);
}

// By the angle of shear |dev tau| = sqrt(2) tan(phi) p.
TEST(DruckerPrager, YieldsInShearAtTheAngleOfShear) {
    Material m = sand(30);
    m.flow.cone = Cone::shear;
    const auto law = law_of<Sand<double>>(m);
    auto state = state_of(diagonal(exp(Vec3d{0.1 - 0.01, -0.1 - 0.01, -0.01})));
    const Sym3d tau = law.advance(state, still, 1);
    EXPECT_NEAR(deviator_norm(tau), std::sqrt(2.0 / 3.0) * -trace(tau) / 3, 1e-9 * -trace(tau));
}

// Trap: zero deviator under compression is elastic, not a tip.
TEST(DruckerPrager, LeavesPureCompressionAlone) {
    const auto law = law_of<Sand<double>>(sand(35));
    auto state = state_of(0.9 * identity3<double>());
    const Sym3d tau = law.advance(state, still, 1);
    EXPECT_NEAR(tau.xx, 3 * 2000 * std::log(0.9), 1e-9);
    EXPECT_EQ(state.hardening, 0);
    EXPECT_EQ(state.volume_correction, 0);
}

// What tension gains is remembered, and given back before pressure returns.
TEST(DruckerPrager, RemembersTheVolumeItGainedInTension) {
    const auto law = law_of<Sand<double>>(sand(35));
    auto state = state_of(1.1 * identity3<double>());
    law.advance(state, still, 1);
    EXPECT_LT(largest(state.F - identity3<double>()), 1e-14);
    EXPECT_NEAR(state.volume_correction, 3 * std::log(1.1), 1e-14);
    EXPECT_NEAR(state.hardening, std::sqrt(3.0) * std::log(1.1), 1e-14);

    // Squeezed half way back: still no stress. Corrected strain is what counts.
    const auto squeeze = [](double f) { return (f - 1) * identity3<double>(); };
    const Sym3d loose = law.advance(state, squeeze(1 / std::sqrt(1.1)), 1);
    EXPECT_LT(largest(loose), 1e-10);
    EXPECT_NEAR(state.volume_correction, 1.5 * std::log(1.1), 1e-13);
}

// Trap: the elastic branch keeps the uncorrected stretches and leaves the correction alone.
TEST(DruckerPrager, DoesNotCorrectElasticStates) {
    const auto law = law_of<Sand<double>>(sand(35));
    auto state = state_of(0.9 * identity3<double>());
    state.volume_correction = 0.05;
    law.advance(state, still, 1);
    EXPECT_EQ(state.F.xx, 0.9);
    EXPECT_EQ(state.volume_correction, 0.05);

    // A flowing state takes the correction into its strain and uses it up.
    state = state_of(0.97 * diagonal(Vec3d{1.2, 1 / 1.2, 1}));
    state.volume_correction = 0.05;
    const double volume = 3 * std::log(0.97) + 0.05;
    law.advance(state, still, 1);
    EXPECT_NEAR(std::log(determinant(state.F)), volume, 1e-13);
    EXPECT_NEAR(state.volume_correction, 0, 1e-15);
}

// phi = h0 + (h1 q - h3) exp(-h2 q); alpha from the angle.
TEST(DruckerPrager, HardensAsItFlows) {
    const auto law = law_of<Sand<double>>(*find_preset("sand"));
    for (const double q : {0.0, 0.3, 1.0, 5.0, 20.0})
        EXPECT_NEAR(law.flow.cone(q), cone_slope(35 + (9 * q - 10) * std::exp(-0.2 * q)), 1e-13);
}

Material creep(double yield, double rate) {
    Material m;
    m.name = "test";
    m.elastic.law = ElasticLaw::corotated_linear;
    set_young_poisson(m, 1e5, 0.3);
    m.flow.rule = FlowRule::creep;
    m.flow.yield_stress = yield;
    m.flow.creep_rate = rate;
    return m;
}

using Creeping = CreepSolid<double, CorotatedLinear<double>>;

// Worked by hand: F = (1.2, 1, 0.9), E = 1e5, Poisson 0.3, yield 5000, rate 0.5.
TEST(CreepRule, FollowsTheWorkedExample) {
    const auto law = law_of<Creeping>(creep(5000, 0.5));
    const Vec3d P = law.elastic.piola(Vec3d{1.2, 1, 0.9});
    EXPECT_NEAR(length(P), 22010.6214, 1e-4);
    EXPECT_NEAR(law.flow.share(length(P), 0.0, 1), 0.38641847, 1e-8);
    auto state = state_of(diagonal(Vec3d{1.2, 1, 0.9}));
    law.advance(state, still, 1);
    EXPECT_LT(largest(state.F - diagonal(Vec3d{1.12950806, 1.00996235, 0.94673675})), 1e-8);
    EXPECT_NEAR(length(law.elastic.piola(Vec3d{state.F.xx, state.F.yy, state.F.zz})), 16024.579,
                1e-3);
}

TEST(CreepRule, HasTheStressOfTheLinearLaw) {
    const auto law = law_of<Creeping>(creep(0, 0));
    const Vec3d P = law.elastic.piola(Vec3d{1.1, 1, 1});
    EXPECT_NEAR(P.x, 13461.54, 0.005);
    EXPECT_NEAR(P.y, 5769.23, 0.005);
    EXPECT_NEAR(law.elastic.piola(Vec3d{1.1, 1.1, 1.1}).z, 25000, 1e-8);
}

TEST(CreepRule, LeavesStatesBelowYieldUntouched) {
    const auto law = law_of<Creeping>(creep(1e6, 0.5));
    Random random;
    for (int sample = 0; sample < 50; ++sample) {
        auto state = state_of(random.deformation(0.2));
        const auto before = state;
        law.advance(state, still, 1);
        EXPECT_EQ(state.F, before.F);
        EXPECT_EQ(state.hardening, 0);
    }
}

// Rate 1, no yield: all shape flows away, F = (det F)^(1/3) U V^T.
TEST(CreepRule, LeavesOnlyVolumeWhenEverythingFlows) {
    const auto law = law_of<Creeping>(creep(0, 1));
    Random random;
    for (int sample = 0; sample < 50; ++sample) {
        const Mat3d R = random.rotation();
        const Vec3d s{random.uniform(0.97, 1.03), random.uniform(0.97, 1.03),
                      random.uniform(0.97, 1.03)};
        auto state = state_of(R * diagonal(s));
        law.advance(state, still, 1);
        EXPECT_LT(largest(state.F - std::cbrt(s.x * s.y * s.z) * R), 1e-12);
    }
}

// Beyond |ln J| = 0.7 volume flows as freely as shape; between 0.2 and 0.7 in part.
TEST(CreepRule, LetsLargeVolumeChangeFlowToo) {
    const auto law = law_of<Creeping>(creep(0, 1));
    auto state = state_of(1.4 * identity3<double>());  // ln J = 1.0
    law.advance(state, still, 1);
    EXPECT_LT(largest(state.F - identity3<double>()), 1e-12);
    const double e = 0.45 / 3;  // half way: half of ln J is kept
    state = state_of(std::exp(e) * identity3<double>());
    law.advance(state, still, 1);
    EXPECT_NEAR(state.F.xx, std::exp(e / 2), 1e-12);
}

// Cornstarch: share = min(1, rate / |P|) without yield.
TEST(CreepRule, FlowsLessUnderAHardBlowWhenDivided) {
    Material m = creep(0, 100);
    m.flow.creep_divided = true;
    const auto law = law_of<Creeping>(m);
    EXPECT_DOUBLE_EQ(law.flow.share(50.0, 0.0, 1), 1);
    EXPECT_DOUBLE_EQ(law.flow.share(400.0, 0.0, 1), 0.25);
    EXPECT_EQ(law.flow.share(0.0, 0.0, 1), 0);
}

// 1 - (1 - nu)^(dt/interval): two half steps flow as much as one.
TEST(CreepRule, FlowsByTimeWhenItsIntervalIsGiven) {
    Material m = creep(0, 0.3);
    m.flow.creep_interval = 0.01;
    const auto flow = law_of<Creeping>(m).flow;
    EXPECT_NEAR(flow.rate_over(0.01), 0.3, 1e-15);
    EXPECT_NEAR(1 - std::pow(1 - flow.rate_over(0.005), 2), 0.3, 1e-15);
    EXPECT_EQ(flow.rate_over(0), 0);
}

TEST(CreepRule, HardensWithStressAndTime) {
    Material m = creep(1000, 0.1);
    m.flow.creep_hardening = 2;
    const auto law = law_of<Creeping>(m);
    auto state = state_of(diagonal(Vec3d{1.2, 1, 0.9}));
    law.advance(state, still, 0.5);
    EXPECT_NEAR(state.hardening, 0.5 * 22010.6214, 1e-3);
    // Yield is now 1000 + 2 * 11005: above the stress that is left.
    const auto before = state;
    law.advance(state, still, 0.5);
    EXPECT_EQ(state.F, before.F);
}

// p = K/7 (J^-7 - 1), tau = -p J.
TEST(FluidLaw, PushesBackButNeverPulls) {
    Material m = *find_preset("water");
    const auto law = law_of<Fluid<double>>(m);
    const double J = 0.9, p = 1e5 / 7 * (std::pow(J, -7) - 1);
    auto state = state_of(std::cbrt(J) * identity3<double>());
    EXPECT_NEAR(law.stress(state).xx, -p * J, 1e-9 * p);
    state.dilation = 0.1;
    EXPECT_EQ(law.stress(state).xx, 0);
    EXPECT_EQ(law.energy(state), 0);
}

TEST(FluidLaw, ShearsInProportionToTheRate) {
    const auto law = law_of<Fluid<double>>(*find_preset("honey"));
    auto state = MaterialState<double>::rest();
    const Sym3d tau = law.advance(state, Mat3d{0, 3e-4, 0, 0, 0, 0, 0, 0, 0}, 1e-4);
    EXPECT_NEAR(tau.xy, 10 * 3, 1e-12);
    EXPECT_EQ(tau.xx, 0);
}

}  // namespace
}  // namespace knead::test
