// The table of methods: one row each, and defaults that library and scene share.
#include "knead/scene/methods.h"

#include <gtest/gtest.h>

#include <set>

#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"

namespace knead {

namespace {

const std::string small =
    "[solver]\ndx = 0.1\n[[bodies]]\nmaterial = \"jelly\"\n"
    "shape = {sphere = {radius = 0.5}}\n";

}  // namespace

TEST(Methods, EachHasItsOwnNameRowTableAndSettings) {
    std::set<std::string> names, tables;
    ASSERT_EQ(method_table().size(), all_methods.size());
    for (const Method method : all_methods) {
        const MethodRow& row = row_of(method);
        EXPECT_EQ(row.method, method);
        EXPECT_TRUE(names.insert(name_of(method)).second);
        EXPECT_EQ(row.table.has_value(), row.reference.has_value());
        if (row.table) {
            EXPECT_EQ(row.table->info.name, name_of(method));
            EXPECT_EQ(row.reference->path, "solver." + name_of(method));
        }
        const Scene scene = read_scene_text(small, "a.toml", {"solver.method=" + name_of(method)});
        EXPECT_EQ(scene.solver.method, method);
        EXPECT_EQ(method_of(settings_of(scene)), method);
        EXPECT_EQ(build_model<float>(scene).model.method(), method);
        EXPECT_FALSE(summary_of(settings_of(scene)).text.empty());
    }
}

// The same bodies, once from a scene and once by hand.
TEST(Methods, LibraryAndSceneFillInTheSameSettings) {
    const Scene scene = read_scene_text(small, "a.toml", {"solver.method=incremental"});
    IncrementalSettings by_hand;
    fill_in(by_hand, std::vector<BodyMatter>{{scene.materials[0]}});
    const IncrementalSettings& s = scene.solver.incremental;
    EXPECT_EQ(by_hand.memory, DeformationMemory::start);
    EXPECT_EQ(s.memory, by_hand.memory);
    EXPECT_EQ(s.pressure, by_hand.pressure);
    EXPECT_EQ(s.viscosity, by_hand.viscosity);
    EXPECT_EQ(s.force_by_fit, by_hand.force_by_fit);
    EXPECT_EQ(by_hand.force_by_fit, 1);
    // once filled in, settings stay as they are
    IncrementalSettings again = by_hand;
    fill_in(again, std::vector<BodyMatter>{{scene.materials[0], true}});
    EXPECT_EQ(again.memory, by_hand.memory);
}

TEST(Methods, TheGridTakesGripsButNotWithResampling) {
    const std::string held = small + "[[grips]]\nshape = {sphere = {radius = 0.2}}\nrelease = 1\n";
    EXPECT_TRUE(try_read_scene_text(held, "a.toml").mistakes.empty());
    const Reading both = try_read_scene_text(held, "a.toml", {"solver.resampling=true"});
    ASSERT_EQ(both.mistakes.size(), 1u);
    EXPECT_NE(both.mistakes[0].what.find("grips"), std::string::npos);
}

}  // namespace knead
