// Rows that come and go, in every column alike.
#include "knead/particles/edit_rows.h"

#include <gtest/gtest.h>

#include "knead/base/error.h"
#include "knead/particles/vertex_rows.h"

namespace knead {

namespace {

// Row i holds numbers that name the row and the plane; F is absent.
Phase<float> numbered_phase(std::size_t n) {
    Phase<float> phase;
    Particles<float>& p = phase.particles;
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
    return phase;
}

}  // namespace

TEST(EditRows, RemovesMarkedRowsFromEveryColumnAndKeepsTheOrder) {
    auto phase = numbered_phase(6);
    const Particles<float>& p = phase.particles;
    remove_rows(phase, {1, 0, 0, 1, 0, 1});
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
    Phase<float> phase = numbered_phase(7);
    phase.blocks = {{5, 0, 2}, {6, 2, 4}, {9, 4, 5}, {11, 5, 7}};
    remove_rows(phase, {0, 1, 0, 0, 1, 1, 0});
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
    auto phase = numbered_phase(3);
    const Particles<float>& p = phase.particles;
    phase.blocks = {{5, 0, 3}};
    EXPECT_EQ(append_rows(phase, 0), 3u);
    EXPECT_EQ(phase.blocks.size(), 1u);
    EXPECT_EQ(append_rows(phase, 2), 3u);
    EXPECT_TRUE(phase.blocks.empty());
    ASSERT_EQ(p.size(), 5u);
    EXPECT_EQ(p.id.at(2), 20);
    EXPECT_EQ(p.id.at(4), 0);
    EXPECT_EQ(p.b.at(4, 5), 0.f);
    EXPECT_EQ(p.F.size(), 0u);
}

// Rows 0..n-1 know the next one, round the ring.
void link_ring(Phase<float>& phase) {
    const std::size_t n = phase.particles.size();
    phase.links.create(n);
    for (std::size_t i = 0; i < n; ++i) {
        phase.links.count[i] = 1;
        phase.links.to[phase.links.first(i)] = static_cast<std::int32_t>((i + 1) % n);
        phase.links.set_rest(phase.links.first(i), {static_cast<float>(i), 0, 0});
    }
}

TEST(EditRows, LinksFollowTheRows) {
    Phase<float> phase = numbered_phase(4);
    link_ring(phase);
    reorder(phase, {2, 0, 3, 1});
    // ids 20, 0, 30, 10: who knew the next one still does
    const std::int32_t next[] = {2, 3, 1, 0};
    for (std::size_t i = 0; i < 4; ++i) {
        ASSERT_EQ(phase.links.count[i], 1);
        EXPECT_EQ(phase.links.to[phase.links.first(i)], next[i]);
        EXPECT_EQ(phase.links.rest(phase.links.first(i)).x,
                  static_cast<float>(phase.particles.id.at(i) / 10));
    }
    remove_rows(phase, {0, 1, 0, 0});  // id 0, whom 30 knows
    ASSERT_EQ(phase.links.size(), 3u);
    EXPECT_EQ(phase.links.count[1], 0);
    EXPECT_EQ(phase.links.to[phase.links.first(0)], 1);
    append_rows(phase, 1);
    EXPECT_EQ(phase.links.size(), 4u);
    EXPECT_EQ(phase.links.count[3], 0);
}

// Three vertices in the first phase, two segments in the second.
std::vector<Phase<float>> two_segments() {
    std::vector<Phase<float>> phases{numbered_phase(3), numbered_phase(2)};
    phases[0].kind = PhaseKind::vertices;
    phases[1].kind = PhaseKind::elements;
    Elements<float>& e = phases[1].elements;
    e.create(2, 2);
    e.vertex[0] = {0, 10}, e.vertex[1] = {10, 20};
    e.inverse_rest[0] = {4, 5};
    return phases;
}

TEST(EditRows, ElementsFollowTheRowsAndFindTheirVertices) {
    auto phases = two_segments();
    ASSERT_EQ(elements_mistake(phases), "");
    reorder(phases[0], {1, 2, 0});
    reorder(phases[1], {1, 0});
    const VertexRows rows = find_vertex_rows(phases, phases[1]);
    EXPECT_EQ(rows.corner[0], (std::vector<std::uint32_t>{0, 2}));
    EXPECT_EQ(rows.corner[1], (std::vector<std::uint32_t>{1, 0}));
    EXPECT_TRUE(rows.corner[2].empty());
    EXPECT_EQ(phases[1].elements.inverse_rest[0][0], 5);
    append_rows(phases[1], 1);
    EXPECT_EQ(phases[1].elements.vertex[1][2], -1);
    EXPECT_THROW(find_vertex_rows(phases, phases[1]), RunError);
}

TEST(EditRows, WrongElementsAreNamed) {
    auto gone = two_segments();
    gone[1].elements.vertex[0][1] = 11;
    EXPECT_EQ(elements_mistake(gone), "an element whose vertices are not there");
    auto apart = two_segments();
    apart[0].kind = PhaseKind::volume;
    EXPECT_EQ(elements_mistake(apart), "elements without a phase of vertices");
    auto cut = two_segments();
    cut[1].elements.vertex[1].resize(1);
    EXPECT_EQ(elements_mistake(cut), "a list of elements of the wrong length");
    auto loose = two_segments();
    loose[1].kind = PhaseKind::volume;
    EXPECT_EQ(elements_mistake(loose), "elements in a phase of another kind");
    auto single = two_segments();
    single[1].elements.corners = 1;
    EXPECT_EQ(elements_mistake(single), "elements with 1 corners");
}

TEST(EditRowsDeathTest, VerticesAndElementsAreNeverRemoved) {
    auto phases = two_segments();
    EXPECT_DEATH(remove_rows(phases[0], {0, 0, 1}), "hang together");
    EXPECT_DEATH(remove_rows(phases[1], {0, 1}), "hang together");
}

}  // namespace knead
