// Tile sums: a block of nodes adds up the tiles that reach it, in a fixed order.
#pragma once

#include <algorithm>

#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/transfer/packed_tiles.h"
#include "knead/mpm/transfer/row.h"

namespace knead {

// Adds what source block s, `step` away, contributes to a target block's nodes; says whether that
// is anything.
template <class Real, int Order, int Channels>
inline bool add_tile(const PackedTiles<Real>& tiles, std::size_t s, const Vec3i& step,
                     Real* nodes) {
    using Node = NodeRow<Real, Channels>;
    const TileBox& box = tiles.boxes[s];
    const Overlap ox = within(overlap<Order>(step.x), box, 0),
                  oy = within(overlap<Order>(step.y), box, 1),
                  oz = within(overlap<Order>(step.z), box, 2);
    if (ox.count <= 0 || oy.count <= 0 || oz.count <= 0) return false;
    const int row = kept_nodes<Order>(box, 2) * Channels;
    const int slab = (box.last[1] - box.first[1]) * row;
    const Real* corner = tiles.numbers.data() + tiles.first[s] + (ox.tile - box.first[0]) * slab +
                         (oy.tile - box.first[1]) * row + (oz.tile - box.first[2]) * Channels;
    for (int i = 0; i < ox.count; ++i)
        for (int j = 0; j < oy.count; ++j) {
            const Real* from = corner + i * slab + j * row;
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
inline bool sum_block_tiles(const TargetBlock& block, const PackedTiles<Real>& tiles, Real* nodes) {
    std::fill(nodes, nodes + block_nodes * Channels, Real(0));
    bool any = false;
    for (int k = 0; k < 27; ++k) {
        const std::int32_t source = block.sources[static_cast<std::size_t>(k)];
        if (source < 0) continue;
        any |= add_tile<Real, Order, Channels>(tiles, static_cast<std::size_t>(source),
                                               {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1}, nodes);
    }
    return any;
}

}  // namespace knead
