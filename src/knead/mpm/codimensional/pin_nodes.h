// Stage: nodes next to what a grip holds move with it, so that neighbours of held particles do not
// drift against them. The other half is carry_held (scenery/grips.h), which places the particles.
#pragma once

#include <functional>

#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"
#include "knead/scenery/scenery.h"

namespace knead {

// The eight nodes around every held particle. `time` is the end of the step.
template <class Real, Transfer transfer>
void pin_nodes(const std::vector<Grip>& grips, double time, const std::vector<Phase<Real>>& phases,
               const BlockGrid& grid, double dx, Array<Real>& nodes);

// visit(index among all nodes, velocity) for those nodes, also where they hold no matter; a node
// comes up once for each particle it is next to. Solves fix what is visited.
using VisitPinned = std::function<void(std::size_t, const Vec3d&)>;
template <class Real>
void for_each_pinned_node(const std::vector<Grip>& grips, double time,
                          const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                          const VisitPinned& visit);

}  // namespace knead
