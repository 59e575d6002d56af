// How far particles are from their rest volume, and how many are torn.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// min_J, mean_J, max_J and weak, over all particles.
template <class Real>
std::vector<std::pair<std::string, double>> volume_statistics(
    const std::vector<Phase<Real>>& phases);

}  // namespace knead
