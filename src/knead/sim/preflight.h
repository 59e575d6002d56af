// What a run will cost, before it starts.
#pragma once

#include <vector>

#include "knead/sim/solver.h"

namespace knead {

struct Preflight {
    std::vector<DtLimit> limits;    // the least first
    double dt = 0;                  // [s]
    double substeps_per_frame = 0;  // if the limits stay as they are
    std::size_t particles = 0;
    std::size_t particle_bytes = 0;  // the state, and the copy that a roll-back needs
    std::size_t scratch_bytes = 0;   // the solver's own, as far as it holds it by now
};

// Where matter is to come, limits are those with some of all of it there. The solver is left
// prepared for `state`.
template <class Real>
Preflight preflight(const Model& model, State<Real>& state, Solver<Real>& solver);

// The solver's limits and the scene's own cap, the least first.
template <class Real>
std::vector<DtLimit> sorted_limits(const Model& model, const State<Real>& state,
                                   Solver<Real>& solver);

}  // namespace knead
