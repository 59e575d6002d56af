// Lattice particles of a body whose surface cuts the lattice: the outer layer is laid evenly below
// it.
#pragma once

#include "knead/scene/fill_body.h"

namespace knead {

// Moves particles of the outer layer to half a spacing below the surface, so that round bodies have
// no steps, and spreads those that meet there: few stay nearer than 0.8 spacings. The next layer
// gives way. A body whose faces lie between the lattice's planes stays as it is, to the bit.
void fit_to_surface(Fill& fill);

}  // namespace knead
