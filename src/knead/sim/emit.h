// Emission: copies of a body that enter the scene one after another, each as soon as its time has
// come and its place is free.
#pragma once

#include "knead/sim/model.h"
#include "knead/sim/state.h"

namespace knead {

// The time from which the next copy waits to be let out; huge when none is left.
template <class Real>
double next_emission(const Model& model, const State<Real>& state);

// What came and went.
struct Exchange {
    bool changed = false;  // rows of particles did
    std::string blocked;   // what cannot enter, for a warning; "" for nothing
    std::string where;     // the place, to go with it
};

// Adds what is due at state.time. The rows added are at rest, in columns that the solver's
// prepare() has made.
template <class Real>
Exchange emit_due(const Model& model, State<Real>& state);

}  // namespace knead
