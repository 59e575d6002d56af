// Sheets and curves in the formats of other programs.
#include <gtest/gtest.h>

#include <cstring>

#include "io/scratch_folder.h"
#include "knead/base/error.h"
#include "knead/geometry/weave/read_thin.h"
#include "knead/io/frame_reader.h"
#include "knead/io/frame_writer.h"
#include "knead/io/ply.h"
#include "knead/picture/formats.h"
#include "picture/thin_frames.h"

namespace knead::test {
namespace {

const ExportFormat::Names names{"cloth", "yarn 1", "sand"};

TEST(ThinExport, ThinOfAFrameHasNoGrainsAndTheSameElements) {
    const Frame thin = thin_of(thin_frame());
    EXPECT_EQ(thin.count, 7u);
    EXPECT_EQ(thin.triangles.corners, thin_frame().triangles.corners);
    EXPECT_EQ(thin.segments.corners, thin_frame().segments.corners);
}

TEST(ThinExport, PlyReadsBackAsASheet) {
    const ScratchFolder folder;
    Frame frame = thin_frame();
    frame.segments = {};
    const std::string path = folder.path + "/a.ply";
    export_format("ply").write_thin(path, thin_of(frame), names, {});
    const ThinBody body = read_thin_mesh(path).body;
    EXPECT_EQ(body.vertices.size(), 4u);
    EXPECT_EQ(body.triangles.size(), 2u);
    EXPECT_EQ(body.uv[1], frame.triangles.uv[1]);
}

TEST(ThinExport, GltfHasAMeshForEachBodyWithItsName) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/a.glb";
    export_format("gltf").write_thin(path, thin_of(thin_frame()), names, {});
    const std::string bytes = read_bytes(path);
    const auto count = [&](const std::string& part) {
        int n = 0;
        for (auto at = bytes.find(part); at != std::string::npos; at = bytes.find(part, at + 1))
            ++n;
        return n;
    };
    EXPECT_EQ(count("\"POSITION\""), 2);
    EXPECT_EQ(count("\"TEXCOORD_0\""), 1);
    EXPECT_EQ(count("\"mode\":1"), 1);          // lines
    EXPECT_EQ(count("\"mode\":4"), 1);          // triangles
    EXPECT_EQ(count("\"name\":\"cloth\""), 3);  // node, mesh and material
    EXPECT_EQ(count("\"name\":\"yarn 1\""), 3);
    EXPECT_EQ(count("sand"), 0);
}

TEST(ThinExport, VtkHasLinesPolygonsAndTheirColumns) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/a.vtp";
    export_format("vtk").write_thin(path, thin_of(thin_frame()), names, {});
    const std::string bytes = read_bytes(path);
    EXPECT_NE(bytes.find("NumberOfPoints=\"7\" NumberOfVerts=\"0\" NumberOfLines=\"2\""),
              std::string::npos);
    EXPECT_NE(bytes.find("NumberOfPolys=\"2\""), std::string::npos);
    const auto cells = bytes.substr(bytes.find("<CellData>"));
    for (const char* name : {"body", "slip", "r33"})
        EXPECT_NE(cells.find("Name=\"" + std::string(name) + "\""), std::string::npos) << name;
}

TEST(ThinExport, Pc2HoldsEveryFrameOfABodyBesideItsObj) {
    const ScratchFolder folder;
    ExportFormat::Names files;
    for (int n = 0; n < 3; ++n) {
        files.push_back(frame_path(folder.path, "frame", 2 * n, "ply"));
        write_frame(files.back(), thin_frame(2 * n, 0.25f * static_cast<float>(n)));
    }
    const auto written = export_format("pc2").write_thin_series(folder.path, files, names);
    EXPECT_EQ(written,
              (ExportFormat::Names{folder.path + "/cloth.obj", folder.path + "/cloth.pc2",
                                   folder.path + "/yarn_1.obj", folder.path + "/yarn_1.pc2"}));
    const std::string bytes = read_bytes(written[1]);
    ASSERT_EQ(bytes.size(), 32u + 3 * 4 * 12);
    EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2\0", 12));
    const auto number = [&](std::size_t at, auto value) {
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    EXPECT_EQ(number(12, std::int32_t{}), 1);
    EXPECT_EQ(number(16, std::int32_t{}), 4);
    EXPECT_EQ(number(20, float{}), 0.0f);
    EXPECT_EQ(number(24, float{}), 2.0f);
    EXPECT_EQ(number(28, std::int32_t{}), 3);
    // y of the third frame's second vertex
    EXPECT_EQ(number(32 + 2 * 48 + 12 + 4, float{}), 0.5f);
    const ThinBody cloth = read_thin_mesh(written[0]).body;
    EXPECT_EQ(cloth.uv, thin_frame().triangles.uv);
    const ThinBody yarn = read_curves(written[2]).body;
    EXPECT_EQ(yarn.segments.size(), 2u);
}

TEST(ThinExport, Pc2KeepsBodiesApartWhoseNamesOnlyDifferInLettersThatFilesDoNotKeep) {
    const ScratchFolder folder;
    const std::string frame = frame_path(folder.path, "frame", 0, "ply");
    write_frame(frame, thin_frame());
    const auto written =
        export_format("pc2").write_thin_series(folder.path, {frame}, {"ruban+", "ruban_", "sand"});
    EXPECT_EQ(written,
              (ExportFormat::Names{folder.path + "/ruban_.obj", folder.path + "/ruban_.pc2",
                                   folder.path + "/ruban_-1.obj", folder.path + "/ruban_-1.pc2"}));
    EXPECT_EQ(read_bytes(written[1]).size(), 32u + 4 * 12);
    EXPECT_EQ(read_bytes(written[3]).size(), 32u + 3 * 12);
}

TEST(ThinExport, Pc2RefusesFramesWithoutSheetsAndThoseThatChange) {
    const ScratchFolder folder;
    const std::string a = frame_path(folder.path, "frame", 0, "ply"),
                      b = frame_path(folder.path, "frame", 1, "ply");
    write_frame(a, volumes_of(thin_frame()));
    EXPECT_THROW(export_format("pc2").write_thin_series(folder.path, {a}, names), InputError);
    write_frame(a, thin_frame());
    Frame less = thin_frame();
    less.segments.corners.pop_back();
    less.segments.columns.clear();
    write_frame(b, less);
    EXPECT_THROW(export_format("pc2").write_thin_series(folder.path, {a, b}, names), InputError);
}

}  // namespace
}  // namespace knead::test
