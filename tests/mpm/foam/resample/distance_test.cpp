// The distance to the surface of a union of spheres, on the sparse grid and on a dense one.
#include <gtest/gtest.h>

#include <algorithm>

#include "knead/base/random.h"
#include "knead/mpm/foam/resample/signed_distance.h"
#include "support/tolerance.h"

namespace knead {

namespace {

std::vector<Phase<double>> points_at(const std::vector<Vec3d>& x) {
    std::vector<Phase<double>> phases(1);
    phases[0].particles.id.create(x.size());
    phases[0].particles.x.create(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) phases[0].particles.x.set(i, x[i]);
    return phases;
}

// The same steps on a full box of nodes from lo, n a side, by trying everything; in units of r = 1.
struct DenseDistance {
    Vec3i lo;
    int n;
    std::vector<double> d;

    double& at(const Vec3i& node) {
        const Vec3i i = node - lo;
        return d[static_cast<std::size_t>((i.x * n + i.y) * n + i.z)];
    }
    template <class Visit>
    void for_each_node(Visit&& visit) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k < n; ++k) visit(lo + Vec3i{i, j, k});
    }
    DenseDistance(const std::vector<Vec3d>& points, const Vec3i& from, int side)
        : lo(from), n(side), d(static_cast<std::size_t>(side * side * side)) {
        for_each_node([&](const Vec3i& g) {
            double nearest = 2;
            for (const Vec3d& x : points)
                nearest = std::min(nearest, length(static_cast<Vec3d>(g) - x));
            at(g) = nearest - 1;
        });
        std::vector<Vec3d> crossings;
        for_each_node([&](const Vec3i& g) {
            for (int a = 0; a < 3; ++a) {
                Vec3i h = g;
                if (++h[a] == lo[a] + n || (at(g) < 0) == (at(h) < 0)) continue;
                Vec3d c = static_cast<Vec3d>(g);
                c[a] += at(g) / (at(g) - at(h));
                crossings.push_back(c);
            }
        });
        for_each_node([&](const Vec3i& g) {
            double nearest = 4;
            for (const Vec3d& c : crossings)
                nearest = std::min(nearest, length(static_cast<Vec3d>(g) - c));
            at(g) = at(g) < 0 ? -nearest : nearest;
        });
    }
};

}  // namespace

TEST(ResampleDistance, IsThatOfTheDenseGrid) {
    std::vector<Vec3d> points;  // a thick blob that touches several blocks, and two strays
    for (std::uint64_t i = 0; i < 3000; ++i) {
        const Vec3d x{random_unit(1, i, 0), random_unit(1, i, 1), random_unit(1, i, 2)};
        if (length(x - splat(0.5)) < 0.5) points.push_back(12.0 * x - Vec3d{5.1, 3.3, 8.2});
    }
    points.push_back({-7.5, -6.2, 3.3});
    points.push_back({-7.5, -5.1, 3.9});
    DenseDistance dense(points, {-14, -14, -15}, 28);
    const double r = 0.003;
    std::vector<Vec3d> scaled;
    for (const Vec3d& x : points) scaled.push_back(r * x);
    const SignedDistance sparse(PointGrid(points_at(scaled), r));
    int deep = 0;
    dense.for_each_node([&](const Vec3i& g) {
        ASSERT_NEAR(sparse.at_node(g), dense.at(g), tolerance::identity<double>());
        deep += dense.at(g) < -2.2;
    });
    EXPECT_GT(deep, 50);
}

// Between nodes the interpolation follows a plane; far below it the cap holds.
TEST(ResampleDistance, FallsOffLinearlyBelowAFlatSurface) {
    std::vector<Vec3d> points;
    for (int i = -10; i < 10; ++i)
        for (int j = -10; j < 10; ++j)
            for (int k = -10; k < 0; ++k) points.push_back({i + 0.5, j + 0.5, k + 0.5});
    const SignedDistance d(PointGrid(points_at(points), 1.0));
    // crossings lie on the vertical edges, at one height z
    const double z = d.at_node({0, 0, 1});
    for (const double depth : {0.5, 1.7, 2.2, 3.0}) {
        const double below = d({0.0, 0.0, -depth});
        EXPECT_NEAR(below, -depth - (1 - z), 1e-12);
    }
    EXPECT_EQ(d({0.3, 0.2, -5.5}), -4);
    EXPECT_EQ(d({40, 0, 0}), 4);
}

}  // namespace knead
