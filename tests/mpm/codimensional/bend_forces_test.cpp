// Forces of bending in a phase: sums at vertices against the energy, for a solve and for a step.
#include "knead/mpm/codimensional/bend_forces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/geometry/weave/sheet.h"

namespace knead::test {
namespace {

// A wavy sheet whose vertices stand in the reverse order of their ids, and its edges as curves too.
struct Wavy {
    ThinBody body;
    std::vector<Phase<double>> phases;
    BendForces<double> bends;

    Wavy() {
        SheetPlan plan;
        plan.edge = 0.25;
        body = sheet(plan);
        for (const auto& t : body.triangles) body.segments.push_back({t[0], t[1]});
        const std::size_t n = body.vertices.size();
        Bending bending = make_bending(body, 2, 0.3, std::vector<double>(n, 1.0));
        bending.first_id = 10;
        bends = BendForces<double>({bending});
        Phase<double> phase;
        phase.kind = PhaseKind::vertices;
        phase.particles.id.create(n), phase.particles.x.create(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3d x = body.vertex(static_cast<int>(n - 1 - i));
            phase.particles.id.at(i) = 10 + static_cast<std::int64_t>(n - 1 - i);
            phase.particles.x.set(i, x + Vec3d{0, 0.2 * std::sin(5 * x.x) * std::cos(4 * x.z), 0});
        }
        phases.push_back(std::move(phase));
        bends.find_rows(phases);
    }
    Column<double, 3>& x() { return phases[0].particles.x; }
    Column<double, 3> forces() {
        Column<double, 3> f;
        f.create(x().size());
        bends.add_forces(0, x(), f);
        return f;
    }
};

TEST(BendForces, AreSlopesOfTheEnergyAtEveryVertex) {
    Wavy it;
    const Column<double, 3> force = it.forces();
    Vec3d sum{0, 0, 0}, turn{0, 0, 0};
    double size = 0;
    for (std::size_t i = 0; i < it.x().size(); ++i) {
        sum += force.vec(i), turn += cross(it.x().vec(i), force.vec(i));
        size = std::max(size, length(force.vec(i)));
        for (int a = 0; a < 3; ++a) {
            const double x = it.x().at(i, a), h = 1e-4;
            const auto at = [&](double shift) {
                it.x().at(i, a) = x + shift;
                const double e = it.bends.energy(it.phases);
                it.x().at(i, a) = x;
                return e;
            };
            const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
            EXPECT_NEAR(-slope, force.at(i, a), 1e-8 * (1 + size));
        }
    }
    EXPECT_LT(length(sum), 1e-12 * size);
    EXPECT_LT(length(turn), 1e-12 * size);
}

TEST(BendForces, TheDifferentialIsSymmetricAndNeverAddsEnergy) {
    Wavy it;
    const std::size_t n = it.x().size();
    Column<double, 3> change, more, back;
    change.create(n), more.create(n), back.create(n);
    for (std::size_t i = 0; i < n; ++i)
        change.set(i, Vec3d{0, std::sin(1.0 + 3.0 * static_cast<double>(i)), 0});
    it.bends.add_differential(0, it.x(), change, more);
    it.bends.add_differential(0, it.x(), more, back);
    double down = 0, square = 0, there = 0;
    for (std::size_t i = 0; i < n; ++i) {
        down += dot(change.vec(i), more.vec(i));
        square += length_squared(more.vec(i));
        there += dot(change.vec(i), back.vec(i));
    }
    EXPECT_LT(down, 0);
    EXPECT_NEAR(there, square, 1e-10 * square);  // symmetric: (K c, c) and (K K c, c) = |K c|^2
}

}  // namespace
}  // namespace knead::test
