// Matter that comes and goes in streams: slices through openings, and volumes that take it out.
#pragma once

#include "knead/sim/emit.h"

namespace knead {

// The time from which a slice is due or a sink acts; huge when none is left.
template <class Real>
double next_flow(const Model& model, const State<Real>& state);

// Lets in what is due at state.time and takes out what stands in sinks.
template <class Real>
Exchange flow_due(const Model& model, State<Real>& state);

// One slice of every stream and one copy of every emitter, each as at its start: what limits steps
// will show with them. The state must have been prepared, and is no longer one of a run.
template <class Real>
void let_in_one_of_each(const Model& model, State<Real>& state);

// Sets what a run counts of coming and going to 0 where the model has any: totals["mass_in"] and
// ["mass_out"] [kg], and ["blocked_time"] of all openings together [s].
template <class Real>
void begin_counting(const Model& model, State<Real>& state);

}  // namespace knead
