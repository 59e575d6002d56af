// Baseline of [Gerszewski 2009, Fig. 8]: Green's strain of every increment, added up. Its parts of
// the stages compute_stress and compose_and_flow; forces are those of the method, with no rest
// space to go to. Takes corotated-linear matter alone.
#pragma once

#include "knead/points/incremental/flow_pack.h"

namespace knead {

// 2 mu eps + lambda tr(eps) I.
template <class Real>
void stress_of_strains(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                       const Particles<Real>& p, std::size_t first,
                       IncrementalWorkspace<Real>& work);

// eps <- eps + (D + D^T + D^T D) / 2; flow takes from its deviator.
template <class Real>
FlowReport add_strains(const FlowPack<Real>& pack, const StretchLaw<Real>& law);

}  // namespace knead
