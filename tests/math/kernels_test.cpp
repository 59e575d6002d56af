// B-splines and radial kernels: the identities that the methods rest on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "knead/math/bspline.h"
#include "knead/math/sph_kernel.h"
#include "knead/math/wide.h"
#include "support/tolerance.h"

namespace knead {
namespace {

template <class Case>
class Bspline : public testing::Test {};

template <class S, int K>
struct Spline {
    using Scalar = S;
    static constexpr int order = K;
    static constexpr double first = K == 2 ? 0.5 : 1.0;  // f lies in [first, first + 1]
};
using Splines =
    testing::Types<Spline<float, 2>, Spline<float, 3>, Spline<double, 2>, Spline<double, 3>>;
TYPED_TEST_SUITE(Bspline, Splines);

// Sum w = 1, sum dw = 0, sum w (x_i - x_p) = 0, sum dw (x_i - x_p) = 1,
// sum w (x_i - x_p)^2 = 1/4 quadratic, 1/3 cubic (in cells).
TYPED_TEST(Bspline, WeightsReproduceLinearFunctions) {
    using T = typename TypeParam::Scalar;
    constexpr int order = TypeParam::order;
    double worst = 0;
    for (int step = 0; step <= 1000; ++step) {
        const T f = T(TypeParam::first + step / 1000.0);
        T w[order + 1], dw[order + 1];
        bspline_weights<order>(f, w, dw);
        double one = -1, zero = 0, linear = 0, slope = -1, second = order == 2 ? -0.25 : -1.0 / 3;
        for (int i = 0; i <= order; ++i) {
            const double distance = i - static_cast<double>(f);
            EXPECT_GE(w[i], T(0));
            one += w[i];
            zero += dw[i];
            linear += w[i] * distance;
            slope += dw[i] * distance;
            second += w[i] * distance * distance;
        }
        for (const double e : {one, zero, linear, slope, second})
            worst = std::max(worst, std::fabs(e));
    }
    EXPECT_LE(worst, (sizeof(T) == 4 ? 1e-5 : 1e-14) * tolerance::scale());
}

// The same in three dimensions with the foam's kernel, at any place: oracle O9 of the foam method.
TEST(CubicBspline, WeightsInSpaceKeepTheIdentities) {
    for (int sample = 0; sample < 200; ++sample) {
        double w[3][4], dw[3][4], f[3];
        for (int a = 0; a < 3; ++a) {
            f[a] = 1 + std::fmod(0.37 + 0.6180339887 * (sample + 1) * (a + 1), 1.0);
            bspline_weights<3>(f[a], w[a], dw[a]);
        }
        double one = -1, gradient[3] = {}, mean[3] = {}, second[3][3] = {};
        for (int n = 0; n < 64; ++n) {
            const int at[3] = {n / 16, n / 4 % 4, n % 4};
            const double weight = w[0][at[0]] * w[1][at[1]] * w[2][at[2]];
            one += weight;
            for (int a = 0; a < 3; ++a) {
                gradient[a] += dw[a][at[a]] * w[(a + 1) % 3][at[(a + 1) % 3]] *
                               w[(a + 2) % 3][at[(a + 2) % 3]];
                mean[a] += weight * (at[a] - f[a]);
                for (int b = 0; b < 3; ++b)
                    second[a][b] += weight * (at[a] - f[a]) * (at[b] - f[b]);
            }
        }
        EXPECT_NEAR(one, 0, tolerance::scale() * 1e-15);
        for (int a = 0; a < 3; ++a) {
            EXPECT_NEAR(gradient[a], 0, tolerance::scale() * 1e-15);
            EXPECT_NEAR(mean[a], 0, tolerance::scale() * 1e-15);
            for (int b = 0; b < 3; ++b)
                EXPECT_NEAR(second[a][b], a == b ? 1.0 / 3 : 0, tolerance::scale() * 1e-15);
        }
    }
}

// The weights are N(u) at the distances u from the particle to the nodes, N the spline of the spec.
TYPED_TEST(Bspline, WeightsFollowThePiecewiseFormula) {
    using T = typename TypeParam::Scalar;
    constexpr int order = TypeParam::order;
    const auto N = [](double u) {
        u = std::fabs(u);
        if (order == 2) return u < 0.5 ? 0.75 - u * u : 0.5 * (1.5 - u) * (1.5 - u);
        return u < 1 ? 0.5 * u * u * u - u * u + 2.0 / 3 : (2 - u) * (2 - u) * (2 - u) / 6;
    };
    double worst = 0;
    for (int step = 0; step < 200; ++step) {
        const T f = T(TypeParam::first + (step + 0.5) / 200);
        T w[order + 1], dw[order + 1];
        bspline_weights<order>(f, w, dw);
        for (int i = 0; i <= order; ++i) {
            const double u = static_cast<double>(f) - i, h = 1e-5;
            worst = std::max(worst, std::fabs(w[i] - N(u)));
            EXPECT_NEAR(dw[i], (N(u + h) - N(u - h)) / (2 * h), tolerance::identity<float>());
        }
    }
    EXPECT_LE(worst, tolerance::identity<T>());
}

// Cubic: 1/36 + 16/36 + 1/36 on a node, 2 (1/48)^2 + 2 (23/48)^2 in the middle of a cell.
TEST(CubicBspline, SquaredWeightsSumToKnownNumbers) {
    const auto sum_of_squares = [](double f) {
        double w[4], dw[4];
        bspline_weights<3>(f, w, dw);
        return w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3];
    };
    EXPECT_NEAR(sum_of_squares(1.0), 0.5, tolerance::scale() * 1e-15);
    EXPECT_NEAR(sum_of_squares(1.5), 530.0 / 1152, tolerance::scale() * 1e-15);
    EXPECT_NEAR(sum_of_squares(1.5), 0.46007, tolerance::scale() * 5.1e-6);
}

// The midpoint rule converges like 1/n^2 for these kernels' third derivatives being bounded.
template <class Kernel>
double integral(double h) {
    const int n = 20000;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double r = (i + 0.5) * h / n;
        sum += Kernel::value(r, h) * r * r;
    }
    return sum * 4 * 3.14159265358979323846 * h / n;
}

template <class Kernel>
class Radial : public testing::Test {};
using Kernels = testing::Types<Poly6Kernel, CosineKernel>;
TYPED_TEST_SUITE(Radial, Kernels);

TYPED_TEST(Radial, IntegratesToOne) {
    for (const double h : {0.01, 1.0, 3.0})
        EXPECT_NEAR(integral<TypeParam>(h), 1, tolerance::scale() * 1e-8);
}

TYPED_TEST(Radial, EndsAtItsRadius) {
    for (const double r : {0.5, 0.6, 100.0}) {
        EXPECT_EQ(TypeParam::value(r, 0.5), 0);
        EXPECT_EQ(TypeParam::gradient(r, 0.5), 0);
    }
    EXPECT_GT(TypeParam::value(0.4999, 0.5), 0);
    EXPECT_LT(TypeParam::gradient(0.4999, 0.5), 0);
}

TYPED_TEST(Radial, GradientIsTheDerivative) {
    const double h = 0.7, step = 1e-6;
    for (double r = 0.01; r < 0.69; r += 0.01) {
        const double slope =
            (TypeParam::value(r + step, h) - TypeParam::value(r - step, h)) / (2 * step);
        EXPECT_NEAR(TypeParam::gradient(r, h) / slope, 1, 10 * tolerance::derivative());
    }
}

TYPED_TEST(Radial, PacksAndFloatsAgreeWithDoubles) {
    for (int i = 0; i < 100; ++i) {
        const double r = i / 99.0, h = 1.1;
        const double peak = TypeParam::value(0.0, h);
        EXPECT_NEAR(TypeParam::value(float(r), float(h)), TypeParam::value(r, h),
                    tolerance::roundings<float>(16) * peak);
        const Pack<float> wide = TypeParam::value(Pack<float>(float(r)), Pack<float>(float(h)));
        EXPECT_NEAR(wide[3], TypeParam::value(r, h), tolerance::roundings<float>(16) * peak);
    }
}

// W(0) h^3 = 2 c h^4 / pi, and the formula as the paper writes it.
TEST(CosineKernelFormula, IsThePapers) {
    EXPECT_NEAR(CosineKernel::value(0.0, 1.0), 2.05158, tolerance::scale() * 1e-5);
    const double pi = 3.14159265358979323846, h = 0.3;
    const double c = pi / (8 * h * h * h * h * (pi / 3 - 8 / pi + 16 / (pi * pi)));
    double worst = 0;
    for (double r = 0; r <= h; r += h / 64) {
        const double value = 2 * h * c / pi * (std::cos((r + h) * pi / (2 * h)) + 1);
        const double gradient = -c * std::sin((r + h) * pi / (2 * h));
        worst = std::max(worst, std::fabs(CosineKernel::value(r, h) - value) / (h * c));
        worst = std::max(worst, std::fabs(CosineKernel::gradient(r, h) - gradient) / c);
    }
    EXPECT_LE(worst, tolerance::identity<double>());
}

}  // namespace

// The polynomial is off by 2.4e-8 at most; the last product and sum round by 6e-8 each.
TEST(InverseSqrt, OfPacksIsExactUpToRounding) {
    for (double a = 1e-24; a < 1e24; a *= 1.0137) {
        const auto packs = inverse_sqrt(Wide<float, 8>(a));
        const double exact = 1 / std::sqrt(static_cast<double>(static_cast<float>(a)));
        for (int k = 0; k < 8; ++k)
            ASSERT_NEAR(static_cast<double>(packs[k]) / exact, 1, 1.5e-7) << a;
        ASSERT_NEAR(inverse_sqrt(a) * std::sqrt(a), 1, 1e-15);
    }
    EXPECT_TRUE(std::isfinite(inverse_sqrt(Wide<float, 8>(0.0f))[0]));
    EXPECT_TRUE(std::isfinite(inverse_sqrt(0.0)));
}

}  // namespace knead
