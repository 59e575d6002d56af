// The three fields that skinning works with, sampled on the same blocks.
#pragma once

#include <vector>

#include "knead/io/level_set.h"
#include "knead/surface/particle_cells.h"
#include "knead/surface/skin.h"

namespace knead {

// What skinning needs of a frame, checked.
struct SkinParticles {
    std::vector<Vec3f> x;
    std::vector<float> radius;  // pscale
    float largest = 0;
    // The least, but no less than a quarter of what half of them exceed: a few tiny particles do
    // not make all of space fine.
    float finest = 0;
    explicit SkinParticles(const Frame& frame);  // InputError where a number makes no sense
};

// Bounds of one block: outer <= phi <= inner.
struct BlockBounds {
    std::array<float, LevelSetBlock::count> inner;  // distance to the inner union of spheres
    std::array<float, LevelSetBlock::count> outer;
};

struct SkinFields {
    LevelSet level_set;
    std::vector<BlockBounds> bounds;  // one a block
};

// phi(x) = |x - mean(x_p)| - offset mean(r_p), the means weighted by (1 - d^2 / support^2)^3. Over
// a flat layer of particles its zero is flat, and gaps between particles are inside.
SkinFields average_surface(const SkinParticles& particles, const ParticleCells& cells, double voxel,
                           const SkinSettings& settings);

}  // namespace knead
