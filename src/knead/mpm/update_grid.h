// Stage: sums the tiles that reach each block of nodes, turns momentum into velocity, adds gravity
// and resolves contact with colliders.
//     v_i* = (m v)_i / m_i + dt f_i / m_i + dt g        [Yue 2015, Alg. 9, with the missing v_i]
#pragma once

#include <span>

#include "knead/geometry/collider.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"

namespace knead {

// Nodes of target block t start at nodes[t * block_nodes * channels], z running fastest.
template <class Real, int Order, Transfer transfer>
void update_grid(const BlockGrid& grid, const Array<Real>& tiles, double dx, double dt,
                 const Vec3d& gravity, std::span<const ColliderAt> colliders, Array<Real>& nodes);

}  // namespace knead
