// Stages after the gather: normals that turn with the grid, elements that follow their vertices,
// and contact and friction as a return map on the normals. [Jiang 2017, 4.3, 4.5]
#pragma once

#include <span>

#include "knead/materials/material.h"
#include "knead/mpm/codimensional/thin_workspace.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/grid_to_particles.h"
#include "knead/mpm/transfer/gather.h"

namespace knead {

// Columns and rest state of fresh sheets and curves: normals across the start.
template <class Real>
void prepare_elements(std::vector<Phase<Real>>& phases, std::size_t phase);

// The grid carries the frames of n elements from `begin` on. Columns along them are made anew from
// their vertices by update_elements; those across them stay.
template <class Real>
void advance_frames(Particles<Real>& p, std::size_t begin, int n, const Gathered<Real>& g,
                    double dt);

// Elements stand where their moved vertices are; their normals return to what contact and friction
// allow. Returns the least stretch across, and how far elements stand outside their blocks.
struct ElementReport {
    double outside = 0;  // [cells]
    double least_normal = 1;
};
template <class Real>
ElementReport update_elements(std::vector<Phase<Real>>& phases, std::span<const Material> materials,
                              ThinModel model, const BlockGrid& grid,
                              const ThinWorkspace<Real>& work, double dx, double offset);

}  // namespace knead
