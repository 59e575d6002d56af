// Meshes of a scanner's size through the whole of a run: an OBJ file to a body, and to a collider.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "geometry/scanned_meshes.h"
#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/make_solver.h"
#include "support/long_run.h"

namespace knead {
namespace {

namespace fs = std::filesystem;

class ScannedScene : public testing::Test {
protected:
    const fs::path here = fs::temp_directory_path() / ("knead_scanned_" + std::to_string(getpid()));

    void SetUp() override {
        fs::create_directory(here);
        std::ofstream(here / "rabbit.obj") << to_obj(pierced_rabbit(0.03));
        std::ofstream(here / "figure.obj") << to_obj(figure_mesh());
    }
    void TearDown() override { fs::remove_all(here); }

    // A scene with the mesh in it, and a floor; `more` is TOML.
    Scene scene(double dx, const std::string& more) const {
        return read_scene_text(fmt::format("[solver]\ndx = {}\n{}", dx, more),
                               (here / "scene.toml").string());
    }
};

// Takes a few steps; every particle stays finite and outside every collider.
void step(Built<float>& built, int steps) {
    const auto solver = make_solver<float>(built.model, Backend::cpu);
    solver->prepare(built.state);
    for (int i = 0; i < steps; ++i) {
        double dt = 1;
        for (const DtLimit& limit : solver->dt_limits(built.state)) dt = std::min(dt, limit.dt);
        solver->advance(built.state, dt);
        built.state.time += dt;
        ++built.state.step;
    }
    for (const Collider& c : built.model.colliders) {
        const ColliderAt at(c, built.state.time);
        for (const auto& phase : built.state.phases)
            for (std::size_t p = 0; p < phase.particles.size(); ++p)
                ASSERT_GT(at.distance(phase.particles.x.vec(p)), -1e-5);  // NaN fails too
    }
}

double mass_of(const State<float>& state) {
    double mass = 0;
    for (const auto& phase : state.phases)
        for (std::size_t i = 0; i < phase.particles.size(); ++i)
            mass += static_cast<double>(phase.particles.mass.at(i));
    return mass;
}

// A plate of 0.2 m with a knob beside it. 4 mm thick, it lies between particles 10 mm apart, which
// find the knob alone; 40 mm thick, they fill it.
TEST_F(ScannedScene, WallsThinnerThanParticlesAreRefused) {
    const auto box = [](const Vec3d& center, const Vec3d& half, int first) {
        std::string text;
        for (int k = 0; k < 8; ++k)
            text += fmt::format("v {} {} {}\n", center.x + (k & 1 ? half.x : -half.x),
                                center.y + (k & 2 ? half.y : -half.y),
                                center.z + (k & 4 ? half.z : -half.z));
        for (const auto& f : {Vec3i{0, 2, 1},
                              {1, 2, 3},
                              {4, 5, 6},
                              {5, 7, 6},
                              {0, 1, 4},
                              {1, 5, 4},
                              {2, 6, 3},
                              {3, 6, 7},
                              {0, 4, 2},
                              {2, 4, 6},
                              {1, 3, 5},
                              {3, 7, 5}})
            text += fmt::format("f {} {} {}\n", first + f.x, first + f.y, first + f.z);
        return text;
    };
    for (const double wall : {0.004, 0.04}) {
        std::ofstream(here / "plate.obj")
            << box({0, 0, 0}, {0.1, wall / 2, 0.1}, 1) << box({0.2, 0, 0}, {0.02, 0.02, 0.02}, 9);
        const Scene s =
            scene(0.02,
                  "[materials.jelly]\npreset = \"jelly\"\n[[bodies]]\nname = \"bust\"\n"
                  "material = \"jelly\"\nshape = {mesh = {file = \"plate.obj\", voxel = "
                  "0.002}}\n");
        if (wall > 0.01) {
            EXPECT_TRUE(build_model<float>(s).warnings.empty());
            continue;
        }
        try {
            build_model<float>(s);
            ADD_FAILURE() << "took it";
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("less volume than its mesh"),
                      std::string::npos)
                << error.what();
        }
    }
}

// A body's mass is its volume's, to the part of the volume that lies within a tenth of a particle's
// distance of the surface.
TEST_F(ScannedScene, MeshesAreBodiesAtSeveralResolutions) {
    LONG_RUN();
    for (const char* file : {"rabbit.obj", "figure.obj"}) {
        const bool rabbit = file[0] == 'r';
        const Mesh mesh = rabbit ? closed_rabbit() : figure_mesh();
        for (const double dx : {0.06, 0.03}) {
            const std::string body = fmt::format(
                "[[bodies]]\nmaterial = \"jelly\"\nshape = {{mesh = {{file = \"{}\"}}}}\n"
                "[[colliders]]\nshape = {{plane = {{point = [0, {}, 0]}}}}\n",
                file, bounds(mesh).lo.y - 0.001);
            Built<float> built = build_model<float>(scene(dx, body));
            const double density = built.model.materials[0].density;
            EXPECT_NEAR(mass_of(built.state) / density, enclosed_volume(mesh),
                        0.15 * dx / 2 * area(mesh))
                << file << " " << dx;
            step(built, 10);
        }
    }
}

TEST_F(ScannedScene, MeshesAreCollidersAtSeveralResolutions) {
    for (const char* file : {"rabbit.obj", "figure.obj"})
        for (const double dx : {0.06, 0.03}) {
            const double top = file[0] == 'r' ? 0.75 : 0.99;
            const std::string text = fmt::format(
                "[[bodies]]\nmaterial = \"water\"\nvelocity = [0, -6, 0]\n"
                "shape = {{box = {{center = [0, {}, 0], size = [0.5, 0.2, 0.3]}}}}\n"
                "[[colliders]]\nshape = {{mesh = {{file = \"{}\"}}}}\n",
                top + 0.12, file);
            Built<float> built = build_model<float>(scene(dx, text));
            const double mass = mass_of(built.state);
            step(built, 40);
            EXPECT_EQ(mass_of(built.state), mass);
        }
}

}  // namespace
}  // namespace knead
