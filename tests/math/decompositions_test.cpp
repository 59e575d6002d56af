// polar, qr and eigen_sym against their definitions and against Eigen.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "knead/math/eigen_sym.h"
#include "knead/math/polar.h"
#include "knead/math/qr.h"
#include "knead/math/wide.h"
#include "math/matrix_cases.h"
#include "math/residuals.h"
#include "support/tolerance.h"

namespace knead {
namespace {

template <class T>
class Decomposition : public testing::Test {
protected:
    static std::vector<Mat3<T>> cases() {
        std::vector<Mat3<T>> all = random_matrices<T>(50000, 21);
        for (const auto& more : {awkward_matrices<T>(50), sign_matrices<T>(), exact_matrices<T>()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Decomposition, Scalars);

template <class T>
Mat3<Exact> exact(const Mat3<T>& m) {
    return static_cast<Mat3<Exact>>(m);
}
template <class T>
Sym3<T> symmetric_part(const Mat3<T>& m) {
    return {m.xx, m.yy, m.zz, (m.xy + m.yx) / 2, (m.xz + m.zx) / 2, (m.yz + m.zy) / 2};
}

TYPED_TEST(Decomposition, PolarGivesARotationTimesASymmetricMatrix) {
    using T = TypeParam;
    double rebuilt = 0, rotation = 0, skew = 0, short_of = 0;
    for (const Mat3<T>& F : this->cases()) {
        const Polar3<T> p = polar(F);
        const double size = std::max(largest(F), 1e-300);
        const Mat3<Exact> product = exact(p.R) * exact(static_cast<Mat3<T>>(p.S));
        rebuilt = std::max(rebuilt, distance(product, exact(F)) / size);
        rotation = std::max(rotation, rotation_error(p.R));
        // The rotation alone comes by another way: R^T F is symmetric and its trace the largest.
        const Mat3<T> R = polar_rotation(F);
        const Mat3<Exact> S = transpose(exact(R)) * exact(F);
        rotation = std::max(rotation, rotation_error(R));
        skew = std::max(skew, distance(S, transpose(S)) / size);
        short_of = std::max(short_of, static_cast<double>(Exact(trace(p.S)) - trace(S)) / size);
    }
    EXPECT_LE(skew, 2 * tolerance::reconstruction<T>());
    EXPECT_LE(short_of, 2 * tolerance::reconstruction<T>());
    EXPECT_LE(rebuilt, 2 * tolerance::reconstruction<T>());
    EXPECT_LE(rotation, 2 * tolerance::orthogonality<T>());
}

// Cofactors of such matrices are down to rounding errors, which must not be taken for stretches.
TYPED_TEST(Decomposition, PolarRotationOfNearlyFlatAndNearlyThinMatricesStillFits) {
    using T = TypeParam;
    const double digits = sizeof(T) == 4 ? 10 : 19;
    Draw draw{5};
    double skew = 0;
    for (int i = 0; i < 50000; ++i) {
        const double second = std::pow(10, -digits * draw.unit());
        const Vec3d sigma{1, second, second * std::pow(10, -digits * draw.unit())};
        const auto F = static_cast<Mat3<T>>(draw.with_values(sigma));
        const Mat3<Exact> S = transpose(exact(polar_rotation(F))) * exact(F);
        skew = std::max(skew, static_cast<double>(distance(S, transpose(S))));
    }
    EXPECT_LE(skew, 2 * tolerance::reconstruction<T>());
}

TYPED_TEST(Decomposition, DiagonalMatricesHaveNoRotationAtAll) {
    using T = TypeParam;
    for (const Vec3<T>& d : {splat(T(1)), Vec3<T>{T(0.3), T(1.7), T(1.1)}, Vec3<T>{3, 3, T(0.1)}}) {
        const Polar3<T> p = polar(diagonal(d));
        EXPECT_EQ(p.R, identity3<T>());
        EXPECT_EQ(p.S, sym_diagonal(d));
        const Vec3<T> lambda = eigen_sym(sym_diagonal(d)).lambda;
        EXPECT_EQ(lambda.x, std::max({d.x, d.y, d.z}));
        EXPECT_EQ(lambda.z, std::min({d.x, d.y, d.z}));
    }
}

// The polar factor of a rotation times a stretch is that rotation: F = R S with S > 0.
TYPED_TEST(Decomposition, PolarFindsTheRotationBehindAStretch) {
    using T = TypeParam;
    Draw draw{31};
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const Mat3d R = draw.rotation(), Q = draw.rotation();
        const Vec3d d = {draw.between(0.5, 2), draw.between(0.5, 2), draw.between(0.5, 2)};
        const Mat3d F = R * Q * diagonal(d) * transpose(Q);
        worst = std::max(worst,
                         distance(static_cast<Mat3d>(polar_rotation(static_cast<Mat3<T>>(F))), R));
    }
    EXPECT_LE(worst, tolerance::reconstruction<T>());
}

TYPED_TEST(Decomposition, QrGivesARotationTimesATriangle) {
    using T = TypeParam;
    double rebuilt = 0, rotation = 0;
    for (const Mat3<T>& F : this->cases()) {
        const Qr3<T> f = qr(F);
        ASSERT_TRUE(f.R.yx == 0 && f.R.zx == 0 && f.R.zy == 0);
        ASSERT_TRUE(f.R.xx >= 0 && f.R.yy >= 0);
        // column by column, each relative to its own length
        const Mat3<Exact> product = exact(f.Q) * exact(f.R);
        for (int j = 0; j < 3; ++j) {
            const Vec3<T> column = F.column(j);
            // columns below 64 of the smallest normal numbers count as zero
            const double none = 64.0 * double(std::numeric_limits<T>::min());
            const double size = std::max({std::fabs(double(column.x)), std::fabs(double(column.y)),
                                          std::fabs(double(column.z)), 1e-300});
            const Vec3<Exact> error = product.column(j) - static_cast<Vec3<Exact>>(column);
            for (int i = 0; i < 3; ++i)
                rebuilt = std::max(rebuilt, (double(std::fabs(error[i])) - none) / size);
        }
        rotation = std::max(rotation, rotation_error(f.Q));
    }
    EXPECT_LE(rebuilt, tolerance::reconstruction<T>());
    EXPECT_LE(rotation, tolerance::orthogonality<T>());
}

TYPED_TEST(Decomposition, EigenvectorsAndValuesRebuildTheMatrix) {
    using T = TypeParam;
    double rebuilt = 0, rotation = 0;
    for (const Mat3<T>& F : this->cases()) {
        const Sym3<T> a = symmetric_part(T(0.25) * F);
        const EigenSym3<T> e = eigen_sym(a);
        const Mat3<Exact> Q = exact(e.Q);
        const Mat3<Exact> product = Q * diagonal(static_cast<Vec3<Exact>>(e.lambda)) * transpose(Q);
        const Mat3<T> full = static_cast<Mat3<T>>(a);
        rebuilt =
            std::max(rebuilt, distance(product, exact(full)) / std::max(largest(full), 1e-300));
        rotation = std::max(rotation, rotation_error(e.Q));
        EXPECT_TRUE(e.lambda.x >= e.lambda.y && e.lambda.y >= e.lambda.z);
        EXPECT_EQ(e.lambda.x, largest_eigenvalue(a));
    }
    EXPECT_LE(rebuilt, tolerance::reconstruction<T>());
    EXPECT_LE(rotation, tolerance::orthogonality<T>());
}

template <class T, class Wider>
void compare_with_eigen(int count) {
    using Matrix = Eigen::Matrix<Wider, 3, 3>;
    double worst = 0;
    for (const Mat3<T>& F : random_matrices<T>(count, 41)) {
        const Sym3<T> a = symmetric_part(F);
        const Mat3<T> full = static_cast<Mat3<T>>(a);
        Matrix m;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) m(i, j) = full(i, j);
        const auto truth =
            Eigen::SelfAdjointEigenSolver<Matrix>(m, Eigen::EigenvaluesOnly).eigenvalues();
        const Vec3<T> lambda = eigen_sym(a).lambda;
        for (int i = 0; i < 3; ++i)
            worst =
                std::max(worst, static_cast<double>(std::fabs(Wider(lambda[i]) - truth(2 - i))) /
                                    largest(full));
    }
    EXPECT_LE(worst, tolerance::singular_value<T>());
}
TEST(EigenSymAgainstEigen, FloatValuesAgree) { compare_with_eigen<float, double>(100000); }
TEST(EigenSymAgainstEigen, DoubleValuesAgree) { compare_with_eigen<double, long double>(50000); }

TYPED_TEST(Decomposition, LanesOfAPackFindWhatScalarsFind) {
    using T = TypeParam;
    using P = Pack<T>;
    const std::vector<Mat3<T>> matrices = random_matrices<T>(20000, 51);
    double worst = 0;
    for (std::size_t i = 0; i + pack_lanes<T> <= matrices.size(); i += pack_lanes<T>) {
        Mat3<P> F;
        for (int k = 0; k < 9; ++k)
            for (int l = 0; l < pack_lanes<T>; ++l) F[k].set(l, matrices[i + std::size_t(l)][k]);
        const Polar3<P> p = polar(F);
        const Mat3<P> rebuilt = p.R * static_cast<Mat3<P>>(p.S);
        const Qr3<P> f = qr(F);
        const EigenSym3<P> e = eigen_sym(p.S);
        for (int l = 0; l < pack_lanes<T>; ++l) {
            const Mat3<T>& G = matrices[i + std::size_t(l)];
            const Qr3<T> g = qr(G);
            const Polar3<T> o = polar(G);
            const double size = largest(G);
            const double gap = double(std::fabs(e.lambda.x[l] - eigen_sym(o.S).lambda.x));
            worst = std::max(worst, gap / size);
            for (int k = 0; k < 9; ++k) {
                worst = std::max(worst, double(std::fabs(rebuilt[k][l] - G[k])) / size);
                worst = std::max(worst, double(std::fabs(f.R[k][l] - g.R[k])) / size);
            }
        }
    }
    EXPECT_LE(worst, 2 * tolerance::reconstruction<T>());
}

}  // namespace
}  // namespace knead
