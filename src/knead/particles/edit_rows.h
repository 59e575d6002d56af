// Takes rows out of a table and adds new ones, in every column at once.
#pragma once

#include <vector>

#include "knead/particles/phase.h"

namespace knead {

// Drops the rows whose mark is set; those that stay keep their order.
template <class Real>
void remove_rows(Particles<Real>& particles, const std::vector<char>& gone);

// The same in a phase that is sorted: its blocks keep the rows that stay, so it is sorted still.
template <class Real>
void remove_sorted_rows(Phase<Real>& phase, const std::vector<char>& gone);

// Adds n rows of zeros at the end and returns the first of them.
template <class Real>
std::size_t append_rows(Particles<Real>& particles, std::size_t n);

}  // namespace knead
