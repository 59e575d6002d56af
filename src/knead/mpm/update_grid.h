// Stage: sums the tiles that reach each block of nodes, turns momentum into velocity, adds gravity
// and resolves contact with colliders. The parts stand alone for solves that need them apart; the
// stage does all of a block while it is in the cache.
//     v_i* = (m v)_i / m_i + dt f_i / m_i + dt g        [Yue 2015, Alg. 9, with the missing v_i]
// Nodes of target block t start at nodes[t * block_nodes * channels], z running fastest.
#pragma once

#include <span>

#include "knead/geometry/collider.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"

namespace knead {

// What particles brought, node by node.
template <class Real, int Order, Transfer transfer>
void sum_tiles(const BlockGrid& grid, const Array<Real>& tiles, Array<Real>& nodes);

// Sums become velocities.
template <class Real, Transfer transfer>
void update_velocities(const BlockGrid& grid, double dt, const Vec3d& gravity, Array<Real>& nodes);

// Velocities past the colliders.
template <class Real, Transfer transfer>
void collide_grid(const BlockGrid& grid, double dx, std::span<const ColliderAt> colliders,
                  Array<Real>& nodes, const NodeContact& contact = {});

// All three.
template <class Real, int Order, Transfer transfer>
void update_grid(const BlockGrid& grid, const Array<Real>& tiles, double dx, double dt,
                 const Vec3d& gravity, std::span<const ColliderAt> colliders, Array<Real>& nodes,
                 const NodeContact& contact = {});

}  // namespace knead
