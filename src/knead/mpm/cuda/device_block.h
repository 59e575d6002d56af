// Blocks of the GPU's grid: 8 x 2 x 4 nodes, so that a block has as many columns along y as a warp
// has lanes. Columns stand upright because most matter moves up and down: it stays in its column.
// Particles belong to the block that holds the first node of their support.
#pragma once

#include "knead/math/vec.h"

namespace knead {

struct DeviceBlock {
    // log2 of the nodes along an axis
    CPU_GPU static constexpr int shift(int axis) { return axis == 0 ? 3 : axis == 1 ? 1 : 2; }
    CPU_GPU static constexpr int width(int axis) { return 1 << shift(axis); }
    static constexpr int nodes = 64;
    static constexpr int columns = 32;

    CPU_GPU static Vec3i of(const Vec3i& node) { return {node.x >> 3, node.y >> 1, node.z >> 2}; }
    CPU_GPU static int index(int x, int y, int z) {
        return ((y & 1) << 5) | ((z & 3) << 3) | (x & 7);
    }
    CPU_GPU static Vec3i node(int index) { return {index & 7, index >> 5, (index >> 3) & 3}; }
    CPU_GPU static int column(const Vec3i& node) { return ((node.z & 3) << 3) | (node.x & 7); }
    // Where a block begins [cells].
    CPU_GPU static Vec3d corner(const Vec3i& block) {
        return {8.0 * block.x, 2.0 * block.y, 4.0 * block.z};
    }
    // Its size with `more` cells added along every axis.
    CPU_GPU static Vec3d size(double more) { return {8 + more, 2 + more, 4 + more}; }

    // Particles of a block reach the blocks from one before to one after, along y two after.
    static constexpr int neighbours = 36;
    CPU_GPU static int link(int x, int y, int z) { return 12 * x + 4 * z + y; }
    CPU_GPU static Vec3i reached(const Vec3i& b, int k) {
        return {b.x + k / 12 - 1, b.y + k % 4 - 1, b.z + k / 4 % 3 - 1};
    }
    // And a block is reached from these.
    CPU_GPU static Vec3i reaching(const Vec3i& b, int k) {
        return {b.x + k / 12 - 1, b.y + k % 4 - 2, b.z + k / 4 % 3 - 1};
    }
};

}  // namespace knead
