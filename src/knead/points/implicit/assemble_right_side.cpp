// assemble_right_side: what the guess leaves to solve, and the forces it is made of.
#include <algorithm>
#include <cmath>
#include <functional>

#include "knead/points/implicit/elastic_operator.h"
#include "knead/points/implicit/pushed_bodies.h"
#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

// Overlapping pairs push apart: dt^2 k (overlap - n . d) n - dt c (I - n n^T) d, with d how far one
// goes against the other.
template <class Real>
void add_pair_forces(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& delta,
                     Array<Lanes<Real>>& force) {
    for_each(work.touching.size(), 64, [&](std::size_t k) {
        const std::uint32_t row = work.touching[k];
        Vec3d sum{0, 0, 0};
        for (std::size_t c = work.pair_begin[k]; c < work.pair_begin[k + 1]; ++c) {
            const PairContact& pair = work.pairs[c];
            const Vec3d d = static_cast<Vec3d>(to_vec(delta[row] - delta[pair.other]));
            const double along = dot(pair.n, d);
            sum += (pair.stiffness * (pair.overlap - along)) * pair.n -
                   pair.drag * (d - along * pair.n);
        }
        force[row] += to_lanes(static_cast<Vec3<Real>>(sum));
    });
}

}  // namespace

template <class Real>
void elastic_force(ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& delta,
                   Array<Lanes<Real>>& force) {
    force.resize(work.size());
    for_each_force(work.near, delta, work.sum_g, AffineStress<Real>{work},
                   [&](std::size_t i, const Lanes<Real>& sum) { force[i] = -sum; });
}

template <class Real>
void total_force(ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& delta,
                 Array<Lanes<Real>>& force) {
    elastic_force(work, delta, force);
    add_pair_forces(work, delta, force);
}

template <class Real>
double assemble_right_side(ImplicitWorkspace<Real>& work) {
    const std::size_t n = work.size();
    total_force(work, work.delta, work.force);
    find_pushes(work);
    work.residual.resize(n);
    const double motion = reduce(
        n, 0.0,
        [&](std::size_t i) {
            const Lanes<Real> m(work.mass[i]);
            work.residual[i] = m * (work.ballistic[i] - work.delta[i]) + work.force[i];
            const Lanes<Real> b = m * work.ballistic[i];
            return dot(b, b);
        },
        std::plus<>{});
    for (const Constraint& c : work.constraints)
        work.residual[work.row_of(c)] += to_lanes(static_cast<Vec3<Real>>(c.rub));
    push_bodies(work);
    project(work, work.residual);
    const double left = reduce(
        n, 0.0, [&](std::size_t i) { return dot(work.residual[i], work.residual[i]); },
        std::plus<>{});
    return std::sqrt(std::max(motion, left));
}

#define INSTANTIATE(Real)                                                            \
    template void elastic_force(ImplicitWorkspace<Real>&, const Array<Lanes<Real>>&, \
                                Array<Lanes<Real>>&);                                \
    template void total_force(ImplicitWorkspace<Real>&, const Array<Lanes<Real>>&,   \
                              Array<Lanes<Real>>&);                                  \
    template double assemble_right_side(ImplicitWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
