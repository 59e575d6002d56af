// The stages of a step of the incremental method, in the order of the step. Letters: x, y positions
// at the start and the end of the step, F the elastic deformation gradient with singular values
// sigma, T the stress in the pair force, v a particle's volume.
#pragma once

#include "knead/materials/stretch_law.h"
#include "knead/points/incremental/settings.h"
#include "knead/points/incremental/workspace.h"
#include "knead/scenery/surroundings.h"

namespace knead {

// How the particles of a phase remember their deformation: beside matter that keeps its start, what
// flows has increments.
template <class Real>
DeformationMemory memory_of(const IncrementalSettings& settings, const Phase<Real>& phase) {
    const bool flows_beside = settings.keeps_start() && !phase.particles.rest_x.present();
    return flows_beside ? DeformationMemory::increments : settings.memory;
}

// Sums over each particle's own neighbours: the moments A of the fit [Gerszewski 2009, Eq. 6], and
// density, with pressure and volume. A particle's first density becomes its rest density.
// [Müller 2003]
template <class Real>
void sum_neighbours(const IncrementalSettings& settings, std::vector<Phase<Real>>& phases,
                    IncrementalWorkspace<Real>& work);

// T and the metric of one phase's particles [Gerszewski 2009, Eq. 9], what the force by the fit
// needs, and the trust in what their neighbours tell of deformation. Where they are too few or too
// flat F is not updated, and gets out of step with the matter; a stress from it would push without
// end, so T fades with the trust.
template <class Real>
void compute_stress(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                    const Phase<Real>& phase, std::size_t first, IncrementalWorkspace<Real>& work);

// Elastic forces, averaged so that they are equal and opposite [Gerszewski 2009, Eq. 10 to 13],
// with pressure and viscosity.
template <class Real>
void pair_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work);

// Adds the force that pulls surfaces flat. [Müller 2003]
template <class Real>
void surface_tension(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work);

// How a step moved the particles.
struct MoveReport {
    double max_move = 0;    // against the mean of all [m]
    double max_speed = 0;   // [m/s]
    std::int64_t bad = -1;  // id of a particle that is lost, or -1
};

// Symplectic Euler, grips, obstacles. Leaves displacements in work.move.
template <class Real>
MoveReport integrate(const IncrementalSettings& settings, std::vector<Phase<Real>>& phases,
                     double dt, Surroundings& surroundings, IncrementalWorkspace<Real>& work);

// Moments B of the affine motion that neighbours share. [Gerszewski 2009, Eq. 1 to 7]
template <class Real>
void fit_increment(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work);

// What composing and flow did.
struct FlowReport {
    std::size_t kept = 0;     // particles whose F a guard left as it was
    std::size_t flowing = 0;  // particles that flowed
};
inline FlowReport operator+(const FlowReport& a, const FlowReport& b) {
    return {a.kept + b.kept, a.flowing + b.flowing};
}

// F <- dF F [Gerszewski 2009, Eq. 8], then plastic flow [Bargteil 2007]. One text a memory.
template <class Real>
FlowReport compose_and_flow(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                            Phase<Real>& phase, std::size_t first, double dt,
                            const IncrementalWorkspace<Real>& work);

}  // namespace knead
