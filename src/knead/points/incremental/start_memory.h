// The memory of the start: matter that never flows keeps the places and neighbours it started with
// and counts all of its deformation from there, so that no error of a step stays. Others beside it
// only press on it. Its parts of the stages compute_stress, pair_forces and compose_and_flow.
#pragma once

#include "knead/points/incremental/flow_pack.h"

namespace knead {

// F and v T of the first Piola stress T, and the stiffness of shape, all fading with the trust.
template <class Real>
void stress_from_start(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                       const Particles<Real>& p, std::size_t first,
                       IncrementalWorkspace<Real>& work);

// Adds the elastic forces between the neighbours of the start.
template <class Real>
void add_start_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work);

// F <- I + D with D of all displacements since the start.
template <class Real>
FlowReport compose_from_start(const FlowPack<Real>& pack);

}  // namespace knead
