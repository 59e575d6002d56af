// Energy, stress and stress differential of sheets and fibres.
#include <gtest/gtest.h>

#include "knead/math/wide.h"
#include "materials/codimensional/laws.h"
#include "support/tolerance.h"

namespace knead::test {

namespace {

template <class Law>
struct Codimensional : testing::Test {
    Law law = [] {
        if constexpr (std::is_same_v<Law, SheetLaw<double>>)
            return a_sheet();
        else
            return a_fibre();
    }();
    Random random;
};
using Laws = testing::Types<SheetLaw<double>, FibreLaw<double>>;
TYPED_TEST_SUITE(Codimensional, Laws);

}  // namespace

TYPED_TEST(Codimensional, RestHasNoEnergyAndNoStress) {
    const Mat3d turned = this->random.rotation();
    EXPECT_NEAR(energy_of(this->law, turned), 0, 1e-12 * tolerance::scale());
    EXPECT_LT(norm(stress_of(this->law, turned)), 1e-12 * tolerance::scale());
}

// psi(Q d) = psi(d), P(Q d) = Q P(d).
TYPED_TEST(Codimensional, EnergyIsFrameIndifferentAndStressTurnsAlong) {
    for (int n = 0; n < 100; ++n) {
        const Mat3d d = a_state(this->random, 0.3), turn = this->random.rotation();
        const double psi = energy_of(this->law, d);
        EXPECT_NEAR(energy_of(this->law, turn * d), psi, 2e-14 * psi * tolerance::scale());
        const Mat3d P = stress_of(this->law, d);
        EXPECT_LT(norm(stress_of(this->law, turn * d) - turn * P),
                  2e-14 * norm(P) * tolerance::scale());
    }
}

// P = d psi / d d, by central differences; P d^T is symmetric.
TYPED_TEST(Codimensional, StressIsTheGradientOfEnergy) {
    const double step = 1e-5;
    for (int n = 0; n < 300; ++n) {
        const Mat3d d = a_state(this->random, 0.3), P = stress_of(this->law, d);
        Mat3d differences;
        for (int k = 0; k < 9; ++k) {
            Mat3d more = d, less = d;
            more[k] += step, less[k] -= step;
            differences[k] = (energy_of(this->law, more) - energy_of(this->law, less)) / (2 * step);
        }
        EXPECT_LT(norm(P - differences), 1e-8 * norm(P) * tolerance::scale());
        const Mat3d product = P * transpose(d);
        EXPECT_LT(norm(product - transpose(product)), 1e-14 * norm(product) * tolerance::scale());
    }
}

TYPED_TEST(Codimensional, StressDifferentialIsTheChangeOfStressAndSymmetric) {
    for (int n = 0; n < 300; ++n) {
        const Mat3d d = a_state(this->random, n < 20 ? 1e-4 : 0.3);
        const double step = n < 20 ? 1e-5 : 2e-4;
        const Mat3d a = this->random.matrix(1), b = this->random.matrix(1);
        const Qr3<double> factors = qr(d);
        const Mat3d da = codimensional_stress_differential(this->law, factors, a);
        const Mat3d db = codimensional_stress_differential(this->law, factors, b);
        const auto across = [&](double h) {
            return (1 / (2 * h)) *
                   (stress_of(this->law, d + h * a) - stress_of(this->law, d - h * a));
        };
        // of fourth order
        const Mat3d difference = (1.0 / 3) * (4.0 * across(step) - across(2 * step));
        // where layers just touch, a sheet's compression has a kink of its second derivative
        const double kink = n < 20 ? 5e-4 : 1e-8;
        EXPECT_LT(norm(da - difference), kink * norm(da) * tolerance::scale()) << n;
        EXPECT_NEAR(inner(b, da), inner(a, db), 1e-12 * norm(da) * norm(b) * tolerance::scale());
    }
}

TYPED_TEST(Codimensional, PacksAndFloatsGiveTheSameStress) {
    using Pack = Wide<float, 8>;
    constexpr bool sheet = std::is_same_v<TypeParam, SheetLaw<double>>;
    const auto law = [] {
        if constexpr (sheet)
            return a_sheet<float>();
        else
            return a_fibre<float>();
    }();
    Mat3<Pack> d;
    std::vector<Mat3d> plain;
    for (int lane = 0; lane < 8; ++lane) plain.push_back(a_state(this->random, 0.2));
    for (int k = 0; k < 9; ++k)
        for (int lane = 0; lane < 8; ++lane)
            d[k].v[lane] = static_cast<float>(plain[static_cast<std::size_t>(lane)][k]);
    const Mat3<Pack> P = codimensional_stress(law, qr(d));
    for (int lane = 0; lane < 8; ++lane) {
        const Mat3d expected = stress_of(this->law, plain[static_cast<std::size_t>(lane)]);
        for (int k = 0; k < 9; ++k)
            EXPECT_NEAR(P[k].v[lane], expected[k], 2e-5 * 2000 * tolerance::scale());
    }
}

// Matter is the same in all directions within a sheet, and all around a fibre.
TEST(Sheet, DoesNotKnowDirectionsInItsPlane) {
    Random random;
    for (int n = 0; n < 100; ++n) {
        const Mat3d d = a_state(random, 0.3);
        const double psi = energy_of(a_sheet(), d);
        EXPECT_NEAR(energy_of(a_sheet(), columns_turned(d, 0, 1, random.uniform(-3, 3))), psi,
                    1e-12 * psi * tolerance::scale());
    }
}
TEST(Fibre, DoesNotKnowDirectionsAcrossIt) {
    Random random;
    for (int n = 0; n < 100; ++n) {
        const Mat3d d = a_state(random, 0.3);
        const double psi = energy_of(a_fibre(), d);
        EXPECT_NEAR(energy_of(a_fibre(), columns_turned(d, 1, 2, random.uniform(-3, 3))), psi,
                    1e-12 * psi * tolerance::scale());
    }
}

// The traction on the middle surface: shear along it, pressure against it.
// sigma q3 = (gamma r13, gamma r23, -k (1 - r33)^2) / (r11 r22).                 [Jiang 2017, 3.4]
TEST(Sheet, TractionIsShearAndPressure) {
    const SheetLaw<double> law = a_sheet();
    Random random;
    for (int n = 0; n < 100; ++n) {
        const Mat3d d = a_state(random, 0.2);
        const auto [Q, R] = qr(d);
        const Mat3d sigma = (1 / determinant(d)) * (stress_of(law, d) * transpose(d));
        const Vec3d traction = transpose(Q) * (sigma * Q.column(2));
        const double gap = std::max(1 - R.zz, 0.0), area = R.xx * R.yy;
        const Vec3d expected{law.shear * R.xz / area, law.shear * R.yz / area,
                             -law.compression * gap * gap / area};
        EXPECT_LT(length(traction - expected), 1e-11 * law.compression * tolerance::scale());
    }
}

TEST(Sheet, StaysFiniteWhereItIsFlatOrInsideOut) {
    for (const double r33 : {0.0, -0.3, -2.0, 1e-20}) {
        const Mat3d d{1, 0.1, 0.2, 0, 0.9, -0.1, 0, 0, r33};
        const Mat3d P = stress_of(a_sheet(), d);
        EXPECT_TRUE(std::isfinite(norm(P)));
        EXPECT_LT(P.zz, 0);  // it pushes back out
    }
}
TEST(Fibre, InsideOutHasInfiniteEnergyAndFiniteStress) {
    const Mat3d d{1, 0.1, 0.2, 0, 0.9, -0.1, 0, 0, -0.2};
    EXPECT_TRUE(std::isinf(energy_of(a_fibre(), d)));
    EXPECT_TRUE(std::isfinite(norm(stress_of(a_fibre(), d))));
}

}  // namespace knead::test
