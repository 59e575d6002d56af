// Is a state from a checkpoint one that a run of this model can have? A file may be whole, with a
// right checksum, and still hold numbers that no solver survives.
#pragma once

#include <string>

#include "knead/sim/checkpoint.h"
#include "knead/sim/solver.h"

namespace knead {

// InputError that names the file and the first thing that cannot be: an index without a target, a
// column that is missing, a number that is none, a particle outside its block of the grid.
template <class Real>
void check_checkpoint(const Model& model, const Checkpoint<Real>& checkpoint, Solver<Real>& solver);

}  // namespace knead
