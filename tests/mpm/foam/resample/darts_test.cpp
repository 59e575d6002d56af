// The search for darts finds all that land, and the quarters it leaves out lie inside one sphere.
#include <gtest/gtest.h>

#include <algorithm>

#include "knead/mpm/foam/resample/cover_quarters.h"
#include "knead/mpm/foam/resample/poisson_darts.h"
#include "mpm/foam/resample/bodies.h"

namespace knead {

namespace {

constexpr double r = 1.5e-3;

// Stretched, and off the lattice by up to a fifth of its spacing.
std::vector<Phase<double>> loose_foam(int n, double stretch) {
    auto phases = testing::stretched_foam<double>(n, 2 * r, stretch);
    auto& p = phases[0].particles;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (int a = 0; a < 3; ++a)
            p.x.at(i, a) += 0.4 * r * (random_unit(9, i, static_cast<std::uint64_t>(a)) - 0.5);
    return phases;
}

// A dart and where it stands [m].
struct PlainDart {
    std::uint64_t priority;
    Vec3d x;
};

// Every dart of one level in a cell, whatever is there.
void throw_all(const DartPart& part, int level, const Vec3i& cell, std::vector<PlainDart>& out) {
    if (part.level == level)
        return out.push_back({part.priority(), r * (static_cast<Vec3d>(cell) + part.dart())});
    for (int c = 0; c < 8; ++c) throw_all(part.child(c), level, cell, out);
}

// Level by level all darts of all cells; of those that keep their distance the first to win.
std::vector<Vec3d> plain_darts(const std::vector<Phase<double>>& phases, const Vec3i& cells,
                               std::uint64_t seed, std::uint64_t step) {
    const PointGrid points(phases, r);
    const SignedDistance distance(points);
    std::vector<Vec3d> accepted;
    for (int level = 0; level < dart_levels; ++level) {
        std::vector<PlainDart> thrown;
        for (int i = 0; i < cells.x; ++i)
            for (int j = 0; j < cells.y; ++j)
                for (int k = 0; k < cells.z; ++k) {
                    const auto corners = distance.corners({i, j, k});
                    if (*std::min_element(corners.begin(), corners.end()) < dart_depth)
                        throw_all(dart_cell({i, j, k}, seed, step), level, {i, j, k}, thrown);
                }
        std::erase_if(thrown, [&](const PlainDart& dart) {
            bool near = distance(dart.x) >= dart_depth * r;
            const double reach = std::sqrt(double(surely_beyond2)) * r;
            points.for_each_within(dart.x, reach,
                                   [&](std::uint32_t, std::uint32_t, double) { near = true; });
            for (const Vec3d& other : accepted) near = near || length(other - dart.x) < reach;
            return near;
        });
        std::sort(thrown.begin(), thrown.end(),
                  [](const PlainDart& a, const PlainDart& b) { return a.priority < b.priority; });
        for (const PlainDart& dart : thrown)
            if (std::none_of(accepted.begin(), accepted.end(), [&](const Vec3d& other) {
                    return length(other - dart.x) < dart_spacing * r;
                }))
                accepted.push_back(dart.x);
    }
    return accepted;
}

}  // namespace

TEST(ResampleDarts, AreThoseOfAPlainSearch) {
    for (const double stretch : {1.1, 1.5}) {
        const auto phases = loose_foam(12, stretch);
        const PointGrid points(phases, r);
        const auto found = poisson_darts(points, SignedDistance(points), 3, 50);
        const auto plain = plain_darts(phases, {19, 13, 13}, 3, 50);
        EXPECT_GT(found.size(), 20u);
        ASSERT_EQ(found.size(), plain.size()) << stretch;
        for (std::size_t i = 0; i < found.size(); ++i)
            EXPECT_LT(length(found[i] - plain[i]), 1e-12 * r) << stretch << " " << i;
    }
}

// Held is what one sphere holds, to within rounding.
TEST(ResampleDarts, CoveredQuartersLieInsideOneSphere) {
    CoverQuarters cover;
    cover.clear(surely_within2);
    std::vector<Vec3d> centers;
    for (std::uint64_t i = 0; i < 600; ++i) {  // also beyond the block's faces
        centers.push_back(
            10 * Vec3d{random_unit(5, i, 0), random_unit(5, i, 1), random_unit(5, i, 2)} -
            splat(1.0));
        cover.add_sphere(static_cast<Vec3<float>>(centers.back()));
    }
    int held = 0, open = 0;
    for (int c = 0; c < 512; ++c) {
        const Vec3i cell{c >> 6, (c >> 3) & 7, c & 7};
        const std::uint64_t bits = cover.open_quarters(cell);
        for (int q = 0; q < 64; ++q) {
            const Vec3d middle =
                static_cast<Vec3d>(cell) +
                0.25 * (static_cast<Vec3d>(Vec3i{q >> 4, (q >> 2) & 3, q & 3}) + splat(0.5));
            double least = 9;  // squared distance from a centre to the quarter's farthest corner
            for (const Vec3d& x : centers) {
                const Vec3d d{std::abs(x.x - middle.x) + 0.125, std::abs(x.y - middle.y) + 0.125,
                              std::abs(x.z - middle.z) + 0.125};
                least = std::min(least, length_squared(d));
            }
            const bool is_open = (bits >> q) & 1;
            if (is_open) {
                EXPECT_GT(least, double(surely_within2) - 1e-5);
                ++open;
            } else {
                EXPECT_LT(least, dart_spacing * dart_spacing);
                ++held;
            }
        }
    }
    EXPECT_GT(held, 5000);
    EXPECT_GT(open, 5000);
}

}  // namespace knead
