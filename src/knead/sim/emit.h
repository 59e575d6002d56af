// Emission: copies of a body that enter the scene one after another, each as soon as its time has
// come and its place is free.
#pragma once

#include "knead/sim/model.h"
#include "knead/sim/state.h"

namespace knead {

// The time from which the next copy waits to be let out; huge when none is left.
template <class Real>
double next_emission(const Model& model, const State<Real>& state);

// Adds what is due at state.time; true if anything was added. The rows added are at rest, in
// columns that the solver's prepare() has made.
template <class Real>
bool emit_due(const Model& model, State<Real>& state);

}  // namespace knead
