#include "knead/base/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace knead {

TEST(Suggest, CountsEditsAndSwapsAsOneEach) {
    EXPECT_EQ(edit_distance("", ""), 0);
    EXPECT_EQ(edit_distance("", "abc"), 3);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
    EXPECT_EQ(edit_distance("raduis", "radius"), 1);
    EXPECT_EQ(edit_distance("ca", "abc"), 3);  // alignment: no edits inside a swap
    EXPECT_EQ(edit_distance("Young-Modulus", "young_modulus"), 0);
}

TEST(Suggest, FindsTheNearestWord) {
    const std::vector<std::string> keys = {"density", "viscosity", "yield_stress", "friction"};
    EXPECT_EQ(nearest("dnesity", keys), "density");
    EXPECT_EQ(nearest("visc", keys), "viscosity");
    EXPECT_EQ(nearest("yield stres", keys), "yield_stress");
    EXPECT_EQ(nearest("frictoin", keys), "friction");
}

TEST(Suggest, StaysSilentWhenNothingIsNear) {
    const std::vector<std::string> keys = {"density", "viscosity", "dx"};
    EXPECT_EQ(nearest("banana", keys), "");
    EXPECT_EQ(nearest("", keys), "");
    EXPECT_EQ(nearest(std::string(100000, 'd'), keys), "");
    EXPECT_EQ(nearest("x", {}), "");
    EXPECT_EQ(did_you_mean("banana", keys), "");
}

TEST(Suggest, OfTwoEquallyFarTheCommonBeginningWins) {
    const std::vector<std::string> keys = {"abed", "cube"};
    EXPECT_EQ(nearest("cubed", keys), "cube");
    EXPECT_EQ(did_you_mean("cubed", keys), "did you mean \"cube\"?");
}

}  // namespace knead
