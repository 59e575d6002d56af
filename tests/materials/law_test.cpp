// What every law owes, whatever its formulas.
#include <gtest/gtest.h>

#include "knead/base/error.h"
#include "knead/math/wide.h"
#include "support.h"

namespace knead::test {
namespace {

class EveryLaw : public testing::TestWithParam<Material> {
protected:
    const Material material = GetParam();
    const Law<double> law = make_law<double>(material);
    const bool fluid = material.elastic.law == ElasticLaw::fluid;
    Random random;

    double energy(const MaterialState<double>& s) const {
        return std::visit([&](const auto& l) { return l.energy(s); }, law);
    }
    Sym3d stress(const MaterialState<double>& s) const {
        return std::visit([&](const auto& l) { return l.stress(s); }, law);
    }
    Sym3d advance(MaterialState<double>& s, const Mat3d& dt_L, double dt) const {
        return std::visit([&](const auto& l) { return l.advance(s, dt_L, dt); }, law);
    }
    // A random deformation; fluids get a compressed one, since in tension they have no stress.
    Mat3d deformation(double most) {
        for (;;) {
            const Mat3d F = random.deformation(most);
            if (!fluid || determinant(F) < 0.99) return F;
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Pairs, EveryLaw, testing::ValuesIn(one_of_each()), [](const auto& info) {
    std::string name = info.param.name;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
});

// tau = dW/dF F^T, by central differences: truncation 1e-12, rounding 1e-16 W / 1e-6.
TEST_P(EveryLaw, StressIsTheDerivativeOfEnergy) {
    const double step = 1e-6;
    for (int sample = 0; sample < 50; ++sample) {
        const Mat3d F = deformation(0.3);
        Mat3d P;
        for (int k = 0; k < 9; ++k) {
            Mat3d plus = F, minus = F;
            plus[k] += step;
            minus[k] -= step;
            P[k] = (energy(state_of(plus)) - energy(state_of(minus))) / (2 * step);
        }
        const Mat3d expected = P * transpose(F), got(stress(state_of(F)));
        EXPECT_LT(largest(got - expected), 1e-8 * largest(expected)) << sample;
    }
}

TEST_P(EveryLaw, IsBlindToRotation) {
    for (int sample = 0; sample < 50; ++sample) {
        const Mat3d F = deformation(0.3), Q = random.rotation();
        const Sym3d tau = stress(state_of(F));
        EXPECT_NEAR(energy(state_of(Q * F)), energy(state_of(F)),
                    1e-12 * material.elastic.bulk_modulus);
        EXPECT_LT(largest(stress(state_of(Q * F)) - rotated(Q, tau)), 1e-12 * largest(tau));
    }
}

TEST_P(EveryLaw, HasNeitherStressNorEnergyAtRest) {
    const auto rest = MaterialState<double>::rest();
    EXPECT_LT(largest(stress(rest)), 1e-11);
    EXPECT_NEAR(energy(rest), 0, 1e-11);
}

// The largest eigenvalue of d2W/dF2 at rest is 3 K (change of volume) or 2 G (change of shape).
TEST_P(EveryLaw, StiffnessIsTheLargestCurvatureOfEnergyAtRest) {
    const double e = 1e-4;
    const auto curvature = [&](const Mat3d& direction) {
        return 2 * energy(state_of(identity3<double>() - e * direction)) / (e * e);
    };
    const double volume = curvature((1 / std::sqrt(3.0)) * identity3<double>());
    const double shape = curvature(std::sqrt(0.5) * diagonal(Vec3d{1, -1, 0}));
    const double stiffness = std::visit([](const auto& l) { return l.stiffness(); }, law);
    EXPECT_NEAR(stiffness, std::max(volume, shape), 2e-3 * stiffness);
}

TEST_P(EveryLaw, ReturnsTheStressOfTheStateItLeaves) {
    MaterialState<double> state = MaterialState<double>::rest();
    for (int step = 0; step < 200; ++step) {
        const Sym3d tau = advance(state, random.matrix(0.02), 1e-3);
        if (fluid) continue;  // its viscous part is not in the state
        ASSERT_LT(largest(tau - stress(state)), 1e-10 * (1 + largest(tau)));
    }
}

TEST_P(EveryLaw, NeverGainsElasticEnergyByFlowing) {
    for (int sample = 0; sample < 300; ++sample) {
        MaterialState<double> state = state_of(deformation(0.2));
        const double before = energy(state);
        advance(state, 0 * identity3<double>(), 1e-3);
        EXPECT_LE(energy(state), before * (1 + 1e-12) + 1e-12);
    }
}

TEST_P(EveryLaw, GivesPacksTheResultsOfSingleNumbers) {
    using P = Pack<float>;
    constexpr int lanes = pack_lanes<float>;
    const Law<float> single = make_law<float>(material);
    std::visit(
        [&](const auto& l) {
            auto wide = MaterialState<P>::rest();
            std::vector<MaterialState<float>> narrow(lanes, MaterialState<float>::rest());
            for (int step = 0; step < 30; ++step) {
                Mat3<P> dt_L;
                std::vector<Mat3f> each;
                for (int i = 0; i < lanes; ++i) {
                    each.push_back(Mat3f(random.matrix(0.01 * i)));
                    for (int k = 0; k < 9; ++k) dt_L[k].set(i, each.back()[k]);
                }
                const Sym3<P> tau = l.advance(wide, dt_L, 1e-3f);
                for (int i = 0; i < lanes; ++i) {
                    auto& state = narrow[static_cast<size_t>(i)];
                    const Sym3f expected = l.advance(state, each[static_cast<size_t>(i)], 1e-3f);
                    for (int k = 0; k < 6; ++k)
                        ASSERT_NEAR(tau[k][i], expected[k], 1e-5 * 4000) << step << " " << i;
                    ASSERT_NEAR(l.energy(wide)[i], l.energy(state), 1e-5 * 4000);
                }
            }
        },
        single);
}

TEST_P(EveryLaw, StaysFiniteWhenCrushedOrTurnedInsideOut) {
    if (material.elastic.law == ElasticLaw::neo_hookean || fluid)
        return;  // J > 0 is the solver's duty
    for (const Vec3d s :
         {Vec3d{1e-6, 1, 1}, Vec3d{-0.5, 1, 1}, Vec3d{0, 0, 1}, Vec3d{-1, -1, -1}}) {
        MaterialState<double> state = state_of(random.rotation() * diagonal(s));
        const Sym3d tau = advance(state, 0 * identity3<double>(), 1e-3);
        for (int k = 0; k < 6; ++k) EXPECT_TRUE(std::isfinite(tau[k]));
        EXPECT_TRUE(std::isfinite(energy(state)));
        for (int k = 0; k < 9; ++k) EXPECT_TRUE(std::isfinite(state.F[k]));
    }
}

TEST(MakeLaw, NamesTheFlowRulesThatWouldDo) {
    Material m = *find_preset("jelly");
    m.flow.rule = FlowRule::drucker_prager;
    try {
        make_law<float>(m);
        FAIL() << "accepted";
    } catch (const InputError& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find("jelly"), std::string::npos) << text;
        EXPECT_NE(text.find("none, creep"), std::string::npos) << text;
    }
}

TEST(MakeLaw, TakesThirteenPairs) { EXPECT_EQ(one_of_each().size(), 13u); }

}  // namespace
}  // namespace knead::test
