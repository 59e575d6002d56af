// The three doors through which rows of a phase move, go and come: every column at once, and what
// hangs on the rows (links, elements, the ranges of blocks).
#pragma once

#include <cstdint>
#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// Row i becomes what row order[i] was. The phase is then no longer sorted by block.
template <class Real>
void reorder(Phase<Real>& phase, const std::vector<std::uint32_t>& order);

// Drops the rows whose mark is set; those that stay keep their order, and a phase that was sorted
// is sorted still. Links to rows that are gone go too. Volumes only.
template <class Real>
void remove_rows(Phase<Real>& phase, const std::vector<char>& gone);

// Adds n rows of zeros at the end and returns the first of them. Where n > 0 the phase is then no
// longer sorted by block.
template <class Real>
std::size_t append_rows(Phase<Real>& phase, std::size_t n);

}  // namespace knead
