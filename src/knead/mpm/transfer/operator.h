// The transfers of a solve's operator, which needs less than a step: displacements at particles
// that follow them whole, their gradients at particles that strain, and forces on the way back.
// Nodes hold four numbers, (0, x, y, z). The mirror images are equal to the last bit but for the
// order of sums, so that the operator is symmetric up to rounding.
#pragma once

#include "knead/mpm/transfer/support.h"

namespace knead {

// Of a support, what these transfers need; kept for all products of a step.
template <class Real>
struct OperatorSupport {
    static constexpr int lanes = pack_lanes<Real>;
    alignas(64) Real n[3][4 * lanes];        // weights
    alignas(64) Real dn[3][4 * lanes];       // and their derivatives [1/m]
    alignas(64) std::int32_t corner[lanes];  // where a particle's first node stands in the tile
};

// Of the `count` particles from `row` on.
template <class Real, int Order>
OperatorSupport<Real> operator_support(const Particles<Real>& p, std::size_t row, int count,
                                       const Vec3i& block, double dx) {
    using T = Tile<Order, 4>;
    Support<Real> s;
    find_support<Real, Order>(p, row, count, block, dx, s);
    OperatorSupport<Real> out;
    std::memcpy(out.n, s.n, sizeof(out.n));
    std::memcpy(out.dn, s.dn, sizeof(out.dn));
    for (int lane = 0; lane < out.lanes; ++lane)
        out.corner[lane] =
            s.node[0][lane] * T::slab + s.node[1][lane] * T::row + s.node[2][lane] * 4;
    return out;
}

// u_p = sum w u_i, into four numbers.
template <class Real, int Order>
inline void gather_value(const Real* tile, const OperatorSupport<Real>& s, int lane, Real* out) {
    using Row = Row8<Real>;
    using T = Tile<Order, 4>;
    const int at = 4 * lane;
    const Real *nx = s.n[0] + at, *ny = s.n[1] + at;
    const DepthWeights<Real> nz(s.n[2] + at);
    const Real* corner = tile + s.corner[lane];
    Row lo(0), hi(0);
    for (int i = 0; i <= Order; ++i)
        for (int j = 0; j <= Order; ++j) {
            const Real* node = corner + i * T::slab + j * T::row;
            const Row w = nx[i] * ny[j];
            lo += w * Row::load(node);
            if constexpr (Order > 1) hi += w * Row::load(node + 8);
        }
    Row sum = nz.lo * lo;
    if constexpr (Order > 1) sum += nz.hi * hi;
    (low_half(sum) + high_half(sum)).store(out);
}

// H_p = sum u_i (grad w)^T, column by column.
template <class Real, int Order>
inline void gather_slopes(const Real* tile, const OperatorSupport<Real>& s, int lane,
                          Real* const out[3]) {
    using Row = Row8<Real>;
    using T = Tile<Order, 4>;
    const int at = 4 * lane;
    const Real *nx = s.n[0] + at, *dnx = s.dn[0] + at;
    const Real *ny = s.n[1] + at, *dny = s.dn[1] + at;
    const DepthWeights<Real> nz(s.n[2] + at), dnz(s.dn[2] + at);
    const Real* corner = tile + s.corner[lane];
    Row gx(0), gy(0), z_lo(0), z_hi(0);
    for (int i = 0; i <= Order; ++i) {
        Row plain_lo(0), plain_hi(0), slope_lo(0), slope_hi(0);
        for (int j = 0; j <= Order; ++j) {
            const Real* node = corner + i * T::slab + j * T::row;
            const Row lo = Row::load(node);
            plain_lo += ny[j] * lo, slope_lo += dny[j] * lo;
            if constexpr (Order > 1) {
                const Row hi = Row::load(node + 8);
                plain_hi += ny[j] * hi, slope_hi += dny[j] * hi;
            }
        }
        Row plain = nz.lo * plain_lo, slope = nz.lo * slope_lo;
        if constexpr (Order > 1) plain += nz.hi * plain_hi, slope += nz.hi * slope_hi;
        gx += dnx[i] * plain, gy += nx[i] * slope;
        z_lo += nx[i] * plain_lo;
        if constexpr (Order > 1) z_hi += nx[i] * plain_hi;
    }
    Row gz = dnz.lo * z_lo;
    if constexpr (Order > 1) gz += dnz.hi * z_hi;
    (low_half(gx) + high_half(gx)).store(out[0]);
    (low_half(gy) + high_half(gy)).store(out[1]);
    (low_half(gz) + high_half(gz)).store(out[2]);
}

// f_i += w f.
template <class Real, int Order>
inline void scatter_value(const Real* f, const OperatorSupport<Real>& s, int lane, Real* tile) {
    using Row = Row8<Real>;
    using T = Tile<Order, 4>;
    const int at = 4 * lane;
    const Real *nx = s.n[0] + at, *ny = s.n[1] + at;
    const DepthWeights<Real> nz(s.n[2] + at);
    const Row both = twice(f);
    const Row lo = nz.lo * both, hi = nz.hi * both;
    Real* corner = tile + s.corner[lane];
    for (int i = 0; i <= Order; ++i)
        for (int j = 0; j <= Order; ++j) {
            Real* node = corner + i * T::slab + j * T::row;
            const Row w = nx[i] * ny[j];
            (Row::load(node) + w * lo).store(node);
            if constexpr (Order > 1) (Row::load(node + 8) + w * hi).store(node + 8);
        }
}

// f_i += A grad w, with the columns of A.
template <class Real, int Order>
inline void scatter_slopes(const Real* const A[3], const OperatorSupport<Real>& s, int lane,
                           Real* tile) {
    using Row = Row8<Real>;
    using T = Tile<Order, 4>;
    const int at = 4 * lane;
    const Real *nx = s.n[0] + at, *dnx = s.dn[0] + at;
    const Real *ny = s.n[1] + at, *dny = s.dn[1] + at;
    const DepthWeights<Real> nz(s.n[2] + at), dnz(s.dn[2] + at);
    const Row x = twice(A[0]), y = twice(A[1]), z = twice(A[2]);
    const Row z_lo = dnz.lo * z, z_hi = dnz.hi * z;
    Real* corner = tile + s.corner[lane];
    for (int i = 0; i <= Order; ++i) {
        const Row plain = dnx[i] * x, slope = nx[i] * y, n = nx[i];
        for (int j = 0; j <= Order; ++j) {
            Real* node = corner + i * T::slab + j * T::row;
            const Row a = ny[j] * plain + dny[j] * slope, b = ny[j] * n;
            (Row::load(node) + nz.lo * a + b * z_lo).store(node);
            if constexpr (Order > 1) (Row::load(node + 8) + nz.hi * a + b * z_hi).store(node + 8);
        }
    }
}

}  // namespace knead
