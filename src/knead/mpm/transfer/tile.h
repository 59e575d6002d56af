// A tile: the nodes that the particles of one block can reach, in one small dense array that stays
// in the first-level cache while they are visited. It spans the block's nodes, one more on the low
// side and Order more on the high side plus one for drift.
//
// A node holds Channels numbers, side by side:
//     APIC (4)   mass, momentum with dt * force             ->  mass, velocity
//     FLIP (8)   mass, momentum, force, 0                   ->  mass, velocity, 0, its change
#pragma once

#include "knead/mpm/grid/block_key.h"

namespace knead {

template <int Order, int Channels>
struct Tile {
    static constexpr int width = block_width + Order + 2;  // nodes along x and y, and used along z
    static constexpr int depth = block_width + 5;  // nodes along z: four are read at a time, always
    static constexpr int row = depth * Channels;   // numbers from one y to the next
    static constexpr int slab = width * row;       // and from one x to the next
    static constexpr int nodes_size = width * slab;
    static constexpr int size = nodes_size + 8;  // with what part of it is in use (tile_box.h)
    static constexpr int low = -1;               // tile index 0 is this node of the block
};

// Which nodes of a target block a source block `step` (-1, 0, 1) away along an axis reaches, and
// where they stand in the source's tile.
struct Overlap {
    int first;  // node of the target block
    int count;
    int tile;  // index in the tile of that node
};

template <int Order>
constexpr Overlap overlap(int step) {
    if (step < 0) return {0, Order + 1, block_width + 1};
    if (step > 0) return {block_width - 1, 1, 0};
    return {0, block_width, 1};
}

}  // namespace knead
