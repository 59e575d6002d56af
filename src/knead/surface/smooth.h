// Smoothing of a level set that stays within its bounds.
#pragma once

#include "knead/surface/average_surface.h"

namespace knead {

// Each pass takes a step of diffusion forward and a slightly larger one back, which damps what is
// short against the voxel and leaves the rest in place (as biharmonic flow does, without its tiny
// steps), then returns every voxel to its bounds.
void smooth_within_bounds(SkinFields& fields, int passes);

// Plain diffusion, without bounds: for fields whose slope matters, not their zero.
void blur(LevelSet& set, int steps);

}  // namespace knead
