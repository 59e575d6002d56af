// solve: the matrix-free product, what constraints leave free of it, and conjugate gradients.
#include <cmath>
#include <map>

#include "knead/math/krylov.h"
#include "knead/parallel/vectors.h"
#include "knead/points/implicit/elastic_operator.h"
#include "knead/points/implicit/precondition.h"
#include "knead/points/implicit/pushed_bodies.h"
#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

template <class Real>
Vec3d vec(const Lanes<Real>& a) {
    return static_cast<Vec3d>(to_vec(a));
}
template <class Real>
Lanes<Real> lanes(const Vec3d& a) {
    return to_lanes(static_cast<Vec3<Real>>(a));
}

template <class Real>
void add_pairs(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& z,
               Array<Lanes<Real>>& y) {
    for_each(work.touching.size(), 64, [&](std::size_t k) {
        const std::uint32_t row = work.touching[k];
        Vec3d sum{0, 0, 0};
        for (std::size_t c = work.pair_begin[k]; c < work.pair_begin[k + 1]; ++c) {
            const PairContact& pair = work.pairs[c];
            const Vec3d d = vec(z[row] - z[pair.other]);
            const double along = dot(pair.n, d);
            sum += (pair.stiffness * along) * pair.n + pair.drag * (d - along * pair.n);
        }
        y[row] += lanes<Real>(sum);
    });
}

// Elastic forces move no centre of mass, whatever the solve left unsolved: of a body that touches
// nothing, the mean of the change is taken out.
template <class Real>
void keep_momentum(ImplicitWorkspace<Real>& work) {
    struct Sum {
        Vec3d moment{0, 0, 0};
        double mass = 0;
        bool free = true;
    };
    std::map<std::int32_t, Sum> bodies;
    for (std::size_t i = 0; i < work.size(); ++i) {
        Sum& body = bodies[work.body[i]];
        const auto m = static_cast<double>(work.mass[i]);
        body.moment += m * vec(work.delta[i] - work.ballistic[i]);
        body.mass += m;
    }
    for (const Constraint& c : work.constraints) bodies[work.body[work.row_of(c)]].free = false;
    for (const std::uint32_t row : work.touching) bodies[work.body[row]].free = false;
    for (std::size_t i = 0; i < work.size(); ++i) {
        const Sum& body = bodies[work.body[i]];
        if (body.free) work.delta[i] -= lanes<Real>(body.moment / body.mass);
    }
}

// What constraints take of a product is what they push in the end: it is kept as the solve goes.
template <class System>
struct SystemWithPushes {
    System& system;
    const std::vector<Vec3d>& taken;  // by each constraint, of the last product
    std::vector<Vec3d>& pushes;

    CgNorms start() { return system.start(); }
    void direct(double beta) { system.direct(beta); }
    double apply() { return system.apply(); }
    CgNorms descend(double alpha) {
        for (std::size_t k = 0; k < pushes.size(); ++k) pushes[k] += alpha * taken[k];
        return system.descend(alpha);
    }
};
template <class System>
SystemWithPushes(System&, const std::vector<Vec3d>&, std::vector<Vec3d>&)
    -> SystemWithPushes<System>;

}  // namespace

template <class Real>
void apply_matrix(ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& z,
                  Array<Lanes<Real>>& y) {
    for_each_force(work.near, z, work.sum_g, LinearStress<Real>{work},
                   [&](std::size_t i, const Lanes<Real>& sum) {
                       y[i] = Lanes<Real>(work.mass[i]) * z[i] + sum;
                   });
    add_pairs(work, z, y);
}

template <class Real>
void project(const ImplicitWorkspace<Real>& work, Array<Lanes<Real>>& v) {
    for (const Constraint& c : work.constraints) {
        Lanes<Real>& at = v[work.row_of(c)];
        const Vec3d a = vec(at);
        at = c.count == 3 ? Lanes<Real>(Real(0)) : lanes<Real>(a - c.within(a));
    }
    keep_to_guides(work, v);
}

template <class Real>
CgReport solve(const ImplicitSettings& settings, double target, ImplicitWorkspace<Real>& work) {
    const std::size_t n = work.size();
    work.change.assign(work.residual.size(), Lanes<Real>(Real(0)));
    Array<Lanes<Real>> carried, again(work.residual.size());
    std::vector<Vec3d> taken(work.constraints.size());
    const auto product = [&](const Array<Lanes<Real>>& z, Array<Lanes<Real>>& y) {
        if (work.pushed.empty()) {
            apply_matrix(work, z, y);
        } else {
            carried = z;
            carry_along(work, carried);
            apply_matrix(work, carried, y);
            add_pushed(work, z, y);
        }
    };
    const auto apply = [&](const Array<Lanes<Real>>& z, Array<Lanes<Real>>& y) {
        product(z, y);
        for (std::size_t k = 0; k < taken.size(); ++k) {
            const Constraint& c = work.constraints[k];
            taken[k] = c.within(vec(y[work.row_of(c)]));
        }
    };
    const SharedVectors<Lanes<Real>, Real> space;
    ProjectedSystem inner(
        space, apply, work.residual, work.change,
        [&](const Array<Lanes<Real>>& r, Array<Lanes<Real>>& z) {
            invert_blocks(work, r, z);
            if (work.coarse.empty()) return;
            project(work, z);
            product(z, again);
            project(work, again);
            invert_blocks(work, again, again);
            space.combine(-work.smoothing.twice, again, work.smoothing.once, z);
            work.coarse.correct(r, z);
        },
        [&](Array<Lanes<Real>>& v) { project(work, v); }, StartsAt::zero);
    SystemWithPushes system{inner, taken, work.pushes};
    const CgReport report = conjugate_gradient(system, target, settings.max_iterations);
    work.residual = inner.residual();
    for (std::size_t k = 0; k < work.pushed_motion.size(); ++k)
        work.pushed_motion[k] += vec(work.change[n + k]);
    carry_along(work, work.change);
    for_each(n, 4096, [&](std::size_t i) { work.delta[i] += work.change[i]; });
    keep_momentum(work);
    return report;
}

#define INSTANTIATE(Real)                                                           \
    template void apply_matrix(ImplicitWorkspace<Real>&, const Array<Lanes<Real>>&, \
                               Array<Lanes<Real>>&);                                \
    template void project(const ImplicitWorkspace<Real>&, Array<Lanes<Real>>&);     \
    template CgReport solve(const ImplicitSettings&, double, ImplicitWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
