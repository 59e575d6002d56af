// Grips: which particles they hold, and where they carry them.
#pragma once

#include "knead/particles/phase.h"
#include "knead/scenery/scenery.h"

namespace knead {

// Marks the particles that grips hold, in the column `grip`; for fresh particles, once.
template <class Real>
void take_hold(const std::vector<Grip>& grips, std::vector<Phase<Real>>& phases);

// The same, and remembers where they were, in the column `rest_x`, for carry_held.
template <class Real>
void take_hold_at_rest(const std::vector<Grip>& grips, std::vector<Phase<Real>>& phases);

// A grip's motion over one step.
struct Carry {
    Pose from, to;
    Vec3d pivot;
    bool holds;

    Vec3d place(const Vec3d& x) const { return from_rest(to, pivot, to_rest(from, pivot, x)); }
};
std::vector<Carry> carries(const std::vector<Grip>& grips, double time, double dt);

// After a step to `time` that moved all particles alike, as the grid's does: held ones go to where
// their grip has carried them from their places at rest, with its velocity. Returns how far the
// farthest had to go [m].
template <class Real>
double carry_held(const std::vector<Grip>& grips, double time, std::vector<Phase<Real>>& phases);

}  // namespace knead
