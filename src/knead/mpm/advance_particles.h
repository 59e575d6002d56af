// The parts of grid_to_particles that no longer look at the grid: from gathered values to the new
// state of a chunk of n particles from row `begin` on.
#pragma once

#include <algorithm>

#include "knead/mpm/grid_to_particles.h"
#include "knead/mpm/transfer/gather.h"

namespace knead {

struct Extent {
    double least, most;
};

// The least and the greatest of n >= 1 numbers.
inline Extent extent_of(const double* x, int n) {
    double least = x[0], most = x[0];
    for (int i = 1; i < n; ++i) {
        least = std::min(least, x[i]);
        most = std::max(most, x[i]);
    }
    return {least, most};
}

// Velocity and, for APIC, affine motion.
template <class Real, int Order, Transfer transfer>
void advance_motion(Particles<Real>& p, std::size_t begin, int n, const Gathered<Real>& g,
                    const AdvanceSettings& settings);

// Deformation, plastic flow and the stress that follows, by the phase's law.
template <class Real>
void advance_material(const Law<Real>& law, Particles<Real>& p, std::size_t begin, int n,
                      const Gathered<Real>& g, const AdvanceSettings& settings,
                      AdvanceReport& report);

// Notes the first of the particles whose velocity is not finite.
template <class Real>
void note_bad_velocity(const Particles<Real>& p, std::size_t begin, int n, AdvanceReport& report);

// Position, past the colliders near by: with the particles' own velocities, or with those given,
// four numbers each as Gathered has them. max_speed holds squares here.
template <class Real>
void move_chunk(Particles<Real>& p, std::size_t begin, int n, const AdvanceSettings& settings,
                std::span<const ColliderAt> near, const Real* velocities, AdvanceReport& report);

}  // namespace knead
