// Scratch of the incremental method: the particles of all phases in one numbering, laid out for
// loops over neighbours. Rebuilt from the state at every step.
#pragma once

#include <vector>

#include "knead/particles/phase.h"
#include "knead/points/incremental/near_lists.h"

namespace knead {

// What a particle shows its neighbours in the pair forces; one row of numbers each.
namespace shown {
inline constexpr std::size_t to_rest = 0;   // F_e^-1, nine numbers
inline constexpr std::size_t traction = 9;  // v T, nine numbers
inline constexpr std::size_t volume = 18;   // v, at rest
inline constexpr std::size_t body = 19;
inline constexpr std::size_t velocity = 20;  // three numbers
inline constexpr std::size_t pressure = 23;
inline constexpr std::size_t sph_volume = 24;
inline constexpr std::size_t stride = 32;
}  // namespace shown

template <class Real>
struct IncrementalWorkspace {
    std::vector<std::size_t> first;  // number of each phase's first particle, and of the end
    std::vector<Vec3d> start;        // positions when the step began [m]
    Vec3d origin{0, 0, 0};           // that `place` counts from
    Array<Real> place;               // position and mass, four numbers each
    Array<Real> rest;                // position at rest, for the baseline that keeps it
    Array<Real> move;                // displacement to fit, and the body
    Array<Real> row;                 // as above
    Array<Real> density;             // sum over neighbours [kg/m3]
    Array<Real> force;               // four numbers each [N]
    Array<Real> moments[16];         // planes: A (6) and B (9) of the fit, neighbours counted
    NearLists lists;

    std::size_t size() const { return start.size(); }
    std::size_t bytes() const;

    // Fills start, origin and place, and the rows' fixed part, from the tables.
    void load(const std::vector<Phase<Real>>& phases);
};

}  // namespace knead
