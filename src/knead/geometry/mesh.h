// Triangle meshes, and reading them from OBJ, PLY and STL files.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "knead/geometry/box3.h"

namespace knead {

// A line through vertices, and where the file has it.
struct MeshLine {
    std::vector<int> points;
    int place = 0;
};

struct Mesh {
    std::vector<Vec3f> positions;
    std::vector<Vec3i> triangles;            // counter-clockwise seen from outside
    std::vector<std::array<float, 6>> uv{};  // of each triangle's corners; empty: none
    std::vector<MeshLine> lines{};           // OBJ's l

    Vec3d point(int vertex) const {
        return static_cast<Vec3d>(positions[static_cast<std::size_t>(vertex)]);
    }
};

// By the file name's ending: .obj, .ply (text or binary) or .stl (text or binary). Polygons are
// cut into triangles; STL vertices are welded. Every defect is an InputError that says where:
// missing or truncated file, numbers that are none, indices out of range, no area at all.
Mesh read_mesh(const std::string& path);
Mesh read_mesh_bytes(std::string_view bytes, const std::string& name);
// The same without asking for an area: whatever faces and lines the file has.
Mesh read_mesh_parts(std::string_view bytes, const std::string& name);

Box3 bounds(const Mesh& mesh);             // of the vertices that triangles use
double area(const Mesh& mesh);             // [m2]
double enclosed_volume(const Mesh& mesh);  // [m3]; of a closed, oriented mesh
// Merges vertices at the same place and drops triangles that lose a side; without uv and lines.
Mesh welded(const Mesh& mesh);

}  // namespace knead
