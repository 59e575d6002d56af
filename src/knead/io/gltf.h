// Binary glTF 2.0 (.glb): metres, +Y up, as glTF asks and knead computes.
#pragma once

#include <string>
#include <vector>

#include "knead/io/frame.h"
#include "knead/io/surface_mesh.h"
#include "knead/io/thin_mesh.h"

namespace knead {

// A node and mesh for each body, with its name, material, vertex colours and, where the vertices
// carry it, their velocity as _VELOCITY.
void write_glb(const std::string& path, const SurfaceMesh& mesh,
               const std::vector<Vec3f>& body_colors);
// The particles as a point cloud with colours.
void write_glb(const std::string& path, const Frame& frame, const std::vector<Vec3f>& body_colors);

// One node and mesh a body, with its name: triangles with normals and texture coordinates, segments
// as lines. The topology is the same for all frames of a run.
void write_glb(const std::string& path, const std::vector<ThinMesh>& bodies, int frame, double time,
               const std::vector<Vec3f>& body_colors);

}  // namespace knead
