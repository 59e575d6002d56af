// Which cubes of a lattice a shape may reach, found by halving: empty space costs nothing, however
// far apart the parts of a shape lie.
#pragma once

#include <vector>

#include "knead/geometry/sdf_shape.h"

namespace knead {

using BlockIndex = Vec3<long long>;

// Cube (i, j, k) of the lattice reaches from lo + edge * (i, j, k) over one edge. Of those from 0
// to below `count`, all that are not wholly outside; sorted by k, then j, then i.
std::vector<BlockIndex> blocks_near(const SdfShape& shape, const Vec3d& lo, double edge,
                                    const BlockIndex& count);

// The volume of a bounded shape [m3], measured with a limited number of probes.
double measured_volume(const SdfShape& shape);

}  // namespace knead
