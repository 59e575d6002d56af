// How far particles have drifted from the block they were sorted into.
#pragma once

#include "knead/mpm/advance_particles.h"
#include "knead/mpm/grid/block_key.h"

namespace knead {

// How far the particles that are farthest out stand outside their block [cells].
template <class Real>
inline double outside_block(const Particles<Real>& p, std::size_t begin, int n, const Vec3i& block,
                            double offset, double dx) {
    double most = 0;
    for (int a = 0; a < 3; ++a) {
        const Extent extent = extent_of(p.x.plane(a) + begin, n);
        const double first = block_width * block[a] + offset;
        most = std::max({most, first - extent.least / dx, extent.most / dx - first - block_width});
    }
    return most;
}

}  // namespace knead
