// Bends of whole meshes, against the closed forms of plates and rods.
#include "knead/mpm/codimensional/bends.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/geometry/weave/sheet.h"
#include "knead/materials/codimensional/bending.h"

namespace knead::test {
namespace {

// Bends of a sheet of 1 m2 along x to a cylinder about z: D kappa^2 / 2 an area, but for the edges,
// whose two half rows of triangles do not bend.
TEST(Bends, ASheetBentToACylinderStoresItsClosedForm) {
    SheetPlan plan;
    plan.edge = 0.05;
    ThinBody body = sheet(plan);
    Bending bending = make_bending(body, 3.0, 0, std::vector<double>(body.vertices.size(), 1.0));
    const double kappa = 0.2;
    double energy = 0;
    const auto bent = [&](int v) {
        const Vec3d x = body.vertex(v);
        return Vec3d{std::sin(kappa * x.x) / kappa, (1 - std::cos(kappa * x.x)) / kappa, x.z};
    };
    for (const Bend<4>& b : bending.hinges) {
        Vec3d edge[3];
        for (std::size_t k = 0; k < 3; ++k) edge[k] = bent(b.vertex[k + 1]) - bent(b.vertex[0]);
        const double s = HingeBend::measure(edge) - b.rest;
        energy += 0.5 * b.weight * s * s;
    }
    EXPECT_NEAR(energy, 0.5 * 3 * kappa * kappa * (1 - 0.05), 1e-4 * energy);
}

// A ring of radius r has B / (2 r^2) a length; at rest it has none, and the curvature is kept.
TEST(Bends, ACurveBentToARingStoresItsClosedForm) {
    ThinBody line, ring;
    const int n = 100;
    const double pi = std::acos(-1.0);
    for (int k = 0; k <= n; ++k) {
        line.add({2 * pi * k / n, 0, 0});
        ring.add({std::sin(2 * pi * k / n), std::cos(2 * pi * k / n), 0});
        if (k > 0) line.join({k - 1, k}), ring.join({k - 1, k});
    }
    const std::vector<double> mass(line.vertices.size(), 1.0);
    double energy = 0;
    for (const Bend<3>& b : make_bending(line, 0, 5.0, mass).joints) {
        const Vec3d x = ring.vertex(b.vertex[0]);
        const Vec3d edge[2] = {ring.vertex(b.vertex[1]) - x, ring.vertex(b.vertex[2]) - x};
        const double s = JointBend::measure(edge) - b.rest;
        energy += 0.5 * b.weight * s * s;
    }
    // the length of the chord and 99 of 100 vertices
    EXPECT_NEAR(energy, 0.5 * 5 * 2 * pi * 0.99, 2e-3 * energy);
    for (const Bend<3>& b : find_joints(ring)) EXPECT_NEAR(b.rest, 2 * std::sin(pi / n), 1e-9);
}

TEST(Bends, WeldedLinesBendEachForItself) {
    ThinBody cross;
    for (int k = 0; k < 5; ++k) cross.add({k - 2.0, 0, 0});
    for (const double y : {-1.0, 1.0}) cross.add({0, y, 0});
    cross.join({0, 1, 2, 3, 4});
    cross.join({5, 2, 6});
    EXPECT_EQ(find_joints(cross).size(), 4u);  // three of one line, one of the other
}

TEST(Bends, FoldsThatAreThereAtTheStartStay) {
    CurtainPlan plan;
    plan.edge = 0.05;
    // hung in folds, but flat at rest
    for (const Bend<4>& b : find_hinges(curtain(plan))) EXPECT_NEAR(b.rest, 0, 1e-9);
    ThinBody tent;
    for (const Vec3d& x : {Vec3d{0, 0, 0}, Vec3d{0, 0, 1}, Vec3d{1, -1, 0}, Vec3d{-1, -1, 0}})
        tent.add(x);
    tent.triangles = {{0, 1, 2}, {1, 0, 3}};
    const auto hinges = find_hinges(tent);
    ASSERT_EQ(hinges.size(), 1u);
    EXPECT_NEAR(std::fabs(hinges[0].rest), std::sqrt(2.0), 1e-9);  // a right angle
}

}  // namespace
}  // namespace knead::test
