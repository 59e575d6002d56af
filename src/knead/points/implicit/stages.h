// The stages of one step, in the order of [Zhou 2013, section 3.4], one file each. All work on the
// workspace; particles change in update_state and flow only.
#pragma once

#include "knead/materials/stretch_law.h"
#include "knead/math/conjugate_gradient.h"
#include "knead/points/implicit/settings.h"
#include "knead/points/implicit/workspace.h"
#include "knead/scenery/surroundings.h"

namespace knead {

// A phase's material as this method uses it: linear stress with these moduli, whatever the elastic
// law of the material; flow goes by the law's own stress.
template <class Real>
struct ImplicitLaw {
    StretchLaw<Real> stretch;
    double shear = 0, lame = 0;  // [Pa]
};

// Lazy rest vectors of a particle are p = B (X_k - X_j), with B its column plastic_F. Where flow
// has spoiled them B is 0, and rest vectors follow the present shape as without `lazy`.
template <class Real>
bool keeps_rest(const Mat3<Real>& B) {
    return norm_squared(B) > Real(0);
}

// Particles of all phases side by side.
template <class Real>
void load(const ImplicitSettings& settings, const std::vector<ImplicitLaw<Real>>& laws,
          const std::vector<Phase<Real>>& phases, ImplicitWorkspace<Real>& work);

// Who is within h of whom, in the shape that rest vectors are made from; where matter is stretched
// the search reaches further, so that it finds all that are within h at rest.
template <class Real>
void find_neighbours(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work);

// Rest vectors p = B (X_k - X_j), weights and gradient vectors  [Zhou 2013, Eq. 5, 15].
template <class Real>
void build_rest(const ImplicitSettings& settings, ImplicitWorkspace<Real>& work);

// The ballistic displacement and the first guess  [Zhou 2013, section 3.4].
template <class Real>
void predict(const ImplicitSettings& settings, const std::vector<Phase<Real>>& phases,
             const Surroundings& surroundings, double dt, ImplicitWorkspace<Real>& work);

// R of F at the first guess  [Zhou 2013, Eq. 6].
template <class Real>
void freeze_rotations(double dt, ImplicitWorkspace<Real>& work);

// Which particles obstacles and grips fix, and which bodies touch each other. The guess moves to
// where constraints want it.
template <class Real>
void mark_contacts(const ImplicitSettings& settings, const std::vector<Phase<Real>>& phases,
                   const Surroundings& surroundings, double dt, ImplicitWorkspace<Real>& work);

// Coulomb friction inside the solve (friction.cpp). First: who sticks to its obstacle, by how it
// moved so far and what it weighed on it; who does not is rubbed.
template <class Real>
void begin_friction(const std::vector<Phase<Real>>& phases, double dt,
                    ImplicitWorkspace<Real>& work);
// What constraints push at the displacement and force in hand.
template <class Real>
void find_pushes(ImplicitWorkspace<Real>& work);
// After a solve: who sticks beyond Coulomb's cone slides, who slides back sticks, and what slides
// is rubbed by what it weighs. Returns whether that asks for another solve.
template <class Real>
bool change_friction(ImplicitWorkspace<Real>& work);
// The explicit twin's: a correction after the step.
template <class Real>
void rub(std::span<const ColliderAt> colliders, double dt, ImplicitWorkspace<Real>& work);

// What the guess leaves of the right side [Zhou 2013, Eq. 25], in the form for displacements and
// unequal masses: M (ballistic - guess) + dt^2 f(guess); and what constraints push there. Returns
// the size that a residual is compared with.
template <class Real>
double assemble_right_side(ImplicitWorkspace<Real>& work);

// The explicit twin's delta in place of a solve: M delta = M ballistic + dt^2 f(now).
template <class Real>
void explicit_step(ImplicitWorkspace<Real>& work);

// Conjugate gradients on (M + dt^2 K) delta = that, until the residual is below the target
// [Zhou 2013, Eq. 23]. Pushes follow, and what is left stays as the residual.
template <class Real>
CgReport solve(const ImplicitSettings& settings, double target, ImplicitWorkspace<Real>& work);

struct ContactReport {
    std::size_t constrained = 0, parted = 0, pairs = 0;
};
// Reactions, friction, velocities and positions; delta becomes how far particles went.
template <class Real>
ContactReport update_state(const ImplicitSettings& settings, std::vector<Phase<Real>>& phases,
                           Surroundings& surroundings, double dt, ImplicitWorkspace<Real>& work);

struct FlowCount {
    std::size_t flowing = 0;
    std::size_t kept = 0;  // crushed flat: their deformation stays as it was
    std::size_t renewed = 0;
};
// The new deformation and what flows of it  [Zhou 2013, Eq. 12 - 15].
template <class Real>
FlowCount flow(const ImplicitSettings& settings, const std::vector<ImplicitLaw<Real>>& laws,
               std::vector<Phase<Real>>& phases, double dt, ImplicitWorkspace<Real>& work);

// dt^2 times the elastic force with frozen rotations, at F + G(delta).
template <class Real>
void elastic_force(ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& delta,
                   Array<Lanes<Real>>& force);
// That and the pushes of pair contacts.
template <class Real>
void total_force(ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& delta,
                 Array<Lanes<Real>>& force);
// y = (M + dt^2 K) z, with pair contacts.
template <class Real>
void apply_matrix(ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& z,
                  Array<Lanes<Real>>& y);
// Takes out of v what constraints fix.
template <class Real>
void project(const ImplicitWorkspace<Real>& work, Array<Lanes<Real>>& v);

// The largest stable step of the explicit twin, 2 / omega_max, by power iteration on M^-1 K [s].
template <class Real>
double largest_stable_step(const ImplicitSettings& settings,
                           const std::vector<ImplicitLaw<Real>>& laws,
                           const std::vector<Phase<Real>>& phases, ImplicitWorkspace<Real>& work);

}  // namespace knead
