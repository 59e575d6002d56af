// Particles that have come very close become one.  [mpm-foam 9.5]
#include <gtest/gtest.h>

#include "knead/particles/edit_rows.h"
#include "mpm/foam/resample/bodies.h"
#include "support/tolerance.h"

namespace knead {

using testing::Foam;
using testing::foam_lattice;

namespace {

constexpr double dx = 0.01, r = dx / 2;

// A lattice where row 21 is moved to within `gap` r of row 42, with masses and states of their own.
template <class Real>
Foam<Real> with_close_pair(double gap) {
    Foam<Real> foam({foam_lattice<Real>(4, dx)}, dx);
    auto& p = foam.phases[0].particles;
    p.x.set(21, p.x.vec(42) + gap * r * normalized(Vec3d{1, 2, 2}));
    p.mass.at(21) *= Real(0.5);
    p.volume.at(21) *= Real(0.25);
    p.v.set(21, {Real(3), Real(1), Real(-2)});
    p.v.set(42, {Real(-1), Real(4), Real(0.5)});
    p.dilation.at(21) = Real(0.03);
    const Mat3d F = std::cbrt(1.03) * testing::rotation_about({1, 0, 1}, 0.3);
    p.F.set(21, static_cast<Mat3<Real>>(F));
    p.id.at(21) = 420;  // row order is not id order
    return foam;
}

template <class Real>
Vec3d mass_center(const Particles<Real>& p) {
    Vec3d sum{0, 0, 0};
    double mass = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        sum += double(p.mass.at(i)) * p.x.vec(i);
        mass += double(p.mass.at(i));
    }
    return sum / mass;
}

template <class Real>
void check_merge() {
    auto foam = with_close_pair<Real>(0.029);
    auto& p = foam.phases[0].particles;
    const Vec3d center = mass_center(p);
    foam.phases[0].blocks.push_back({0, 0, 64});
    const ResampleReport report = foam.resample();
    ASSERT_EQ(report.merged, 1);
    EXPECT_EQ(report.inserted, 0);
    ASSERT_EQ(p.size(), 63u);
    EXPECT_TRUE(foam.phases[0].blocks.empty());

    // the lower id stays, one row further up
    ASSERT_EQ(report.touched.size(), 1u);
    const std::size_t row = report.touched[0].row;
    EXPECT_EQ(row, 41u);
    EXPECT_EQ(p.id.at(row), 42);
    const double unit = tolerance::roundings<Real>(8);
    EXPECT_NEAR(report.after.mass, report.before.mass, unit * report.before.mass);
    EXPECT_NEAR(report.after.volume, report.before.volume, unit * report.before.volume);
    EXPECT_LT(length(report.after.momentum - report.before.momentum),
              4 * unit * report.before.mass);
    EXPECT_LT(length(mass_center(p) - center), unit * r);

    // means by mass: a third of the one, two thirds of the other
    EXPECT_NEAR(double(p.v.at(row, 0)), 1.0 / 3.0, 4 * unit);
    EXPECT_NEAR(double(p.dilation.at(row)), 0.01, unit);
    EXPECT_NEAR(double(determinant(p.F.mat(row))), 1.01, unit);
    EXPECT_NEAR(double(determinant(p.b.sym(row))), 1, unit);
}

}  // namespace

TEST(ResampleMerge, KeepsMassMomentumAndCenterOfMass) {
    check_merge<double>();
    check_merge<float>();
}

TEST(ResampleMerge, LeavesPairsThatAreFartherApart) {
    EXPECT_EQ(with_close_pair<double>(0.031).resample().merged, 0);
}

TEST(ResampleMerge, LeavesPairsOfDifferentMaterials) {
    auto foam = with_close_pair<double>(0.01);
    foam.phases.push_back(foam.phases[0]);
    std::vector<char> first(64), second(64, 1);
    first[21] = 1;
    second[21] = 0;
    remove_rows(foam.phases[0], first);
    remove_rows(foam.phases[1], second);
    EXPECT_EQ(foam.resample().merged, 0);
}

// Of three in a row only the closest two merge; four in one place make two.
TEST(ResampleMerge, MergesMutuallyClosestPairs) {
    auto foam = with_close_pair<double>(0.01);
    auto& p = foam.phases[0].particles;
    p.x.set(22, p.x.vec(42) + Vec3d{0.025 * r, 0, 0});
    EXPECT_EQ(foam.resample().merged, 1);
    EXPECT_EQ(p.size(), 63u);

    auto heap = with_close_pair<double>(0.0);
    auto& q = heap.phases[0].particles;
    q.x.set(22, q.x.vec(42));
    q.x.set(23, q.x.vec(42));
    EXPECT_EQ(heap.resample().merged, 1);  // each sees the lowest id first
    EXPECT_EQ(heap.resample().merged, 1);
    EXPECT_EQ(heap.resample().merged, 1);
    EXPECT_EQ(heap.resample().merged, 0);
    EXPECT_EQ(q.size(), 61u);
}

}  // namespace knead
