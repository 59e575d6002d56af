// solve: the matrix-free product, what constraints leave free of it, and conjugate gradients.
#include <cmath>
#include <map>

#include "knead/math/krylov.h"
#include "knead/parallel/vectors.h"
#include "knead/points/implicit/elastic_operator.h"
#include "knead/points/implicit/precondition.h"
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

// A pushed body takes the particles that it fixes along: z of such a row gets the body's motion
// there, within the fixed directions.
template <class Real>
void carry_along(const ImplicitWorkspace<Real>& work, Array<Lanes<Real>>& z, Real sign) {
    if (work.pushed.empty()) return;
    for (const Constraint& c : work.constraints) {
        const int b = work.pushed_of(c);
        if (b < 0) continue;
        const std::size_t at = work.size() + 2 * static_cast<std::size_t>(b);
        const Vec3d motion = vec(z[at]) + cross(vec(z[at + 1]), c.arm);
        z[work.row_of(c)] += Lanes<Real>(sign) * lanes<Real>(c.within(motion));
    }
}

// And feels what they take: the transpose.
template <class Real>
void collect(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& y,
             std::vector<Vec3d>& push) {
    push.assign(2 * work.pushed.size(), Vec3d{0, 0, 0});
    for (const Constraint& c : work.constraints) {
        const int b = work.pushed_of(c);
        if (b < 0) continue;
        const Vec3d f = c.within(vec(y[work.row_of(c)]));
        push[2 * static_cast<std::size_t>(b)] += f;
        push[2 * static_cast<std::size_t>(b) + 1] += cross(c.arm, f);
    }
}

// What a guide leaves of a body's shift and turn.
void keep_to_guide(const PushedBody& body, Vec3d& shift, Vec3d& turn) {
    const double size = length_squared(body.guide);
    if (!(size > 0)) return;
    shift = (dot(body.guide, shift) / size) * body.guide;
    turn = {0, 0, 0};
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

template <class Real>
void add_pushed(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& z,
                Array<Lanes<Real>>& y) {
    std::vector<Vec3d> push;
    collect(work, y, push);
    for (std::size_t b = 0; b < work.pushed.size(); ++b) {
        const PushedBody& body = work.pushed[b];
        const std::size_t at = work.size() + 2 * b;
        const Vec3d shift = body.mass * vec(z[at]) + push[2 * b];
        const Vec3d turn = body.inertia * vec(z[at + 1]) + push[2 * b + 1];
        y[at] = lanes<Real>(shift), y[at + 1] = lanes<Real>(turn);
    }
}

// What the guess leaves to pushed bodies.
template <class Real>
void push_bodies(ImplicitWorkspace<Real>& work) {
    if (work.pushed.empty()) return;
    const std::size_t n = work.size();
    Array<Lanes<Real>> whole(n);
    for (std::size_t i = 0; i < n; ++i)
        whole[i] = Lanes<Real>(work.mass[i]) * (work.ballistic[i] - work.delta[i]) + work.force[i];
    std::vector<Vec3d> push;
    collect(work, whole, push);
    for (const Constraint& c : work.constraints) {
        const int b = work.pushed_of(c);
        if (b < 0) continue;
        push[2 * static_cast<std::size_t>(b)] -= c.rub;
        push[2 * static_cast<std::size_t>(b) + 1] -= cross(c.arm, c.rub);
    }
    for (std::size_t b = 0; b < work.pushed.size(); ++b) {
        const PushedBody& body = work.pushed[b];
        const Vec3d *motion = work.pushed_motion.data() + 2 * b, *p = push.data() + 2 * b;
        work.residual[n + 2 * b] = lanes<Real>(p[0] - body.mass * motion[0]);
        work.residual[n + 2 * b + 1] = lanes<Real>(p[1] - body.inertia * motion[1]);
    }
}

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
    for (std::size_t b = 0; b < work.pushed.size(); ++b) {
        const std::size_t at = work.size() + 2 * b;
        Vec3d shift = vec(v[at]), turn = vec(v[at + 1]);
        keep_to_guide(work.pushed[b], shift, turn);
        v[at] = lanes<Real>(shift), v[at + 1] = lanes<Real>(turn);
    }
}

template <class Real>
CgReport solve(const ImplicitSettings& settings, double target, ImplicitWorkspace<Real>& work) {
    const std::size_t n = work.size();
    push_bodies(work);
    prepare_preconditioner(settings, work);
    work.change.assign(work.residual.size(), Lanes<Real>(Real(0)));
    Array<Lanes<Real>> carried;
    const auto apply = [&](const Array<Lanes<Real>>& z, Array<Lanes<Real>>& y) {
        if (work.pushed.empty()) return apply_matrix(work, z, y);
        carried = z;
        carry_along(work, carried, Real(1));
        apply_matrix(work, carried, y);
        add_pushed(work, z, y);
    };
    const SharedVectors<Lanes<Real>, Real> space;
    ProjectedSystem system(
        space, apply, work.residual, work.change,
        [&](const Array<Lanes<Real>>& r, Array<Lanes<Real>>& z) { precondition(work, r, z); },
        [&](Array<Lanes<Real>>& v) { project(work, v); }, StartsAt::zero);
    const CgReport report = conjugate_gradient(system, target, settings.max_iterations);
    for (std::size_t k = 0; k < work.pushed_motion.size(); ++k)
        work.pushed_motion[k] += vec(work.change[n + k]);
    carry_along(work, work.change, Real(1));
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
