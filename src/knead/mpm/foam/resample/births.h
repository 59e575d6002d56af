// A particle about to be born: where, and from which particles of one phase.
#pragma once

#include "knead/particles/point_grid.h"

namespace knead {

struct Birth {
    Vec3d x;
    PointRef nearest;                   // its phase is the new particle's phase
    std::vector<std::uint32_t> donors;  // rows of that phase
};

// Donors lie within r, or farther where there are none: up to 2 r. A point without any is left out.
std::vector<Birth> find_donors(const PointGrid& points, const std::vector<Vec3d>& x, double r);

}  // namespace knead
