// Tile sums: a block of nodes adds up the tiles that reach it, in a fixed order.
#pragma once

#include <algorithm>

#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/transfer/row.h"
#include "knead/mpm/transfer/tile_box.h"

namespace knead {

// Adds what the source block `step` away contributes to a target block's nodes; says whether that
// is anything.
template <class Real, int Order, int Channels>
inline bool add_tile(const Real* tile, const Vec3i& step, Real* nodes) {
    using T = Tile<Order, Channels>;
    using Node = NodeRow<Real, Channels>;
    const TileBox box = box_of<Order, Channels>(tile);
    const Overlap ox = within(overlap<Order>(step.x), box, 0),
                  oy = within(overlap<Order>(step.y), box, 1),
                  oz = within(overlap<Order>(step.z), box, 2);
    if (ox.count <= 0 || oy.count <= 0 || oz.count <= 0) return false;
    for (int i = 0; i < ox.count; ++i)
        for (int j = 0; j < oy.count; ++j) {
            const Real* from =
                tile + (ox.tile + i) * T::slab + (oy.tile + j) * T::row + oz.tile * Channels;
            Real* to =
                nodes +
                (((ox.first + i) * block_width + oy.first + j) * block_width + oz.first) * Channels;
            for (int c = 0; c < oz.count; ++c, from += Channels, to += Channels)
                (Node::load(to) + Node::load(from)).store(to);
        }
    return true;
}

// False where no tile reaches the block: its nodes are zero.
template <class Real, int Order, int Channels>
inline bool sum_block_tiles(const TargetBlock& block, const Real* tiles, Real* nodes) {
    std::fill(nodes, nodes + block_nodes * Channels, Real(0));
    bool any = false;
    for (int k = 0; k < 27; ++k) {
        const std::int32_t source = block.sources[static_cast<std::size_t>(k)];
        if (source < 0) continue;
        const Real* tile = tiles + static_cast<std::size_t>(source) * Tile<Order, Channels>::size;
        any |= add_tile<Real, Order, Channels>(tile, {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1}, nodes);
    }
    return any;
}

}  // namespace knead
