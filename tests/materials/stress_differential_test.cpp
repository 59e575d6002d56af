// The change of Piola's stress with F, for the elastic laws that implicit steps solve.
#include <gtest/gtest.h>

#include "knead/materials/elasticity/fixed_corotated.h"
#include "knead/materials/elasticity/hencky.h"
#include "knead/materials/elasticity/neo_hookean.h"
#include "knead/math/wide.h"
#include "materials/support.h"
#include "support/tolerance.h"

namespace knead::test {
namespace {

template <class Law>
struct StressDifferential : testing::Test {
    Law law{1300, 900};
    Random random;
};
using Laws = testing::Types<FixedCorotated<double>, Hencky<double>, NeoHookean<double>>;
TYPED_TEST_SUITE(StressDifferential, Laws);

double norm(const Mat3d& a) { return std::sqrt(norm_squared(a)); }
double inner(const Mat3d& a, const Mat3d& b) { return trace(transpose(a) * b); }

template <class Law>
Mat3d stress(const Law& law, const Mat3d& F) {
    return piola_stress(law, svd(F));
}
template <class Law>
Mat3d differential(const Law& law, const Mat3d& F, const Mat3d& dF) {
    const Svd3<double> d = svd(F);
    return stress_differential(d, law.curvature(d.sigma), dF);
}

// (-f(2h) + 8 f(h) - 8 f(-h) + f(-2h)) / 12 h
template <class Value, class F>
Value slope(const F& f, double h) {
    return (1 / (12 * h)) * (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h)));
}

TYPED_TEST(StressDifferential, StressIsTheGradientOfEnergy) {
    for (int n = 0; n < 100; ++n) {
        const Mat3d F = identity3<double>() + this->random.matrix(0.3);
        const Mat3d dF = this->random.matrix(1);
        const double by_differences =
            slope<double>([&](double h) { return this->law.energy(svd(F + h * dF).sigma); }, 1e-3);
        const Mat3d P = stress(this->law, F);
        EXPECT_NEAR(inner(P, dF), by_differences, 1e-8 * norm(P) * norm(dF) * tolerance::scale());
    }
}

TYPED_TEST(StressDifferential, IsTheChangeOfStressAndSymmetric) {
    for (int n = 0; n < 300; ++n) {
        // also near rest, where all stretches meet
        const Mat3d F = this->random.rotation() *
                        (identity3<double>() + this->random.matrix(n < 50 ? 1e-4 : 0.3));
        const Mat3d a = this->random.matrix(1), b = this->random.matrix(1);
        const Mat3d da = differential(this->law, F, a), db = differential(this->law, F, b);
        const Mat3d by_differences =
            slope<Mat3d>([&](double h) { return stress(this->law, F + h * a); }, 1e-3);
        EXPECT_LT(norm(da - by_differences), 1e-8 * norm(da) * tolerance::scale()) << n;
        EXPECT_NEAR(inner(b, da), inner(a, db), 1e-12 * norm(da) * norm(b) * tolerance::scale());
    }
}

TYPED_TEST(StressDifferential, PacksGiveTheSame) {
    using P = Wide<double, 4>;
    const Mat3d F = identity3<double>() + this->random.matrix(0.3), dF = this->random.matrix(1);
    const Svd3<P> d = svd(static_cast<Mat3<P>>(F));
    const Mat3<P> dP =
        stress_differential(d, this->law.curvature(d.sigma), static_cast<Mat3<P>>(dF));
    const Mat3d expected = differential(this->law, F, dF);
    for (int k = 0; k < 9; ++k)
        EXPECT_NEAR(dP[k][3], expected[k], 1e-9 * norm(expected) * tolerance::scale());
}

TYPED_TEST(StressDifferential, StaysFiniteWhereMatterIsCrushed) {
    for (const double least : {1e-2, 1e-3}) {
        const Mat3d F = diagonal(Vec3d{1.2, 0.9, least});
        EXPECT_TRUE(std::isfinite(norm(differential(this->law, F, this->random.matrix(1)))));
    }
}

}  // namespace
}  // namespace knead::test
