#include "knead/scene/build_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "knead/geometry/shape_blocks.h"
#include "knead/scene/build_shape.h"
#include "knead/scene/read_scene.h"

namespace knead {

namespace {

const std::string good_file = std::string(KNEAD_TESTS) + "/system/broken/good.toml";

// A scene of one body, or of two of different material.
Scene scene_of(const std::string& shape, const std::string& more = "") {
    return read_scene_text(
        "[solver]\ndx = 0.1\n[[bodies]]\nname = \"it\"\nmaterial = \"clay\"\n"
        "shape = " +
            shape + "\n" + more,
        "scene.toml");
}

double volume_of(const std::string& shape) {
    std::vector<Mistake> mistakes;
    const Scene scene = scene_of(shape);
    return measured_volume(build_shape(scene, scene.bodies[0].shape, "bodies.0.shape", mistakes));
}

template <class Real>
double total_mass(const State<Real>& state) {
    double mass = 0;
    for (const auto& phase : state.phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            mass += static_cast<double>(phase.particles.mass.at(i));
    return mass;
}

std::string mistakes_of(const Scene& scene) {
    try {
        build_model<float>(scene);
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST(BuildModel, ABoxOnTheGridHoldsEightParticlesACellAndItsExactMass) {
    const Built<double> b = build_model<double>(scene_of("{box = {size = [0.4, 0.6, 0.2]}}"));
    ASSERT_EQ(b.state.phases.size(), 1u);
    const auto& p = b.state.phases[0].particles;
    EXPECT_EQ(p.size(), 8u * 4 * 6 * 2);
    const double density = b.model.materials[0].density;
    EXPECT_NEAR(total_mass(b.state), density * 0.4 * 0.6 * 0.2, 1e-12 * density);
    EXPECT_EQ(b.state.next_id, static_cast<std::int64_t>(p.size()));
    EXPECT_FALSE(p.F.present());  // left to the solver
    for (std::size_t i = 0; i < p.size(); ++i) {
        EXPECT_EQ(p.id.at(i), static_cast<std::int64_t>(i));
        EXPECT_EQ(p.parent.at(i), -1);
    }
}

// Random particles share the volume of the shape, known here to the error of the probes: cells the
// surface cuts, about area / h^2 of them, each wrong by a random half at most: well below 1 %.
TEST(BuildModel, RandomParticlesShareTheVolumeOfTheShape) {
    const Built<float> b =
        build_model<float>(scene_of("{sphere = {radius = 0.5}}", "sampling = \"poisson\"\n"));
    const double exact = 4.0 / 3 * std::numbers::pi * 0.125;
    EXPECT_NEAR(total_mass(b.state) / b.model.materials[0].density, exact, 0.01 * exact);
    // And are about as many as on a lattice, 0.05 m apart.
    const double lattice = exact / std::pow(0.05, 3);
    EXPECT_NEAR(static_cast<double>(b.state.particle_count()), lattice, 0.08 * lattice);
}

// A cube of size a weighs rho a^3, whether its faces lie between the lattice's planes, on them or
// anywhere (edges may count 3.7 % / 9 too much where nine spacings span it); on the bare lattice it
// weighs what its particles do.
TEST(BuildModel, ABodyWeighsWhatItShouldWhereverItsFacesCutTheLattice) {
    for (const double size : {0.4, 0.425, 0.43, 0.45})
        for (const double shift : {0.0, 0.0125, 0.025}) {
            const std::string box =
                fmt::format("{{box = {{center = [0, {}, {}], size = [{}, {}, {}]}}}}", shift,
                            2 * shift, size, size, size);
            const Built<double> b = build_model<double>(scene_of(box));
            EXPECT_NEAR(total_mass(b.state) / (b.model.materials[0].density * size * size * size),
                        1, 5e-3)
                << box;
        }
    const Built<double> bare = build_model<double>(
        scene_of("{box = {size = [0.45, 0.45, 0.45]}}", "sampling = \"lattice\"\n"));
    EXPECT_NEAR(total_mass(bare.state) / (bare.model.materials[0].density * 0.4 * 0.4 * 0.4), 1,
                1e-12);
}

// The outer layer of a ball lies half a spacing below its surface, without particles that meet. A
// box whose faces lie between the lattice's planes is a lattice to the bit.
TEST(BuildModel, ParticlesLieEvenlyBelowTheSurfaceUnlessALatticeIsAskedFor) {
    const auto points_of = [](const std::string& shape, const std::string& more) {
        const Built<double> b = build_model<double>(scene_of(shape, more));
        std::vector<Vec3d> points;
        for (std::size_t i = 0; i < b.state.phases[0].particles.size(); ++i)
            points.push_back(b.state.phases[0].particles.x.vec(i));
        return points;
    };
    const std::string ball = "{sphere = {radius = 0.5}}", lattice = "sampling = \"lattice\"\n";
    constexpr double h = 0.05;
    const std::vector<Vec3d> fitted = points_of(ball, "");
    ASSERT_EQ(fitted.size(), points_of(ball, lattice).size());
    std::size_t outer = 0;
    double nearest = 1;
    for (std::size_t i = 0; i < fitted.size(); ++i) {
        const double depth = (0.5 - length(fitted[i])) / h;
        EXPECT_GT(depth, 0.5 - 1e-6);
        outer += depth < 0.5 + 1e-6;
        for (std::size_t j = 0; j < i; ++j)
            nearest = std::min(nearest, length(fitted[i] - fitted[j]) / h);
    }
    EXPECT_GT(static_cast<double>(outer), 0.8 * 4 * 3.14 * 0.5 * 0.5 / (h * h));
    EXPECT_GT(nearest, 0.75);
    const std::string box = "{box = {size = [0.4, 0.6, 0.2]}}";
    EXPECT_EQ(points_of(box, ""), points_of(box, lattice));
}

TEST(BuildModel, BodiesSpinAboutTheirMiddle) {
    const Built<double> b =
        build_model<double>(scene_of("{sphere = {center = [3, 1, 0], radius = 0.4}}",
                                     "velocity = [1, 2, 3]\nangular_velocity = [0, 0, 5]\n"));
    const auto& p = b.state.phases[0].particles;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec3d r = p.x.vec(i) - Vec3d{3, 1, 0};
        // v + omega x r with omega along z; the lattice is symmetric about the centre.
        EXPECT_NEAR(p.v.vec(i).x, 1 - 5 * r.y, 1e-12);
        EXPECT_NEAR(p.v.vec(i).y, 2 + 5 * r.x, 1e-12);
        EXPECT_NEAR(p.v.vec(i).z, 3, 1e-12);
    }
}

TEST(BuildModel, EveryMaterialInUseIsOnePhaseAndIdsRunThroughTheBodies) {
    const Built<float> b = build_model<float>(read_scene(good_file));
    // Materials: jelly, paste, grit, honey; bodies: jelly, paste, grit, honey, jelly.
    ASSERT_EQ(b.state.phases.size(), 4u);
    std::set<std::int64_t> ids;
    std::vector<std::int64_t> first(5, -1);
    for (std::size_t f = 0; f < 4; ++f) {
        const auto& phase = b.state.phases[f];
        EXPECT_EQ(phase.material, static_cast<int>(f));
        for (std::size_t i = 0; i < phase.particles.size(); ++i) {
            ids.insert(phase.particles.id.at(i));
            const auto body = static_cast<std::size_t>(phase.particles.body.at(i));
            EXPECT_EQ(b.model.bodies[body].material, static_cast<int>(f));
            if (first[body] < 0) first[body] = phase.particles.id.at(i);
        }
    }
    EXPECT_EQ(ids.size(), b.state.particle_count());
    EXPECT_EQ(*ids.begin(), 0);
    EXPECT_EQ(*ids.rbegin() + 1, b.state.next_id);
    EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
    EXPECT_EQ(b.model.colliders.size(), 2u);
    EXPECT_FALSE(b.model.colliders[1].motion.still());
}

TEST(BuildModel, MotionsTurnDegreesIntoRadiansAndPivotAboutTheMiddle) {
    const Scene scene = scene_of(
        "{box = {size = [1, 1, 1]}}",
        "[[colliders]]\nshape = {box = {center = [9, 1, 2], size = [1, 1, 1]}}\n"
        "[colliders.motion]\nkeys = [{time = 0}, {time = 1, rotation = {axis = [0, 2, 0], angle = "
        "90}}]\noscillation = {amplitude = [0, 1, 0], frequency = 1, phase = 180}\n");
    const Motion m = build_model<float>(scene).model.colliders[0].motion;
    EXPECT_EQ(m.pivot, (Vec3d{9, 1, 2}));
    EXPECT_NEAR(m.phase, std::numbers::pi, 1e-12);
    EXPECT_NEAR(length(m.keys[1].rotation - Vec3d{0, std::numbers::pi / 2, 0}), 0, 1e-12);
    // After the quarter turn x points along -z; sin(2 pi + pi) = 0.
    const Pose pose = m.pose(1);
    EXPECT_NEAR(length(pose.rotation * Vec3d{1, 0, 0} - Vec3d{0, 0, -1}), 0, 1e-12);
    EXPECT_NEAR(length(pose.position - m.pivot), 0, 1e-9);
}

TEST(BuildModel, ShapesHaveTheVolumesOfTheirForms) {
    constexpr double pi = std::numbers::pi;
    // 32 probes a side: a few parts in a hundred for shapes that fill their bounds.
    const auto near = [](const std::string& shape, double exact) {
        EXPECT_NEAR(volume_of(shape), exact, 0.04 * exact) << shape;
    };
    near("{sphere = {radius = 0.5}}", pi / 6);
    near("{box = {size = [1, 2, 3]}}", 6);
    near("{cylinder = {from = [0, 0, 0], to = [0, 2, 0], radius = 0.5}}", pi / 2);
    near("{capsule = {from = [0, 0, 0], to = [0, 2, 0], radius = 0.5}}", pi / 2 + pi / 6);
    near("{cone = {from = [0, 0, 0], to = [0, 3, 0], radius_from = 1}}", pi);
    near("{torus = {major_radius = 1, minor_radius = 0.4}}", 2 * pi * pi * 0.16);
    near("{ellipsoid = {radii = [1, 2, 3]}}", 8 * pi);
    near("{polygon = {points = [[0, 0], [1, 0], [0, 1]], height = 2}}", 1);
    // Ten triangles (centre, tip, notch), each R r sin(36 degrees) / 2.
    near("{star = {outer_radius = 1, inner_radius = 0.5, height = 1}}",
         10 * 0.5 * std::sin(pi / 5) / 2);
    near("{union = [{box = {size = [1, 1, 1]}}, {box = {center = [0.5, 0, 0], size = [1, 1, 1]}}]}",
         1.5);
    near("{difference = [{box = {size = [2, 2, 2]}}, {box = {size = [1, 1, 4]}}]}", 6);
    near("{intersection = [{box = {size = [2, 2, 2]}}, {box = {size = [1, 1, 4]}}]}", 2);
    near("{shell = {thickness = 0.4, of = {sphere = {radius = 0.8}}}}", 4 * pi / 3 * (1 - 0.216));
    near("{offset = {distance = 0.5, of = {sphere = {radius = 0.5}}}}", 4 * pi / 3);
    near("{sphere = {radius = 0.5}, scale = 2}", 4 * pi / 3);
}

TEST(BuildModel, ShapesTurnAboutTheirMiddleUnlessAPivotSaysOtherwise) {
    const auto bounds = [](const std::string& shape) {
        std::vector<Mistake> mistakes;
        const Scene s = scene_of(shape);
        return build_shape(s, s.bodies[0].shape, "bodies.0.shape", mistakes).bounds().center();
    };
    const std::string box = "{box = {center = [2, 0, 0], size = [1, 1, 1]}, rotate = [0, 90, 0]";
    EXPECT_NEAR(length(bounds(box + "}") - Vec3d{2, 0, 0}), 0, 1e-9);
    // A quarter turn about y takes x to -z.
    EXPECT_NEAR(length(bounds(box + ", pivot = [0, 0, 0]}") - Vec3d{0, 0, -2}), 0, 1e-9);
    EXPECT_NEAR(length(bounds(box + ", translate = [0, 5, 0]}") - Vec3d{2, 5, 0}), 0, 1e-9);
}

TEST(BuildModel, BodiesInsideCollidersAreNamed) {
    const std::string floor = "[[colliders]]\nname = \"floor\"\nshape = {plane = {}}\n";
    const std::string inside =
        mistakes_of(scene_of("{sphere = {center = [0, -2, 0], radius = 0.5}}", floor));
    EXPECT_NE(inside.find("scene.toml:6"), std::string::npos);
    EXPECT_NE(inside.find("body it starts wholly inside collider floor"), std::string::npos);

    // too deep to be put out in a step
    const std::string half = mistakes_of(scene_of("{sphere = {radius = 0.5}}", floor));
    EXPECT_NE(half.find("some deeper than 1.5 cells"), std::string::npos);
    const Built<float> touching =
        build_model<float>(scene_of("{sphere = {center = [0, 0.45, 0], radius = 0.5}}", floor));
    ASSERT_EQ(touching.warnings.size(), 1u);
    EXPECT_NE(touching.warnings[0].what.find("starts inside collider floor"), std::string::npos);

    const Built<float> above =
        build_model<float>(scene_of("{sphere = {center = [0, 0.5, 0], radius = 0.5}}", floor));
    EXPECT_TRUE(above.warnings.empty());
}

TEST(BuildModel, OverlappingBodiesAreNamed) {
    const Built<float> b =
        build_model<float>(scene_of("{sphere = {radius = 0.5}}",
                                    "[[bodies]]\nname = \"other\"\nmaterial = \"clay\"\n"
                                    "shape = {sphere = {center = [0.8, 0, 0], radius = 0.5}}\n"));
    ASSERT_EQ(b.warnings.size(), 1u);
    EXPECT_NE(b.warnings[0].what.find("body other overlaps body it"), std::string::npos);
}

TEST(BuildModel, AllThatIsWrongIsNamedAtOnce) {
    const std::string all =
        mistakes_of(scene_of("{mesh = {file = \"/no/such.obj\"}}",
                             "[[bodies]]\nname = \"other\"\nmaterial = \"clay\"\n"
                             "shape = {mesh = {file = \"/no/other.ply\"}}\n"
                             "[[colliders]]\nshape = {union = [{sphere = {radius = 1}}, "
                             "{mesh = {file = \"/no/third.stl\"}}]}\n"));
    EXPECT_NE(all.find("/no/such.obj"), std::string::npos) << all;
    EXPECT_NE(all.find("/no/other.ply"), std::string::npos) << all;
    EXPECT_NE(all.find("/no/third.stl"), std::string::npos) << all;
    EXPECT_NE(all.find("colliders.0.shape.union.1"), std::string::npos) << all;
}

}  // namespace knead
