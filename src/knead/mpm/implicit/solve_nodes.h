// The nodes of a solve: those that hold matter, numbered one after another, and vectors over them
// of four numbers each, (0, x, y, z).
#pragma once

#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/transfer/row.h"
#include "knead/parallel/vectors.h"

namespace knead {

template <class S, int N>
inline double inner(const Wide<S, N>& a, const Wide<S, N>& b) {
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

template <class Real>
struct NodeSpace : SharedVectors<Four<Real>, Real> {
    using Base = SharedVectors<Four<Real>, Real>;
    using Vector = typename Base::Vector;
    using Base::combine;

    // z = a x + b y + c z
    void combine(double a, const Vector& x, double b, const Vector& y, double c, Vector& z) const {
        const Four<Real> p(static_cast<Real>(a)), q(static_cast<Real>(b)), r(static_cast<Real>(c));
        for_each(x.size(), reduce_chunk,
                 [&](std::size_t i) { z[i] = p * x[i] + q * y[i] + r * z[i]; });
    }
};
template <class Real>
using NodeVector = typename NodeSpace<Real>::Vector;

template <class Real>
Vec3d to_vec(const Four<Real>& a) {
    return {static_cast<double>(a[1]), static_cast<double>(a[2]), static_cast<double>(a[3])};
}
template <class Real>
Four<Real> from_vec(const Vec3d& a) {
    Four<Real> out(Real(0));
    for (int k = 0; k < 3; ++k) out.set(k + 1, static_cast<Real>(a[k]));
    return out;
}

template <class Real>
struct SolveNodes {
    std::vector<std::uint32_t> at;     // among all nodes of the grid
    std::vector<std::int32_t> number;  // of all nodes; -1 where there is no matter
    Array<Real> mass, root;            // root = 1 / sqrt(mass)
    double total_mass = 0;

    // From (mass, velocity) of all nodes.
    explicit SolveNodes(const Array<Real>& nodes, Real least_mass);
    std::size_t size() const { return at.size(); }
    NodeVector<Real> zero() const { return NodeVector<Real>(size(), Four<Real>(Real(0))); }

    Four<Real> of(const Array<Real>& all, std::size_t i) const {
        return Four<Real>::load(all.data() + 4 * std::size_t{at[i]});
    }
};

// Where a node may not move as it would: not at all (relative to what holds it), or not along a
// normal.
struct FixedNode {
    std::uint32_t node = 0;  // of SolveNodes
    bool wholly = false;
    Vec3d normal{0, 0, 0};
    friend bool operator==(const FixedNode&, const FixedNode&) = default;
};

}  // namespace knead
