// An order of rows in which those that follow each other lie together: bodies one after another,
// each cut in two across its longest side, again and again. Cuts fall on multiples of a group's
// size, so that groups and runs of 2, 4, 8 ... of them are compact.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// Of so many rows, how many stand before the cut.
std::size_t half_of(std::size_t rows, std::size_t group);

template <class Real>
std::vector<std::uint32_t> bisected_order(const Particles<Real>& particles, std::size_t group);

}  // namespace knead
