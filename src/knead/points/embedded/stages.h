// The stages of one step of the embedded method, in the order of [Jones 2014, Algorithm 1]; each in
// the file of its name. They work on one phase: neighbours are always of the same body.
#pragma once

#include <span>

#include "knead/base/step_report.h"
#include "knead/materials/stretch_law.h"
#include "knead/points/embedded/settings.h"
#include "knead/points/embedded/workspace.h"
#include "knead/scenery/surroundings.h"

namespace knead {

// Weights, A^-1 and volumes, at the start also masses, from the rest vectors [Jones 2014, Eq. 2,
// 3].
template <class Real>
void compute_basis(Phase<Real>& phase, const StretchLaw<Real>& law, EmbeddedVolume volume,
                   EmbeddedWorkspace<Real>& work);
// Without touching volumes and masses.
template <class Real>
void compute_weights(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work);

// The least distance that a wave needs to cross between neighbours in rest space [m]: the spacing
// of a lattice whose neighbourhoods are as thin as the thinnest. Infinite where there are none.
template <class Real>
double least_spacing(const Phase<Real>& phase);

// F from rest vectors to positions [Jones 2014, Eq. 2].
template <class Real>
void deformation_gradient(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work);

// The share of F that flows in this step, and the stress of the rest [Jones 2014, Eq. 4, 6, 7].
// Returns how many particles flow.
template <class Real>
std::size_t plastic_factor(Phase<Real>& phase, const StretchLaw<Real>& law,
                           const EmbeddedSettings& settings, Real dt,
                           EmbeddedWorkspace<Real>& work);

// Equal and opposite forces along every link [Jones 2014, Eq. 5], and forces against what is left
// of x_ij beyond F u_ij: of the energy V k / 2 times the weighted mean of its square over that of
// |u|^2. F is its minimiser, so the force of a link is the plain slope; linear and angular momentum
// stay, and no affine map is resisted. Not in the paper, where such modes have no energy.
template <class Real>
void elastic_forces(const Phase<Real>& phase, EmbeddedWorkspace<Real>& work);

struct Viscosity {
    double eta;  // [Pa s]
    ViscosityForm form;
};

// Velocities over one step [Jones 2014, section 3.5]. Those of newmark and leapfrog stand half a
// step behind the positions; their second half-kick waits for the forces of the next step.
template <class Real>
CgReport kick(Phase<Real>& phase, EmbeddedIntegrator integrator, const Viscosity& viscosity,
              const Surroundings& surroundings, double previous_dt, double dt,
              EmbeddedWorkspace<Real>& work);

// Positions follow velocities.
template <class Real>
void drift(Phase<Real>& phase, double dt);

// Rest vectors follow the flow: u becomes F_p u. And of what neighbours did beyond the linear map
// F, which no stress feels, `settling` times the share of the strain that flows goes into them,
// too; not in the paper, whose rest vectors gather it without end. Positions are those that F was
// fitted to.
template <class Real>
void apply_plastic_offsets(Phase<Real>& phase, double settling, EmbeddedWorkspace<Real>& work);

// Embedded positions that fit all rest vectors best [Jones 2014, Eq. 9-12].
template <class Real>
CgReport embed(Phase<Real>& phase, const EmbeddedSettings& settings, EmbeddedWorkspace<Real>& work);

// Neighbourhoods anew from embedded space; neighbours that stay keep their rest vectors. New ones
// enter where the linear map of those that were there has them, F^-1 x_ij, so that the stress
// stays; without settling by their embedded vector, as in the paper. Returns how many links change.
template <class Real>
std::size_t update_neighbours(Phase<Real>& phase, const EmbeddedSettings& settings,
                              EmbeddedWorkspace<Real>& work);

// Stored elastic energy [J].
template <class Real>
double stored_energy(const Phase<Real>& phase, const StretchLaw<Real>& law,
                     const EmbeddedSettings& settings, EmbeddedWorkspace<Real>& work);

}  // namespace knead
