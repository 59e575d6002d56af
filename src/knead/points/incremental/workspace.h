// Scratch of the incremental method: the particles of all phases in one numbering, laid out for
// loops over neighbours. Rebuilt from the state at every step.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "knead/particles/phase.h"
#include "knead/points/incremental/near_lists.h"
#include "knead/points/incremental/rows.h"
#include "knead/points/incremental/settings.h"

namespace knead {

template <class Real>
struct IncrementalWorkspace {
    std::vector<std::size_t> first;  // number of each phase's first particle, and of the end
    std::vector<Vec3d> start;        // positions when the step began [m]
    Vec3d origin{0, 0, 0};           // that `place` counts from
    Array<Real> place;               // position and mass, four numbers each
    std::vector<bool> from_rest;     // which phases count deformation from places at rest
    Array<Real> rest;                // these places, four numbers each
    Array<Real> move;                // displacement to fit, four numbers each
    Array<PairRow<Real>> pair_rows;
    Array<FitRow<Real>> fit_rows;      // where a share of the force is that of the fit
    bool any_by_fit = false;           // whether there is such a share
    Array<StartRow<Real>> start_rows;  // where the start is kept
    Array<RestRow<Real>> rest_rows;    // of the baseline of a rest configuration
    // Elastic forces act within one matter; others only press. Numbers as Reals for packs.
    Array<Real> matter;
    bool one_matter = true;         // there is but one
    std::vector<double> viscosity;  // of each phase [Pa s]
    Array<Real> own_viscosity;      // of each particle, where phases differ
    Array<Real> density;            // sum over neighbours [kg/m3]
    Array<Real> force;              // four numbers each [N]
    Array<NeighbourSums<Real>> sums;
    Array<Real> trust;           // in what neighbours tell of deformation, 0 to 1
    NearLists<Real> lists;       // neighbours now
    NearLists<Real> rest_lists;  // neighbours at rest; empty lists in the other phases

    std::size_t size() const { return start.size(); }
    std::size_t bytes() const;
    bool all_from_rest() const {
        return std::find(from_rest.begin(), from_rest.end(), false) == from_rest.end();
    }
    bool any_from_rest() const {
        return std::find(from_rest.begin(), from_rest.end(), true) != from_rest.end();
    }
    // Neighbours for pressure: those of now, or at rest in the baseline of a rest configuration.
    const NearLists<Real>& pressing_lists(const IncrementalSettings& settings) const {
        return settings.keeps_rest_configuration() ? rest_lists : lists;
    }
    // Neighbours and places that the fit of a phase goes by.
    const NearLists<Real>& fit_lists(std::size_t phase) const {
        return from_rest[phase] ? rest_lists : lists;
    }
    const Array<Real>& fit_places(std::size_t phase) const {
        return from_rest[phase] ? rest : place;
    }

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
