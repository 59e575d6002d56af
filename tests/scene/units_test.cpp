#include <gtest/gtest.h>

#include "knead/scene/read_scene.h"

namespace knead {
namespace {

const char* const plain = R"(
gravity = [0, -9.81, 0]
[solver]
dx = 0.035
[time]
frame_rate = 25
max_dt = 0.0005
[materials.gum]
density = 900
elastic.law = "neo-hookean"
elastic.young_modulus = 12000
elastic.poisson_ratio = 0.4
flow.rule = "herschel-bulkley"
flow.yield_stress = 35
flow.viscosity = 0.85
[[bodies]]
material = "gum"
velocity = [0, -10, 0]
angular_velocity = [0, 2, 0]
shape = {sphere = {center = [0.07, 1, 0], radius = 0.5}, rotate = {axis = [0, 1, 0], angle = 45}}
)";

const char* const with_units = R"(
gravity = [0, "-981 cm/s2", 0]
[solver]
dx = "35 mm"
[time]
frame_rate = "25 Hz"
max_dt = "0.5 ms"
[materials.gum]
density = "0.9 g/cm^3"
elastic.law = "neo-hookean"
elastic.young_modulus = "12 kPa"
elastic.poisson_ratio = 0.4
flow.rule = "herschel-bulkley"
flow.yield_stress = "0.35 mbar"
flow.viscosity = 0.85
[[bodies]]
material = "gum"
velocity = ["0 m/s", "-36 km/h", 0]
angular_velocity = [0, "2 rad/s", 0]
shape = {sphere = {center = ["7 cm", 1, 0], radius = "50 cm"}, rotate = {axis = [0, 1, 0], angle = "0.125 turns"}}
)";

TEST(UnitsInScenes, AreTheSameSceneAsPlainNumbers) {
    EXPECT_EQ(write_scene(read_scene_text(with_units, "a.toml")),
              write_scene(read_scene_text(plain, "a.toml")));
}

TEST(UnitsInScenes, MayStandInSettingsWithAndWithoutQuotes) {
    for (const char* setting : {"solver.dx=7 mm", "solver.dx=\"7 mm\"", "solver.dx=0.7cm"})
        EXPECT_EQ(read_scene_text(plain, "a.toml", {setting}).solver.dx, 0.007) << setting;
}

TEST(UnitsInScenes, AWrongOneIsAMistakeWithAPlace) {
    const auto mistake = [](const std::string& line) {
        const std::string text = "[solver]\n" + line +
                                 "\n[[bodies]]\nmaterial = \"clay\"\n"
                                 "shape = {sphere = {radius = 0.5}}\n";
        const Reading reading = try_read_scene_text(text, "a.toml");
        EXPECT_EQ(reading.mistakes.size(), 1u) << line;
        return reading.mistakes.empty() ? Mistake{} : reading.mistakes.front();
    };
    const Mistake wrong = mistake("dx = \"3 kPa\"");
    EXPECT_EQ(wrong.place.line, 2);
    EXPECT_EQ(wrong.place.column, 6);
    EXPECT_EQ(wrong.what, "solver.dx is \"3 kPa\", which is in kPa, no measure in m");
    EXPECT_NE(wrong.remedy.find("\"2 m\""), std::string::npos);
    EXPECT_NE(mistake("dx = \"3 ells\"").what.find("no unit that knead knows"), std::string::npos);
    EXPECT_NE(mistake("dx = \"-3 mm\"").what.find("out of range"), std::string::npos);
    // a number without a unit takes none
    EXPECT_NE(mistake("dx = 0.1\ncfl = \"0.5 m\"").what.find("which is text"), std::string::npos);
}

}  // namespace
}  // namespace knead
