#include "knead/geometry/sdf_grid.h"

#include <gtest/gtest.h>

#include "geometry/sampling.h"
#include "knead/base/error.h"
#include "knead/geometry/sdf_build.h"

namespace knead {
namespace {

std::shared_ptr<SdfGrid> grid_of(const SdfShape& shape, const Box3& box, double h) {
    auto grid = std::make_shared<SdfGrid>();
    grid->origin = box.lo;
    grid->spacing = h;
    for (int a = 0; a < 3; ++a) grid->size[a] = static_cast<int>(box.size()[a] / h) + 2;
    grid->values.resize(grid->index(grid->size.x - 1, grid->size.y - 1, grid->size.z - 1) + 1);
    for (int k = 0; k < grid->size.z; ++k)
        for (int j = 0; j < grid->size.y; ++j)
            for (int i = 0; i < grid->size.x; ++i)
                grid->values[grid->index(i, j, k)] =
                    static_cast<float>(shape.distance(grid->point(i, j, k)));
    return grid;
}

TEST(SdfGrid, ReproducesALinearFieldExactly) {
    const SdfShape plane = sdf::plane({0.1, 0.2, 0.3}, {1, 2, -1});
    const auto grid = grid_of(plane, {{-1, -1, -1}, {1, 1, 1}}, 0.2);
    const SdfShape s = sdf::grid(grid);
    for (std::uint64_t i = 0; i < 500; ++i) {
        const Vec3d p = random_point(i, {{-1, -1, -1}, {1, 1, 1}});
        EXPECT_NEAR(s.distance(p), plane.distance(p), 1e-6);
        EXPECT_LT(length(s.gradient(p) - plane.gradient(p)), 1e-5);
    }
}

// sqrt(d(q)^2 + |p - q|^2) never exceeds the true distance, nor falls to zero outside.
TEST(SdfGrid, OutsideItsBoxItIsALowerBoundAndContinuous) {
    const SdfShape ball = sdf::sphere({0.1, 0, -0.1}, 0.6);
    const SdfShape s = sdf::grid(grid_of(ball, {{-1, -1, -1}, {1, 1, 1}}, 0.05));
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const Vec3d p = random_point(i, {{-5, -5, -5}, {5, 5, 5}});
        EXPECT_LE(s.distance(p), ball.distance(p) + 2e-3);
        EXPECT_NEAR(length(s.gradient(p)), 1, 1e-12);
        const Vec3d rim{1.05, 0.9 * std::sin(double(i)), 0.9 * std::cos(double(i))};
        EXPECT_NEAR(s.distance(rim + Vec3d{1e-9, 0, 0}), s.distance(rim - Vec3d{1e-9, 0, 0}), 1e-7);
    }
    EXPECT_GT(s.distance({1e8, -1e8, 3}), 1e8);
}

// A shape that reaches its grid's rim must not be taken to go on for ever.
TEST(SdfGrid, NothingIsInsideBeyondTheBox) {
    const SdfShape s =
        sdf::grid(grid_of(sdf::sphere({0, 0, 0}, 3), {{-1, -1, -1}, {1, 1, 1}}, 0.1));
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const Vec3d p = random_point(i, {{-4, -4, -4}, {4, 4, 4}});
        if (!s.bounds().grown(1e-9).contains(p)) {
            EXPECT_GT(s.distance(p), 0);
        }
    }
}

TEST(SdfGrid, DistancesSpreadFromABand) {
    const double h = 0.05;
    const SdfShape ball = sdf::sphere({0, 0, 0}, 0.7);
    const auto grid = grid_of(ball, {{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}}, h);
    const std::vector<float> truth = grid->values;
    std::vector<Vec3f> closest;
    for (int k = 0; k < grid->size.z; ++k)
        for (int j = 0; j < grid->size.y; ++j)
            for (int i = 0; i < grid->size.x; ++i) {
                const Vec3d p = grid->point(i, j, k);
                const bool near = std::fabs(ball.distance(p)) < 2 * h;
                closest.push_back(near ? static_cast<Vec3f>(0.7 * normalized(p)) : splat(1e30f));
                if (!near) grid->values[closest.size() - 1] = ball.distance(p) < 0 ? -1.f : 1.f;
            }
    spread_distances(*grid, closest);
    double worst = 0;
    int flipped = 0, moved = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        worst = std::max(worst, std::fabs(double(grid->values[i]) - truth[i]));
        flipped += std::signbit(grid->values[i]) != std::signbit(truth[i]);
        moved += closest[i].x < 1 && std::fabs(grid->values[i] - truth[i]) > 1e-6f;
    }
    // the surface is known every h or so: off by h / 2 sideways at a distance of 2 h or more
    EXPECT_LT(worst, 0.1 * h);
    EXPECT_EQ(flipped, 0);
    EXPECT_EQ(moved, 0);
}

TEST(SdfGrid, MismatchedValuesAreRefused) {
    auto grid = std::make_shared<SdfGrid>();
    grid->size = {2, 2, 2};
    grid->values.resize(7);
    EXPECT_THROW(sdf::grid(grid), InputError);
}

}  // namespace
}  // namespace knead
