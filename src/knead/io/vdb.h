// OpenVDB files with the names that Houdini and Blender look for.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "knead/io/frame.h"
#include "knead/io/level_set.h"

namespace knead {

// A points grid named "points" with P, v, id, pscale, Cd (the colour of the particle's body) and
// every further column of the frame.
void write_vdb_points(const std::string& path, const Frame& frame,
                      const std::vector<Vec3f>& body_colors);

// A float grid named "surface": signed distance within three voxels of the zero of `set`. With
// `velocity`, which gives it at points [m/s], also a grid of vectors named "vel" on the same
// voxels.
using VelocityField = std::function<std::vector<Vec3f>(const std::vector<Vec3f>& points)>;
void write_vdb_level_set(const std::string& path, const LevelSet& set,
                         const VelocityField& velocity = {});

// The level set as an openvdb::FloatGrid, untyped so that no header of ours needs OpenVDB.
std::shared_ptr<void> float_grid(const LevelSet& set);

}  // namespace knead
