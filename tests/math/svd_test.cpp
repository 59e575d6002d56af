// svd against its definition, against Eigen, and packs against scalars.
#include "knead/math/svd.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "knead/math/wide.h"
#include "math/matrix_cases.h"
#include "math/residuals.h"
#include "support/tolerance.h"

namespace knead {
namespace {

// Worst residuals over a set of matrices.
struct Worst {
    double reconstruction = 0, orthogonality = 0, determinant = 0, order = 0, sign = 0;
};

template <class T>
void measure(const Mat3<T>& F, const Svd3<T>& s, Worst& w) {
    const auto U = static_cast<Mat3<Exact>>(s.U), V = static_cast<Mat3<Exact>>(s.V);
    const auto sigma = static_cast<Vec3<Exact>>(s.sigma);
    const double size = std::max(largest(F), 1e-300);
    const Mat3<Exact> product = U * diagonal(sigma) * transpose(V);
    w.reconstruction =
        std::max(w.reconstruction, distance(product, static_cast<Mat3<Exact>>(F)) / size);
    w.orthogonality = std::max({w.orthogonality, rotation_error(s.U), rotation_error(s.V)});
    const bool sorted = s.sigma.x >= s.sigma.y && s.sigma.y >= std::fabs(s.sigma.z);
    if (!sorted) w.order += 1;
    // the sign of the last value is the sign of the determinant, where that is above rounding
    const Exact d = determinant(static_cast<Mat3<Exact>>(F));
    const Exact error = Exact(tolerance::singular_value<T>()) * size;
    const Exact noise = error * sigma.x * (sigma.y + error) +
                        8 * std::numeric_limits<Exact>::epsilon() * size * size * size;
    if (std::fabs(d) > noise && (d < 0) != (s.sigma.z < 0)) w.sign += 1;
}

template <class T>
void expect_good(const std::vector<Mat3<T>>& matrices) {
    Worst w;
    for (const Mat3<T>& F : matrices) measure(F, svd(F), w);
    EXPECT_LE(w.reconstruction, tolerance::reconstruction<T>());
    EXPECT_LE(w.orthogonality, tolerance::orthogonality<T>());
    EXPECT_EQ(w.order, 0);
    EXPECT_EQ(w.sign, 0);
}

template <class T>
class Svd : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Svd, Scalars);

TYPED_TEST(Svd, RandomMatricesAreRebuiltByTheirFactors) {
    expect_good(random_matrices<TypeParam>(200000, 1));
}
TYPED_TEST(Svd, AwkwardSpectraAreRebuiltAtEveryScale) {
    expect_good(awkward_matrices<TypeParam>(600));
}
TYPED_TEST(Svd, EveryMatrixOfSignsIsRebuilt) { expect_good(sign_matrices<TypeParam>()); }
TYPED_TEST(Svd, RankDeficientAndExtremeMatricesAreRebuilt) {
    for (const Mat3<TypeParam>& F : exact_matrices<TypeParam>()) {
        SCOPED_TRACE(testing::Message() << F.xx << " " << F.xy << " " << F.yy << " " << F.zz);
        expect_good(std::vector{F});
    }
}

// Diagonal matrices lose nothing: a body at rest must feel no stress at all.
TYPED_TEST(Svd, DiagonalMatricesAreExact) {
    using T = TypeParam;
    const Svd3<T> one = svd(identity3<T>());
    EXPECT_EQ(one.U, one.V);
    EXPECT_EQ(one.U * transpose(one.V), identity3<T>());
    EXPECT_EQ(one.sigma, splat(T(1)));
    Draw draw{3};
    for (int i = 0; i < 1000; ++i) {
        const Vec3<T> d = {T(draw.gauss()), T(draw.gauss()), T(draw.gauss())};
        const Svd3<T> s = svd(diagonal(d));
        EXPECT_EQ(s.U * diagonal(s.sigma) * transpose(s.V), diagonal(d));
    }
}

// Whatever went wrong upstream stays visible.
TYPED_TEST(Svd, NumbersThatAreNotFiniteSpoilTheValues) {
    using T = TypeParam;
    for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()})
        for (int k = 0; k < 9; ++k) {
            Mat3<T> F = identity3<T>();
            F[k] = bad;
            const Vec3<T> sigma = svd(F).sigma;
            EXPECT_TRUE(std::isnan(sigma.x) && std::isnan(sigma.z)) << k;
        }
}

// Eigen in the next wider type gives the truth.
template <class T, class Wider>
void compare_with_eigen(int count) {
    using Matrix = Eigen::Matrix<Wider, 3, 3>;
    double worst = 0;
    for (const Mat3<T>& F : random_matrices<T>(count, 5)) {
        Matrix m;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) m(i, j) = F(i, j);
        const auto truth = Eigen::JacobiSVD<Matrix>(m).singularValues();
        const Vec3<T> sigma = svd(F).sigma;
        for (int i = 0; i < 3; ++i)
            worst = std::max(
                worst,
                static_cast<double>(std::fabs((std::fabs(Wider(sigma[i])) - truth(i)) / truth(0))));
    }
    EXPECT_LE(worst, tolerance::singular_value<T>());
}
TEST(SvdAgainstEigen, FloatValuesAgree) { compare_with_eigen<float, double>(700000); }
TEST(SvdAgainstEigen, DoubleValuesAgree) { compare_with_eigen<double, long double>(300000); }

// Columns of very different lengths keep their digits: one-sided Jacobi works on the columns.
TYPED_TEST(Svd, OrthogonalColumnsGiveValuesToFullRelativePrecision) {
    using T = TypeParam;
    Draw draw{11};
    double worst = 0;
    for (int i = 0; i < 2000; ++i) {
        const Vec3d d = {1, std::pow(10.0, draw.between(-6, -1)),
                         std::pow(10.0, draw.between(-12, -7))};
        const Mat3<T> F = static_cast<Mat3<T>>(draw.rotation()) * diagonal(static_cast<Vec3<T>>(d));
        const Vec3<T> sigma = svd(F).sigma;
        worst = std::max(worst,
                         std::fabs(static_cast<double>(sigma.z) / static_cast<double>(T(d.z)) - 1));
    }
    EXPECT_LE(worst, tolerance::singular_value<T>());
}

// The lanes of a pack hold what the scalar code finds. Factors of close values are not unique, so
// what is compared is what they build.
template <class T>
void compare_lanes(const std::vector<Mat3<T>>& matrices) {
    using P = Pack<T>;
    Worst w;
    double sigma_error = 0;
    for (std::size_t i = 0; i + pack_lanes<T> <= matrices.size(); i += pack_lanes<T>) {
        Mat3<P> F;
        for (int k = 0; k < 9; ++k)
            for (int l = 0; l < pack_lanes<T>; ++l) F[k].set(l, matrices[i + std::size_t(l)][k]);
        const Svd3<P> wide = svd(F);
        for (int l = 0; l < pack_lanes<T>; ++l) {
            const Mat3<T>& G = matrices[i + std::size_t(l)];
            Svd3<T> lane;
            for (int k = 0; k < 9; ++k) lane.U[k] = wide.U[k][l], lane.V[k] = wide.V[k][l];
            for (int k = 0; k < 3; ++k) lane.sigma[k] = wide.sigma[k][l];
            measure(G, lane, w);
            const Vec3<T> d = svd(G).sigma - lane.sigma;
            const double size = std::max(largest(G), 1e-300);
            for (int k = 0; k < 3; ++k)
                sigma_error = std::max(sigma_error, static_cast<double>(std::fabs(d[k])) / size);
        }
    }
    EXPECT_LE(w.reconstruction, tolerance::reconstruction<T>());
    EXPECT_LE(w.orthogonality, tolerance::orthogonality<T>());
    EXPECT_LE(sigma_error, tolerance::singular_value<T>());
    EXPECT_EQ(w.order + w.sign, 0);
}
TYPED_TEST(Svd, LanesOfAPackFindWhatScalarsFind) {
    compare_lanes(random_matrices<TypeParam>(100000, 2));
    compare_lanes(awkward_matrices<TypeParam>(100));
    compare_lanes(sign_matrices<TypeParam>());
}

}  // namespace
}  // namespace knead
