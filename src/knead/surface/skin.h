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
    bool together = false;  // one surface over all bodies, not one around each
    std::vector<std::string> columns;  // carried over to the vertices, besides the velocity
};

// The level set; its zero is the surface. Sheets and curves have no part in it.
LevelSet skin_level_set(const Frame& frame, const SkinSettings& settings);

// The surface as triangles: a closed one around each body, so that both sides of where bodies meet
// are there. Vertices carry the velocity and the named columns. Empty where there are no particles.
SurfaceMesh skin_frame(const Frame& frame, const SkinSettings& settings);

// Gives the vertices the velocity (vx, vy, vz) and the named columns of the frame: averages over
// the particles of their own body that are near, by the weights of the surface.
void carry_columns(const Frame& frame, const SkinSettings& settings, SurfaceMesh& mesh);

// The average velocity at each of the points, over all particles near; zero where there are none.
std::vector<Vec3f> velocities_at(const Frame& frame, const std::vector<Vec3f>& points,
                                 const SkinSettings& settings = {});

}  // namespace knead
