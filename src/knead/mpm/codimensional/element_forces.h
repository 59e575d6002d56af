// What the stress of a pack of elements does: forces on their vertices from its columns along them,
// and on the grid from those across. [Jiang 2017, sections 9.1 and 9.2]
#pragma once

#include "knead/mpm/codimensional/element_frame.h"
#include "knead/mpm/codimensional/thin_workspace.h"

namespace knead {

// -V sum P_b d_b^T over the columns from `first` on.
template <class P>
Mat3<P> force_across(const P& minus_volume, const Mat3<P>& stress, const Mat3<P>& d, int first) {
    Mat3<P> A = P(0) * d;
    for (int b = first; b < 3; ++b) A = A + outer(minus_volume * stress.column(b), d.column(b));
    return A;
}

// Of `count` elements from `row` on: `first` is the first column of d (at the start of the step)
// that the grid carries. Without a mesh it carries all.
template <int Tangents, class Real>
inline void store_element_forces(const Phase<Real>& phase, const Pack<Real>& minus_volume,
                                 const Mat3<Pack<Real>>& stress, const Mat3<Pack<Real>>& d,
                                 int first, bool on_mesh, std::size_t row, int count,
                                 ThinPhase<Real>& own) {
    store_column<Real>(own.element_force, row, count, force_across(minus_volume, stress, d, first));
    if (!on_mesh) return;
    Vec3<Pack<Real>> force[2];
    InverseRest<Tangents, Real>(phase.elements, row, count)
        .vertex_forces(minus_volume, stress, force);
    for (int k = 0; k < Tangents; ++k)
        store_column<Real>(own.corner_force[k], row, count, force[k]);
}

}  // namespace knead
