// What counts in the affine fit, and how much. The weight is w^power with w = (1 - r^2 / h^2)^3 up
// to a constant; the paper scales the columns of both matrices by w, hence its power is 2
// [Gerszewski 2009, Eq. 2 to 7].
#pragma once

#include "knead/points/gather.h"
#include "knead/points/incremental/workspace.h"

namespace knead {

// `rest` is 1 - r^2 / h^2.
template <class P>
ALWAYS_INLINE P fit_weight(const P& rest, int power) {
    const P w = rest * rest * rest;
    return power == 2 ? w * w : w;
}

// Which of the particles at `list` are of the body of i.
template <class Real>
ALWAYS_INLINE auto same_body(const IncrementalWorkspace<Real>& work, std::size_t i,
                             const std::uint32_t* list) {
    Pack<Real> other;
    for (int k = 0; k < pack_lanes<Real>; ++k) other.set(k, work.body[list[k]]);
    return other == Pack<Real>(work.body[i]);
}

}  // namespace knead
