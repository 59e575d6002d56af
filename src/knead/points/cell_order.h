// The order of rows by the cells of a grid, in which neighbours lie near in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// For each phase, its rows block by block and cell by cell.
template <class Real>
std::vector<std::vector<std::uint32_t>> cell_order(const std::vector<Phase<Real>>& phases,
                                                   double cell);

}  // namespace knead
