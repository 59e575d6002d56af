#include "knead/scene/read_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <set>
#include <sstream>

#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"
#include "knead/scene/document.h"
#include "knead/scene/read_toml.h"

namespace knead {

namespace {

const std::string good_file = std::string(KNEAD_TESTS) + "/system/broken/good.toml";
const std::string small = R"(
[solver]
dx = 0.1
[[bodies]]
material = "clay"
shape = {sphere = {center = [0, 1, 0], radius = 0.5}}
)";

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

TEST(ReadScene, FillsTheSceneWithWhatTheFileSays) {
    const Scene s = read_scene(good_file);
    EXPECT_EQ(s.title, "A bit of everything");
    EXPECT_EQ(s.seed, 12u);
    EXPECT_EQ(s.gravity, (Vec3d{0, -9.8, 0}));
    EXPECT_EQ(s.solver.dx, 0.05);
    EXPECT_EQ(s.solver.kernel, 3);
    EXPECT_EQ(s.solver.transfer, Transfer::flip);
    EXPECT_EQ(s.time.frames, 48);
    EXPECT_EQ(s.output.checkpoint_seconds, 60);
    ASSERT_EQ(s.bodies.size(), 5u);
    EXPECT_EQ(std::get<SphereSpec>(s.bodies[0].shape.form).radius, 0.25);
    EXPECT_EQ(s.bodies[0].spacing, 0.03);
    EXPECT_EQ(*s.bodies[0].color, (Vec3f{224 / 255.f, 128 / 255.f, 64 / 255.f}));
    EXPECT_EQ(s.bodies[1].sampling, Sampling::poisson);
    EXPECT_EQ(std::get<DifferenceSpec>(s.bodies[1].shape.form).of.size(), 2u);
    EXPECT_EQ(s.bodies[2].shape.rotate, (Vec3d{0, 45, 0}));
    ASSERT_EQ(s.colliders.size(), 2u);
    EXPECT_EQ(s.colliders[1].contact, Contact::sticky);
    EXPECT_EQ(s.colliders[1].motion.keys.size(), 3u);
    EXPECT_EQ(s.colliders[1].motion.keys[1].rotation, (Vec3d{0, 90, 0}));
    EXPECT_EQ(*s.camera.position, (Vec3d{5, 3, 6}));
    EXPECT_EQ(s.picture.samples, 32);
}

TEST(ReadScene, GivesWhatIsLeftOutItsDefault) {
    const Scene s = read_scene_text(small, "small.toml");
    EXPECT_EQ(s.bodies[0].name, "body1");
    EXPECT_EQ(s.bodies[0].particles_per_cell, 8);
    EXPECT_DOUBLE_EQ(spacing_of(s, s.bodies[0]), 0.05);
    EXPECT_TRUE(s.bodies[0].color.has_value());
    EXPECT_EQ(s.gravity, (Vec3d{0, -9.81, 0}));
    EXPECT_FALSE(s.camera.position.has_value());
}

TEST(ReadScene, TakesMaterialsFromPresetsAndChangesThem) {
    const Scene s = read_scene(good_file);
    ASSERT_EQ(s.materials.size(), 4u);
    // K = E / (3 (1 - 2 nu)), G = E / (2 (1 + nu)).
    EXPECT_DOUBLE_EQ(s.materials[0].elastic.bulk_modulus, 1e5 / (3 * (1 - 2 * 0.35)));
    EXPECT_DOUBLE_EQ(s.materials[0].elastic.shear_modulus, 1e5 / (2 * (1 + 0.35)));
    EXPECT_EQ(s.materials[1].flow.yield_stress, 80);
    const Material* sand = find_preset("sand");
    ASSERT_NE(sand, nullptr);
    EXPECT_EQ(s.materials[2].flow.friction_angle, 33);
    EXPECT_EQ(s.materials[2].density, sand->density);
    EXPECT_EQ(s.materials[3].name, "honey");  // a preset that no table names
}

TEST(ReadScene, OneHalfOfAPairOfModuliKeepsThePresetsOther) {
    const Scene s = read_scene_text(
        small + "[materials.clay]\npreset = \"clay\"\nelastic.young_modulus = 12345\n", "a.toml");
    EXPECT_NEAR(young_modulus(s.materials[0]), 12345, 1e-9);
    EXPECT_NEAR(poisson_ratio(s.materials[0]), poisson_ratio(*find_preset("clay")), 1e-12);
}

TEST(ReadScene, RemembersWhereValuesStand) {
    const Scene s = read_scene_text(small, "small.toml");
    EXPECT_EQ(to_string(s.place("solver.dx")), "small.toml:3:6");
    EXPECT_EQ(to_string(s.place("bodies.0.material")), "small.toml:5:12");
    EXPECT_EQ(to_string(s.place("bodies.0.shape.sphere.radius")), "small.toml:6:49");
    EXPECT_EQ(s.place("bodies.0.velocity").line, 4);  // not given: its table
}

TEST(ReadScene, WrittenOutItReadsBackTheSame) {
    for (const std::string& text : {contents(good_file), small}) {
        const std::string written = write_scene(read_scene_text(text, "a.toml"));
        const Scene again = read_scene_text(written, "b.toml");
        EXPECT_TRUE(again.warnings.empty());
        EXPECT_EQ(write_scene(again), written);
    }
}

TEST(ReadScene, NumbersSurviveWritingToTheLastBit) {
    Scene s = read_scene_text(small, "a.toml");
    s.solver.dx = 0.1 / 3;
    s.gravity = {1e-300, -std::numbers::pi, 4.0};
    s.title = "quotes \" and \\ and\ttabs \x01 and ümlauts";
    const Scene again = read_scene_text(write_scene(s), "b.toml");
    EXPECT_EQ(again.solver.dx, s.solver.dx);
    EXPECT_EQ(again.gravity, s.gravity);
    EXPECT_EQ(again.title, s.title);
}

TEST(ReadScene, SettingsChangeValuesByNameAndIndex) {
    const Scene s = read_scene(
        good_file, {"solver.dx=0.04", "bodies.0.velocity=[1, 2, 3]", "bodies.bowl.material=clay",
                    "title=\"x = y\"", "bodies.ball.shape={box = {size = [1, 1, 1]}}",
                    "colliders.floor.shape.plane.point=[0, -1, 0]", "solver.kernel=quadratic",
                    "materials.jelly.density=1100"});
    EXPECT_EQ(s.solver.dx, 0.04);
    EXPECT_EQ(s.bodies[0].velocity, (Vec3d{1, 2, 3}));
    EXPECT_EQ(s.bodies[1].material, "clay");
    EXPECT_EQ(s.title, "x = y");
    EXPECT_EQ(std::get<BoxSpec>(s.bodies[0].shape.form).size, (Vec3d{1, 1, 1}));
    EXPECT_EQ(std::get<PlaneSpec>(s.colliders[0].shape.form).point, (Vec3d{0, -1, 0}));
    EXPECT_EQ(s.solver.kernel, 2);
    EXPECT_EQ(s.materials[0].density, 1100);
}

TEST(ReadScene, AQualityVariantChangesWhatItNamesAndSettingsComeLast) {
    const Scene s = read_scene(good_file, {"time.frames=3", "quality=preview"});
    EXPECT_EQ(s.quality, "preview");
    EXPECT_EQ(s.solver.dx, 0.08);
    EXPECT_EQ(s.time.frames, 3);
    EXPECT_EQ(s.bodies[0].spacing, 0.05);
    EXPECT_EQ(s.bodies[0].velocity, (Vec3d{0.5, -1, 0}));
    // The resolved scene stands without its variants.
    EXPECT_EQ(write_scene(s).find("quality"), std::string::npos);
}

TEST(ReadScene, MeshesAreFoundFromTheScenesFolder) {
    const std::string text =
        "[solver]\ndx = 0.1\n[[bodies]]\nmaterial = \"clay\"\n"
        "shape = {mesh = {file = \"../meshes/a.obj\", size = 0.5}}\n";
    const Scene s = read_scene_text(text, "/data/scenes/a.toml");
    EXPECT_EQ(std::get<MeshSpec>(s.bodies[0].shape.form).file, "/data/meshes/a.obj");
    const Scene again = read_scene_text(write_scene(s), "/elsewhere/run/scene.toml");
    EXPECT_EQ(std::get<MeshSpec>(again.bodies[0].shape.form).file, "/data/meshes/a.obj");
}

TEST(ReadScene, DottedKeysHeadersAndInlineTablesSayTheSame) {
    const std::string head = "[solver]\ndx = 0.1\n[[bodies]]\nmaterial = \"clay\"\n";
    const std::string inline_ = "shape = {sphere = {center = [0, 1, 0], radius = 0.5}}\n";
    const std::string dotted = "shape.sphere.center = [0, 1, 0]\nshape.sphere.radius = 0.5\n";
    const std::string header = "[bodies.shape.sphere]\ncenter = [0, 1, 0]\nradius = 0.5\n";
    const std::string expected = write_scene(read_scene_text(head + inline_, "a"));
    EXPECT_EQ(write_scene(read_scene_text(head + dotted, "a")), expected);
    EXPECT_EQ(write_scene(read_scene_text(head + header, "a")), expected);
}

TEST(ReadScene, WarnsOfKeysWithoutEffect) {
    const Scene s =
        read_scene_text(small + "[materials.clay]\npreset = \"jelly\"\nflow.exponent = 0.5\n",
                        "a.toml", {"solver.flip_fraction=0.5"});
    ASSERT_EQ(s.warnings.size(), 2u);
    EXPECT_EQ(s.warnings[0].place.line, 9);
    EXPECT_EQ(s.warnings[1].place.file, "--set solver.flip_fraction=0.5");
}

// What a scene does not say: half of the bulk modulus, the softest material's, and viscosity that
// each material has of its own.
TEST(ReadScene, PointMethodsPressAndDampInProportionToTheirMatter) {
    const auto read = [&](const std::vector<std::string>& more) {
        std::vector<std::string> settings{"solver.method=incremental", "bodies.0.material=jelly"};
        settings.insert(settings.end(), more.begin(), more.end());
        return read_scene_text(small, "a.toml", settings);
    };
    const Scene jelly = read({});
    const double bulk = jelly.materials[0].elastic.bulk_modulus;
    EXPECT_DOUBLE_EQ(jelly.solver.incremental.pressure, bulk / 2);
    EXPECT_LT(jelly.solver.incremental.viscosity, 0);
    EXPECT_LT(jelly.solver.embedded.viscosity, 0);
    // written out it is said, and what is said stays
    const std::string out = write_scene(jelly);
    EXPECT_EQ(write_scene(read_scene_text(out, "b.toml")), out);
    const Scene own = read({"solver.incremental.pressure=0", "solver.incremental.viscosity=3"});
    EXPECT_EQ(own.solver.incremental.pressure, 0);
    EXPECT_EQ(own.solver.incremental.viscosity, 3);
}

// Matter that never flows keeps its start, beside others that flow too, unless a scene says
// otherwise or some of it enters later.
TEST(ReadScene, MatterThatNeverFlowsKeepsItsStart) {
    const auto read = [&](const char* material, const std::vector<std::string>& more = {}) {
        std::vector<std::string> settings{"solver.method=incremental",
                                          std::string("bodies.0.material=") + material};
        settings.insert(settings.end(), more.begin(), more.end());
        return try_read_scene_text(small, "a.toml", settings);
    };
    const auto of = [&](const Reading& r) { return r.scene.solver.incremental; };
    EXPECT_EQ(of(read("jelly")).memory, DeformationMemory::start);
    EXPECT_EQ(of(read("clay")).memory, DeformationMemory::increments);
    const std::string beside =
        "[[bodies]]\nname = \"bed\"\nmaterial = \"clay\"\n"
        "shape = {box = {center = [0, -2, 0], size = [2, 1, 2]}}\n";
    const Reading both = try_read_scene_text(
        small + beside, "a.toml", {"solver.method=incremental", "bodies.0.material=jelly"});
    EXPECT_TRUE(both.mistakes.empty());
    EXPECT_EQ(of(both).memory, DeformationMemory::start);
    EXPECT_EQ(of(read("jelly", {"bodies.0.emit={interval=1,count=2}"})).memory,
              DeformationMemory::increments);
    const auto as_said = of(read("jelly", {"solver.incremental.memory=increments"}));
    EXPECT_EQ(as_said.memory, DeformationMemory::increments);
    ASSERT_EQ(read("clay", {"solver.incremental.memory=start"}).mistakes.size(), 1u);
    const auto warnings = [&](const char* material) {
        return read(material, {"solver.incremental.shape_stiffness=1"}).scene.warnings.size();
    };
    EXPECT_EQ(warnings("jelly"), 0u);
    EXPECT_EQ(warnings("clay"), 1u);
}

// All but grains and liquids, which are the grid's.
TEST(ReadScene, PointMethodsTakeThePresetsOfSolidsAndPastesAndSayWhatTheyCannot) {
    const std::set<std::string> not_taken{"sand", "dry-sand", "gravel", "water", "honey", "syrup"};
    for (const Material& preset : material_presets())
        for (const char* method : {"incremental", "embedded"}) {
            if (is_thin(preset)) continue;  // of sheets and curves, not of this body
            const Reading r = try_read_scene_text(
                small, "a.toml",
                {std::string("solver.method=") + method, "bodies.0.material=" + preset.name});
            EXPECT_NE(r.mistakes.empty(), not_taken.contains(preset.name))
                << method << " " << preset.name;
            for (const Mistake& m : r.mistakes)
                EXPECT_NE(m.remedy.find("mpm takes"), std::string::npos) << m.remedy;
        }
}

TEST(Document, TheReferencePageIsUpToDate) {
    const std::string page = contents(std::string(KNEAD_DOCS) + "/scene.md");
    EXPECT_NE(page.find(document_keys()), std::string::npos)
        << "docs/scene.md does not hold what `knead check --keys` prints; put it there";
}

TEST(Document, TheExampleOnThePageIsAScene) {
    const std::string page = contents(std::string(KNEAD_DOCS) + "/scene.md");
    const std::size_t begin = page.find("```toml\n"), end = page.find("```\n", begin + 8);
    ASSERT_NE(begin, std::string::npos);
    const Scene s = read_scene_text(page.substr(begin + 8, end - begin - 8), "docs/scene.md");
    EXPECT_GE(s.bodies.size(), 2u);
    EXPECT_TRUE(s.warnings.empty());
}

}  // namespace knead
