// Puts the particles of every phase in order of grid block and cell, all columns together, and
// notes each block's rows. Particles may then drift by one cell before they must be sorted again.
#pragma once

#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// `offset` in cells from a particle to its first node: support_offset of the kernel.
template <class Real>
void sort_particles(std::vector<Phase<Real>>& phases, double dx, double offset);

}  // namespace knead
