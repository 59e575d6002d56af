// elastic_forces: each link pulls its two ends together, or apart, with the same force.
#include "knead/points/embedded/both_ends.h"
#include "knead/points/embedded/stages.h"

namespace knead {

template <class Real>
void elastic_forces(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work) {
    sum_both_ends(phase.links, work.scatter_buffer, work.force,
                  [&](std::size_t slot, std::size_t i, std::size_t j) {
                      const Lanes<Real> wu = work.weighted[slot];
                      const Lanes<Real> x_ij = narrow<Real>(work.x[j] - work.x[i]);
                      return work.traction[i] * to_vec(wu) +
                             Lanes<Real>(work.restoring[i] * wu[3]) * x_ij;
                  });
}

template void elastic_forces(const Phase<float>&, EmbeddedWorkspace<float>&);
template void elastic_forces(const Phase<double>&, EmbeddedWorkspace<double>&);

}  // namespace knead
