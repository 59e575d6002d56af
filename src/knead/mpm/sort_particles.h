// Puts the particles of every phase in order of grid block, cell and id, all columns together, and
// notes each block's rows. Particles may then stand up to a cell outside their block.
#pragma once

#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// `offset` in cells from a particle to its first node: support_offset of the kernel. Particles go
// to the block where they will be after `lead` seconds, but at most half a cell away.
template <class Real>
void sort_particles(std::vector<Phase<Real>>& phases, double dx, double offset, double lead);

}  // namespace knead
