// Stage: every block's particles to its own tile. Nothing is shared, so nothing depends on threads;
// update_grid sums the tiles in a fixed order.
#pragma once

#include <span>

#include "knead/mpm/codimensional/thin_workspace.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"
#include "knead/parallel/array.h"

namespace knead {

// `thin` holds the forces of sheets and curves, where there are any (APIC only). Phases that are
// marked in `solved` bring no forces: a solve does, later.
template <class Real, int Order, Transfer transfer>
void particles_to_grid(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                       double dt, const ThinWorkspace<Real>& thin, std::span<const char> solved,
                       Array<Real>& tiles);

}  // namespace knead
