// Plastic flow of single particles, through the stage that carries it. [Bargteil 2007]
#include <gtest/gtest.h>

#include "points/incremental/bodies.h"
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
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Flow, Reals);

constexpr double mu = 1e5 / 2.6, lambda = 3e4 / 0.52;  // of E = 1e5, nu = 0.3
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

// sigma = (1.2, 1, 0.9), yield 5000 Pa, rate 0.5: gamma = 0.38641847, F_p = (1.06240941,
// 0.99013592, 0.95063385), F_e = (1.12950806, 1.00996235, 0.94673675), of which all digits are
// computed here; det F_p = 1, so that the volume 1.08 stays.
TYPED_TEST(Flow, FollowsTheWorkedNumbers) {
    const Vec3d sigma{1.2, 1, 0.9}, strain = sigma - splat(1.0);
    const Vec3d stress = 2 * mu * strain + splat(lambda * sum(strain));
    const double gamma = 0.5 * (length(stress) - 5000) / length(stress);
    Vec3d kept;
    for (int a = 0; a < 3; ++a) kept[a] = sigma[a] / std::pow(sigma[a] / std::cbrt(1.08), gamma);
    EXPECT_NEAR(gamma, 0.38641847, 5e-9);
    EXPECT_LT(length(kept - Vec3d{1.12950806, 1.00996235, 0.94673675}), 1e-8);

    const Mat3d U = random_rotation(2), V = random_rotation(3);
    double share = 0;
    const Mat3d F =
        this->flowed(creeping(1e5, 5000, 0.5), U * diagonal(sigma) * transpose(V), 1e-3, &share);
    const double tol = tolerance::scale() * (sizeof(TypeParam) == 4 ? 2e-6 : 1e-10);
    EXPECT_NEAR(share, gamma, tol);
    EXPECT_LT(distance(F, U * diagonal(kept) * transpose(V)), tol);
    EXPECT_NEAR(determinant(F), 1.08, tolerance::scale() * (sizeof(TypeParam) == 4 ? 2e-6 : 1e-13));
}

// nu = 1, no yield stress: only the change of volume stays, F_e = det(F)^(1/3) U V^T.
TYPED_TEST(Flow, TakesAllShapeAtFullRate) {
    const Mat3d U = random_rotation(4), V = random_rotation(5);
    const Mat3d F =
        this->flowed(creeping(1e5, 0, 1), U * diagonal(Vec3d{1.2, 1, 0.9}) * transpose(V));
    EXPECT_LT(distance(F, std::cbrt(1.08) * (U * transpose(V))),
              tolerance::scale() * (sizeof(TypeParam) == 4 ? 1e-6 : 1e-12));
}

// gamma = min(1, nu / |P|): 1 exactly at 50 Pa, 1/4 at 400 Pa. The stress of sigma = (1 + e, 1, 1)
// is 157410.6 e, and e = 0.0025 has lost a factor of 400 of its digits in 1 + e.
TYPED_TEST(Flow, DividedByStressMeetsHardBlowsWithASolid) {
    Material m = creeping(1e5, 0, 100);
    m.flow.creep_divided = true;
    const double stiffness = std::hypot(2 * mu + lambda, std::sqrt(2.0) * lambda);
    const auto share_at = [&](double norm) {
        double share = 0;
        this->flowed(m, diagonal(Vec3d{1 + norm / stiffness, 1, 1}), 1e-3, &share);
        return share;
    };
    EXPECT_EQ(share_at(50), 1);
    EXPECT_NEAR(share_at(400), 0.25, tolerance::roundings<TypeParam>(400));
}

// alpha grows by dt |P|, and the yield stress by K alpha; below zero it softens down to nothing.
TYPED_TEST(Flow, HardensAndSoftensWithStressAndTime) {
    Material m = creeping(1e5, 5000, 0.5);
    m.flow.creep_hardening = 5;
    const Mat3d F = diagonal(Vec3d{1.2, 1, 0.9});
    const double norm = length(Vec3d{0.4 * mu, 0, -0.2 * mu} + splat(0.1 * lambda));  // 22010.62
    const double tol = tolerance::scale() * (sizeof(TypeParam) == 4 ? 2e-6 : 1e-10);
    double share = 0, alpha = 400;
    this->flowed(m, F, 1e-3, &share, &alpha);
    EXPECT_NEAR(share, 0.5 * (norm - 7000) / norm, tol);
    EXPECT_NEAR(alpha / (400 + 1e-3 * norm), 1, tol);
    alpha = 1e9;
    m.flow.creep_hardening = -5;
    this->flowed(m, F, 1e-3, &share, &alpha);
    EXPECT_NEAR(share, 0.5, tol);
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

// Radial flow of Hencky strain e: |dev tau| = 2 mu |dev e| falls to the yield radius, sqrt(2/3) of
// the yield stress, at once (von Mises), or with the share eta / (eta + 2 mu dt) of the excess left
// (Herschel-Bulkley, h = 1); the direction and the volume stay.
TYPED_TEST(Flow, RadialRulesBringShearStressToTheirClosedForm) {
    Material m = elastic(1e5);
    m.elastic.law = ElasticLaw::hencky;
    m.flow.yield_stress = 5000;
    const double radius = std::sqrt(2.0 / 3) * 5000, dt = 1e-3, eta = 50;
    const Mat3d U = random_rotation(6), V = random_rotation(7);
    const Vec3d e{0.2, 0.05, -0.1}, shape = e - splat(sum(e) / 3);
    const double s = 2 * mu * length(shape);
    const auto expected = [&](double left) {
        Vec3d sigma;
        for (int a = 0; a < 3; ++a) sigma[a] = std::exp(sum(e) / 3 + left / s * shape[a]);
        return U * diagonal(sigma) * transpose(V);
    };
    const Mat3d F = U * diagonal(Vec3d{std::exp(e.x), std::exp(e.y), std::exp(e.z)}) * transpose(V);
    const double tol = tolerance::scale() * (sizeof(TypeParam) == 4 ? 2e-6 : 1e-10);
    m.flow.rule = FlowRule::von_mises;
    double share = 0;
    EXPECT_LT(distance(this->flowed(m, F, dt, &share), expected(radius)), tol);
    EXPECT_NEAR(share, 1 - radius / s, tol);
    m.flow.rule = FlowRule::herschel_bulkley;
    m.flow.viscosity = eta;
    const double left = radius + (s - radius) * eta / (eta + 2 * mu * dt);
    EXPECT_LT(distance(this->flowed(m, F, dt), expected(left)), tol);
    m.flow.yield_stress = 1.01 * s / std::sqrt(2.0 / 3);
    this->flowed(m, F, dt, &share);
    EXPECT_EQ(share, 0);
}

}  // namespace knead::incremental_test
