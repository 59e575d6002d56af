// Backward Euler for the velocities of nodes: the minimum of
//     E(v) = 1/2 sum m_i |v_i - v*_i|^2 + Phi(dt v),   v* the velocity without elastic forces,
// by Newton's method with MINRES on the system scaled by mass, and a line search. Contacts and pins
// are projected out; which contacts act is asked again once the reactions are known.
// [Jiang 2017, Eq. 5 and 6]
#pragma once

#include <map>
#include <string>

#include "knead/mpm/implicit/grid_energy.h"
#include "knead/mpm/implicit/node_kicks.h"
#include "knead/scenery/scenery.h"

namespace knead {

// What solves came to, in a step or in all.
struct SolveReport {
    int newton = 0;             // iterations
    int minres = 0;             // iterations
    int halvings = 0;           // of steps, by the line search
    int projected = 0;          // directions with the Hessian made positive
    bool newton_limit = false;  // not solved as asked
    int minres_limit = 0;
    double residual = 0;  // over that of the start
    bool ok = true;       // false: no start with finite energy

    void add_to(std::map<std::string, double>& totals) const;
    std::string warning() const;  // empty: it was solved as asked
};

// The running sums that statistics show, by name.
inline constexpr const char* solve_totals[] = {
    "solves",           "newton_iterations", "minres_iterations", "newton_residual",
    "line_search_cuts", "positive_hessians", "newton_limit",      "minres_limit"};

// `nodes` holds mass and v*, and comes to hold the velocities at the end of the step. The search
// starts from v* and the kicks of the last step, and leaves those of this one.
template <class Real, int Order>
SolveReport solve_velocities(const ElasticMatter<Real>& matter,
                             std::span<const ColliderAt> colliders, const std::vector<Grip>& grips,
                             const Vec3d& gravity, double time, double dt, Array<Real>& nodes,
                             NodeKicks<Real>& kicks);

}  // namespace knead
