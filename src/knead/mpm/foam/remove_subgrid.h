// Deletes torn particles whose surroundings the grid cannot resolve: alone, in a line or in a
// plane. [Yue 2015, section 7.4, Eq. 21, 22 and Alg. 15]
#pragma once

#include <map>
#include <string>

#include "knead/particles/point_grid.h"

namespace knead {

struct RemovalReport {
    std::int64_t removed = 0;
    double mass = 0;  // [kg]

    void add_to(std::map<std::string, double>& totals) const;
};

// How far the surroundings of each torn particle, by phase and row, reach: the eigenvalues of their
// covariance from the largest, in dx^2.
template <class Real>
std::vector<Vec3d> torn_spread(const std::vector<Phase<Real>>& phases, double dx);

// All tests first, then all deletions, in volumes alone. What is sorted stays sorted; without torn
// particles nothing is touched.
template <class Real>
RemovalReport remove_subgrid(std::vector<Phase<Real>>& phases, double dx);

}  // namespace knead
