// Packs of the particles of a block: their rows, and what they read from a tile and bring to it.
#pragma once

#include <algorithm>

#include "knead/math/mat.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/transfer/operator.h"

namespace knead {

// visit(row, count, pack) for the packs of a range of rows.
template <class Real, class Visit>
void for_each_pack(RowRange rows, std::size_t first_pack, const Visit& visit) {
    constexpr int lanes = pack_lanes<Real>;
    for (std::int64_t row = rows.begin; row < rows.end; row += lanes, ++first_pack)
        visit(static_cast<std::size_t>(row),
              static_cast<int>(std::min<std::int64_t>(lanes, rows.end - row)), first_pack);
}

// Gradients of displacements, and the matrices A of forces A grad w, column by column.
template <class Real>
struct SlopePack {
    static constexpr int size = 4 * pack_lanes<Real>;
    alignas(64) Real columns[3][size];

    template <int Order>
    Mat3<Pack<Real>> gather(const Real* tile, const OperatorSupport<Real>& support, int count) {
        for (int lane = 0; lane < count; ++lane) {
            Real* const out[3] = {columns[0] + 4 * lane, columns[1] + 4 * lane,
                                  columns[2] + 4 * lane};
            gather_slopes<Real, Order>(tile, support, lane, out);
        }
        Mat3<Pack<Real>> H;
        Pack<Real> skip;
        for (int a = 0; a < 3; ++a) deinterleave4(columns[a], skip, H[a], H[3 + a], H[6 + a]);
        return H;
    }
    template <int Order>
    void scatter(const Mat3<Pack<Real>>& A, const OperatorSupport<Real>& support, int count,
                 Real* tile) {
        const Pack<Real> zero(Real(0));
        for (int a = 0; a < 3; ++a) interleave4(zero, A[a], A[3 + a], A[6 + a], columns[a]);
        for (int lane = 0; lane < count; ++lane) {
            const Real* const in[3] = {columns[0] + 4 * lane, columns[1] + 4 * lane,
                                       columns[2] + 4 * lane};
            scatter_slopes<Real, Order>(in, support, lane, tile);
        }
    }
};

}  // namespace knead
