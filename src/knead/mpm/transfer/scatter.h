// Adds one pack of particles to their block's tile. The sums over a particle's nodes factor by
// axis, so each level of the loops below carries what the levels inside it share.
//     m_i  += w m
//     mv_i += w m (v + C (x_i - x_p)) - dt V tau grad w        [Jiang 2017, sections 5.2, 9.3, 10]
#pragma once

#include "knead/mpm/transfer/support.h"

namespace knead {

// What a pack brings to the grid, four numbers a particle: (0, column a of the matrix) and the
// like.
template <class Real>
struct ScatterPack {
    static constexpr int lanes = pack_lanes<Real>;
    alignas(64) Real momentum[4 * lanes];   // m, m v
    alignas(64) Real affine[3][4 * lanes];  // m C, column by column (APIC only)
    alignas(64) Real force[3][4 * lanes];   // -dt V tau (APIC) or -V tau (FLIP), column by column
};

template <class Real, Transfer transfer>
inline void load_scatter_pack(const Particles<Real>& p, std::size_t row, int count, Real dt,
                              ScatterPack<Real>& out) {
    using P = Pack<Real>;
    const P zero(Real(0));
    const auto load = [row, count](const Real* plane) {
        return P::load_part(plane + row, count, Real(0));
    };
    const P m = load(p.mass.plane(0));
    P v[3];
    for (int a = 0; a < 3; ++a) v[a] = m * load(p.v.plane(a));
    interleave4(m, v[0], v[1], v[2], out.momentum);

    const P scale = -load(p.volume.plane(0)) * (transfer == Transfer::apic ? dt : Real(1));
    P t[6];
    for (int k = 0; k < 6; ++k) t[k] = scale * load(p.stress.plane(k));
    const P columns[3][3] = {{t[0], t[3], t[4]}, {t[3], t[1], t[5]}, {t[4], t[5], t[2]}};
    for (int a = 0; a < 3; ++a) {
        const auto& c = columns[a];
        if (transfer == Transfer::apic) {
            interleave4(zero, c[0], c[1], c[2], out.force[a]);
            interleave4(zero, m * load(p.C.plane(a)), m * load(p.C.plane(3 + a)),
                        m * load(p.C.plane(6 + a)), out.affine[a]);
        } else {
            interleave4(c[0], c[1], c[2], zero, out.force[a]);
        }
    }
}

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

// A node holds (m, m v) and the force side by side.
template <class Real, int Order>
inline void scatter_flip(const ScatterPack<Real>& q, const Support<Real>& s, int lane, Real* tile) {
    using Row = Row8<Real>;
    using T = Tile<Order, 8>;
    const int at = 4 * lane;
    const Four<Real> none(Real(0));
    const auto force = [&](int a) { return beside(none, Four<Real>::load(q.force[a] + at)); };
    const Row momentum = beside(Four<Real>::load(q.momentum + at), none);
    const Row t0 = force(0), t1 = force(1), t2 = force(2);
    const Real *nx = s.n[0] + at, *dnx = s.dn[0] + at;
    const Real *ny = s.n[1] + at, *dny = s.dn[1] + at;
    const Real *nz = s.n[2] + at, *dnz = s.dn[2] + at;
    Real* corner =
        tile + s.node[0][lane] * T::slab + s.node[1][lane] * T::row + s.node[2][lane] * 8;

    for (int i = 0; i <= Order; ++i) {
        const Row plain = nx[i] * momentum + dnx[i] * t0;
        const Row slope_y = nx[i] * t1, slope_z = nx[i] * t2;
        for (int j = 0; j <= Order; ++j) {
            const Row a = ny[j] * plain + dny[j] * slope_y;
            const Row b = ny[j] * slope_z;
            Real* node = corner + i * T::slab + j * T::row;
            for (int k = 0; k <= Order; ++k) {
                Row r = Row::load(node + 8 * k);
                r += nz[k] * a + dnz[k] * b;
                r.store(node + 8 * k);
            }
        }
    }
}

}  // namespace knead
