// Particles to a closed surface: a level set that starts from the particles' average surface, is
// smoothed, and is held after every pass between an inner and an outer union of spheres.
// [Bhattacharya 2011]
#pragma once

#include <string>
#include <vector>

#include "knead/io/frame.h"
#include "knead/io/level_set.h"
#include "knead/io/surface_mesh.h"

namespace knead {

// Lengths are multiples of pscale, the particles' radius (half their spacing).
struct SkinSettings {
    double voxel = 0;       // [m]; 0: the smallest pscale, at least a quarter of the common one
    double inner = 0.6;     // radius of the spheres that stay inside
    double outer = 2.6;     // radius of the spheres that hold the surface in
    double support = 4;     // reach of the average that the surface starts from
    double offset = 1.1;    // from the average of the particles to the surface, see average_surface
    int smooth = 12;        // passes
    int blur = 16;          // steps that even out the normals, not the surface
    double adaptivity = 0;  // 0..1: larger faces where the surface is flat
    std::vector<std::string> columns;  // carried over to the vertices
};

// The level set; its zero is the surface. Sheets and curves have no part in it.
LevelSet skin_level_set(const Frame& frame, const SkinSettings& settings);

// The surface as triangles; vertices take the body of the nearest particle and the local average of
// the named columns. Empty where the frame has no particles.
SurfaceMesh skin_frame(const Frame& frame, const SkinSettings& settings);

// The average of a column about each of the points, by the same weights.
std::vector<float> average_at(const Frame& frame, const std::vector<float>& column,
                              const std::vector<Vec3f>& points, const SkinSettings& settings = {});

}  // namespace knead
