// Baseline of [Gerszewski 2009, Fig. 8]: a rest configuration that is kept, with the plastic part
// of deformation F_p beside it. Its parts of the stages compute_stress, pair_forces and
// compose_and_flow. Plain code: it is there to compare with.
#pragma once

#include "knead/points/incremental/flow_pack.h"

namespace knead {

// F_p and v T.
template <class Real>
void stress_from_rest(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                      const Particles<Real>& p, std::size_t first,
                      IncrementalWorkspace<Real>& work);

// Adds elastic forces between the neighbours at rest: r at rest is F_p x0_ij, and T stays as it is.
template <class Real>
void add_rest_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work);

// F <- (I + D) F_p^-1 with D of all displacements from rest; then flow, which F_p takes up.
template <class Real>
FlowReport compose_from_rest(const FlowPack<Real>& pack, const StretchLaw<Real>& law);

}  // namespace knead
