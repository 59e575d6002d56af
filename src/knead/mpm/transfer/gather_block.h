// Gather: what the particles of a block read from the nodes they see, chunk by chunk.
#pragma once

#include <algorithm>

#include "knead/mpm/transfer/gather.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/transfer/load_tile.h"

namespace knead {

// Gathers at n <= Gathered::rows particles from `begin` on.
template <class Real, int Order, Transfer transfer>
inline void gather_chunk(const Particles<Real>& p, std::size_t begin, int n, const Vec3i& block,
                         double dx, const Real* tile, Gathered<Real>& out) {
    constexpr int lanes = pack_lanes<Real>;
    Support<Real> support;
    for (int k = 0; k < n; k += lanes) {
        const int count = std::min(lanes, n - k);
        find_support<Real, Order>(p, begin + static_cast<std::size_t>(k), count, block, dx,
                                  support);
        for (int lane = 0; lane < count; ++lane) {
            if constexpr (transfer == Transfer::apic)
                gather_apic<Real, Order>(tile, support, lane, k + lane, out);
            else
                gather_flip<Real, Order, is_affine(transfer)>(tile, support, lane, k + lane, out);
        }
    }
}

// Calls visit(begin, n) for the chunks of a range of rows.
template <int size, class Visit>
void for_each_chunk(RowRange rows, const Visit& visit) {
    for (std::int64_t row = rows.begin; row < rows.end; row += size)
        visit(static_cast<std::size_t>(row),
              static_cast<int>(std::min<std::int64_t>(size, rows.end - row)));
}

// visit(phase, begin, n, gathered) for the chunks of all phases in source block s.
template <class Real, int Order, Transfer transfer, class Visit>
void gather_block(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, std::size_t s,
                  const Array<Real>& nodes, double dx, const Visit& visit) {
    constexpr int channels = node_channels<transfer>;
    const SourceBlock& block = grid.sources()[s];
    alignas(64) Real tile[Tile<Order, channels>::size];
    load_tile<Real, Order, channels>(block, find_tile_box<Order>(phases, grid, s, dx), nodes.data(),
                                     tile);
    Gathered<Real> gathered;
    for (std::size_t p = 0; p < phases.size(); ++p)
        for_each_chunk<Gathered<Real>::rows>(grid.rows(p, s), [&](std::size_t begin, int n) {
            gather_chunk<Real, Order, transfer>(phases[p].particles, begin, n, block.coordinates,
                                                dx, tile, gathered);
            visit(p, begin, n, gathered);
        });
}

}  // namespace knead
