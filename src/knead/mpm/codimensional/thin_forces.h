// Stages: stress of every element, its force on its vertices and, across it, on the grid; then the
// sum of forces at every vertex, in a fixed order. [Jiang 2017, 4.4]
#pragma once

#include <span>

#include "knead/materials/material.h"
#include "knead/mpm/codimensional/thin_workspace.h"
#include "knead/mpm/settings.h"

namespace knead {

template <class Real>
void compute_thin_forces(const std::vector<Phase<Real>>& phases,
                         std::span<const Material> materials, ThinModel model,
                         ThinWorkspace<Real>& work);

// The second stage alone: what elements do to their corners, added up.
template <class Real>
void sum_vertex_forces(const std::vector<Phase<Real>>& phases, ThinWorkspace<Real>& work);

// Energy stored in the elements of a phase [J].
template <class Real>
double thin_energy(const std::vector<Phase<Real>>& phases, const Phase<Real>& elements,
                   const Material& material, ThinModel model);

}  // namespace knead
