#include "knead/mpm/sort_particles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "knead/mpm/grid/block_key.h"
#include "knead/particles/edit_rows.h"
#include "mpm/blocks.h"

namespace knead {
namespace {

// Slow ones go to the block where they will be, fast ones at most half a cell ahead.
TEST(SortParticles, GivesParticlesToTheBlockTheyWillBeIn) {
    const double dx = 0.1, offset = 0.5, lead = 0.02;
    std::vector<Phase<float>> phases{testing::cube_body<float>(dx, 9, 1000)};
    Particles<float>& p = phases[0].particles;
    for (std::size_t i = 0; i < p.size(); ++i)
        for (int a = 0; a < 3; ++a)
            p.v.at(i, a) = static_cast<float>(5 * std::sin(7.0 * static_cast<double>(i) + a));
    sort_particles(phases, dx, offset, lead);

    std::int64_t next = 0, last_key = -1;
    for (const BlockRange& block : phases[0].blocks) {
        EXPECT_EQ(block.begin, next);
        EXPECT_NE(block.key, last_key);
        for (std::int64_t row = block.begin; row < block.end; ++row) {
            const auto i = static_cast<std::size_t>(row);
            Vec3i at;
            for (int a = 0; a < 3; ++a) {
                const double ahead = lead * static_cast<double>(p.v.at(i, a)) / dx;
                const double cells = p.x.at(i, a) / dx + std::clamp(ahead, -0.5, 0.5);
                at[a] = static_cast<int>(std::floor((cells - offset) / block_width));
            }
            ASSERT_EQ(block.key, block_key(at)) << "row " << row;
        }
        next = block.end, last_key = block.key;
    }
    EXPECT_EQ(next, 18 * 18 * 18);
}

// However the rows stood before, the same particles come to stand in the same rows.
TEST(SortParticles, TheOrderOfRowsFollowsFromTheParticlesAlone) {
    const double dx = 0.1, offset = 0.5;
    std::vector<Phase<float>> one{testing::cube_body<float>(dx, 9, 1000)}, other = one;
    Particles<float>& p = other[0].particles;
    const std::size_t n = p.size();
    std::vector<std::uint32_t> shuffled(n);
    for (std::size_t i = 0; i < n; ++i) shuffled[i] = static_cast<std::uint32_t>(i * 3571 % n);
    reorder(other[0], shuffled);
    ASSERT_NE(p.id.at(1), one[0].particles.id.at(1));
    sort_particles(one, dx, offset, 0.0);
    sort_particles(other, dx, offset, 0.0);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(p.id.at(i), one[0].particles.id.at(i)) << i;
}

}  // namespace
}  // namespace knead
