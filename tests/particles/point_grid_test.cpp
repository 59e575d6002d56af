// Range queries against a search through all points.
#include "knead/particles/point_grid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "knead/base/error.h"
#include "knead/base/random.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Two phases of random points in a box around the origin, some of them far out.
std::vector<Phase<float>> scattered_points(std::size_t n) {
    std::vector<Phase<float>> phases(2);
    for (std::size_t p = 0; p < 2; ++p) {
        auto& particles = phases[p].particles;
        particles.id.create(n);
        particles.x.create(n);
        for (std::size_t i = 0; i < n; ++i) {
            Vec3d x{random_unit(p, i, 0), random_unit(p, i, 1), random_unit(p, i, 2)};
            x = 2.0 * x - splat(1.0);
            particles.x.set(i, i % 16 == 0 ? 50.0 * x : x);
        }
    }
    return phases;
}

using Hit = std::tuple<std::uint32_t, std::uint32_t, double>;

std::vector<Hit> all_within(const std::vector<Phase<float>>& phases, const Vec3d& x, double r) {
    std::vector<Hit> hits;
    for (std::uint32_t p = 0; p < phases.size(); ++p)
        for (std::uint32_t i = 0; i < phases[p].particles.size(); ++i) {
            const double d2 = length_squared(phases[p].particles.x.vec(i) - x);
            if (d2 < r * r) hits.emplace_back(p, i, d2);
        }
    return hits;
}

std::vector<Hit> visited(const PointGrid& grid, const Vec3d& x, double r) {
    std::vector<Hit> hits;
    grid.for_each_within(
        x, r, [&](std::uint32_t p, std::uint32_t i, double d2) { hits.emplace_back(p, i, d2); });
    return hits;
}

}  // namespace

TEST(PointGrid, FindsWhatASearchThroughAllPointsFinds) {
    const auto phases = scattered_points(2000);
    std::size_t found = 0;
    for (const double cell : {0.04, 0.11, 0.7}) {
        const PointGrid grid(phases, cell);
        for (std::uint64_t q = 0; q < 100; ++q) {
            const Vec3d x{2 * random_unit(9, q, 0) - 1, 2 * random_unit(9, q, 1) - 1,
                          2 * random_unit(9, q, 2) - 1};
            for (const double radius : {0.02, 0.1, 0.35}) {
                auto hits = visited(grid, x, radius);
                std::sort(hits.begin(), hits.end());
                ASSERT_EQ(hits, all_within(phases, x, radius));
                found += hits.size();
            }
        }
    }
    EXPECT_GT(found, 1000u);
}

TEST(PointGrid, VisitsInTheSameOrderForAnyThreadCount) {
    const auto phases = scattered_points(20000);
    std::vector<std::vector<Hit>> orders;
    for (const int threads : {1, 2, 3}) {
        set_thread_count(threads);
        orders.push_back(visited(PointGrid(phases, 0.1), {0.1, -0.2, 0.3}, 0.5));
    }
    set_thread_count(0);
    EXPECT_GT(orders[0].size(), 100u);
    EXPECT_EQ(orders[0], orders[1]);
    EXPECT_EQ(orders[0], orders[2]);
}

TEST(PointGrid, FillsABoxOfCellsWithEachPointOnce) {
    const auto phases = scattered_points(4000);
    const PointGrid grid(phases, 0.07);
    const Vec3i lo{-9, -3, -12}, hi{6, 11, 4};
    std::vector<int> times(grid.size());
    grid.for_each_run(lo, hi, [&](std::uint32_t begin, std::uint32_t end) {
        for (std::uint32_t i = begin; i < end; ++i) ++times[i];
    });
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const Vec3i c = grid.cell_of(grid.point(i));
        bool inside = true;
        for (int a = 0; a < 3; ++a) inside &= lo[a] <= c[a] && c[a] <= hi[a];
        ASSERT_EQ(times[i], inside ? 1 : 0);
    }
}

TEST(PointGrid, MayBeEmpty) {
    const PointGrid grid(std::vector<Phase<double>>(1), 0.1);
    EXPECT_EQ(grid.size(), 0u);
    EXPECT_TRUE(visited(grid, {0, 0, 0}, 1).empty());
}

TEST(PointGrid, RefusesPointsItCannotNumber) {
    auto phases = scattered_points(10);
    for (const double bad : {1e30, std::numeric_limits<double>::quiet_NaN()}) {
        phases[0].particles.x.set(3, {bad, 0, 0});
        EXPECT_THROW(PointGrid(phases, 0.1), RunError);
    }
}

}  // namespace knead
