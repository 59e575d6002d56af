#include <gtest/gtest.h>
#include <tiny_gltf.h>

#include <cstring>
#include <regex>

#include "io/scratch_folder.h"
#include "knead/base/error.h"
#include "knead/io/gltf.h"
#include "knead/io/image.h"
#include "knead/io/ply.h"
#include "knead/io/vtk.h"
#include "surface/particle_shapes.h"

namespace knead {
namespace {

// A tetrahedron whose corners belong to two bodies.
SurfaceMesh tetrahedron() {
    SurfaceMesh mesh;
    mesh.frame = 5;
    mesh.time = 0.25;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.normals = {{-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    mesh.body = {0, 1, 1, 1};
    mesh.colors = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    mesh.columns = {{"heat", std::vector<float>{1, 2, 3, 4}}};
    mesh.faces = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    return mesh;
}

TEST(SurfacePly, WhatIsReadBackIsWhatWasWritten) {
    const ScratchFolder folder;
    const SurfaceMesh mesh = tetrahedron();
    write_ply(folder.path + "/s.ply", mesh);
    const SurfaceMesh back = read_surface(folder.path + "/s.ply");
    EXPECT_EQ(back.frame, 5);
    EXPECT_EQ(back.time, 0.25);
    EXPECT_EQ(back.positions, mesh.positions);
    EXPECT_EQ(back.normals, mesh.normals);
    EXPECT_EQ(back.body, mesh.body);
    EXPECT_EQ(back.colors, mesh.colors);
    EXPECT_EQ(back.faces, mesh.faces);
    ASSERT_EQ(back.columns.size(), 1u);
    EXPECT_EQ(back.columns[0].at(2), 3.0);
}

TEST(SurfacePly, BrokenFilesAreInputErrors) {
    const ScratchFolder folder;
    const std::string path = folder.path + "/s.ply";
    write_ply(path, tetrahedron());
    const std::string bytes = read_bytes(path);
    for (std::size_t n = 0; n < bytes.size(); ++n)
        EXPECT_THROW(parse_surface(bytes.substr(0, n), "cut"), InputError) << n;
    std::string wrong = bytes;
    wrong[wrong.size() - 1] = 1;  // a corner beyond the vertices
    EXPECT_THROW(parse_surface(wrong, "wrong"), InputError);
    EXPECT_THROW(read_surface(folder.path + "/none.ply"), InputError);
}

TEST(Gltf, TinyGltfLoadsTheSurfaceWithItsBodiesByName) {
    const ScratchFolder folder;
    SurfaceMesh mesh = tetrahedron();
    mesh.labels = {{"ball", "jelly"}, {"bed", "cream"}};
    for (const char* name : {"vx", "vy", "vz"})
        mesh.columns.push_back({name, std::vector<float>{1, 2, 3, 4}});
    write_glb(folder.path + "/s.glb", mesh, {});
    tinygltf::TinyGLTF loader;
    tinygltf::Model model;
    std::string error, warning;
    ASSERT_TRUE(loader.LoadBinaryFromFile(&model, &error, &warning, folder.path + "/s.glb"))
        << error;
    EXPECT_EQ(warning, "");
    EXPECT_EQ(model.asset.extras.Get("up_axis").Get<std::string>(), "+Y");
    ASSERT_EQ(model.meshes.size(), 2u);  // three faces begin at body 0, one at body 1
    ASSERT_EQ(model.nodes.size(), 2u);
    EXPECT_EQ(model.nodes[0].name, "ball");
    EXPECT_EQ(model.nodes[1].name, "bed");
    EXPECT_EQ(model.materials[1].name, "cream");
    std::size_t corners = 0, used = 0;
    for (const auto& part : model.meshes) {
        const auto& p = part.primitives.at(0);
        const auto count = [&](int a) {
            return model.accessors[static_cast<std::size_t>(a)].count;
        };
        corners += count(p.indices);
        used += count(p.attributes.at("POSITION"));
        EXPECT_EQ(count(p.attributes.at("_VELOCITY")), count(p.attributes.at("POSITION")));
    }
    EXPECT_EQ(corners, 12u);
    EXPECT_EQ(used, 4u + 3u);  // each takes the vertices that it uses, no more
    const auto& accessor = model.accessors[static_cast<std::size_t>(
        model.meshes[0].primitives[0].attributes.at("POSITION"))];
    EXPECT_EQ(accessor.maxValues, (std::vector<double>{1, 1, 1}));
}

TEST(Gltf, AnEmptyFrameIsStillAFile) {
    const ScratchFolder folder;
    write_glb(folder.path + "/s.glb", SurfaceMesh{}, {});
    tinygltf::TinyGLTF loader;
    tinygltf::Model model;
    std::string error, warning;
    EXPECT_TRUE(loader.LoadBinaryFromFile(&model, &error, &warning, folder.path + "/s.glb"))
        << error;
}

// The numbers of one array of a .vtp file, found the way VTK finds them.
template <class T>
std::vector<T> vtp_array(const std::string& bytes, const std::string& type,
                         const std::string& name) {
    std::smatch match;
    const std::regex array("type=\"" + type + "\" Name=\"" + name + "\"[^>]*offset=\"(\\d+)\"");
    const std::size_t data = bytes.find("<AppendedData encoding=\"raw\">\n_") + 31;
    const std::string xml = bytes.substr(0, data);
    if (!std::regex_search(xml, match, array)) return {};
    const std::size_t at = data + std::stoul(match[1]);
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    std::vector<T> values(size / sizeof(T));
    std::memcpy(values.data(), bytes.data() + at + sizeof size, size);
    return values;
}

TEST(Vtp, HoldsEveryColumnOfTheParticles) {
    const ScratchFolder folder;
    Frame frame = ball_frame(0.5, 0.2);
    frame.time = 0.75;
    write_vtp(folder.path + "/f.vtp", frame, {{0.25f, 0.5f, 0.75f}});
    const std::string bytes = read_bytes(folder.path + "/f.vtp");
    EXPECT_EQ(vtp_array<float>(bytes, "Float32", "heat"), frame.floats("heat"));
    EXPECT_EQ(vtp_array<std::int32_t>(bytes, "Int32", "id"), frame.integers("id"));
    EXPECT_EQ(vtp_array<double>(bytes, "Float64", "TimeValue"), (std::vector<double>{0.75}));
    const auto colors = vtp_array<float>(bytes, "Float32", "Cd");
    ASSERT_EQ(colors.size(), 3 * frame.count);
    EXPECT_EQ(colors[1], frame.find("body") ? 0.5f : 0.8f);
    const auto points = vtp_array<float>(bytes, "Float32", "Points");
    ASSERT_EQ(points.size(), 3 * frame.count);
    EXPECT_EQ(points[3 * 7 + 1], frame.positions()[7].y);
    EXPECT_EQ(vtp_array<std::int64_t>(bytes, "Int64", "offsets").back(),
              static_cast<std::int64_t>(frame.count));
}

TEST(Vtp, HoldsTheTrianglesOfASurface) {
    const ScratchFolder folder;
    write_vtp(folder.path + "/s.vtp", tetrahedron());
    const std::string bytes = read_bytes(folder.path + "/s.vtp");
    EXPECT_EQ(vtp_array<std::int32_t>(bytes, "Int32", "connectivity"),
              (std::vector<std::int32_t>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}));
    EXPECT_EQ(vtp_array<std::int64_t>(bytes, "Int64", "offsets"),
              (std::vector<std::int64_t>{3, 6, 9, 12}));
}

TEST(Png, WhatIsReadBackIsWhatWasWritten) {
    const ScratchFolder folder;
    Image image(7, 5);
    for (std::size_t i = 0; i < image.rgb.size(); ++i)
        image.rgb[i] = static_cast<std::uint8_t>(random_bits(1, i));
    write_png(folder.path + "/p.png", image);
    const Image back = read_png(folder.path + "/p.png");
    EXPECT_EQ(back.width, 7);
    EXPECT_EQ(back.height, 5);
    EXPECT_EQ(back.rgb, image.rgb);
}

TEST(Png, ABrokenFileIsAnInputError) {
    const ScratchFolder folder;
    write_ply(folder.path + "/p.png", tetrahedron());
    EXPECT_THROW(read_png(folder.path + "/p.png"), InputError);
}

}  // namespace
}  // namespace knead
