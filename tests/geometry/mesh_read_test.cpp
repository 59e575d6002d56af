#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "geometry/test_meshes.h"
#include "knead/base/error.h"
#include "knead/base/random.h"
#include "knead/geometry/mesh.h"
#include "knead/geometry/mesh_check.h"

namespace knead {
namespace {

void expect_cube(const Mesh& m) {
    EXPECT_EQ(m.positions.size(), 8u);
    EXPECT_EQ(m.triangles.size(), 12u);
    EXPECT_NEAR(enclosed_volume(m), 8, 1e-12);
    EXPECT_NEAR(area(m), 24, 1e-12);
    EXPECT_TRUE(check_mesh(m).closed() && check_mesh(m).oriented());
}

std::string message_of(std::string_view bytes, const std::string& name) {
    try {
        read_mesh_bytes(bytes, name);
    } catch (const InputError& e) {
        return e.what();
    }
    return "read without complaint";
}
void expect_message(std::string_view bytes, const std::string& name, const std::string& part) {
    const std::string message = message_of(bytes, name);
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

// Numbers as bytes in either order.
template <class T>
void append(std::string& out, T value, bool big) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (big) std::reverse(bytes, bytes + sizeof(T));
    out.append(bytes, sizeof(T));
}

std::string binary_ply(const Mesh& m, bool big) {
    std::string text = fmt::format(
        "ply\r\nformat binary_{}_endian 1.0\r\ncomment a cube\r\nelement material 2\r\n"
        "property list uchar ushort tags\r\nelement vertex {}\r\nproperty uchar red\r\n"
        "property double z\r\nproperty float x\r\nproperty list uchar int bones\r\n"
        "property double y\r\nelement face {}\r\nproperty short flags\r\n"
        "property list int16 uint vertex_index\r\nend_header\r\n",
        big ? "big" : "little", m.positions.size(), m.triangles.size());
    for (const std::uint8_t n : {std::uint8_t{2}, std::uint8_t{0}}) {
        append(text, n, big);
        for (int k = 0; k < n; ++k) append(text, std::uint16_t{7}, big);
    }
    for (const Vec3f& p : m.positions) {
        append(text, std::uint8_t{200}, big);
        append(text, double{p.z}, big);
        append(text, p.x, big);
        append(text, std::uint8_t{1}, big);
        append(text, std::int32_t{-5}, big);
        append(text, double{p.y}, big);
    }
    for (const Vec3i& t : m.triangles) {
        append(text, std::int16_t{-1}, big);
        append(text, std::int16_t{3}, big);
        for (int k = 0; k < 3; ++k) append(text, static_cast<std::uint32_t>(t[k]), big);
    }
    return text;
}

std::string binary_stl(const Mesh& m) {
    std::string text(80, ' ');
    text.replace(0, 5, "solid");  // some exporters do
    append(text, static_cast<std::uint32_t>(m.triangles.size()), false);
    for (const Vec3i& t : m.triangles) {
        for (int k = 0; k < 3; ++k) append(text, 0.f, false);
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) append(text, static_cast<float>(m.point(t[k])[a]), false);
        append(text, std::uint16_t{0}, false);
    }
    return text;
}

std::string text_stl(const Mesh& m) {
    std::string text = "solid my facet cube\n";
    for (const Vec3i& t : m.triangles) {
        text += "facet normal 0 0 nan\n outer loop\n";
        for (int k = 0; k < 3; ++k) {
            const Vec3d p = m.point(t[k]);
            text += fmt::format("  vertex {} {} {}\n", p.x, p.y, p.z);
        }
        text += " endloop\nendfacet\n";
    }
    return text + "endsolid my facet cube\n";
}

TEST(MeshRead, ObjOfEveryCornerForm) {
    const char* text =
        "# a cube\r\nmtllib no.mtl\r\no cube\r\n"
        "v -1 -1 -1 1.0\r\nv 1 -1 -1\r\nv +1 1 -1 0.5 0.5 0.5\r\nv -1e0 1 -1\r\n"
        "v -1 -1 1\r\nv 1 -1 1 # with a remark\r\nv 1 1 1\r\nv -1 1 \\\r\n 1\r\n"
        "vt 0 0\r\nvn 0 0 1\r\n"
        "f 4 3 2 1\r\nf 5/1 6/1 7/1 8/1\r\nf 1//1 2//1 6//1 5//1\r\nf 3/1/1 4/1/1 8/1/1 7/1/1\r\n"
        "f -8 -4 -1 \\\r\n  -5\r\nf 2 3 7 6\r\ns off\r\nl 1 2";
    expect_cube(read_mesh_bytes(text, "cube.OBJ"));
}

TEST(MeshRead, PlyBinaryOfEitherByteOrderAnyPropertyOrder) {
    for (const bool big : {false, true})
        expect_cube(read_mesh_bytes(binary_ply(cube_mesh(1), big), "cube.ply"));
}

TEST(MeshRead, PlyTextWithQuadsAndFacesBeforeVertices) {
    const char* text =
        "ply\nformat ascii 1.0\nelement face 6\nproperty list uchar int vertex_indices\n"
        "element vertex 8\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
        "4 3 2 1 0\n4 4 5 6 7\n4 0 1 5 4\n4 2 3 7 6\n4 0 4 7 3\n4 1 2 6 5\n"
        "-1 -1 -1\n1 -1 -1\n1 1 -1\n-1 1 -1\n-1 -1 1\n1 -1 1\n1 1 1\n-1 1 1\n";
    expect_cube(read_mesh_bytes(text, "cube.ply"));
}

TEST(MeshRead, StlTextAndBinaryAreWelded) {
    expect_cube(read_mesh_bytes(binary_stl(cube_mesh(1)), "cube.stl"));
    expect_cube(read_mesh_bytes(text_stl(cube_mesh(1)), "cube.stl"));
}

// An L of area 3, whose fan from any corner but two would lie outside it.
TEST(MeshRead, ConcavePolygonsAreCutInside) {
    for (int shift = 0; shift < 6; ++shift) {
        std::string text = "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf";
        for (int k = 0; k < 6; ++k) text += fmt::format(" {}", 1 + (k + shift) % 6);
        EXPECT_NEAR(area(read_mesh_bytes(text, "l.obj")), 3, 1e-12) << shift;
    }
}

TEST(MeshRead, MistakesNameFileLineAndRemedy) {
    expect_message("v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3", "a.obj",
                   "a.obj:3: the vertex is (0, 1, nan)");
    expect_message("v 0 0 0\nv 1 0\n", "a.obj", "a.obj:2: the vertex has fewer");
    expect_message("v 0 0 0\nv 1 0 x\n", "a.obj", "a.obj:2: \"x\" is no coordinate");
    expect_message("v 0 0 0\nv 1 0 0\nv 0 1 1e99\nf 1 2 3", "a.obj", "a.obj:3:");
    expect_message("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4", "a.obj",
                   "a.obj:4: the face names vertex 4 of 3");
    expect_message("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4", "a.obj",
                   "a.obj:4: the face names vertex -4");
    expect_message("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2", "a.obj", "start at 1");
    expect_message("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2", "a.obj", "the face has 2 corners");
    expect_message("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3", "a.obj", "zero area");
    expect_message("v 0 0 0\n", "a.obj", "1 vertices and 0 faces");
    expect_message("", "a.obj", "empty");
    expect_message("x", "a.fbx", ".obj, .ply or .stl");
    expect_message("plx\n", "a.ply", "does not begin with ply");
    expect_message("ply\nformat ascii 1.0\n", "a.ply", "without end_header");
    const std::string head =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    expect_message(head + "0 0 0\n1 0 0\n0 1 inf\n3 0 1 2\n", "a.ply",
                   "a.ply:12: vertex 2 is (0, 1, inf)");
    expect_message(head + "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "a.ply", "face 0 names a vertex");
    expect_message(head + "0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "a.ply", "ends too early");
    expect_message("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "a.stl",
                   "a.stl:5: the file ends");
    expect_message("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "a.stl",
                   "has 1 corners");
    EXPECT_THROW(read_mesh("/no/such/file.obj"), InputError);
    EXPECT_THROW(read_mesh(std::filesystem::temp_directory_path().string()), InputError);
}

// Counts beyond the file's size must be refused before any memory is taken for them.
TEST(MeshRead, LyingHeadersAreRefused) {
    std::string stl = binary_stl(cube_mesh(1));
    stl[83] = '\x7f';
    expect_message(stl, "a.stl", "the header promises");
    std::string stl2 = stl;
    stl2[0] = 'x';
    expect_message(stl2, "a.stl", "the header promises");
    const std::string head = "ply\nformat {} 1.0\nelement vertex {}\n{}end_header\n1 2 3\n";
    const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
    for (const std::string format : {"ascii", "binary_little_endian"}) {
        expect_message(fmt::format(fmt::runtime(head), format, 9000000000000000000ll, xyz), "a.ply",
                       "cannot fit");
        expect_message(fmt::format(fmt::runtime(head), format, 2000000000, ""), "a.ply",
                       "no properties");
        expect_message(fmt::format(fmt::runtime(head), format, -3, xyz), "a.ply",
                       "no number of elements");
    }
    std::string ply =
        "ply\nformat binary_little_endian 1.0\nelement face 1\n"
        "property list uint int vertex_indices\nend_header\n";
    append(ply, std::uint32_t{0xfffffff0u}, false);
    expect_message(ply, "a.ply", "cannot fit");
}

// Every prefix of a file and every flipped byte either reads or is an InputError.
TEST(MeshRead, DamagedFilesNeverCrash) {
    const Mesh cube = cube_mesh(1);
    const std::vector<std::pair<std::string, std::string>> files = {
        {to_obj(cube), "a.obj"},
        {binary_ply(cube, false), "a.ply"},
        {binary_ply(cube, true), "a.ply"},
        {binary_stl(cube), "a.stl"},
        {text_stl(cube), "a.stl"}};
    int refused = 0, read = 0;
    const auto attempt = [&](std::string_view bytes, const std::string& name) {
        try {
            read_mesh_bytes(bytes, name);
            ++read;
        } catch (const InputError&) {
            ++refused;
        }
    };
    for (const auto& [bytes, name] : files) {
        for (std::size_t n = 0; n < bytes.size(); ++n) attempt(bytes.substr(0, n), name);
        for (std::uint64_t i = 0; i < 3000; ++i) {
            std::string bad = bytes;
            bad[random_bits(1, i) % bad.size()] = static_cast<char>(random_bits(2, i));
            attempt(bad, name);
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(read, 1000);
}

TEST(MeshRead, ReadsFromDisk) {
    const auto path = std::filesystem::temp_directory_path() / "knead_mesh_read_test.stl";
    std::ofstream(path, std::ios::binary) << binary_stl(cube_mesh(1));
    expect_cube(read_mesh(path.string()));
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace knead
