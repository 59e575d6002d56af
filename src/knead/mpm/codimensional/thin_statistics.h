// What the statistics of a run say of sheets and curves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// max_edge_stretch, min_r33, and how many elements are apart, slipping and inverted; empty where a
// scene has no thin bodies.
template <class Real>
std::vector<std::pair<std::string, double>> thin_statistics(const std::vector<Phase<Real>>& phases);

}  // namespace knead
