// Scenes that build on other scenes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "knead/scene/read_scene.h"
#include "knead/scene/scene_meshes.h"

namespace knead {

namespace {

class Extends : public ::testing::Test {
protected:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() /
        ("knead_extends_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());

    void SetUp() override {
        std::filesystem::create_directories(folder_ / "base");
        write("base/ball.toml", R"(title = "base"
[solver]
dx = 0.02
[[bodies]]
name = "ball"
material = "jelly"
shape = {sphere = {center = [0, 1, 0], radius = 0.2}}
[quality.preview]
solver.dx = 0.05
)");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }
};

TEST_F(Extends, ChangesSomeKeysAndKeepsTheOthers) {
    const std::string path = write("soft.toml", R"(extends = "base/ball.toml"
title = "softer"
[bodies.ball]
velocity = [0, -2, 0]
[materials.jelly]
preset = "jelly"
density = 900
)");
    const Scene scene = read_scene(path);
    EXPECT_EQ(scene.title, "softer");
    EXPECT_EQ(scene.solver.dx, 0.02);
    ASSERT_EQ(scene.bodies.size(), 1u);
    EXPECT_EQ(scene.bodies[0].velocity, (Vec3d{0, -2, 0}));
    EXPECT_EQ(scene.materials[0].density, 900);
    EXPECT_EQ(read_scene(path, {"quality=preview"}).solver.dx, 0.05);
}

TEST_F(Extends, AddsBodiesAndCollidersByName) {
    const std::string path = write("two.toml", R"(extends = "base/ball.toml"
[bodies.cube]
material = "clay"
shape = {box = {size = [1, 1, 1]}}
[colliders.floor]
shape = {plane = {}}
friction = 0.5
[sinks.drain]
shape = {sphere = {radius = 0.1}}
)");
    const Scene scene = read_scene(path);
    ASSERT_EQ(scene.bodies.size(), 2u);
    EXPECT_EQ(scene.bodies[0].name, "ball");
    EXPECT_EQ(scene.bodies[1].name, "cube");
    EXPECT_EQ(scene.bodies[1].material, "clay");
    ASSERT_EQ(scene.colliders.size(), 1u);
    EXPECT_EQ(scene.colliders[0].name, "floor");
    ASSERT_EQ(scene.sinks.size(), 1u);
    EXPECT_EQ(scene.sinks[0].name, "drain");
    EXPECT_TRUE(scene.warnings.empty());
    // And again: the scene above is the base, and its cube is changed.
    const std::string third = write("three.toml", R"(extends = "two.toml"
[bodies.cube]
velocity = [1, 0, 0]
[bodies.cone]
material = "jelly"
shape = {sphere = {center = [3, 0, 0]}}
)");
    const Reading reading = try_read_scene(third);
    ASSERT_EQ(reading.mistakes.size(), 1u);  // a sphere needs a radius: the place is the file's own
    EXPECT_EQ(reading.mistakes[0].place.line, 6) << to_string(reading.mistakes[0]);
    ASSERT_EQ(reading.scene.bodies.size(), 3u);
    EXPECT_EQ(reading.scene.bodies[1].velocity, (Vec3d{1, 0, 0}));
}

TEST_F(Extends, MeshesStayWhereTheSceneThatNamesThemHasThem) {
    std::filesystem::create_directories(folder_ / "other");
    write("base/a.obj", ""), write("base/b.obj", "");
    write("base/room.toml", R"(extends = "ball.toml"
[[colliders]]
name = "stone"
shape = {union = [{mesh = {file = "stone.obj"}}, {sphere = {radius = 0.1}}]}
[[colliders]]
name = "walker"
animation = {files = ["a.obj", "b.obj"]}
)");
    const Scene scene = read_scene(write("other/top.toml", R"(extends = "../base/room.toml"
[colliders.own]
shape = {mesh = {file = "own.obj"}}
)"));
    const auto base = folder_ / "base", other = folder_ / "other";
    ASSERT_EQ(scene.colliders.size(), 3u);
    EXPECT_EQ(mesh_files(scene),
              (std::vector<std::string>{(base / "stone.obj").string(), (other / "own.obj").string(),
                                        (base / "a.obj").string(), (base / "b.obj").string()}));
}

TEST_F(Extends, AMisspeltNameIsNoNewBody) {
    const std::string path = write("typo.toml", R"(extends = "base/ball.toml"
[bodies.bal]
velocity = [0, -2, 0]
)");
    const Reading reading = try_read_scene(path);
    ASSERT_EQ(reading.mistakes.size(), 1u);
    EXPECT_NE(to_string(reading.mistakes[0]).find("ball"), std::string::npos);
}

TEST_F(Extends, SaysWhenAListIsReplaced) {
    const std::string path = write("other.toml", R"(extends = "base/ball.toml"
[[bodies]]
name = "cube"
material = "clay"
shape = {box = {size = [1, 1, 1]}}
)");
    const Scene scene = read_scene(path);
    ASSERT_EQ(scene.bodies.size(), 1u);
    ASSERT_EQ(scene.warnings.size(), 1u);
    const std::string text = to_string(scene.warnings[0]);
    EXPECT_NE(text.find("other.toml:2"), std::string::npos) << text;
    EXPECT_NE(text.find("bodies of base/ball.toml are replaced: ball"), std::string::npos) << text;
    EXPECT_NE(text.find("[bodies.NAME]"), std::string::npos) << text;
}

TEST_F(Extends, NamesAFileThatIsMissingWithItsPlace) {
    const std::string path = write("lost.toml", "title = \"x\"\nextends = \"base/bal.toml\"\n");
    try {
        read_scene(path);
        FAIL();
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("lost.toml:2:"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("bal.toml"), std::string::npos) << e.what();
    }
}

TEST_F(Extends, StopsAtACircle) {
    write("a.toml", "extends = \"b.toml\"\n");
    const std::string path = write("b.toml", "extends = \"a.toml\"\n");
    EXPECT_THROW(read_scene(path), InputError);
}

TEST_F(Extends, ReadsEmittersAndRefusesToEstimateTheirVolumes) {
    const std::string path = write("rain.toml", R"(extends = "base/ball.toml"
[bodies.ball]
emit = {interval = 0.5, count = 4, turn = true}
)");
    const Scene scene = read_scene(path);
    ASSERT_TRUE(scene.bodies[0].emit.has_value());
    EXPECT_EQ(scene.bodies[0].emit->count, 4);
    EXPECT_THROW(read_scene(path, {"solver.volumes=estimate"}), InputError);
}

}  // namespace

}  // namespace knead
