// Rows for matter that enters while a run goes on.
#pragma once

#include <vector>

#include "knead/sim/state.h"

namespace knead {

// Particles of one body, at rest in their shape.
struct NewMatter {
    int body = 0;
    double density = 0;  // [kg/m3]
    double volume = 0;   // of each [m3]
    std::vector<Vec3d> points, velocities;
};

// Appends them, in columns that a solver's prepare() has made, and counts their mass in
// totals["mass_in"].
template <class Real>
void add_rows(State<Real>& state, Phase<Real>& phase, const NewMatter& matter);

// The volume phase of a material.
template <class Real>
Phase<Real>& phase_of(State<Real>& state, int material);

// Is any particle nearer than `gap` to one of the points?
template <class Real>
bool is_taken(const State<Real>& state, const std::vector<Vec3d>& points, double gap);

// Rows came or went: they are no longer in order of blocks, and newcomers may be the fastest.
template <class Real>
void rows_have_changed(State<Real>& state) {
    state.memory.drift = StepMemory{}.drift, state.memory.max_speed = -1;
}

}  // namespace knead
