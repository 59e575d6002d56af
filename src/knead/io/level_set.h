// A level set in blocks of 8^3 voxels: negative inside, only blocks near matter are stored. Plain
// data; io/vdb turns it into an OpenVDB grid.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "knead/math/vec.h"

namespace knead {

struct LevelSetBlock {
    static constexpr int side = 8;
    static constexpr int count = side * side * side;
    static constexpr int index(int i, int j, int k) { return (i * side + j) * side + k; }

    Vec3i origin{0, 0, 0};           // of its first voxel, a multiple of 8
    std::array<float, count> phi{};  // [m]; z runs fastest
};

struct LevelSet {
    double voxel = 0;   // edge of a voxel; voxel (i, j, k) is sampled at voxel * (i, j, k) [m]
    float outside = 0;  // value wherever no block is [m]
    std::vector<LevelSetBlock> blocks;  // sorted by origin (x, then y, then z)
};

}  // namespace knead
