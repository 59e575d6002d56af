#include "knead/picture/formats.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "io/scratch_folder.h"
#include "knead/base/error.h"

namespace knead::test {
namespace {

Frame one_particle() {
    Frame frame{3, 0.5, 1, {}, {}};
    for (const char* name : {"x", "y", "z"}) frame.columns.push_back({name, std::vector<float>{1}});
    frame.columns.push_back({"pscale", std::vector<float>{0.1f}});
    frame.columns.push_back({"body", std::vector<std::int32_t>{0}});
    return frame;
}

TEST(Formats, EveryRowOfTheTableWritesWhatItSays) {
    const ScratchFolder folder;
    std::set<std::string> names, extensions;
    for (const ExportFormat& format : export_formats()) {
        EXPECT_TRUE(names.insert(format.name).second) << format.name;
        EXPECT_TRUE(extensions.insert(format.extension).second) << format.extension;
        EXPECT_EQ(&export_format(format.name), &format);
        EXPECT_TRUE(format.write_points || format.write_thin_series) << format.name;
        if (!format.write_points) continue;
        const std::string path = folder.path + "/a." + format.extension;
        format.write_points(path, one_particle(), {{1, 0, 0}});
        EXPECT_GT(std::filesystem::file_size(path), 50u) << format.name;
        EXPECT_TRUE(format.write_mesh || format.write_surface) << format.name;
        EXPECT_EQ(static_cast<bool>(format.write_index), !format.index_extension.empty());
    }
    EXPECT_EQ(export_format_names(),
              (std::vector<std::string>{"ply", "vdb", "gltf", "vtk", "pc2"}));
}

TEST(Formats, AnUnknownOneIsNamedWithThoseThereAre) {
    for (const char* name : {"", "fbx"}) {
        try {
            export_format(name);
            FAIL();
        } catch (const InputError& error) {
            EXPECT_NE(std::string(error.what()).find("ply, vdb, gltf, vtk, pc2"),
                      std::string::npos);
        }
    }
}

}  // namespace
}  // namespace knead::test
