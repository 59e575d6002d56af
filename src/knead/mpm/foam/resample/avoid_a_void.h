// Resampling: new particles where strong flow has opened voids, fewer where particles have met.
// Mass and volume are kept; momentum nearly so. [Yue 2015, section 6 and Alg. 18]
#pragma once

#include <map>
#include <string>

#include "knead/particles/point_grid.h"

namespace knead {

// Sums over all particles, in double.
struct Inventory {
    double mass = 0;          // [kg]
    double volume = 0;        // at rest [m3]
    Vec3d momentum{0, 0, 0};  // [kg m/s]
    Vec3d angular{0, 0, 0};   // angular momentum about the origin [kg m2/s]
};

template <class Real>
Inventory take_inventory(const std::vector<Phase<Real>>& phases);

struct ResampleReport {
    std::int64_t inserted = 0;
    std::int64_t merged = 0;  // pairs
    Inventory before, after;
    // New and merged particles, by phase and row as the tables stand now: their stress is due.
    std::vector<PointRef> touched;

    bool changed() const { return inserted > 0 || merged > 0; }
    void add_to(std::map<std::string, double>& totals) const;
};

// Volumes alone are resampled. New particles are the last rows of their phase, with ids from
// next_id on and the nearest donor as parent. Where rows came or went, the phase's blocks are
// cleared: it must be sorted again.
template <class Real>
ResampleReport avoid_a_void(std::vector<Phase<Real>>& phases, double dx, std::uint64_t seed,
                            std::int64_t step, std::int64_t& next_id);

}  // namespace knead
