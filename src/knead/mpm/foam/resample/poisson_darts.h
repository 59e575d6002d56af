// New points for the voids inside the matter: a maximal set of darts that keep their distance from
// all particles and from each other. [Yue 2015, section 6.1 and Alg. 3]
#pragma once

#include "knead/mpm/foam/resample/signed_distance.h"

namespace knead {

// Positions [m] in the order they were accepted. Depends on (seed, step) and the points, never on
// the thread count.
std::vector<Vec3d> poisson_darts(const PointGrid& points, const SignedDistance& distance,
                                 std::uint64_t seed, std::int64_t step);

}  // namespace knead
