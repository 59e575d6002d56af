// Friction and separation of sheets and fibres: return maps on the normal columns.
#include <gtest/gtest.h>

#include "knead/math/wide.h"
#include "materials/codimensional/laws.h"
#include "support/tolerance.h"

namespace knead::test {

namespace {

double state(ContactState s) { return contact_code<double>(s); }

Mat3d mapped(const SheetLaw<double>& law, const Mat3d& d) {
    return from_columns(d.column(0), d.column(1), law.return_map(qr(d)).normal);
}
Mat3d mapped(const FibreLaw<double>& law, const Mat3d& d) {
    const auto r = law.return_map(qr(d));
    return from_columns(d.column(0), r.second, r.third);
}
// Kirchhoff stress in the frame of Q.
template <class Law>
Mat3d stress_in_frame(const Law& law, const Mat3d& d) {
    const Mat3d Q = qr(d).Q;
    return transpose(Q) * (stress_of(law, d) * transpose(d)) * Q;
}

// What is left of both yield conditions of a fibre, over 2 (mu + lambda).   [Jiang 2017, 3.4.1]
double excess_across(const FibreLaw<double>& law, const Mat3d& s) {
    const double a = s.yy - s.zz, b = s.yz;
    return (std::sqrt(a * a + 4 * b * b) + law.across / 2 * (s.yy + s.zz)) /
           (2 * (law.mu + law.lambda));
}
double excess_along(const FibreLaw<double>& law, const Mat3d& s) {
    return (std::hypot(s.xy, s.xz) + law.along / 2 * (s.yy + s.zz)) / (2 * (law.mu + law.lambda));
}

}  // namespace

// f_n = 800 (0.1)^2 = 8, f_f = 50 0.3 = 15, so r13 = 0.3 (0.2 8) / 15.
TEST(SheetFriction, SlipsByHand) {
    SheetLaw<double> law = a_sheet();
    law.friction = 0.2;
    Mat3d d = identity3<double>();
    d.xz = 0.3, d.zz = 0.9;
    const auto r = law.return_map(qr(d));
    EXPECT_NEAR(r.normal.x, 0.032, 1e-15 * tolerance::scale());
    EXPECT_NEAR(r.normal.z, 0.9, 1e-15 * tolerance::scale());
    EXPECT_EQ(r.state, state(ContactState::slipping));
}

TEST(SheetFriction, EndsInsideItsConeOrApart) {
    Random random;
    for (const double angle : {0.0, 10.0, 40.0}) {
        const SheetLaw<double> law = a_sheet(angle);
        for (int n = 0; n < 1000; ++n) {
            const Mat3d d = a_state(random, 0.4), after = mapped(law, d);
            const Mat3d s = stress_in_frame(law, after);
            EXPECT_LE(std::hypot(s.xz, s.yz), -law.friction * s.zz + 1e-11 * tolerance::scale());
            EXPECT_LT(norm(mapped(law, after) - after), 1e-14 * tolerance::scale());
            EXPECT_LE(energy_of(law, after), energy_of(law, d) * (1 + 1e-12));
            const double normal = std::min(qr(d).R.zz, 1.0);  // stretch is forgotten
            EXPECT_NEAR(qr(after).R.zz, normal, 1e-14 * tolerance::scale());
        }
    }
}

TEST(SheetFriction, InsideOutKeepsItsNormalAndLosesItsShear) {
    Mat3d d = identity3<double>();
    d.xz = 0.3, d.yz = -0.2, d.zz = -0.5;
    const auto r = a_sheet().return_map(qr(d));
    EXPECT_EQ(r.state, state(ContactState::inverted));
    EXPECT_EQ(r.normal, (Vec3d{0, 0, -0.5}));
}

// E = 500 Pa, nu = 0.3, 20 degrees, cross-section diag(1, 0.8): eps = (0, -0.22314),
// eta = 0.082266, then along with r12 = 0.1, r13 = 0.05: both shrink by 0.76692.
TEST(FibreFriction, SlipsByHand) {
    const FibreLaw<double> law = a_fibre(20);
    EXPECT_NEAR(law.across, 0.210128, 1e-6);
    EXPECT_NEAR(law.along, 0.363970, 1e-6);
    Mat3d d = identity3<double>();
    d.zz = 0.8;
    auto r = law.return_map(qr(d));
    EXPECT_NEAR(r.second.y, 0.921027, 1e-6);
    EXPECT_NEAR(r.third.z, 0.868596, 1e-6);
    EXPECT_EQ(r.state, state(ContactState::slipping));

    d.xy = 0.1, d.xz = 0.05;
    r = law.return_map(qr(d));
    EXPECT_NEAR(r.second.x, 0.076692, 1e-6);
    EXPECT_NEAR(r.third.x, 0.038346, 1e-6);
}

TEST(FibreFriction, EndsInsideBothConesAndKeepsItsVolume) {
    Random random;
    for (const double angle : {10.0, 20.0, 40.0}) {
        const FibreLaw<double> law = a_fibre(angle);
        for (int n = 0; n < 1000; ++n) {
            const Mat3d d = a_state(random, 0.4), after = mapped(law, d);
            const Mat3d s = stress_in_frame(law, after);
            EXPECT_LE(excess_across(law, s), 1e-12 * tolerance::scale());
            EXPECT_LE(excess_along(law, s), 1e-12 * tolerance::scale());
            EXPECT_LT(norm(mapped(law, after) - after), 1e-13 * tolerance::scale());
            EXPECT_LE(energy_of(law, after), energy_of(law, d) * (1 + 1e-12));
            const Mat3d before = qr(d).R, R = qr(after).R;
            const double volume = std::min(before.yy * before.zz, 1.0);  // apart: at rest
            EXPECT_NEAR(R.yy * R.zz, volume, 1e-13 * tolerance::scale());
        }
    }
}

// Both conditions together keep shear below (alpha + beta) times pressure for every normal across
// the fibre.                                                                     [Jiang
// 2017, 3.4.1]
TEST(FibreFriction, ImpliesCoulombForEveryNormalAcross) {
    Random random;
    for (const double angle : {10.0, 20.0, 40.0}) {
        const FibreLaw<double> law = a_fibre(angle);
        for (int n = 0; n < 300; ++n) {
            const Mat3d s = stress_in_frame(law, mapped(law, a_state(random, 0.4)));
            for (int k = 0; k < 13; ++k) {
                const double a = M_PI * k / 13;
                const Vec3d normal{0, std::cos(a), std::sin(a)}, traction = s * normal;
                const double pressure = -dot(normal, traction);
                const double slide = length(traction + pressure * normal);
                EXPECT_LE(slide, (law.across + law.along) * pressure +
                                     1e-11 * law.mu * tolerance::scale());
            }
        }
    }
}

TEST(FibreFriction, ApartHasNoStressAcross) {
    Mat3d d = identity3<double>();
    d.xy = 0.1, d.xz = -0.2, d.yy = 1.1, d.yz = 0.05, d.zz = 1.02;
    const Mat3d s = stress_in_frame(a_fibre(), mapped(a_fibre(), d));
    for (const double entry : {s.xy, s.xz, s.yy, s.yz, s.zz})
        EXPECT_NEAR(entry, 0, 1e-11 * tolerance::scale());
}

TEST(FibreFriction, InsideOutComesBackWithoutShear) {
    Mat3d d = identity3<double>();
    d.xy = 0.1, d.xz = -0.2, d.yz = 0.05, d.zz = -0.3;
    const auto r = a_fibre().return_map(qr(d));
    EXPECT_EQ(r.state, state(ContactState::inverted));
    const Mat3d after = mapped(a_fibre(), d), R = qr(after).R;
    EXPECT_GT(R.zz, 0);
    EXPECT_NEAR(R.xy, 0, 1e-15 * tolerance::scale());
    EXPECT_NEAR(R.xz, 0, 1e-15 * tolerance::scale());
}

TEST(FibreFriction, AStateInsideItsConesIsNotTouched) {
    Mat3d d = identity3<double>();
    d.yy = 0.9, d.zz = 0.897, d.yz = 1e-3, d.xy = 1e-3;
    EXPECT_EQ(mapped(a_fibre(40), d), d);
}

}  // namespace knead::test
