// Velocity, deformation and the like of new particles, through a grid with cubic weights: from the
// donors' phase to the nodes, from the nodes to the new places. [Yue 2015, Eq. 19, 20 and Alg. 20]
#pragma once

#include "knead/mpm/foam/resample/births.h"

namespace knead {

// births[i] belongs to row rows[i] of its phase, which exists already; `points` holds the particles
// from before the births, in cells of width dx / 2.
template <class Real>
void interpolate_fields(std::vector<Phase<Real>>& phases, const PointGrid& points, double dx,
                        const std::vector<Birth>& births, const std::vector<std::size_t>& rows);

}  // namespace knead
