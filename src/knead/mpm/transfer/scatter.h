// Adds one pack of particles to their block's tile. The sums over a particle's nodes factor by
// axis, so each level of the loops below carries what the levels inside it share.
//     m_i  += w m
//     mv_i += w m (v + C (x_i - x_p)) - dt V tau grad w        [Jiang 2017, sections 5.2, 9.3, 10]
#pragma once

#include <algorithm>

#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/transfer/support.h"

namespace knead {

// What a pack brings to the grid, four numbers a particle: (0, column a of the matrix) and the
// like. Loaders fill it (loaders.h).
template <class Real>
struct ScatterPack {
    static constexpr int lanes = pack_lanes<Real>;
    alignas(64) Real momentum[4 * lanes];   // m, m v
    alignas(64) Real affine[3][4 * lanes];  // m C, column by column (APIC only)
    alignas(64) Real force[3][4 * lanes];   // -dt V tau (APIC) or -V tau (FLIP), column by column
};

template <class Real, int Order>
inline void scatter_apic(const ScatterPack<Real>& q, const Support<Real>& s, int lane, Real* tile) {
    using Row = Row8<Real>;
    using T = Tile<Order, 4>;
    const int at = 4 * lane;
    const Row momentum = twice(q.momentum + at);
    const Row c0 = twice(q.affine[0] + at), c1 = twice(q.affine[1] + at),
              c2 = twice(q.affine[2] + at);
    const Row t0 = twice(q.force[0] + at), t1 = twice(q.force[1] + at), t2 = twice(q.force[2] + at);
    const Real *nx = s.n[0] + at, *ndx = s.nd[0] + at, *dnx = s.dn[0] + at;
    const Real *ny = s.n[1] + at, *ndy = s.nd[1] + at, *dny = s.dn[1] + at;
    const DepthWeights<Real> nz(s.n[2] + at), ndz(s.nd[2] + at), dnz(s.dn[2] + at);
    Real* corner =
        tile + s.node[0][lane] * T::slab + s.node[1][lane] * T::row + s.node[2][lane] * 4;

    // What C and the stress bring along y and z is the same for all nodes of a row.
    Row along_y[Order + 1];
    for (int j = 0; j <= Order; ++j) along_y[j] = ndy[j] * c1 + dny[j] * t1;
    const Row along_z_lo = ndz.lo * c2 + dnz.lo * t2, along_z_hi = ndz.hi * c2 + dnz.hi * t2;
    for (int i = 0; i <= Order; ++i) {
        const Row plain = nx[i] * momentum + ndx[i] * c0 + dnx[i] * t0, n = nx[i];
        for (int j = 0; j <= Order; ++j) {
            const Row a = ny[j] * plain + n * along_y[j], b = ny[j] * n;
            Real* node = corner + i * T::slab + j * T::row;
            Row lo = Row::load(node), hi = Row::load(node + 8);
            lo += nz.lo * a + b * along_z_lo;
            hi += nz.hi * a + b * along_z_hi;
            lo.store(node), hi.store(node + 8);
        }
    }
}

// A node holds (m, m v) and the force side by side; AFLIP adds m C to the first.
template <class Real, int Order, bool affine>
inline void scatter_flip(const ScatterPack<Real>& q, const Support<Real>& s, int lane, Real* tile) {
    using Row = Row8<Real>;
    using T = Tile<Order, 8>;
    const int at = 4 * lane;
    const Four<Real> none(Real(0));
    const auto force = [&](int a) { return beside(none, Four<Real>::load(q.force[a] + at)); };
    const Row momentum = beside(Four<Real>::load(q.momentum + at), none);
    const Row t0 = force(0), t1 = force(1), t2 = force(2);
    const Real *nx = s.n[0] + at, *dnx = s.dn[0] + at, *ndx = s.nd[0] + at;
    const Real *ny = s.n[1] + at, *dny = s.dn[1] + at, *ndy = s.nd[1] + at;
    const Real *nz = s.n[2] + at, *dnz = s.dn[2] + at, *ndz = s.nd[2] + at;
    [[maybe_unused]] const auto spin = [&](int a) {
        return beside(Four<Real>::load(q.affine[a] + at), none);
    };
    Real* corner =
        tile + s.node[0][lane] * T::slab + s.node[1][lane] * T::row + s.node[2][lane] * 8;

    for (int i = 0; i <= Order; ++i) {
        Row plain = nx[i] * momentum + dnx[i] * t0;
        if constexpr (affine) plain += ndx[i] * spin(0);
        const Row slope_y = nx[i] * t1, slope_z = nx[i] * t2;
        for (int j = 0; j <= Order; ++j) {
            Row a = ny[j] * plain + dny[j] * slope_y;
            if constexpr (affine) a += (nx[i] * ndy[j]) * spin(1);
            const Row b = ny[j] * slope_z;
            Real* node = corner + i * T::slab + j * T::row;
            for (int k = 0; k <= Order; ++k) {
                Row r = Row::load(node + 8 * k);
                r += nz[k] * a + dnz[k] * b;
                if constexpr (affine) r += (nx[i] * ny[j] * ndz[k]) * spin(2);
                r.store(node + 8 * k);
            }
        }
    }
}

// The particles of a range of rows, to the tile of their block. load(row, count, pack) says what
// they bring.
template <class Real, int Order, Transfer transfer, class Load>
void scatter_rows(const Particles<Real>& p, RowRange rows, const Vec3i& block, double dx,
                  const Load& load, Real* tile) {
    constexpr int lanes = pack_lanes<Real>;
    Support<Real> support;
    ScatterPack<Real> pack;
    for (std::int64_t row = rows.begin; row < rows.end; row += lanes) {
        const int count = static_cast<int>(std::min<std::int64_t>(lanes, rows.end - row));
        const auto first = static_cast<std::size_t>(row);
        find_support<Real, Order>(p, first, count, block, dx, support);
        load(first, count, pack);
        for (int lane = 0; lane < count; ++lane) {
            if constexpr (transfer == Transfer::apic)
                scatter_apic<Real, Order>(pack, support, lane, tile);
            else
                scatter_flip<Real, Order, is_affine(transfer)>(pack, support, lane, tile);
        }
    }
}

}  // namespace knead
