// Places at rest: what the memory of the start and the baseline of a rest configuration count
// deformation from, and the neighbours there.
#pragma once

#include "knead/points/incremental/workspace.h"

namespace knead {

// Gives fresh particles the columns of these two memories, where they have them.
template <class Real>
void create_rest_places(const IncrementalSettings& settings, bool can_flow, Particles<Real>& p);

// Whether particles that have places at rest have left them.
template <class Real>
bool has_left_rest(const Particles<Real>& p);

// Fills work.rest and work.rest_lists, which stay as they are.
template <class Real>
void find_rest_neighbours(const IncrementalSettings& settings,
                          const std::vector<Phase<Real>>& phases, IncrementalWorkspace<Real>& work);

}  // namespace knead
