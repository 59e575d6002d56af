// The coarse half of the two-level preconditioner: displacements that are trilinear between the
// nodes of a coarse grid, one grid a body. Its small matrix is that of the same system, with
// particles as quadrature points; it is factored once a step. What one neighbourhood cannot tell
// another in a few iterations, it does at once.
#pragma once

#include <memory>

#include "knead/parallel/array.h"
#include "knead/points/lanes.h"

namespace knead {

template <class Real>
struct ImplicitWorkspace;

template <class Real>
class CoarseSpace {
public:
    CoarseSpace();
    ~CoarseSpace();
    CoarseSpace(CoarseSpace&&) noexcept;
    CoarseSpace& operator=(CoarseSpace&&) noexcept;

    // Of the system in hand, constraints with it; `width` of cells in spacings of the body.
    void build(const ImplicitWorkspace<Real>& work, double width);
    void clear();
    bool empty() const;
    std::size_t nodes() const;
    // z += P A_c^-1 P^T r
    void correct(const Array<Lanes<Real>>& r, Array<Lanes<Real>>& z) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace knead
