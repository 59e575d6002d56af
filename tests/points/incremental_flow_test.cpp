// Plastic flow of single particles, through the stage that carries it. [Bargteil 2007]
#include <gtest/gtest.h>

#include "points/incremental_bodies.h"
#include "support/tolerance.h"

namespace knead::incremental_test {

namespace {

template <class Real>
class Flow : public testing::Test {
public:
    // One step of flow from F = U diag(sigma) V^T, without motion.
    Mat3d flowed(const Material& material, const Mat3d& F, double dt = 1e-3,
                 double* share = nullptr, double* hardening = nullptr) {
        const Block block{3, 3, 3, 0.02};
        Stages<Real> s(settings_for(block), material, make_block<Real>(block));
        s.p().F.set(13, static_cast<Mat3<Real>>(F));
        if (hardening) s.p().hardening.at(13) = static_cast<Real>(*hardening);
        s.move([](const Vec3d& x) { return x; }, dt);
        if (share) *share = double(s.p().flow.at(13));
        if (hardening) *hardening = double(s.p().hardening.at(13));
        return static_cast<Mat3d>(s.p().F.mat(13));
    }
    static constexpr double relative = sizeof(Real) == 4 ? 2e-6 : 1e-8;
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Flow, Reals);

double distance(const Mat3d& a, const Mat3d& b) { return std::sqrt(norm_squared(a - b)); }

}  // namespace

TYPED_TEST(Flow, BelowYieldNothingFlows) {
    // |P| of (1.1, 1, 1) is 15741.06 Pa
    const Mat3d F = random_rotation(1) * diagonal(Vec3d{1.1, 1, 1});
    const auto F_stored = static_cast<Mat3d>(static_cast<Mat3<TypeParam>>(F));
    double share = -1;
    EXPECT_EQ(this->flowed(creeping(1e5, 15800, 0.5), F, 1e-3, &share), F_stored);
    EXPECT_EQ(share, 0);
    this->flowed(creeping(1e5, 15700, 0.5), F, 1e-3, &share);
    EXPECT_GT(share, 0);
}

// sigma = (1.2, 1, 0.9), yield 5000 Pa, rate 0.5: gamma = 0.38641847,
// F_e = (1.12950806, 1.00996235, 0.94673675); det F_p = 1.
TYPED_TEST(Flow, FollowsTheWorkedNumbers) {
    const Mat3d U = random_rotation(2), V = random_rotation(3);
    double share = 0;
    const Mat3d F = this->flowed(creeping(1e5, 5000, 0.5),
                                 U * diagonal(Vec3d{1.2, 1, 0.9}) * transpose(V), 1e-3, &share);
    const double tol = tolerance::scale() * this->relative;
    EXPECT_NEAR(share, 0.38641847, tol);
    const Mat3d expected = U * diagonal(Vec3d{1.12950806, 1.00996235, 0.94673675}) * transpose(V);
    EXPECT_LT(distance(F, expected), 3 * tol);
    EXPECT_NEAR(determinant(F), 1.08, 3 * tol);
}

// nu = 1, no yield stress: only the change of volume stays, F_e = det(F)^(1/3) U V^T.
TYPED_TEST(Flow, TakesAllShapeAtFullRate) {
    const Mat3d U = random_rotation(4), V = random_rotation(5);
    const Mat3d F =
        this->flowed(creeping(1e5, 0, 1), U * diagonal(Vec3d{1.2, 1, 0.9}) * transpose(V));
    EXPECT_LT(distance(F, std::cbrt(1.08) * (U * transpose(V))),
              tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-6 : 1e-12));
}

// gamma = min(1, nu / |P|): the stress of sigma = (1 + e, 1, 1) is 157410.6 e.
TYPED_TEST(Flow, DividedByStressMeetsHardBlowsWithASolid) {
    Material m = creeping(1e5, 0, 100);
    m.flow.creep_divided = true;
    for (const auto& [norm, expected] : {std::pair{50.0, 1.0}, std::pair{400.0, 0.25}}) {
        double share = 0;
        this->flowed(m, diagonal(Vec3d{1 + norm / 157410.6, 1, 1}), 1e-3, &share);
        EXPECT_NEAR(share, expected, tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-4 : 1e-6));
    }
}

// alpha grows by dt |P|, and the yield stress by K alpha; below zero it softens down to nothing.
TYPED_TEST(Flow, HardensAndSoftensWithStressAndTime) {
    Material m = creeping(1e5, 5000, 0.5);
    m.flow.creep_hardening = 5;
    const Mat3d F = diagonal(Vec3d{1.2, 1, 0.9});  // |P| = 22010.62
    double share = 0, alpha = 400;
    this->flowed(m, F, 1e-3, &share, &alpha);
    EXPECT_NEAR(share, 0.5 * (22010.6214 - 7000) / 22010.6214, tolerance::scale() * this->relative);
    EXPECT_NEAR(alpha, 422.0106, tolerance::scale() * 1e-3);
    alpha = 1e9;
    m.flow.creep_hardening = -5;
    this->flowed(m, F, 1e-3, &share, &alpha);
    EXPECT_NEAR(share, 0.5, tolerance::scale() * this->relative);
}

// Two half steps of a rate with an interval flow as much as one: 1 - (1 - nu)^(dt / interval).
TYPED_TEST(Flow, ARateWithAnIntervalDoesNotDependOnTheStep) {
    Material m = creeping(1e5, 0, 0.2);
    m.flow.creep_interval = 1e-3;
    const Mat3d F = diagonal(Vec3d{1.1, 1 / 1.1, 1});
    const Mat3d once = this->flowed(m, F, 1e-3);
    const Mat3d twice = this->flowed(m, this->flowed(m, F, 5e-4), 5e-4);
    EXPECT_LT(distance(once, twice), tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-6 : 1e-12));
    EXPECT_GT(distance(once, F), 0.01);
}

// beta = 1 where |ln J| is beyond the ramp: volume flows as freely as shape, F_e = F^(1 - gamma).
TYPED_TEST(Flow, LargeVolumeChangesFlowToo) {
    Material m = creeping(1e5, 0, 0.5);
    m.flow.creep_volume_low = 0.2;
    m.flow.creep_volume_high = 0.7;
    const Mat3d F = this->flowed(m, 1.3 * identity3<double>());  // ln J = 0.787
    EXPECT_LT(distance(F, std::sqrt(1.3) * identity3<double>()),
              tolerance::scale() * (sizeof(TypeParam) == 4 ? 2e-6 : 1e-12));
    const Mat3d small = this->flowed(m, 1.05 * identity3<double>());  // ln J = 0.146
    EXPECT_LT(distance(small, 1.05 * identity3<double>()),
              tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-6 : 1e-12));
}

}  // namespace knead::incremental_test
