// Hinges and joints: forces against differences of the energy, balance, and size.
#include "knead/materials/codimensional/bending.h"

#include <gtest/gtest.h>

#include "materials/codimensional/laws.h"

namespace knead::test {
namespace {

template <class Law, std::size_t N = Law::corners>
struct Bent {
    Vec3d corner[N];
    double rest = 0.3, stiffness = 2;

    void edges(Vec3d (&edge)[N - 1]) const {
        for (std::size_t k = 0; k + 1 < N; ++k) edge[k] = corner[k + 1] - corner[0];
    }
    double energy() const {
        Vec3d edge[N - 1];
        edges(edge);
        const double excess = Law::measure(edge) - rest;
        return 0.5 * stiffness * excess * excess;
    }
    std::array<Vec3d, N> forces() const {
        Vec3d edge[N - 1], force[N - 1];
        edges(edge);
        Law::forces(edge, rest, stiffness, force);
        return whole(force);
    }
    std::array<Vec3d, N> differential(const std::array<Vec3d, N>& change) const {
        Vec3d edge[N - 1], moved[N - 1], force[N - 1];
        edges(edge);
        for (std::size_t k = 0; k + 1 < N; ++k) moved[k] = change[k + 1] - change[0];
        Law::differential(edge, moved, rest, stiffness, force);
        return whole(force);
    }
    static std::array<Vec3d, N> whole(const Vec3d (&force)[N - 1]) {
        std::array<Vec3d, N> all{};
        for (std::size_t k = 0; k + 1 < N; ++k) all[k + 1] = force[k], all[0] -= force[k];
        return all;
    }
};

template <class Law>
Bent<Law> some_bend(Random& random) {
    Bent<Law> bend;
    const Vec3d plain[4] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.8, 0}, {0.4, -0.9, 0}};
    for (std::size_t k = 0; k < Law::corners; ++k) {
        bend.corner[k] = plain[k];
        if (Law::corners == 3 && k == 2) bend.corner[k] = {1.9, 0.2, 0};
        for (int a = 0; a < 3; ++a) bend.corner[k][a] += random.uniform(-0.3, 0.3);
    }
    return bend;
}

template <class Law>
void expect_forces_are_slopes_of_energy() {
    Random random{std::mt19937(7)};
    double worst = 0, torque = 0;
    for (int trial = 0; trial < 300; ++trial) {
        Bent<Law> bend = some_bend<Law>(random);
        const auto force = bend.forces();
        Vec3d turning{0, 0, 0};
        const double scale = bend.stiffness;  // the corners are a metre apart
        for (std::size_t k = 0; k < force.size(); ++k) {
            turning += cross(bend.corner[k], force[k]);
            for (int a = 0; a < 3; ++a) {
                const double x = bend.corner[k][a], h = 2e-4;
                const auto at = [&](double shift) {
                    bend.corner[k][a] = x + shift;
                    const double energy = bend.energy();
                    bend.corner[k][a] = x;
                    return energy;
                };
                // of fourth order in h
                const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
                worst = std::max(worst, std::fabs(slope + force[k][a]) / scale);
            }
        }
        torque = std::max(torque, length(turning) / scale);
    }
    EXPECT_LT(worst, 1e-8);
    EXPECT_LT(torque, 1e-12);
}

TEST(Bending, ForcesAreSlopesOfTheEnergyAndBalance) {
    expect_forces_are_slopes_of_energy<HingeBend>();
    expect_forces_are_slopes_of_energy<JointBend>();
}

// Where a bend is at rest, the part of Gauss and Newton is all of the change of the forces.
template <class Law>
void expect_differential_at_rest() {
    Random random{std::mt19937(11)};
    for (int trial = 0; trial < 100; ++trial) {
        Bent<Law> bend = some_bend<Law>(random), more = bend, less = bend;
        Vec3d edge[Law::corners - 1];
        bend.edges(edge);
        bend.rest = more.rest = less.rest = Law::measure(edge);
        std::array<Vec3d, Law::corners> change{}, other{};
        for (std::size_t k = 0; k < Law::corners; ++k)
            for (int a = 0; a < 3; ++a) {
                change[k][a] = random.uniform(-1, 1), other[k][a] = random.uniform(-1, 1);
                more.corner[k][a] += 1e-5 * change[k][a];
                less.corner[k][a] -= 1e-5 * change[k][a];
            }
        const auto now = bend.differential(change), back = bend.differential(other);
        const auto high = more.forces(), low = less.forces();
        double there = 0, here = 0, down = 0;
        for (std::size_t k = 0; k < Law::corners; ++k) {
            EXPECT_LT(length(now[k] - (high[k] - low[k]) / 2e-5), 1e-5 * (1 + length(now[k])));
            there += dot(other[k], now[k]), here += dot(change[k], back[k]);
            down += dot(change[k], now[k]);
        }
        EXPECT_NEAR(there, here, 1e-11 * (1 + std::fabs(here)));
        EXPECT_LE(down, 1e-12);
    }
}

TEST(Bending, TheDifferentialIsExactAtRestAndSymmetric) {
    expect_differential_at_rest<HingeBend>();
    expect_differential_at_rest<JointBend>();
}

TEST(Bending, TheMeasureIsTwiceTheSineOfHalfTheAngle) {
    for (const double angle : {-3.0, -1.0, -1e-3, 0.0, 0.5, 2.0}) {
        const Vec3d hinge[3] = {
            {1, 0, 0}, {0.3, 1, 0}, {0.6, -2 * std::cos(angle), 2 * std::sin(angle)}};
        EXPECT_NEAR(HingeBend::measure(hinge), 2 * std::sin(angle / 2), 1e-12);
        const Vec3d joint[2] = {{1, 0, 0}, {1 + 3 * std::cos(angle), 3 * std::sin(angle), 0}};
        EXPECT_NEAR(JointBend::measure(joint), 2 * std::fabs(std::sin(angle / 2)), 1e-12);
    }
}

TEST(Bending, WhatIsFoldedFlatOrCrushedHasFiniteForces) {
    const Vec3d folded[3] = {{1, 0, 0}, {0.5, 1, 0}, {0.5, 1, 0}};
    const Vec3d crushed[3] = {{1, 0, 0}, {0.5, 1e-12, 0}, {0.5, -1, 0}};
    for (const auto& edge : {folded, crushed}) {
        const Vec3d copy[3] = {edge[0], edge[1], edge[2]};
        Vec3d force[3];
        HingeBend::forces(copy, 0.1, 1.0, force);
        for (const Vec3d& f : force) EXPECT_LT(length(f), 1e4);
    }
}

}  // namespace
}  // namespace knead::test
