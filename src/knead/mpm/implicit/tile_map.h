// Between vectors over the nodes of a solve and the tiles of blocks, without the nodes that hold
// nothing. Made once a step, used for every product.
#pragma once

#include "knead/mpm/implicit/solve_nodes.h"
#include "knead/mpm/transfer/tile_box.h"

namespace knead {

template <class Real, int Order>
class TileMap {
public:
    using T = Tile<Order, 4>;

    TileMap(const BlockGrid& grid, const std::vector<TileBox>& boxes,
            const SolveNodes<Real>& nodes);

    // The nodes that the particles of block s see.
    void load(std::size_t s, const NodeVector<Real>& a, Real* tile) const {
        for (std::uint32_t k = first_of_tile_[s]; k < first_of_tile_[s + 1]; ++k)
            a[entries_[k].node].store(tile + entries_[k].offset);
    }
    // What all tiles bring to a node, in the order of blocks.
    Four<Real> sum(std::size_t node, const Real* tiles) const {
        Four<Real> total(Real(0));
        for (std::uint32_t k = first_of_node_[node]; k < first_of_node_[node + 1]; ++k)
            total += Four<Real>::load(tiles + places_[k]);
        return total;
    }

private:
    struct Entry {
        std::uint32_t offset;  // in the tile
        std::uint32_t node;
    };
    std::vector<Entry> entries_;  // tile by tile
    std::vector<std::uint32_t> first_of_tile_, first_of_node_;
    std::vector<std::size_t> places_;  // in all tiles, node by node
};

}  // namespace knead
