// Stage: every block's particles to its own tile. Nothing is shared, so nothing depends on threads;
// update_grid sums the tiles in a fixed order.
#pragma once

#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"
#include "knead/parallel/array.h"

namespace knead {

template <class Real, int Order, Transfer transfer>
void particles_to_grid(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                       double dt, Array<Real>& tiles);

}  // namespace knead
