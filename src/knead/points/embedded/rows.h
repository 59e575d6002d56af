// Order of a phase's rows: body after body, and within a body along a curve through embedded space,
// so that neighbours stand near each other in memory.
#pragma once

#include "knead/particles/phase.h"

namespace knead {

// Rows [begin, end) of one body.
struct BodyRows {
    std::int32_t body;
    std::size_t begin, end;
};

// Runs of equal body; one a body where the rows are sorted.
template <class Real>
std::vector<BodyRows> body_rows(const Particles<Real>& particles);

// Sorts the rows of a phase.
template <class Real>
void sort_rows(Phase<Real>& phase);

}  // namespace knead
