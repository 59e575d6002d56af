// Rows that come and go, in every column alike.
#include "knead/particles/edit_rows.h"

#include <gtest/gtest.h>

namespace knead {

namespace {

// Row i holds numbers that name the row and the plane; F is absent.
Particles<float> numbered_table(std::size_t n) {
    Particles<float> p;
    p.id.create(n);
    p.body.create(n);
    p.x.create(n);
    p.b.create(n);
    p.weak.create(n);
    p.for_each_column([&](const ColumnInfo&, auto& column) {
        using Scalar = typename std::remove_reference_t<decltype(column)>::Scalar;
        for (int k = 0; column.present() && k < column.planes; ++k)
            for (std::size_t i = 0; i < n; ++i)
                column.at(i, k) = static_cast<Scalar>(10 * static_cast<int>(i) + k);
    });
    return p;
}

}  // namespace

TEST(EditRows, RemovesMarkedRowsFromEveryColumnAndKeepsTheOrder) {
    auto p = numbered_table(6);
    remove_rows(p, {1, 0, 0, 1, 0, 1});
    const int left[] = {1, 2, 4};
    ASSERT_EQ(p.size(), 3u);
    EXPECT_FALSE(p.F.present());
    p.for_each_column([&](const ColumnInfo& info, auto& column) {
        if (!column.present()) return;
        ASSERT_EQ(column.size(), 3u) << info.name;
        for (int k = 0; k < column.planes; ++k)
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_EQ(static_cast<int>(column.at(i, k)), 10 * left[i] + k) << info.name;
    });
}

TEST(EditRows, LeavesASortedPhaseSorted) {
    Phase<float> phase;
    phase.particles = numbered_table(7);
    phase.blocks = {{5, 0, 2}, {6, 2, 4}, {9, 4, 5}, {11, 5, 7}};
    remove_sorted_rows(phase, {0, 1, 0, 0, 1, 1, 0});
    ASSERT_EQ(phase.particles.size(), 4u);
    const BlockRange left[] = {{5, 0, 1}, {6, 1, 3}, {11, 3, 4}};
    ASSERT_EQ(phase.blocks.size(), 3u);
    for (std::size_t b = 0; b < 3; ++b) {
        EXPECT_EQ(phase.blocks[b].key, left[b].key);
        EXPECT_EQ(phase.blocks[b].begin, left[b].begin);
        EXPECT_EQ(phase.blocks[b].end, left[b].end);
    }
    EXPECT_EQ(phase.particles.id.at(3), 60);
}

TEST(EditRows, AppendsZeros) {
    auto p = numbered_table(3);
    EXPECT_EQ(append_rows(p, 2), 3u);
    ASSERT_EQ(p.size(), 5u);
    EXPECT_EQ(p.id.at(2), 20);
    EXPECT_EQ(p.id.at(4), 0);
    EXPECT_EQ(p.b.at(4, 5), 0.f);
    EXPECT_EQ(p.F.size(), 0u);
}

}  // namespace knead
