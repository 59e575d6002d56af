// Sticky walls at their surface. Along a wall matter moves by u(d) = u(d_j) d / d_j, d the distance
// from it: nodes in the wall, or nearer than three quarters of a cell, are bound to a free node j
// further out, on the same line of the grid. Their masses, momenta and forces go to it as the work
// they do says, so that no step takes momentum from what moves as the wall asks.
#pragma once

#include <span>
#include <vector>

#include "knead/geometry/collider.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/settings.h"

namespace knead {

struct WallNode {
    static constexpr std::size_t none = ~std::size_t{0};
    std::size_t node;            // its number in the grid
    std::size_t free = none;     // that of the node it is bound to; none: it moves with the wall
    double share = 0;            // d / d_j
    Vec3d wall{}, wall_there{};  // velocities of the wall at both [m/s]
};

// The bound nodes that hold matter, in order.
template <class Real, Transfer transfer>
std::vector<WallNode> find_wall_nodes(const BlockGrid& grid, double dx,
                                      std::span<const ColliderAt> colliders,
                                      const Array<Real>& nodes);

// Momenta and forces of bound nodes to the free ones.
template <class Real, Transfer transfer>
void fold_wall_nodes(std::span<const WallNode> bound, double dt, const Vec3d& gravity,
                     Array<Real>& nodes);

// Velocities of free nodes to those bound to them.
template <class Real, Transfer transfer>
void follow_free_nodes(std::span<const WallNode> bound, Array<Real>& nodes);

}  // namespace knead
