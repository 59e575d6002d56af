// Stages: nodes next to what a grip holds move with it, and it bears the forces on vertices that it
// holds. The other half is carry_held (scenery/grips.h), which places the particles.
#pragma once

#include <functional>

#include "knead/mpm/codimensional/thin_workspace.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"
#include "knead/scenery/scenery.h"

namespace knead {

// Where held vertices will be. `time` is the end of the step.
template <class Real>
void place_held(const std::vector<Grip>& grips, double time, const std::vector<Phase<Real>>& phases,
                ThinWorkspace<Real>& thin);

// A held vertex stands where its grip has it, whatever the grid does: what pulls at it must not
// pull at the nodes that it shares with its neighbours.
template <class Real>
void leave_to_grips(ThinWorkspace<Real>& thin);

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
