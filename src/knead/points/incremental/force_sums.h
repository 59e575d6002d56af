// What all sums of forces over neighbours share.
#pragma once

#include "knead/math/inverse_sqrt.h"
#include "knead/math/sph_kernel.h"
#include "knead/parallel/exec.h"
#include "knead/points/incremental/workspace.h"

namespace knead {

// The kernel's slope over distance, without its constant, from the square of a distance d in units
// of h: cos(d pi / 2) / d. It is multiplied by a vector that is 0 where d is.
template <class P>
ALWAYS_INLINE P slope_over_distance(const P& square) {
    return cosine_of_quarters(square) * inverse_sqrt(square);
}

// Adds force(i) to every particle i of the phases that count from places at rest, or of the others.
template <class Real, class Force>
void add_forces(IncrementalWorkspace<Real>& work, bool from_rest, const Force& force) {
    for (std::size_t p = 0; p < work.from_rest.size(); ++p) {
        if (work.from_rest[p] != from_rest) continue;
        for_each(work.first[p + 1] - work.first[p], 128, [&](std::size_t row) {
            const std::size_t i = work.first[p] + row;
            const Vec3<Real> f = force(i);
            for (int a = 0; a < 3; ++a) work.force[4 * i + static_cast<std::size_t>(a)] += f[a];
        });
    }
}

}  // namespace knead
