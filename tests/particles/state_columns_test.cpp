// What materials remember, in tables: made at rest, and read back.
#include "knead/particles/state_columns.h"

#include <gtest/gtest.h>

namespace knead {
namespace {

TEST(StateColumns, AreCreatedAtRestForTheBitsOfALawAlone) {
    Particles<float> p;
    p.id.create(3);
    create_state_columns<uses_F | uses_b | uses_hardening>(p);
    EXPECT_FALSE(p.dilation.present());
    EXPECT_FALSE(p.weak.present());
    EXPECT_EQ(p.F.mat(2), identity3<float>());
    EXPECT_EQ(p.b.sym(1), sym_identity<float>());
    EXPECT_EQ(p.hardening.at(0), 0);
}

TEST(StateColumns, OnlyTheRowsNamedReturnToRest) {
    Particles<double> p;
    p.id.create(3);
    create_state_columns<uses_F | uses_dilation>(p);
    for (std::size_t i = 0; i < 3; ++i) p.F.at(i, 1) = 2, p.dilation.at(i) = 0.5;
    set_at_rest(p, 1, 2);
    EXPECT_EQ(p.F.at(0, 1), 2);
    EXPECT_EQ(p.F.at(1, 1), 0);
    EXPECT_EQ(p.F.at(2, 1), 2);
    EXPECT_EQ(p.dilation.at(1), 0);
    EXPECT_EQ(p.dilation.at(2), 0.5);
}

TEST(StateColumns, AStateIsReadAsFarAsTheBitsGo) {
    Particles<double> p;
    p.id.create(1);
    create_state_columns<uses_F | uses_dilation>(p);
    p.F.at(0, 5) = 3;
    p.dilation.at(0) = 0.25;
    const auto both = state_of<uses_F | uses_dilation>(p, 0);
    EXPECT_EQ(both.F.yz, 3);
    EXPECT_EQ(both.dilation, 0.25);
    EXPECT_EQ(both.b, sym_identity<double>());
    EXPECT_EQ(state_of<uses_dilation>(p, 0).F, identity3<double>());
}

}  // namespace
}  // namespace knead
