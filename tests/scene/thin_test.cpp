// Sheets and curves in whole scenes, against the oracles of the method [Jiang 2017].
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knead/parallel/exec.h"
#include "scene/thin_scene.h"
#include "support/long_run.h"

namespace knead::test {
namespace {

// The tip of a strip that hangs from its upper edge sinks by rho g L^2 / (2 E'), where the 2D Lame
// pair makes E' = E / (1 - nu^2), of which elements bear their share of the volume, a fourth.
double sag_of_strip(const std::string& thin) {
    Thin<float> it(
        scene("0.02", cloth + "thin = {compression = 800, damping = 1" + thin +
                          "}\n[[bodies]]\nname = \"strip\"\nmaterial = \"cloth\"\nthin = {sheet = "
                          "{corner = [0, 0, 0], along = [0.1, 0, 0], across = [0, -0.5, "
                          "0]}, edge = 0.01}\n[[grips]]\nbody = \"strip\"\ngroup = "
                          "\"left\"\n"));
    // it swings for long: the mean of a few swings of 4 L / c = 0.27 s, or half of that
    double sum = 0;
    for (int k = 1; k <= 81; ++k) {
        EXPECT_TRUE(it.run(0.2 + 0.01 * k, 2e-4));
        double lowest = 0;
        for (std::size_t i = 0; i < it.vertices().size(); ++i)
            lowest = std::min(lowest, it.vertices().x.vec(i).y);
        sum += -lowest - 0.5;
    }
    return sum / 81;
}

TEST(ThinBodies, AHangingStripSagsByItsWeight) {
    LONG_RUN();
    const double E = 400 / (1 - 0.09), whole = 2 * 9.8 * 0.25 / (2 * E);
    EXPECT_NEAR(sag_of_strip(""), 4 * whole, 0.05 * 4 * whole);
    EXPECT_NEAR(sag_of_strip(", whole_volume = true"), whole, 0.05 * whole);
}

// `turning`: bound on what angular momentum changes by, over the mass [m2/s].
void expect_momentum(const std::string& damping, double turning) {
    const std::string text = scene(
        "0.05",
        cloth +
            "thin = {compression = 800, stretch = 2000, shear = 100, "
            "friction_angle = 20, damping = " +
            damping +
            "}\n"
            "[[bodies]]\nname = \"sheet\"\nmaterial = \"cloth\"\nvelocity = [0.3, 0.5, 0]\n"
            "thin = {sheet = {along = [0.5, 0, 0], across = [0, 0, -0.5]}, thickness = 0.01}\n"
            "[[bodies]]\nname = \"yarn\"\nmaterial = \"cloth\"\nvelocity = [0, -1, 0]\n"
            "thin = {pile = {center = [0.25, 0.06, -0.25], layers = 1, fibres = 3}}\n");
    Thin<double> it(text);
    it.built.model.gravity = {0, 0, 0};
    it.solver = make_solver<double>(it.built.model, Backend::cpu);
    it.solver->prepare(it.state());
    const FrameStatistics before = it.statistics();
    ASSERT_TRUE(it.run(0.1, 2e-4));
    const FrameStatistics after = it.statistics();
    EXPECT_LT(it.extra("min_r33"), 0.9999);  // they did meet
    EXPECT_LT(length(after.momentum - before.momentum), 1e-12 * before.mass);
    // not exact: elements stand where their vertices are, not where the grid would carry them
    EXPECT_LT(length(after.angular_momentum - before.angular_momentum), turning * before.mass);
}

TEST(ThinBodies, KeepMomentumInContact) {
    expect_momentum("0", 2e-5);  // they strike each other harder: found 1.1e-5
    expect_momentum("0.5", 1e-5);
    expect_momentum("1", 1e-5);
}

TEST(ThinBodies, ClothDrapesOverABall) {
    LONG_RUN();
    Thin<float> it(scene(
        "0.02",
        "[materials.cloth]\ndensity = 2\nelastic = {law = \"thin\", young_modulus = 200, "
        "poisson_ratio = 0.3}\nthin = {compression = 100, damping = 0.7}\n[[bodies]]\nname = "
        "\"cloth\"\nmaterial = \"cloth\"\nthin = {sheet = {corner = [-0.3, 0.21, 0.3], along = "
        "[0.6, 0, 0], across = [0, 0, -0.6]}}\n[[colliders]]\nname = \"ball\"\nshape = {sphere = "
        "{radius = 0.2}}\nfriction = 0.3\n"));
    double stretch = 0;
    for (int k = 1; k <= 30; ++k) {
        ASSERT_TRUE(it.run(0.02 * k, 1e-4));
        stretch = std::max(stretch, it.extra("max_edge_stretch"));
        EXPECT_EQ(it.extra("inverted"), 0);
    }
    EXPECT_LT(stretch, 1.3);
    for (std::size_t i = 0; i < it.vertices().size(); ++i)
        EXPECT_GT(length(it.vertices().x.vec(i)), 0.2 - 0.06 * 0.02);
}

// Fibres that cross: no mesh tears them, no contact makes them clump, no return map glues them.
struct Load {
    double gravity, edge;
};
double top_of_pile(const std::string& model, const Load& load, double* stretch) {
    Thin<float> it(
        "gravity = [0, -" + std::to_string(load.gravity) +
        ", 0]\n[solver]\ndx = 0.02\nthin_model = \"" + model +
        "\"\n[materials.wool]\ndensity = 4\nelastic = {law = \"thin\", young_modulus = 500, "
        "poisson_ratio = 0.3}\nthin = {stretch = 500, shear = 100, friction_angle = 10, damping = "
        "1}\n[[bodies]]\nname = \"pile\"\nmaterial = \"wool\"\nthin = {pile = {center = [0, 0.43, "
        "0], length = 0.5, gap = 0.03, spacing = 0.06}, edge = " +
        std::to_string(load.edge) +
        "}\n[[colliders]]\nname = \"block\"\nshape = {box = {center = [0, 0.25, 0], size = [0.3, "
        "0.3, 0.3]}}\nfriction = 0.3\n");
    EXPECT_TRUE(it.run(0.6, 1e-4)) << model;
    *stretch = it.extra("max_edge_stretch");
    double top = 0;
    for (std::size_t i = 0; i < it.vertices().size(); ++i)
        top = std::max(top, it.vertices().x.vec(i).y);
    return top;
}

TEST(ThinBodies, EveryPartOfTheModelIsNeeded) {
    LONG_RUN();
    const Load heavy{39.2, 0.03}, light{9.8, 0.02};
    double torn, clumped, stiff, full;
    top_of_pile("standard-mpm", heavy, &torn);
    EXPECT_GT(torn, 5);  // numerical fracture; a light load tears nothing
    for (const Load& load : {heavy, light}) {
        const double without_contact = top_of_pile("lagrangian-only", load, &clumped);
        const double without_flow = top_of_pile("no-plasticity", load, &stiff);
        const double whole = top_of_pile("full", load, &full);
        EXPECT_LT(full, 1.6);
        // strands fall into each other, and do not slide: by a cell or so
        EXPECT_LT(without_contact, whole - 0.02) << load.gravity;
        EXPECT_LT(whole, without_flow - 0.02) << load.gravity;
    }
}

TEST(ThinBodies, AreTheSameForAnyNumberOfThreads) {
    const std::string text = scene(
        "0.03",
        cloth +
            "thin = {compression = 800, stretch = 800, damping = 0.5}\n[[bodies]]\nname = \"rug\"\n"
            "material = \"cloth\"\nthin = {carpet = {corner = [-0.2, 0.3, 0.15], along = [0.4, 0, "
            "0], across = [0, 0, -0.3]}}\n"
            "[[bodies]]\nname = \"sand\"\nmaterial = \"sand\"\nshape = {sphere = {center = [0, "
            "0.55, 0], radius = 0.1}}\n"
            "[[grips]]\nbody = \"rug\"\ngroup = \"border\"\n");
    std::vector<Vec3d> places[2];
    for (int threads = 1; threads <= 2; ++threads) {
        set_thread_count(threads);
        Thin<float> it(text);
        ASSERT_TRUE(it.run(0.05, 2e-4));
        for (const auto& phase : it.state().phases)
            for (std::size_t i = 0; i < phase.particles.size(); ++i)
                places[threads - 1].push_back(phase.particles.x.vec(i));
    }
    set_thread_count(0);
    EXPECT_EQ(places[0], places[1]);
}

std::string first_mistake(const std::string& text) {
    const Reading reading = try_read_scene_text(text, "thin.toml", {});
    return reading.mistakes.empty() ? "" : reading.mistakes[0].what;
}

TEST(ThinBodies, MistakesAreNamed) {
    const auto body = [](const std::string& keys) {
        return scene("0.02",
                     cloth + "thin = {compression = 800}\n[[bodies]]\nname = \"a\"\n" + keys);
    };
    const std::string sheet = "thin = {sheet = {}}\n";
    EXPECT_EQ(first_mistake(body("material = \"cloth\"\n" + sheet)), "");
    EXPECT_NE(first_mistake(body("material = \"jelly\"\n" + sheet)).find("no material of sheets"),
              std::string::npos);
    EXPECT_NE(first_mistake(body("material = \"cloth\"\nshape = {sphere = {radius = 1}}\n"))
                  .find("is for sheets and curves"),
              std::string::npos);
    EXPECT_NE(first_mistake(body("material = \"cloth\"\nthin = {hair_tube = {}}\n"))
                  .find("no thin.stretch"),
              std::string::npos);
    EXPECT_NE(first_mistake(body("material = \"cloth\"\n")).find("has no shape"),
              std::string::npos);
    EXPECT_NE(first_mistake(body("material = \"cloth\"\nspacing = 0.1\n" + sheet)).find("spacing"),
              std::string::npos);
    EXPECT_NE(first_mistake(body("material = \"cloth\"\n" + sheet +
                                 "[[grips]]\nbody = \"b\"\ngroup = \"top\"\n"))
                  .find("no such thin body"),
              std::string::npos);
    const Scene wrong_group = read_scene_text(
        body("material = \"cloth\"\n" + sheet + "[[grips]]\nbody = \"a\"\ngroup = \"hem\"\n"),
        "thin.toml");
    EXPECT_THROW(build_model<float>(wrong_group), InputError);
}

}  // namespace
}  // namespace knead::test
