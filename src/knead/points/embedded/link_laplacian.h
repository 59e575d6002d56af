// A symmetric matrix over the links: (A z)_i = shift_i z_i + sum over all links at i, from either
// end, of c (z_i - z_j). Viscosity [Jones 2014, Eq. 8] and embedding [Jones 2014, Eq. 11, 12] are
// such matrices; neither is ever stored as one.
#pragma once

#include "knead/math/conjugate_gradient.h"
#include "knead/points/embedded/link_graph.h"
#include "knead/points/lanes.h"

namespace knead {

template <class Real>
class LinkLaplacian {
public:
    // `directed` holds one coefficient a slot, of no account in free ones. Without shifts.
    void set(const Links<Real>& links, const LinkGraph& graph, const Array<Real>& directed);
    // The same along the line between the ends alone, d (d . (z_i - z_j)) with d of length sqrt(c):
    // rigid motion about any axis is then in its kernel. Before set_shift.
    void set_central(const Links<Real>& links, const LinkGraph& graph, const Array<Real>& directed,
                     const Array<Lanes<double>>& x);
    // One a row, in place of those before.
    void set_shift(const Array<Real>& shift);
    std::size_t size() const { return diagonal_.size(); }
    Real diagonal(std::size_t i) const { return diagonal_[i]; }

    // Row i of A z.
    Lanes<Real> row(std::size_t i, const Array<Lanes<Real>>& z) const {
        return central_ ? central_row(i, z) : plain_row(i, z);
    }

    // Solves A x = r for x, from 0, with the diagonal as preconditioner, or the shifts alone where
    // the matrix is central: with masses as shifts every iterate then keeps the linear and angular
    // momentum of r. r becomes what is left of it. The target is for the root mean square of r_i /
    // diagonal_i, times 1 / scale_i where a scale is given.
    CgReport solve(Array<Lanes<Real>>& x, Array<Lanes<Real>>& r, double target, int max_iterations,
                   const Real* scale = nullptr);

    std::size_t bytes() const;

private:
    struct System;
    Lanes<Real> plain_row(std::size_t i, const Array<Lanes<Real>>& z) const;
    Lanes<Real> central_row(std::size_t i, const Array<Lanes<Real>>& z) const;

    const Links<Real>* links_ = nullptr;
    const LinkGraph* graph_ = nullptr;
    Array<Real> both_;          // one a slot: the link and its twin together
    Array<Real> incoming_;      // one an incoming
    Array<Lanes<Real>> along_;  // d, one a slot
    bool central_ = false;
    Array<Real> sum_;  // of all links of a row
    Array<Real> diagonal_, inverse_;
    Array<Lanes<Real>> p_, q_, z_;
};

}  // namespace knead
