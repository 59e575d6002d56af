// How long the next substeps are.
#pragma once

#include <cstdint>

#include "knead/sim/solver.h"

namespace knead {

// Substeps of one length that may follow one another.
struct Pace {
    double dt = 0;          // [s]
    bool last = false;      // the first of them ends the frame
    std::int64_t most = 1;  // how many
};

// Steps of up to `limit` for the `remaining` time of a frame, which ends exactly: the last two
// share what is left, so that none is a sliver. `wait` is the time until particles enter the scene:
// they do so between steps. All in seconds.
Pace pace_of(double limit, double remaining, double wait);

// What the next step may be at most. RunError where that is below the model's least step.
template <class Real>
DtLimit least_limit(const Model& model, const State<Real>& state, Solver<Real>& solver);

}  // namespace knead
