// Surface meshes as PLY: vertices with normals, colour, body and columns; triangles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "knead/base/error.h"
#include "knead/base/safe_text.h"
#include "knead/io/atomic_file.h"
#include "knead/io/color.h"
#include "knead/io/ply.h"

namespace knead {

namespace {

template <class T>
void append(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
}

std::string header_of(const SurfaceMesh& mesh) {
    std::string h = "ply\nformat binary_little_endian 1.0\ncomment knead surface\n";
    h += fmt::format("comment frame {}\ncomment time {:.17g}\n", mesh.frame, mesh.time);
    for (std::size_t b = 0; b < mesh.labels.size(); ++b)
        h += fmt::format("comment body {} {} of {}\n", b, safe_text(mesh.labels[b].name),
                         safe_text(mesh.labels[b].material));
    h += fmt::format("element vertex {}\n", mesh.positions.size());
    for (const char* name : {"x", "y", "z", "nx", "ny", "nz"})
        h += fmt::format("property float {}\n", name);
    if (!mesh.colors.empty())
        for (const char* name : {"red", "green", "blue"})
            h += fmt::format("property uchar {}\n", name);
    h += "property int body\n";
    for (const FrameColumn& c : mesh.columns)
        h += fmt::format("property {} {}\n", c.is_integer() ? "int" : "float", c.name);
    h += fmt::format("element face {}\n", mesh.faces.size());
    h += "property list uchar int vertex_indices\nend_header\n";
    return h;
}

}  // namespace

void write_ply(const std::string& path, const SurfaceMesh& mesh) {
    std::string bytes = header_of(mesh);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        append(bytes, mesh.positions[i]);
        append(bytes, mesh.normals[i]);
        if (!mesh.colors.empty())
            for (int k = 0; k < 3; ++k) append(bytes, srgb_byte(mesh.colors[i][k]));
        append(bytes, mesh.body[i]);
        for (const FrameColumn& c : mesh.columns)
            std::visit([&](const auto& values) { append(bytes, values[i]); }, c.values);
    }
    for (const auto& f : mesh.faces) {
        append(bytes, std::uint8_t{3});
        append(bytes, f);
    }
    AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

SurfaceMesh parse_surface(std::string_view bytes, const std::string& name) {
    PlyFile file = parse_ply(bytes, name);
    const PlyElement* vertex = file.find("vertex");
    const PlyElement* face = file.find("face");
    if (!vertex || !face || face->lists.size() != 1 || !face->lists[0].reals.empty())
        throw InputError({name}, "this PLY file holds no surface");

    // vertices: known columns to their places, the rest carried along
    SurfaceMesh mesh;
    Frame table{0, 0, vertex->count, vertex->columns};
    mesh.positions = table.positions();
    mesh.normals = table.vectors("nx", "ny", "nz");
    mesh.body = table.find("body") ? table.integers("body") : std::vector<int>(table.count, 0);
    if (table.find("red")) {
        mesh.colors = table.vectors("red", "green", "blue");
        for (Vec3f& c : mesh.colors)
            for (int k = 0; k < 3; ++k) c[k] = linear_of_srgb(c[k] / 255.0f);
    }
    const std::string known[] = {"x", "y", "z", "nx", "ny", "nz", "red", "green", "blue", "body"};
    for (FrameColumn& c : table.columns)
        if (std::find(std::begin(known), std::end(known), c.name) == std::end(known))
            mesh.columns.push_back(std::move(c));

    // faces: triangles within range
    const PlyList& list = face->lists[0];
    const auto vertices = static_cast<std::int32_t>(mesh.positions.size());
    for (std::size_t f = 0; f < face->count; ++f) {
        const std::size_t at = list.starts[f];
        if (list.starts[f + 1] != at + 3)
            throw InputError({name}, fmt::format("face {} is no triangle", f));
        const Vec3<std::int32_t> t{list.values[at], list.values[at + 1], list.values[at + 2]};
        for (int k = 0; k < 3; ++k)
            if (t[k] < 0 || t[k] >= vertices)
                throw InputError(
                    {name}, fmt::format("face {} names vertex {}, which is not there", f, t[k]));
        mesh.faces.push_back(t);
    }
    file.read_stamp(mesh.frame, mesh.time);
    return mesh;
}

SurfaceMesh read_surface(const std::string& path) { return parse_surface(read_bytes(path), path); }

}  // namespace knead
