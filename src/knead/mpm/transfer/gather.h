// Reads the grid back at a particle: velocity, its gradient, and what APIC or FLIP keep besides.
// The mirror image of scatter.h, factored by axis in the same way.
#pragma once

#include "knead/mpm/transfer/support.h"

namespace knead {

// What a chunk of particles gathers, four numbers a particle, of which the last three are a vector
// (FLIP's change is the first three).
template <class Real>
struct Gathered {
    static constexpr int rows = 64;
    alignas(64) Real velocity[4 * rows];     // mass density sum w m_i, sum w v_i
    alignas(64) Real gradient[3][4 * rows];  // sum v_i dw/dx_a
    alignas(64) Real affine[3][4 * rows];    // sum w v_i (x_i - x_p)_a, APIC
    alignas(64) Real change[4 * rows];       // sum w (v_i* - v_i), FLIP
};

// The two halves of a register added.
template <class Row, class Real>
inline void store_folded(const Row& a, Real* out) {
    (low_half(a) + high_half(a)).store(out);
}

// Three numbers q of nodes in a row give three sums: with weights n, with n d and with slopes dn.
// The first add up to 1 and the others to 0, so that two differences and the middle number hold
// all.
template <class T>
struct Differences {
    T ahead, behind;  // q2 - q1, q1 - q0
    Differences(const T& q0, const T& q1, const T& q2) : ahead(q2 - q1), behind(q1 - q0) {}

    template <class Real>
    T weighted(T middle, const Real* n) const {
        middle.add(n[2], ahead);
        middle.add(-n[0], behind);
        return middle;
    }
};

// Quadratic kernels: first along y, then x, and along z once in the end.
template <class Real>
inline void gather_quadratic_apic(const Real* tile, const Support<Real>& s, int lane, int row,
                                  Gathered<Real>& out) {
    using Depth = DepthRow<Real>;
    using T = Tile<2, 4>;
    const int at = 4 * lane;
    const Real* corner =
        tile + s.node[0][lane] * T::slab + s.node[1][lane] * T::row + s.node[2][lane] * 4;

    Depth slab[3], ahead_y{Real(0), Real(0)}, behind_y{Real(0), Real(0)};
    for (int i = 0; i < 3; ++i) {
        const Real* node = corner + i * T::slab;
        const Depth middle = Depth::load(node + T::row);
        const Differences<Depth> d(Depth::load(node), middle, Depth::load(node + 2 * T::row));
        slab[i] = d.weighted(middle, s.n[1] + at);
        ahead_y.add(s.n[0][at + i], d.ahead);
        behind_y.add(s.n[0][at + i], d.behind);
    }
    const Differences<Depth> along_x(slab[0], slab[1], slab[2]);
    const Depth all = along_x.weighted(slab[1], s.n[0] + at);

    const DepthWeights<Real> nz(s.n[2] + at);
    const int to = 4 * row;
    store_folded(all.sum(nz), out.velocity + to);
    store_folded(all.sum(DepthWeights<Real>(s.dn[2] + at)), out.gradient[2] + to);
    store_folded(all.sum(DepthWeights<Real>(s.nd[2] + at)), out.affine[2] + to);
    const auto store = [&](int axis, const Depth& ahead, const Depth& behind) {
        const Real *dn = s.dn[axis] + at, *nd = s.nd[axis] + at;
        const auto a = ahead.sum(nz), b = behind.sum(nz);
        store_folded(dn[2] * a - dn[0] * b, out.gradient[axis] + to);
        store_folded(nd[2] * a - nd[0] * b, out.affine[axis] + to);
    };
    store(0, along_x.ahead, along_x.behind);
    store(1, ahead_y, behind_y);
}

template <class Real, int Order>
inline void gather_apic(const Real* tile, const Support<Real>& s, int lane, int row,
                        Gathered<Real>& out) {
    if constexpr (Order == 2) return gather_quadratic_apic(tile, s, lane, row, out);
    using Row = Row8<Real>;
    using T = Tile<Order, 4>;
    const int at = 4 * lane;
    const Real *nx = s.n[0] + at, *ndx = s.nd[0] + at, *dnx = s.dn[0] + at;
    const Real *ny = s.n[1] + at, *ndy = s.nd[1] + at, *dny = s.dn[1] + at;
    const DepthWeights<Real> nz(s.n[2] + at), ndz(s.nd[2] + at), dnz(s.dn[2] + at);
    const Real* corner =
        tile + s.node[0][lane] * T::slab + s.node[1][lane] * T::row + s.node[2][lane] * 4;

    Row v(0), gx(0), gy(0), gz(0), bx(0), by(0), bz(0);
    for (int i = 0; i <= Order; ++i) {
        Row plain(0), along_y(0), slope_y(0), along_z(0), slope_z(0);
        for (int j = 0; j <= Order; ++j) {
            const Real* node = corner + i * T::slab + j * T::row;
            const Row lo = Row::load(node), hi = Row::load(node + 8);
            const Row n = nz.lo * lo + nz.hi * hi;
            plain += ny[j] * n;
            along_y += ndy[j] * n;
            slope_y += dny[j] * n;
            along_z += ny[j] * (ndz.lo * lo + ndz.hi * hi);
            slope_z += ny[j] * (dnz.lo * lo + dnz.hi * hi);
        }
        v += nx[i] * plain;
        gx += dnx[i] * plain, bx += ndx[i] * plain;
        gy += nx[i] * slope_y, by += nx[i] * along_y;
        gz += nx[i] * slope_z, bz += nx[i] * along_z;
    }
    const int to = 4 * row;
    store_folded(v, out.velocity + to);
    store_folded(gx, out.gradient[0] + to);
    store_folded(gy, out.gradient[1] + to);
    store_folded(gz, out.gradient[2] + to);
    store_folded(bx, out.affine[0] + to);
    store_folded(by, out.affine[1] + to);
    store_folded(bz, out.affine[2] + to);
}

template <class Real, int Order, bool affine>
inline void gather_flip(const Real* tile, const Support<Real>& s, int lane, int row,
                        Gathered<Real>& out) {
    using Row = Row8<Real>;
    using T = Tile<Order, 8>;
    const int at = 4 * lane;
    const Real *nx = s.n[0] + at, *dnx = s.dn[0] + at, *ndx = s.nd[0] + at;
    const Real *ny = s.n[1] + at, *dny = s.dn[1] + at, *ndy = s.nd[1] + at;
    const Real *nz = s.n[2] + at, *dnz = s.dn[2] + at, *ndz = s.nd[2] + at;
    const Real* corner =
        tile + s.node[0][lane] * T::slab + s.node[1][lane] * T::row + s.node[2][lane] * 8;

    Row v(0), gx(0), gy(0), gz(0), bx(0), by(0), bz(0);
    for (int i = 0; i <= Order; ++i) {
        Row plain(0), slope_y(0), slope_z(0), along_y(0), along_z(0);
        for (int j = 0; j <= Order; ++j) {
            const Real* node = corner + i * T::slab + j * T::row;
            Row n(0), d(0), e(0);
            for (int k = 0; k <= Order; ++k) {
                const Row r = Row::load(node + 8 * k);
                n += nz[k] * r;
                d += dnz[k] * r;
                if constexpr (affine) e += ndz[k] * r;
            }
            plain += ny[j] * n;
            slope_y += dny[j] * n;
            slope_z += ny[j] * d;
            if constexpr (affine) along_y += ndy[j] * n, along_z += ny[j] * e;
        }
        v += nx[i] * plain;
        gx += dnx[i] * plain;
        gy += nx[i] * slope_y;
        gz += nx[i] * slope_z;
        if constexpr (affine) bx += ndx[i] * plain, by += nx[i] * along_y, bz += nx[i] * along_z;
    }
    const int to = 4 * row;
    low_half(v).store(out.velocity + to);
    low_half(gx).store(out.gradient[0] + to);
    low_half(gy).store(out.gradient[1] + to);
    low_half(gz).store(out.gradient[2] + to);
    high_half(v).store(out.change + to);
    if constexpr (affine) {
        low_half(bx).store(out.affine[0] + to);
        low_half(by).store(out.affine[1] + to);
        low_half(bz).store(out.affine[2] + to);
    }
}

}  // namespace knead
