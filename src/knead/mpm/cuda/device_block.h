// Blocks of the GPU's grid: 8 x 4 x 2 nodes, so that a block has as many columns along z as a warp
// has lanes. Particles belong to the block that holds the first node of their support.
#pragma once

#include "knead/math/vec.h"

namespace knead {

struct DeviceBlock {
    CPU_GPU static constexpr int shift(int axis) { return 3 - axis; }  // log2 of the nodes along it
    CPU_GPU static constexpr int width(int axis) { return 1 << shift(axis); }
    static constexpr int nodes = 64;
    static constexpr int columns = 32;

    CPU_GPU static Vec3i of(const Vec3i& node) { return {node.x >> 3, node.y >> 2, node.z >> 1}; }
    CPU_GPU static int index(int x, int y, int z) {
        return ((z & 1) << 5) | ((y & 3) << 3) | (x & 7);
    }
    CPU_GPU static Vec3i node(int index) { return {index & 7, (index >> 3) & 3, index >> 5}; }
    CPU_GPU static int column(const Vec3i& node) { return ((node.y & 3) << 3) | (node.x & 7); }
    // Where a block begins [cells].
    CPU_GPU static Vec3d corner(const Vec3i& block) {
        return {8.0 * block.x, 4.0 * block.y, 2.0 * block.z};
    }
    // Its size with `more` cells added along every axis.
    CPU_GPU static Vec3d size(double more) { return {8 + more, 4 + more, 2 + more}; }

    // Particles of a block reach the blocks from one before to one after, along z two after.
    static constexpr int neighbours = 36;
    CPU_GPU static Vec3i reached(const Vec3i& b, int k) {
        return {b.x + k / 12 - 1, b.y + k / 4 % 3 - 1, b.z + k % 4 - 1};
    }
    // And a block is reached from these.
    CPU_GPU static Vec3i reaching_step(int k) { return {k / 12 - 1, k / 4 % 3 - 1, k % 4 - 2}; }
    CPU_GPU static Vec3i reaching(const Vec3i& b, int k) { return b + reaching_step(k); }
};

}  // namespace knead
