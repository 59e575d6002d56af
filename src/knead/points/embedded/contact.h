// contact_forces: matter that meets in the world although it is far apart in embedded space, or of
// another body, which the paper leaves open. Surface particles of two such parts push each other
// away once they are nearer than their spacing, with the stiffness of their material, a little
// damping and Coulomb friction; equal and opposite, so that momentum is kept.
#pragma once

#include "knead/points/embedded/stages.h"

namespace knead {

// Adds to work[k].force of every phase k. Returns the number of particles in contact.
template <class Real>
std::size_t contact_forces(const std::vector<Phase<Real>>& phases,
                           const std::vector<StretchLaw<Real>>& laws, double friction, double dt,
                           std::vector<EmbeddedWorkspace<Real>>& work);

}  // namespace knead
