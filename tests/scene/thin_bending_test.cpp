// Bending of sheets and curves in whole scenes.
#include <cmath>
#include <numbers>

#include "knead/parallel/exec.h"
#include "scene/thin_scene.h"
#include "support/long_run.h"

namespace knead::test {
namespace {

const std::string plate =
    "[materials.plate]\ndensity = 200\nelastic = {law = \"thin\", young_modulus = 4e5, "
    "poisson_ratio = 0}\nthin = {compression = 1e4, stretch = 1e6, sheet_bending = 0.04, "
    "fibre_bending = 2e-5}\n";

// How far the tip of a cantilever that is let go from straight sinks, on average over its swings.
double mean_sag(Thin<float>& it, double period) {
    const auto tip = [&] {
        double x = -1, y = 0;
        for (std::size_t i = 0; i < it.vertices().size(); ++i)
            if (it.vertices().x.vec(i).x > x)
                x = it.vertices().x.vec(i).x, y = it.vertices().x.vec(i).y;
        return y;
    };
    double sum = 0;
    const int samples = 60;
    for (int k = 1; k <= samples; ++k) {
        EXPECT_TRUE(it.run(2 * period * k / samples, 1e-3));
        sum -= tip();
    }
    return sum / samples;
}

// A strip of these edges, held at one end: w = q L^4 / (8 D), q = rho t g; the first swing takes
// 2 pi / 3.516 sqrt(q L^4 / (g D)). A hinge stands for the half edge on either side of it, so
// that the strip bends from half an edge within the grip on. `soft`: how much softer it is.
void check_cantilever(const std::string& edge, double soft) {
    const double L = 0.2 + 0.5 * std::stod(edge), q = 200 * 1e-3 * 9.8, D = 0.04 / soft;
    Thin<float> it(
        scene("0.0125",
              plate +
                  "[[bodies]]\nname = \"strip\"\nmaterial = \"plate\"\nthin = {sheet = {corner = "
                  "[-0.05, 0, 0], along = [0.25, 0, 0], across = [0, 0, -0.025]}, edge = " +
                  edge +
                  ", thickness = 1e-3}\n[[grips]]\nshape = {box = {center = [-0.05, 0, 0], size = "
                  "[0.102, 1, 1]}}\n"));
    const double period = 2 * std::numbers::pi / 3.516 * std::sqrt(q * std::pow(L, 4) / (9.8 * D));
    const double sag = q * std::pow(L, 4) / (8 * D);
    EXPECT_NEAR(mean_sag(it, period), sag, 0.05 * sag) << edge;
}

// Edges are half a cell: the grid does not carry what makes a mesh with alternating diagonals soft.
TEST(ThinBending, ACantileverSheetSagsAsAPlateStrip) {
    LONG_RUN();
    check_cantilever("0.00625", 1);
}

// With edges of a cell, vertices at every other corner give way: an endless sheet is softer by 6/5.
TEST(ThinBending, EdgesOfACellAreSofterByAFifth) {
    LONG_RUN();
    check_cantilever("0.0125", 1.2);
}

TEST(ThinBending, ACantileverRodSagsAsABeam) {
    LONG_RUN();
    const double L = 0.2, q = 200 * std::numbers::pi * 1e-6 * 9.8, B = 2e-5;
    Thin<float> it(scene(
        "0.0125",
        plate + "[[bodies]]\nname = \"rod\"\nmaterial = \"plate\"\nthin = {pile = {center = "
                "[0.075, 0, 0], length = 0.25, layers = 1, fibres = 1}, radius = 1e-3}\n"
                "[[grips]]\nshape = {box = {center = [-0.05, 0, 0], size = [0.102, 1, 1]}}\n"));
    const double period = 2 * std::numbers::pi / 3.516 * std::sqrt(q * std::pow(L, 4) / (9.8 * B));
    const double sag = q * std::pow(L, 4) / (8 * B);
    EXPECT_NEAR(mean_sag(it, period), sag, 0.1 * sag);
}

// A folded sheet and a bent strand fly off, unfold and keep their momentum.
TEST(ThinBending, KeepsMomentum) {
    const std::string bodies =
        "[[bodies]]\nname = \"fold\"\nmaterial = \"plate\"\nvelocity = [0.3, 0.5, 0]\nthin = "
        "{curtain = {width = 0.2, height = 0.1, folds = 2, depth = 0.02}, edge = 0.0125}\n"
        "[[bodies]]\nname = \"strand\"\nmaterial = \"plate\"\nangular_velocity = [0, 0, 5]\nthin = "
        "{hair_tube = {root = [0, 0.2, 0], axis = [0.2, 0, 0], strands = 2, segments = 12}}\n";
    Thin<double> it("gravity = [0, 0, 0]\n[solver]\ndx = 0.0125\n" + plate + bodies);
    const FrameStatistics before = it.statistics();
    ASSERT_TRUE(it.run(0.02, 1e-4));
    const FrameStatistics after = it.statistics();
    EXPECT_LT(after.elastic_energy, 0.9 * before.elastic_energy);  // it did unfold
    EXPECT_LT(length(after.momentum - before.momentum), 1e-12 * before.mass);
    EXPECT_LT(length(after.angular_momentum - before.angular_momentum), 1e-5 * before.mass);
}

TEST(ThinBending, ShortensTheStepAsItsStiffnessAsks) {
    const auto limit_of = [](const std::string& bending) {
        Thin<float> it(scene("0.02", cloth +
                                         "thin = {compression = 800, sheet_bending = " + bending +
                                         "}\n[[bodies]]\nmaterial = \"cloth\"\nthin = {sheet = "
                                         "{}}\n"));
        for (const DtLimit& limit : it.solver->dt_limits(it.state()))
            if (limit.reason.starts_with("bending")) return limit.dt;
        return 0.0;
    };
    const double soft = limit_of("1e-6"), stiff = limit_of("1e-4");
    EXPECT_GT(soft, 0);
    EXPECT_NEAR(soft / stiff, 10, 1e-6);
    EXPECT_EQ(limit_of("0"), 0);
}

// Pins that swing and pass through poses hold their vertices where the script says, and let go.
TEST(ThinPins, FollowOscillationsAndKeysAndLetGo) {
    Thin<double> it(scene(
        "0.02", cloth +
                    "thin = {compression = 800}\n[[bodies]]\nname = \"flag\"\nmaterial = "
                    "\"cloth\"\nthin = {sheet = {along = [0.2, 0, 0], across = [0, 0, -0.2]}}\n"
                    "[[grips]]\nbody = \"flag\"\ngroup = \"start\"\nrelease = 0.06\nmotion = "
                    "{oscillation = {amplitude = [0, 0.02, 0], frequency = 4}}\n[[grips]]\nbody "
                    "= \"flag\"\ngroup = \"end\"\nmotion = {pivot = [0.2, 0, -0.1], keys = [{time "
                    "= 0}, {time = 0.05, position = [0, 0.01, 0], rotation = [20, 0, 0]}]}\n"));
    std::map<std::int64_t, Vec3d> start;
    for (std::size_t i = 0; i < it.vertices().size(); ++i)
        start[it.vertices().id.at(i)] = it.vertices().x.vec(i);
    const auto worst = [&](int grip, const auto& place) {
        double most = 0;
        int held = 0;
        for (std::size_t i = 0; i < it.vertices().size(); ++i)
            if (it.vertices().grip.at(i) == grip) {
                const Vec3d x = it.vertices().x.vec(i);
                most = std::max(most, length(x - place(start[it.vertices().id.at(i)])));
                ++held;
            }
        EXPECT_EQ(held, 11);
        return most;
    };
    const auto swung = [&](const Vec3d& x) {
        return x + Vec3d{0, 0.02 * std::sin(2 * std::numbers::pi * 4 * it.state().time), 0};
    };
    const auto turned = [&](const Vec3d& x) {
        const double part = std::min(it.state().time / 0.05, 1.0);
        const double a = part * 20 * std::numbers::pi / 180, z = x.z + 0.1;
        return Vec3d{x.x, 0.01 * part + x.y * std::cos(a) - z * std::sin(a),
                     -0.1 + x.y * std::sin(a) + z * std::cos(a)};
    };
    ASSERT_TRUE(it.run(0.03, 1e-3));
    EXPECT_LT(worst(0, swung), 1e-12);
    EXPECT_LT(worst(1, turned), 1e-12);
    ASSERT_TRUE(it.run(0.1, 1e-3));
    EXPECT_GT(worst(0, swung), 1e-3);
    EXPECT_LT(worst(1, turned), 1e-12);
}

// The middle of a twisting group is what bounds how fast it goes, not the whole world.
TEST(ThinPins, AGroupThatTurnsKeepsSensibleSteps) {
    Thin<float> it(
        scene("0.02", cloth + "thin = {compression = 800}\n[[bodies]]\nname = \"a\"\n"
                              "material = \"cloth\"\nthin = {sheet = {}}\n[[grips]]\nname = \"g\"\n"
                              "body = \"a\"\ngroup = \"border\"\nmotion = {angular_velocity = [0, "
                              "6, 0]}\n"));
    for (const DtLimit& limit : it.solver->dt_limits(it.state()))
        if (limit.reason == "speed of grip g") {
            // the box around what is held, 0.7 m in radius
            EXPECT_NEAR(limit.dt, 0.01 / (6 * std::sqrt(1.5)), 1e-6);
        }
}

TEST(ThinKnit, GoesAroundAnyClosedShape) {
    const std::string text =
        "[solver]\ndx = 0.02\n[materials.yarn]\npreset = \"knit-sweater\"\n[[bodies]]\nmaterial = "
        "\"yarn\"\nthin = {knit = {rows = 6, columns = 30, yarn = 0.02, closures = false, center = "
        "[0, -0.27, 0], "
        "distance = 0.02, around = {ellipsoid = {radii = [0.7, 0.6, 0.5]}}}}\n";
    Thin<float> it(text);
    // within a yarn's loops of the surface, at x^2/a^2 + ... = 1
    for (std::size_t i = 0; i < it.vertices().size(); ++i) {
        const Vec3d x = it.vertices().x.vec(i);
        const double s = std::sqrt(x.x * x.x / 0.49 + x.y * x.y / 0.36 + x.z * x.z / 0.25);
        EXPECT_NEAR(s, 1 + 0.02 / 0.55, 0.1);
    }
    const auto mistake = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        try {
            Thin<float> wrong(changed);
        } catch (const InputError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_NE(mistake("[0, -0.27, 0]", "[0, 3, 0]").find("not there"), std::string::npos);
}

}  // namespace
}  // namespace knead::test
