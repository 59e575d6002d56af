// Copies the nodes a source block's particles can see into a tile.
#pragma once

#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/transfer/row.h"
#include "knead/mpm/transfer/tile_box.h"

namespace knead {

template <class Real, int Order, int Channels>
inline void load_tile(const SourceBlock& block, const TileBox& box, const Real* nodes, Real* tile) {
    using T = Tile<Order, Channels>;
    using Node = NodeRow<Real, Channels>;
    if (box.last[2] > T::width) clear_box<Order, Channels>(box, tile);  // beyond all blocks
    for (int k = 0; k < 27; ++k) {
        // Seen from target block k, this source lies the opposite way.
        const Overlap ox = within(overlap<Order>(1 - k / 9), box, 0),
                      oy = within(overlap<Order>(1 - k / 3 % 3), box, 1),
                      oz = within(overlap<Order>(1 - k % 3), box, 2);
        if (oz.count <= 0) continue;
        const Real* from =
            nodes + static_cast<std::size_t>(block.targets[static_cast<std::size_t>(k)]) *
                        block_nodes * Channels;
        for (int i = 0; i < ox.count; ++i)
            for (int j = 0; j < oy.count; ++j) {
                const Real* row =
                    from +
                    (((ox.first + i) * block_width + oy.first + j) * block_width + oz.first) *
                        Channels;
                Real* to =
                    tile + (ox.tile + i) * T::slab + (oy.tile + j) * T::row + oz.tile * Channels;
                for (int c = 0; c < oz.count; ++c)
                    Node::load(row + c * Channels).store(to + c * Channels);
            }
    }
}

}  // namespace knead
