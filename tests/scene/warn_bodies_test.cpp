// Warnings of scenes that are right and still will not do what is meant, and advice on their speed.
#include <gtest/gtest.h>

#include <cmath>

#include "knead/scene/advice.h"
#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/make_solver.h"

namespace knead {
namespace {

// A ball of 20 cm. Density times gravity times height is 1000 * 9.81 * 0.2 = 1.96 kPa.
std::string ball(const std::string& material,
                 const std::string& shape = "sphere = {radius = 0.1}") {
    return "[solver]\ndx = 0.02\n[materials.m]\ndensity = 1000\n" + material +
           "\n[[bodies]]\nname = \"ball\"\nmaterial = \"m\"\nshape = {" + shape + "}\n";
}

std::vector<Mistake> warnings_of(const std::string& text,
                                 const std::vector<std::string>& settings = {}) {
    return build_model<float>(read_scene_text(text, "ball.toml", settings)).warnings;
}

constexpr auto soft =
    "elastic = {law = \"fixed-corotated\", young_modulus = 50, poisson_ratio = 0.4}";

}  // namespace

TEST(Bodies, KPaForPaIsAskedFor) {
    const auto found = warnings_of(ball(soft));
    ASSERT_EQ(found.size(), 1u);
    const std::string text = to_string(found[0]);
    EXPECT_NE(text.find("body ball cannot bear its own weight"), std::string::npos) << text;
    EXPECT_NE(text.find("was kPa meant?"), std::string::npos) << text;
    EXPECT_NE(text.find("\"50 kPa\""), std::string::npos) << text;
    EXPECT_EQ(found[0].place.line, 8) << text;
}

TEST(Bodies, StiffEnoughMatterAndWeightlessMatterAreNot) {
    EXPECT_TRUE(warnings_of(ball(soft), {"materials.m.elastic.young_modulus=2000"}).empty());
    EXPECT_TRUE(warnings_of(ball(soft), {"gravity=[0,0,0]"}).empty());
}

// What flows is held up by its bulk modulus.
TEST(Bodies, PastesMaySpread) {
    const std::string paste = ball(
        "elastic = {law = \"hencky\", bulk_modulus = 1e5, shear_modulus = 50}\n"
        "flow = {rule = \"von-mises\", yield_stress = 20}");
    EXPECT_TRUE(warnings_of(paste).empty());
    EXPECT_EQ(warnings_of(paste, {"materials.m.elastic.bulk_modulus=100"}).size(), 1u);
}

// Spacing is 1 cm: the wall of the tube is two particles thick, the tube itself 20 wide.
TEST(Bodies, AFewParticlesThickIsSaid) {
    const auto found = warnings_of(
        ball("elastic = {law = \"fixed-corotated\", young_modulus = 5e4, poisson_ratio = 0.4}",
             "shell = {of = {sphere = {radius = 0.1}}, thickness = 0.02}"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].what.find("at most three particles thick"), std::string::npos)
        << found[0].what;
}

// On points, waves run with the root of K + 4/3 G: with K = 9 and G = 0.75, a fourth of K makes 10
// to 3.25. On the grid the bound is the root of 3 K.
TEST(Advice, SaysWhatSofterMatterGains) {
    Model model;
    model.materials.resize(1);
    model.materials[0].name = "cream";
    model.materials[0].elastic.bulk_modulus = 9;
    model.materials[0].elastic.shear_modulus = 0.75;
    EXPECT_NEAR(advice(model, {{"stiffness of cream", 1e-4}, {"fastest particle", 1}})[0].gain, 2,
                1e-12);
    model.settings = IncrementalSettings();
    const auto found = advice(model, {{"stiffness of cream", 1e-4}, {"fastest particle", 1}});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].what, "a fourth of elastic.bulk_modulus of cream");
    EXPECT_NEAR(found[0].gain, std::sqrt(10 / 3.25), 1e-12);
    // The next limit bounds it; what gains next to nothing is not said.
    EXPECT_NEAR(advice(model, {{"stiffness of cream", 1e-4}, {"fastest particle", 1.5e-4}})[0].gain,
                1.5, 1e-12);
    EXPECT_TRUE(
        advice(model, {{"stiffness of cream", 1e-4}, {"fastest particle", 1.05e-4}}).empty());
    EXPECT_EQ(advice(model, {{"viscosity of cream", 1e-4}, {"a", 1}})[0].gain, 2);
}

// And the gain is true: the limits of the scene with the advice taken.
TEST(Advice, IsTrue) {
    const auto dt_of = [](const std::vector<std::string>& settings) {
        const Scene scene = read_scene_text(ball("preset = \"whipped-cream\""), "a.toml", settings);
        Built<float> built = build_model<float>(scene);
        const auto solver = make_solver<float>(built.model, Backend::cpu);
        solver->prepare(built.state);
        return preflight(built.model, built.state, *solver);
    };
    const Preflight now = dt_of({});
    const Scene scene = read_scene_text(ball("preset = \"whipped-cream\""), "a.toml", {});
    const auto found = advice(build_model<float>(scene).model, now.limits);
    ASSERT_EQ(found.size(), 1u);
    const Preflight then = dt_of({"materials.m.elastic.bulk_modulus=25000"});
    EXPECT_NEAR(then.dt / now.dt, found[0].gain, 0.02);
}

// With held nodes and APIC the speed of what flows along sticky walls depends on the step. A choice
// that is written is not asked about again.
TEST(FlowAlongWalls, IsSaidToNeedAflipAndSurfaceWalls) {
    const std::string wall =
        "[[colliders]]\nname = \"bed\"\nshape = {plane = {point = [0, -0.1, 0], normal = [0, 1, "
        "0]}}\ncontact = \"sticky\"\n";
    const auto paste = [&](const std::string& flow) {
        return ball("elastic = {law = \"hencky\", bulk_modulus = 1e5, shear_modulus = 1e4}\n" +
                    flow) +
               wall;
    };
    const std::string flowing = paste("flow = {rule = \"von-mises\", yield_stress = 200}");
    const auto found = warnings_of(flowing);
    ASSERT_EQ(found.size(), 1u);
    const std::string text = to_string(found[0]);
    EXPECT_NE(text.find("how fast m flows along sticky bed"), std::string::npos) << text;
    EXPECT_NE(text.find("transfer = \"aflip\" and sticky_walls = \"surface\""), std::string::npos);
    EXPECT_EQ(warnings_of(flowing, {"solver.transfer=aflip"}).size(), 1u);
    EXPECT_EQ(warnings_of(flowing, {"solver.sticky_walls=surface"}).size(), 1u);
    for (const std::vector<std::string>& chosen :
         {std::vector<std::string>{"solver.transfer=aflip", "solver.sticky_walls=surface"},
          {"solver.sticky_walls=nodes"},
          {"solver.sticky_reach=0"},
          {"colliders.0.contact=slip"},
          {"solver.method=incremental"}})
        EXPECT_TRUE(warnings_of(flowing, chosen).empty()) << chosen[0];
    EXPECT_TRUE(warnings_of(paste("")).empty());  // a solid
    EXPECT_TRUE(
        warnings_of(paste("flow = {rule = \"drucker-prager\", friction_angle = 30}")).empty());
}

}  // namespace knead
