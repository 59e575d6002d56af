// The nodes of a tile that particles reach, a box of whole rows. Sheets and strands fill little of
// their tiles: nodes outside the box are neither cleared, nor summed, nor loaded.
//
// A tile carries its box behind its nodes, as what is trimmed from each side, so that a tile of
// zeros is a whole one.
#pragma once

#include <algorithm>
#include <cmath>

#include "knead/math/wide.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/transfer/tile.h"

namespace knead {

// Indices into the tile; `last` is the first beyond.
struct TileBox {
    int first[3], last[3];
};

template <int Order>
inline constexpr int tile_extent(int axis) {
    using T = Tile<Order, 4>;
    return axis == 2 ? T::depth : T::width;
}

// The least and the greatest of some numbers, with what is known already.
struct Range {
    double least = 1e300, most = -1e300;

    void widen(const double* x, std::int64_t n) {
        using Pack4 = Wide<double, 4>;
        Pack4 lo(least), hi(most);
        for (std::int64_t i = 0; i < n; i += 4) {
            const Pack4 four =
                Pack4::load_part(x + i, static_cast<int>(std::min<std::int64_t>(4, n - i)), x[i]);
            lo = min(lo, four), hi = max(hi, four);
        }
        for (int k = 0; k < 4; ++k) least = std::min(least, lo[k]), most = std::max(most, hi[k]);
    }
};

// The box of the particles of block s. Four nodes are read along z, always.
template <int Order, class Real>
TileBox find_tile_box(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, std::size_t s,
                      double dx) {
    TileBox box;
    for (int a = 0; a < 3; ++a) {
        Range range;
        for (std::size_t p = 0; p < phases.size(); ++p) {
            const RowRange rows = grid.rows(p, s);
            range.widen(phases[p].particles.x.plane(a) + rows.begin, rows.end - rows.begin);
        }
        const double corner = block_width * grid.sources()[s].coordinates[a];
        const auto node = [&](double x) {
            const double first = std::floor(x * (1 / dx) - corner - support_offset<Order>);
            return static_cast<int>(std::clamp(first, -1.0, 1.0 * block_width)) -
                   Tile<Order, 4>::low;
        };
        box.first[a] = node(range.least);
        box.last[a] = std::min(node(range.most) + (a == 2 ? 4 : Order + 1), tile_extent<Order>(a));
    }
    return box;
}

template <int Order, int Channels, class Real>
void store_box(const TileBox& box, Real* tile) {
    Real* to = tile + Tile<Order, Channels>::nodes_size;
    for (int a = 0; a < 3; ++a) {
        to[a] = static_cast<Real>(box.first[a]);
        to[3 + a] = static_cast<Real>(tile_extent<Order>(a) - box.last[a]);
    }
}

template <int Order, int Channels, class Real>
TileBox box_of(const Real* tile) {
    const Real* from = tile + Tile<Order, Channels>::nodes_size;
    TileBox box;
    for (int a = 0; a < 3; ++a) {
        box.first[a] = static_cast<int>(from[a]);
        box.last[a] = tile_extent<Order>(a) - static_cast<int>(from[3 + a]);
    }
    return box;
}

// Zeros in all nodes of the box.
template <int Order, int Channels, class Real>
void clear_box(const TileBox& box, Real* tile) {
    using T = Tile<Order, Channels>;
    for (int i = box.first[0]; i < box.last[0]; ++i)
        for (int j = box.first[1]; j < box.last[1]; ++j) {
            Real* row = tile + i * T::slab + j * T::row;
            for (int k = box.first[2] * Channels; k < box.last[2] * Channels; k += 4)
                Wide<Real, 4>(Real(0)).store(row + k);
        }
}

// The part of an overlap that lies in the box, along one axis.
inline Overlap within(const Overlap& o, const TileBox& box, int axis) {
    const int first = std::max(o.tile, box.first[axis]);
    const int last = std::min(o.tile + o.count, box.last[axis]);
    return {o.first + first - o.tile, last - first, first};
}

}  // namespace knead
