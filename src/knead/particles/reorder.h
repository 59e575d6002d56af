// Moves the rows of every column of a table to a new order.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/particles/particles.h"

namespace knead {

// Row i of the result is row order[i] of the table.
template <class Real>
void reorder(Particles<Real>& particles, const std::vector<std::uint32_t>& order);

}  // namespace knead
