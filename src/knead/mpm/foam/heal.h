// Stage: plastic recovery of every particle whose material tears; torn ones may find their strength
// again, so the stress is brought up to date.  [Yue 2015, Alg. 14]
#pragma once

#include "knead/materials/law.h"
#include "knead/particles/particles.h"

namespace knead {

template <class Real>
void heal_particles(const Law<Real>& law, Particles<Real>& particles, double dt);

// Tearing detected and stress computed anew, after particles were made or merged.
template <class Real>
void refresh_stress(const Law<Real>& law, Particles<Real>& particles);

}  // namespace knead
