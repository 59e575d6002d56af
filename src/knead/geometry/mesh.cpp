#include "knead/geometry/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <unordered_map>

#include "knead/base/input_file.h"
#include "knead/base/random.h"
#include "knead/geometry/mesh_formats.h"

namespace knead {

namespace {

Vec3d cross_of(const Mesh& mesh, const Vec3i& t) {
    return cross(mesh.point(t.y) - mesh.point(t.x), mesh.point(t.z) - mesh.point(t.x));
}

struct VertexHash {
    std::size_t operator()(const Vec3f& p) const {
        return random_bits(std::bit_cast<std::uint32_t>(p.x), std::bit_cast<std::uint32_t>(p.y),
                           std::bit_cast<std::uint32_t>(p.z));
    }
};

void require_area(const Mesh& mesh, const std::string& name) {
    if (mesh.positions.empty() || mesh.triangles.empty())
        throw InputError(Place{name, 0, 0},
                         fmt::format("the mesh has {} vertices and {} faces", mesh.positions.size(),
                                     mesh.triangles.size()),
                         "export it with its faces");
    for (const Vec3i& t : mesh.triangles)
        if (length_squared(cross_of(mesh, t)) > 0) return;
    throw InputError(Place{name, 0, 0}, "every triangle of the mesh has zero area",
                     "export a mesh that bounds a volume");
}

}  // namespace

Mesh read_mesh_parts(std::string_view bytes, const std::string& name) {
    const std::size_t dot = name.rfind('.');
    std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    Mesh (*read)(std::string_view, const std::string&) = nullptr;
    if (ending == "obj") read = mesh_format::read_obj;
    if (ending == "ply") read = mesh_format::read_ply;
    if (ending == "stl") read = mesh_format::read_stl;
    if (!read)
        throw InputError(Place{name, 0, 0}, "this is no mesh format knead reads",
                         "give a file that ends in .obj, .ply or .stl");
    if (bytes.empty())
        throw InputError(Place{name, 0, 0}, "the file is empty", "export the mesh again");
    return read(bytes, name);
}

Mesh read_mesh_bytes(std::string_view bytes, const std::string& name) {
    Mesh mesh = read_mesh_parts(bytes, name);
    require_area(mesh, name);
    return mesh;
}

Mesh read_mesh(const std::string& path) {
    return read_mesh_bytes(read_input(path, mesh_input), path);
}

Box3 bounds(const Mesh& mesh) {
    Box3 box;
    for (const Vec3i& t : mesh.triangles)
        for (int k = 0; k < 3; ++k) box.add(mesh.point(t[k]));
    return box;
}

double area(const Mesh& mesh) {
    double sum = 0;
    for (const Vec3i& t : mesh.triangles) sum += 0.5 * length(cross_of(mesh, t));
    return sum;
}

double enclosed_volume(const Mesh& mesh) {
    // Tetrahedra from the box's centre, for the digits. [divergence theorem]
    const Vec3d c = bounds(mesh).center();
    double sum = 0;
    for (const Vec3i& t : mesh.triangles) sum += dot(mesh.point(t.x) - c, cross_of(mesh, t)) / 6;
    return sum;
}

Mesh welded(const Mesh& mesh) {
    Mesh result;
    std::unordered_map<Vec3f, int, VertexHash> first;
    std::vector<int> to;
    to.reserve(mesh.positions.size());
    for (Vec3f p : mesh.positions) {
        p = p + Vec3f{0, 0, 0};  // -0 becomes 0
        const auto [it, fresh] = first.emplace(p, static_cast<int>(result.positions.size()));
        if (fresh) result.positions.push_back(p);
        to.push_back(it->second);
    }
    const auto moved = [&](int v) { return to[static_cast<std::size_t>(v)]; };
    for (const Vec3i& t : mesh.triangles) {
        const Vec3i w{moved(t.x), moved(t.y), moved(t.z)};
        if (w.x != w.y && w.y != w.z && w.z != w.x) result.triangles.push_back(w);
    }
    return result;
}

}  // namespace knead
