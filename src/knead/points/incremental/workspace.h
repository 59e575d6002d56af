// Scratch of the incremental method: the particles of all phases in one numbering, laid out for
// loops over neighbours. Rebuilt from the state at every step.
#pragma once

#include <algorithm>
#include <functional>
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

// What a particle shows where a share of the force is that of the fit.
namespace fit_rows {
inline constexpr std::size_t matrix = 0;  // v tau A^-1 times the share, nine numbers
inline constexpr std::size_t stride = 12;
}  // namespace fit_rows

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
    std::vector<bool> rests;         // which phases count deformation from places at rest
    Array<Real> rest;                // these places, four numbers each
    Array<Real> rest_row;            // F_p and v T of a rest configuration, eighteen numbers each
    Array<Real> fit_row;             // as above, where a share of the force is that of the fit
    bool any_by_fit = false;         // whether there is such a share
    Array<Real> start_row;           // as above, where the start is kept
    Array<Real> move;                // displacement to fit, four numbers each
    Array<Real> row;                 // as above
    // Elastic forces act within one matter; others only press. Numbers as Reals for packs.
    Array<Real> matter;
    bool one_matter = true;         // there is but one
    std::vector<double> viscosity;  // of each phase [Pa s]
    Array<Real> own_viscosity;      // of each particle, where phases differ
    Array<Real> density;            // sum over neighbours [kg/m3]
    Array<Real> force;              // four numbers each [N]
    Array<Real> moments;            // as above
    Array<Real> trust;              // in what neighbours tell of deformation, 0 to 1
    NearLists<Real> lists;          // who is near now
    NearLists<Real> rest_lists;     // who was at rest; empty lists in the other phases

    std::size_t size() const { return start.size(); }
    std::size_t bytes() const;
    bool all_rest() const { return std::find(rests.begin(), rests.end(), false) == rests.end(); }
    bool any_rests() const { return std::find(rests.begin(), rests.end(), true) != rests.end(); }
    // Who presses on whom. The baseline of a rest configuration knows no others than those at rest.
    const NearLists<Real>& around(const IncrementalSettings& settings) const {
        return settings.keeps_rest_configuration() ? rest_lists : lists;
    }
    // Neighbours and places that the fit of a phase goes by.
    const NearLists<Real>& fit_lists(std::size_t phase) const {
        return rests[phase] ? rest_lists : lists;
    }
    const Array<Real>& fit_places(std::size_t phase) const { return rests[phase] ? rest : place; }

    bool one_viscosity() const {
        return std::adjacent_find(viscosity.begin(), viscosity.end(), std::not_equal_to<>{}) ==
               viscosity.end();
    }
    bool any_viscosity() const {
        return std::any_of(viscosity.begin(), viscosity.end(), [](double eta) { return eta > 0; });
    }

    // Fills start, origin and place, and the rows' fixed part, from the tables.
    void load(const IncrementalSettings& settings, const std::vector<Phase<Real>>& phases);
    void set_viscosity(const std::vector<double>& of_phases);
};

}  // namespace knead
