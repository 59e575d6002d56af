// Scratch of the incremental method: the particles of all phases in one numbering, laid out for
// loops over neighbours. Rebuilt from the state at every step.
#pragma once

#include <vector>

#include "knead/particles/phase.h"
#include "knead/points/incremental/near_lists.h"
#include "knead/points/incremental/settings.h"

namespace knead {

// What a particle shows its neighbours in the pair forces; one row of numbers each.
namespace shown {
inline constexpr std::size_t place = 0;       // three numbers
inline constexpr std::size_t volume = 3;      // v, at rest
inline constexpr std::size_t velocity = 4;    // three numbers
inline constexpr std::size_t sph_volume = 7;  // now, by density
inline constexpr std::size_t metric = 8;   // (F F^T)^-1 / h^2, which measures at rest, six numbers
                                           // of which the last three are doubled
inline constexpr std::size_t stress = 14;  // v T F^-1, six numbers
inline constexpr std::size_t stride = 20;
}  // namespace shown

// What a particle shows the neighbours of its start, in place of metric and stress.
namespace from_start {
inline constexpr std::size_t F = 0;           // nine numbers
inline constexpr std::size_t stress = 9;      // v T, nine numbers
inline constexpr std::size_t stiffness = 18;  // v times the stiffness of its shape
inline constexpr std::size_t stride = 20;
}  // namespace from_start

// Sums over a particle's own neighbours, one row of numbers each.
namespace moment {
inline constexpr std::size_t A = 0;              // of the fit: w r r^T, rows of four numbers
inline constexpr std::size_t count = 3;          // neighbours that count, behind the first row
inline constexpr std::size_t weighted_mass = 7;  // behind the second
inline constexpr std::size_t B = 12;             // w u r^T, rows of four numbers
inline constexpr std::size_t stride = 24;
}  // namespace moment
template <class T>
Sym3<T> fit_matrix(const T* sums) {
    const T* A = sums + moment::A;
    return {A[0], A[5], A[10], A[1], A[2], A[6]};
}

template <class Real>
struct IncrementalWorkspace {
    std::vector<std::size_t> first;  // number of each phase's first particle, and of the end
    std::vector<Vec3d> start;        // positions when the step began [m]
    Vec3d origin{0, 0, 0};           // that `place` counts from
    Array<Real> place;               // position and mass, four numbers each
    Array<Real> rest;                // position at rest, for the baseline that keeps it
    Array<Real> rest_row;            // its F_p and v T, eighteen numbers each
    Array<Real> start_row;           // as below, where the start is kept
    Array<Real> move;                // displacement to fit, four numbers each
    Array<Real> row;                 // as above
    Array<Real> body;                // number of the body, as a Real for packs
    Array<Real> density;             // sum over neighbours [kg/m3]
    Array<Real> force;               // four numbers each [N]
    Array<Real> moments;             // as above
    Array<Real> trust;               // in what neighbours tell of deformation, 0 to 1
    NearLists<Real> lists;           // for the fit
    NearLists<Real> now;             // who meets now, where the others are those of the start

    std::size_t size() const { return start.size(); }
    std::size_t bytes() const;
    // Who presses on whom.
    const NearLists<Real>& around(const IncrementalSettings& settings) const {
        return settings.keeps_start() ? now : lists;
    }

    // Fills start, origin and place, and the rows' fixed part, from the tables.
    void load(const std::vector<Phase<Real>>& phases);
};

}  // namespace knead
