// The sheets and curves of a frame, body by body, for programs that take one mesh a body.
#pragma once

#include <string>
#include <vector>

#include "knead/io/frame.h"

namespace knead {

struct ThinMesh {
    int body = 0;
    std::string name;  // of the body
    std::vector<Vec3f> positions;
    std::vector<std::array<std::int32_t, 3>> triangles;  // of positions
    std::vector<std::array<std::int32_t, 2>> segments;
    std::vector<std::array<float, 6>> uv;  // of triangles; empty: none
};

// By body; `names` has those of all bodies of the scene. Vertices keep the order of the frame's
// rows.
std::vector<ThinMesh> thin_meshes(const Frame& frame, const std::vector<std::string>& names);

// Unit normals at the vertices, weighted by area; zero where no triangle is.
std::vector<Vec3f> vertex_normals(const ThinMesh& mesh);

// Wavefront OBJ: vertices, texture coordinates, faces and lines.
void write_obj(const std::string& path, const ThinMesh& mesh);

}  // namespace knead
