#include "knead/points/mls.h"

#include <gtest/gtest.h>

#include "knead/base/random.h"
#include "knead/points/density.h"
#include "support/tolerance.h"

namespace knead {

namespace {

Vec3d random_vector(std::uint64_t key, std::uint64_t i) {
    return {2 * random_unit(key, i, 0) - 1, 2 * random_unit(key, i, 1) - 1,
            2 * random_unit(key, i, 2) - 1};
}

template <class T>
double error_of_fit(const Mat3d& G) {
    auto m = MlsMoments<T>::zero();
    for (std::uint64_t i = 0; i < 20; ++i) {
        const Vec3d x = random_vector(1, i);
        m.add(static_cast<T>(0.1 + random_unit(2, i)), static_cast<Vec3<T>>(x),
              static_cast<Vec3<T>>(G * x));
    }
    EXPECT_EQ(mls_trust(m.A), 1);
    return std::sqrt(norm_squared(static_cast<Mat3d>(mls_fit(m)) - G));
}

}  // namespace

TEST(Mls, ReproducesLinearMaps) {
    const Mat3d G{1.2, -0.3, 0.5, 0.1, 0.7, 0, 2, -1, 0.4};
    EXPECT_LT(error_of_fit<double>(G), tolerance::identity<double>());
    EXPECT_LT(error_of_fit<float>(G), tolerance::identity<float>());
}

// The minimiser's gradient vanishes: sum w (D x - y) x^T = 0.
TEST(Mls, FitsNoisyVectorsWithTheLeastError) {
    auto m = MlsMoments<double>::zero();
    for (std::uint64_t i = 0; i < 20; ++i)
        m.add(random_unit(2, i), random_vector(1, i), random_vector(3, i));
    const Mat3d D = mls_fit(m);
    auto residual = MlsMoments<double>::zero();
    for (std::uint64_t i = 0; i < 20; ++i)
        residual.add(random_unit(2, i), random_vector(1, i),
                     D * random_vector(1, i) - random_vector(3, i));
    EXPECT_LT(std::sqrt(norm_squared(residual.B)), tolerance::identity<double>());
    EXPECT_GT(norm_squared(m.B), 0.1);
}

TEST(Mls, TellsVectorsInAPlaneFromVectorsInSpace) {
    auto plane = MlsMoments<double>::zero(), space = plane;
    for (std::uint64_t i = 0; i < 20; ++i) {
        const Vec3d x = random_vector(1, i);
        plane.add(1, {x.x, x.y, x.x - 2 * x.y}, x);
        space.add(1, x, x);
    }
    EXPECT_EQ(mls_trust(plane.A), 0);
    EXPECT_GT(mls_trust(space.A), 0);
    EXPECT_EQ(mls_trust(MlsMoments<double>::zero().A), 0);
    // (k - 0.05) / 0.15 in between, wherever the middle eigenvalue is
    for (const double middle : {0.125, 0.5, 1.0})
        EXPECT_NEAR(mls_trust(Sym3d{3, 3 * middle, 3 * 0.125, 0, 0, 0}), 0.5, 1e-12);
    EXPECT_EQ(mls_trust(Sym3d{1, 0.5, 0.201, 0, 0, 0}), 1);
}

TEST(SphKernels, IntegrateToOneAndFollowTheirSlope) {
    const double h = 0.7;
    const int n = 20000;
    double integral = 0;
    for (int k = 0; k < n; ++k) {
        const double r = h * (k + 0.5) / n;
        integral += 4 * 3.14159265358979323846 * r * r * SpikyKernel::value(r, h) * (h / n);
    }
    EXPECT_NEAR(integral, 1, tolerance::scale() * 1e-8);  // midpoint rule, second order
    const double r = 0.3, step = 1e-5;
    const double slope =
        (SpikyKernel::value(r + step, h) - SpikyKernel::value(r - step, h)) / (2 * step);
    EXPECT_NEAR(SpikyKernel::gradient(r, h) / slope, 1, tolerance::derivative());
    EXPECT_EQ(SpikyKernel::gradient(h, h), 0);
    // 45 / (pi h^6) (h - r)
    EXPECT_NEAR(viscosity_laplacian(r, h) / (45 / (3.14159265358979323846 * std::pow(h, 6)) * 0.4),
                1, tolerance::identity<double>());
}

// Interior of a lattice at h = 2 spacings: 1.017 of the true density.
TEST(SphDensity, OfALatticeIsNearItsOwn) {
    std::vector<Vec3d> points;
    for (int i = 0; i < 7 * 7 * 7; ++i)
        points.push_back(0.1 * Vec3d{double(i / 49), double(i / 7 % 7), double(i % 7)});
    const std::vector<double> mass(points.size(), 1000 * 0.001);
    const auto lists = all_within(points, {{0.2}});
    const auto rho = sph_densities(points, mass, lists, {{0.2}});
    // sum over shells: 1 at 0, 6 at 1, 12 at sqrt 2, 8 at sqrt 3 of 1.56668/8 (1 - d^2 / 4)^3
    const double closed =
        1000 * 1.5666814710608448 / 8 * (1 + 6 * 27.0 / 64 + 12 * 8.0 / 64 + 8 * 1.0 / 64);
    EXPECT_NEAR(rho[171] / closed, 1, tolerance::identity<double>());
    EXPECT_NEAR(closed, 1000, 20);
}

}  // namespace knead
