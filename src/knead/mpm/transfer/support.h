// Where the kernels of a pack of particles stand on the grid, and their weights along each axis.
#pragma once

#include "knead/math/bspline.h"
#include "knead/math/interleave.h"
#include "knead/mpm/settings.h"
#include "knead/mpm/transfer/row.h"
#include "knead/mpm/transfer/tile.h"
#include "knead/particles/particles.h"

namespace knead {

// For each axis, each lane of a pack and each node k of the support:
//     n   the weight
//     nd  the weight times the node's distance from the particle [m]
//     dn  the weight's derivative along the axis [1/m]
// A particle's four numbers of each kind lie side by side; those past a kernel's own are 0.
template <class Real>
struct Support {
    static constexpr int lanes = pack_lanes<Real>;
    alignas(64) Real n[3][4 * lanes];
    alignas(64) Real nd[3][4 * lanes];
    alignas(64) Real dn[3][4 * lanes];
    alignas(64) std::int32_t node[3][lanes];  // first node, as an index into the block's tile
};

// Along one axis: each particle's first node, and where it stands from there [cells].
template <class Real, int Order>
inline Pack<Real> find_nodes(const double* x, int count, int block, double inv_dx,
                             std::int32_t* node) {
    using D = Four<double>;
    typedef std::int32_t Ints __attribute__((vector_size(16)));
    const double corner = block_width * block;
    const auto four = [&](int k) {
        const D s = D::load_part(x + k, count - k, 0.0) * inv_dx - corner;  // from the block
        const D first = floor(s - support_offset<Order>);
        const Ints nodes = __builtin_convertvector(first.v, Ints) - Tile<Order, 4>::low;
        std::memcpy(node + k, &nodes, sizeof(nodes));
        return Four<Real>(__builtin_convertvector((s - first).v, typename Four<Real>::Native));
    };
    if constexpr (pack_lanes<Real> == 4)
        return four(0);
    else
        return beside(four(0), four(4));
}

// Support of the `count` particles from `row` on; lanes past them hold nothing of use.
template <class Real, int Order>
inline void find_support(const Particles<Real>& p, std::size_t row, int count, const Vec3i& block,
                         double dx, Support<Real>& out) {
    using P = Pack<Real>;
    for (int axis = 0; axis < 3; ++axis) {
        const P f = find_nodes<Real, Order>(p.x.plane(axis) + row, count, block[axis], 1 / dx,
                                            out.node[axis]);
        P w[4], dw[4];
        bspline_weights<Order>(f, w, dw);
        for (int k = Order + 1; k < 4; ++k) w[k] = dw[k] = P(Real(0));
        P wd[4];
        for (int k = 0; k < 4; ++k) {
            wd[k] = w[k] * ((Real(k) - f) * Real(dx));
            dw[k] *= Real(1 / dx);
        }
        interleave4(w[0], w[1], w[2], w[3], out.n[axis]);
        interleave4(wd[0], wd[1], wd[2], wd[3], out.nd[axis]);
        interleave4(dw[0], dw[1], dw[2], dw[3], out.dn[axis]);
    }
}

// Two nodes along z, four channels each: their weights, each four times over.
template <class Real>
struct DepthWeights {
    Row8<Real> lo, hi;  // nodes 0 and 1, nodes 2 and 3
    explicit DepthWeights(const Real* w)
        : lo(beside(Four<Real>(w[0]), Four<Real>(w[1]))),
          hi(beside(Four<Real>(w[2]), Four<Real>(w[3]))) {}
};

// Four nodes along z, four channels each.
template <class Real>
struct DepthRow {
    using Row = Row8<Real>;
    Row lo, hi;
    static DepthRow load(const Real* node) { return {Row::load(node), Row::load(node + 8)}; }
    friend DepthRow operator-(const DepthRow& a, const DepthRow& b) {
        return {a.lo - b.lo, a.hi - b.hi};
    }
    void add(Real weight, const DepthRow& a) { lo += weight * a.lo, hi += weight * a.hi; }
    // The sum with weights along z; the two halves of what comes out are still to be added.
    Row sum(const DepthWeights<Real>& w) const { return w.lo * lo + w.hi * hi; }
};

// Four numbers twice over.
template <class Real>
inline Row8<Real> twice(const Real* p) {
    const auto a = Four<Real>::load(p);
    return beside(a, a);
}

}  // namespace knead
