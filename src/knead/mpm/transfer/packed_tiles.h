// The tiles of all blocks, one behind the other, each without the nodes that no particle of its
// block reaches. Sheets and strands fill little of their tiles: what is kept and summed is a third
// of them, in lines of memory that follow each other.
#pragma once

#include "knead/mpm/transfer/tile_box.h"
#include "knead/parallel/array.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/scan.h"

namespace knead {

template <class Real>
struct PackedTiles {
    std::vector<TileBox> boxes;      // of each source block
    std::vector<std::size_t> first;  // where its numbers begin
    Array<Real> numbers;             // those of a box, z running fastest

    std::size_t bytes() const {
        return boxes.capacity() * sizeof(TileBox) + first.capacity() * sizeof(std::size_t) +
               numbers.capacity() * sizeof(Real);
    }
};

// Nodes of a box along an axis that a block of nodes can ask for: none lie behind the tile's width.
template <int Order>
int kept_nodes(const TileBox& box, int axis) {
    return std::min(box.last[axis], Tile<Order, 4>::width) - box.first[axis];
}

// The numbers of a tile that are kept.
template <int Order, int Channels, class Real>
void pack_tile(const TileBox& box, const Real* tile, Real* to) {
    using T = Tile<Order, Channels>;
    const int row = kept_nodes<Order>(box, 2) * Channels;
    for (int i = box.first[0]; i < box.last[0]; ++i)
        for (int j = box.first[1]; j < box.last[1]; ++j, to += row) {
            const Real* from = tile + i * T::slab + j * T::row + box.first[2] * Channels;
            for (int k = 0; k < row; k += 4) Wide<Real, 4>::load(from + k).store(to + k);
        }
}

// fill(source block, tile of zeros) for every block that holds particles.
template <int Order, int Channels, class Real, class Fill>
void fill_tiles(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                const Fill& fill, PackedTiles<Real>& out) {
    const std::size_t sources = grid.sources().size();
    out.boxes.resize(sources), out.first.resize(sources);
    for_each(sources, 16, [&](std::size_t s) {
        const TileBox box = find_tile_box<Order>(phases, grid, s, dx);
        out.boxes[s] = box;
        out.first[s] =
            static_cast<std::size_t>((box.last[0] - box.first[0]) * (box.last[1] - box.first[1]) *
                                     kept_nodes<Order>(box, 2) * Channels);
    });
    const std::size_t all = exclusive_scan(out.first);
    if (out.numbers.size() < all) out.numbers.resize(all);
    for_each(sources, 4, [&](std::size_t s) {
        alignas(64) Real tile[Tile<Order, Channels>::size];
        clear_box<Order, Channels>(out.boxes[s], tile);
        fill(s, tile);
        pack_tile<Order, Channels>(out.boxes[s], tile, out.numbers.data() + out.first[s]);
    });
}

}  // namespace knead
