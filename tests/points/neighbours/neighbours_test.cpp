// The tree against a search through all points: equal lists, also where distances tie.
#include "knead/points/neighbours/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "knead/base/random.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

std::vector<Vec3d> lattice(int n, double spacing) {
    std::vector<Vec3d> points;
    for (int i = 0; i < n * n * n; ++i)
        points.push_back(spacing * Vec3d{double(i / n / n), double(i / n % n), double(i % n)});
    return points;
}

// Dense in the middle, a few far away.
std::vector<Vec3d> uneven(std::size_t n) {
    std::vector<Vec3d> points;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3d x =
            Vec3d{random_unit(3, i, 0), random_unit(3, i, 1), random_unit(3, i, 2)} - splat(0.5);
        points.push_back((i % 50 == 0 ? 40.0 : 8 * length_squared(x)) * x);
    }
    return points;
}

std::vector<Found> all_found(const std::vector<Vec3d>& points, std::size_t i, double radius) {
    std::vector<Found> found;
    for (std::uint32_t j = 0; j < points.size(); ++j) {
        const double d2 = length_squared(points[j] - points[i]);
        if (j != i && d2 < radius * radius) found.push_back({d2, j});
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::uint32_t> first_of(const std::vector<Found>& found, std::size_t k) {
    std::vector<std::uint32_t> indices;
    for (std::size_t i = 0; i < std::min(k, found.size()); ++i) indices.push_back(found[i].index);
    return indices;
}

std::vector<std::uint32_t> list_of(const Neighbours& lists, std::size_t i) {
    return {lists.of(i).begin(), lists.of(i).end()};
}

void expect_exact(const std::vector<Vec3d>& points, double radius) {
    const Neighbours near = nearest_within(points, 30, {{radius}}, ListOrder::by_distance);
    const Neighbours all = all_within(points, {{radius}}, ListOrder::by_distance);
    ASSERT_EQ(near.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto found = all_found(points, i, radius);
        ASSERT_EQ(list_of(near, i), first_of(found, 30)) << i;
        ASSERT_EQ(list_of(all, i), first_of(found, found.size())) << i;
    }
}

}  // namespace

TEST(KdTree, FindsWhatASearchThroughAllPointsFindsOnALatticeFullOfTies) {
    expect_exact(lattice(9, 0.5), 1.25);  // 80 within, 30 cut through a shell
}

TEST(KdTree, FindsWhatASearchThroughAllPointsFindsInUnevenPoints) {
    expect_exact(uneven(900), 0.3);
}

TEST(KdTree, FindsTheNearestWithoutARadius) {
    const auto points = uneven(400);
    const Neighbours near = nearest_within(points, 32, {{any_distance}}, ListOrder::by_distance);
    for (std::size_t i = 0; i < points.size(); ++i)
        ASSERT_EQ(list_of(near, i), first_of(all_found(points, i, 1e9), 32));
    // fewer points than asked for
    const auto few = lattice(2, 1.0);
    const Neighbours all = nearest_within(few, 32, {{any_distance}});
    EXPECT_EQ(list_of(all, 3), (std::vector<std::uint32_t>{0, 1, 2, 4, 5, 6, 7}));
}

TEST(KdTree, TakesARadiusForEachPoint) {
    const auto points = uneven(500);
    std::vector<double> radius;
    for (std::size_t i = 0; i < points.size(); ++i) radius.push_back(0.05 + random_unit(5, i));
    const Neighbours near = nearest_within(points, 20, radius, ListOrder::by_distance);
    for (std::size_t i = 0; i < points.size(); ++i)
        ASSERT_EQ(list_of(near, i), first_of(all_found(points, i, radius[i]), 20));
}

TEST(KdTree, GivesTheSameListsForAnyNumberOfThreads) {
    const auto points = uneven(5000);
    set_thread_count(1);
    const Neighbours one = nearest_within(points, 30, {{0.2}});
    set_thread_count(2);
    const Neighbours two = nearest_within(points, 30, {{0.2}});
    set_thread_count(0);
    EXPECT_EQ(one.begin, two.begin);
    EXPECT_EQ(one.index, two.index);
    EXPECT_GT(one.index.size(), 5000u);
}

TEST(KdTree, TakesNoPointsAndOnePoint) {
    for (std::size_t n : {0u, 1u}) {
        const std::vector<Vec3d> points(n, Vec3d{1, 2, 3});
        const Neighbours all = nearest_within(points, 5, {{any_distance}});
        EXPECT_EQ(all.size(), n);
        EXPECT_TRUE(all.index.empty());
    }
}

// Nearest lists are not symmetric; these are three points on a line, each naming one.
TEST(NeighbourLists, SymmetricListsNamePairsFromBothSides) {
    const std::vector<Vec3d> points{{0, 0, 0}, {1, 0, 0}, {3, 0, 0}};
    const Neighbours near = nearest_within(points, 1, {{any_distance}});
    EXPECT_EQ(near.index, (std::vector<std::uint32_t>{1, 0, 1}));
    EXPECT_EQ(transposed(near).index, (std::vector<std::uint32_t>{1, 0, 2}));
    const Neighbours both = symmetric(near);
    EXPECT_EQ(both.begin, (std::vector<std::size_t>{0, 1, 3, 4}));
    EXPECT_EQ(both.index, (std::vector<std::uint32_t>{1, 0, 2, 1}));
}

TEST(NeighbourLists, TransposedListsHoldThePointsThatListEachPoint) {
    const auto points = uneven(3000);
    set_thread_count(2);
    const Neighbours near = nearest_within(points, 12, {{any_distance}}, ListOrder::by_distance);
    const Neighbours two = transposed(near);
    set_thread_count(0);
    std::vector<std::vector<std::uint32_t>> expected(points.size());
    for (std::uint32_t i = 0; i < near.size(); ++i)
        for (const std::uint32_t j : near.of(i)) expected[j].push_back(i);
    ASSERT_EQ(two.size(), points.size());
    for (std::size_t j = 0; j < points.size(); ++j)
        EXPECT_EQ(std::vector(two.of(j).begin(), two.of(j).end()), expected[j]);
}

}  // namespace knead
