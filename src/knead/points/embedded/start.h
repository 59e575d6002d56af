// What a fresh body gets before its first step: embedded positions, support radii, neighbours, rest
// vectors and the scale of its volumes [Jones 2014, section 3].
#pragma once

#include "knead/points/embedded/stages.h"

namespace knead {

// Completes the bodies that have no support radii yet; others stay as they are. `work` is scratch.
template <class Real>
void start_bodies(Phase<Real>& phase, const StretchLaw<Real>& law, const EmbeddedSettings& settings,
                  EmbeddedWorkspace<Real>& work);

}  // namespace knead
