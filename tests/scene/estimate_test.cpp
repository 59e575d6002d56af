// What a scene will take, before it is built.
#include "knead/scene/estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knead/base/machine.h"
#include "knead/geometry/sdf_build.h"
#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"

namespace knead {
namespace {

Scene scene_of(double dx, const std::string& more = "", const std::string& body = "") {
    return read_scene_text(
        "[solver]\ndx = " + std::to_string(dx) +
            "\n[[bodies]]\nmaterial = \"jelly\"\nshape = {sphere = {radius = 0.5}}\n" + body +
            "\n" + more,
        "a.toml");
}

// A ball as it stands in the scene above.
Estimate cost_of(const Scene& scene) {
    return estimate(scene, std::vector<BodyShape>(scene.bodies.size(),
                                                  {sdf::sphere({0, 0, 0}, 0.5), SdfShape()}));
}

TEST(Estimate, CountsParticlesWithoutMakingThem) {
    const Scene scene = scene_of(0.1);
    const auto built = build_model<float>(scene);
    const auto made = static_cast<double>(built.state.particle_count());
    EXPECT_NEAR(built.cost.particle_count(), made, 0.05 * made);
    // Eight times as many where cells are half as wide.
    EXPECT_NEAR(cost_of(scene_of(0.05)).particle_count(), 8 * built.cost.particle_count(), 1);
}

TEST(Estimate, CopiesAndRefinedPartsCount) {
    const double one = cost_of(scene_of(0.1)).particle_count();
    const Scene copies =
        scene_of(0.1, "[time]\nframes = 600", "emit = {interval = 1.0, count = 20}");
    EXPECT_NEAR(cost_of(copies).particle_count(), 20 * one, 1);
}

TEST(Estimate, MoreThanTheMachineHasIsRefusedWithTheDxThatFits) {
    for (const Method method : {Method::mpm, Method::incremental, Method::embedded})
        for (const double available : {1e9, 23e9, 700e9}) {
            Scene chosen = scene_of(0.1);
            chosen.solver.dx = 1e-5;
            chosen.solver.method = method;
            const auto mistakes = memory_mistakes(chosen, cost_of(chosen), available);
            ASSERT_EQ(mistakes.size(), 1u);
            EXPECT_EQ(mistakes[0].place.line, 2);
            const std::string say = "at least ";
            const std::size_t at = mistakes[0].remedy.find(say);
            ASSERT_NE(at, std::string::npos) << mistakes[0].remedy;
            const double dx = std::stod(mistakes[0].remedy.substr(at + say.size()));
            // It fits, and a tenth less would not.
            chosen.solver.dx = dx;
            EXPECT_TRUE(memory_mistakes(chosen, cost_of(chosen), available).empty()) << dx;
            chosen.solver.dx = 0.9 * dx;
            EXPECT_FALSE(memory_mistakes(chosen, cost_of(chosen), available).empty()) << dx;
        }
}

TEST(Estimate, LessThanTheProgramTakesFitsNoDx) {
    const Scene scene = scene_of(0.1);
    const auto mistakes = memory_mistakes(scene, cost_of(scene), 4e7);
    ASSERT_EQ(mistakes.size(), 1u);
    EXPECT_EQ(mistakes[0].remedy,
              "the program alone takes 60 MB: end other programs, or raise the limit");
}

TEST(Estimate, ABodyWithItsOwnSpacingIsNamed) {
    Scene scene = scene_of(0.1, "", "spacing = 0.05");
    scene.bodies[0].spacing = 1e-5;
    const auto mistakes = memory_mistakes(scene, cost_of(scene), 1e9);
    ASSERT_EQ(mistakes.size(), 1u);
    EXPECT_NE(mistakes[0].remedy.find("bodies.0.spacing of at least"), std::string::npos)
        << mistakes[0].remedy;
}

TEST(Estimate, NumbersStayFiniteForTheLeastSpacing) {
    for (const double dx : {1e-30, 1e-100, 1e-300}) {
        Scene scene = scene_of(0.1);
        scene.solver.dx = dx;
        for (const auto& m : memory_mistakes(scene, cost_of(scene), 1e10)) {
            EXPECT_EQ(m.remedy.find("inf"), std::string::npos) << m.remedy;
            EXPECT_EQ(m.remedy.find("nan"), std::string::npos) << m.remedy;
        }
        EXPECT_FALSE(memory_mistakes(scene, cost_of(scene), 1e10).empty());
    }
}

TEST(Estimate, ASceneThatIsTooLargeIsRefusedBeforeAParticleIsMade) {
    EXPECT_THROW(build_model<float>(scene_of(1e-5)), InputError);
    EXPECT_THROW(build_model<double>(scene_of(1e-7)), InputError);
}

// A frame of matter that comes evenly is half as large on average; copies count when they are due.
TEST(Estimate, WhatComesLaterTakesDiskFromThenOn) {
    Scene scene = scene_of(0.05);
    scene.time = {};
    scene.time.frame_rate = 10;
    scene.time.frames = 100;
    const Estimate whole = cost_of(scene);
    EmitSpec emit;
    emit.interval = 1;
    emit.count = 1000;
    scene.bodies[0].emit = emit;
    const Estimate copies = cost_of(scene);
    EXPECT_DOUBLE_EQ(copies.particles[0], 11 * whole.particles[0]);
    EXPECT_NEAR(copies.disk / (11 * whole.disk), 0.53, 0.1);
    scene.bodies[0].emit->start = 20;
    EXPECT_EQ(cost_of(scene).particles[0], 0);
}

TEST(Estimate, AMillionFramesGetAWarningWithTheDiskTheyTake) {
    Scene scene = scene_of(0.1);
    EXPECT_TRUE(disk_warnings(scene, cost_of(scene), 1e12).empty());
    EXPECT_FALSE(disk_warnings(scene, cost_of(scene), 1e5).empty());
    scene.time.frames = 1000000;
    const auto warnings = disk_warnings(scene, cost_of(scene), 1e15);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].what.find("1000000 frames take about"), std::string::npos);
}

}  // namespace
}  // namespace knead
