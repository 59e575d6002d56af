// Presets say what they were compared with, and the numbers they name are theirs.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "knead/materials/presets.h"
#include "knead/materials/rheometer.h"

namespace knead {

TEST(Presets, SayWhatTheyWereComparedWithAndHaveAColour) {
    for (const Material& m : material_presets()) {
        EXPECT_GT(m.compared.size(), 20u) << m.name;
        EXPECT_GE(m.color, 0) << m.name;
        EXPECT_LE(m.color, 0xffffff) << m.name;
    }
    std::set<int> colors;
    for (const char* name : {"jelly", "clay", "dough", "sand", "water", "slime", "honey", "pie"})
        colors.insert(find_preset(name)->color);
    EXPECT_EQ(colors.size(), 8u);
}

// Slime of polyvinyl alcohol and borax: 0.1 to 1 kPa.
TEST(Presets, SlimeIsAsSoftAsSlime) {
    const Material& slime = *find_preset("slime");
    EXPECT_GT(slime.elastic.shear_modulus, 100);
    EXPECT_LT(slime.elastic.shear_modulus, 1000);
    // A sudden shear decays to 1/e within 0.1 to 1 s.
    const Table held = relaxation(slime, 0.5, 1);
    const auto time = held.column("time"), stress = held.column("shear_stress");
    std::size_t i = 0;
    while (i + 1 < stress.size() && stress[i] > stress[0] / std::exp(1.0)) ++i;
    EXPECT_GT(time[i], 0.1);
    EXPECT_LT(time[i], 1);
}

// Real dough: 0.3 to 0.5.
TEST(Presets, DoughLosesEnergyInOscillation) {
    const std::array<double, 1> once{1};
    const auto tangent = [&](double strain) {
        const Table t = oscillatory(*find_preset("dough"), strain, once);
        return t.column("loss_modulus")[0] / t.column("storage_modulus")[0];
    };
    EXPECT_GT(tangent(0.1), 0.3);
    EXPECT_LT(tangent(0.1), 0.5);
    EXPECT_LT(tangent(0.02), 1e-3);  // as its note says
}

}  // namespace knead
