// Merges pairs of particles that have come very close. [Yue 2015, Alg. 21; Ando 2012]
#pragma once

#include "knead/particles/point_grid.h"

namespace knead {

struct Merge {
    std::uint32_t phase;
    std::uint32_t kept, gone;  // rows; the lower id is kept
};

// Pairs of one phase that are each other's closest and nearer than 0.03 r, by phase and row.
template <class Real>
std::vector<Merge> find_merges(const std::vector<Phase<Real>>& phases, const PointGrid& points,
                               double r);

// Gives the kept row the sums and means of both. The other row is still to be removed.
template <class Real>
void merge_rows(Particles<Real>& particles, std::uint32_t kept, std::uint32_t gone);

}  // namespace knead
