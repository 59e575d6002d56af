#include "knead/points/implicit/pushed_bodies.h"

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

// Force and moment on each pushed body; force(k) acts where constraint k is.
template <class Real, class Force>
std::vector<Vec3d> collect(const ImplicitWorkspace<Real>& work, const Force& force) {
    std::vector<Vec3d> sum(2 * work.pushed.size(), Vec3d{0, 0, 0});
    for (std::size_t k = 0; k < work.constraints.size(); ++k) {
        const Constraint& c = work.constraints[k];
        const int b = work.pushed_of(c);
        if (b < 0) continue;
        const Vec3d f = force(k);
        sum[2 * static_cast<std::size_t>(b)] += f;
        sum[2 * static_cast<std::size_t>(b) + 1] += cross(c.arm, f);
    }
    return sum;
}

}  // namespace

template <class Real>
void carry_along(const ImplicitWorkspace<Real>& work, Array<Lanes<Real>>& z) {
    if (work.pushed.empty()) return;
    for (const Constraint& c : work.constraints) {
        const int b = work.pushed_of(c);
        if (b < 0) continue;
        const std::size_t at = work.size() + 2 * static_cast<std::size_t>(b);
        const Vec3d motion = vec(z[at]) + cross(vec(z[at + 1]), c.arm);
        z[work.row_of(c)] += lanes<Real>(c.within(motion));
    }
}

template <class Real>
void add_pushed(const ImplicitWorkspace<Real>& work, const Array<Lanes<Real>>& z,
                Array<Lanes<Real>>& y) {
    const std::vector<Vec3d> push = collect(work, [&](std::size_t k) {
        const Constraint& c = work.constraints[k];
        return c.within(vec(y[work.row_of(c)]));
    });
    for (std::size_t b = 0; b < work.pushed.size(); ++b) {
        const PushedBody& body = work.pushed[b];
        const std::size_t at = work.size() + 2 * b;
        y[at] = lanes<Real>(body.mass * vec(z[at]) + push[2 * b]);
        y[at + 1] = lanes<Real>(body.inertia * vec(z[at + 1]) + push[2 * b + 1]);
    }
}

template <class Real>
void push_bodies(ImplicitWorkspace<Real>& work) {
    const std::size_t n = work.size();
    work.residual.resize(n + 2 * work.pushed.size());
    const std::vector<Vec3d> push = collect(
        work, [&](std::size_t k) { return -1.0 * (work.pushes[k] + work.constraints[k].rub); });
    for (std::size_t b = 0; b < work.pushed.size(); ++b) {
        const PushedBody& body = work.pushed[b];
        const Vec3d *motion = work.pushed_motion.data() + 2 * b, *p = push.data() + 2 * b;
        work.residual[n + 2 * b] = lanes<Real>(p[0] - body.mass * motion[0]);
        work.residual[n + 2 * b + 1] = lanes<Real>(p[1] - body.inertia * motion[1]);
    }
}

template <class Real>
void keep_to_guides(const ImplicitWorkspace<Real>& work, Array<Lanes<Real>>& v) {
    for (std::size_t b = 0; b < work.pushed.size(); ++b) {
        const Vec3d& guide = work.pushed[b].guide;
        const double size = length_squared(guide);
        if (!(size > 0)) continue;
        const std::size_t at = work.size() + 2 * b;
        v[at] = lanes<Real>((dot(guide, vec(v[at])) / size) * guide);
        v[at + 1] = Lanes<Real>(Real(0));
    }
}

#define INSTANTIATE(Real)                                                               \
    template void carry_along(const ImplicitWorkspace<Real>&, Array<Lanes<Real>>&);     \
    template void add_pushed(const ImplicitWorkspace<Real>&, const Array<Lanes<Real>>&, \
                             Array<Lanes<Real>>&);                                      \
    template void push_bodies(ImplicitWorkspace<Real>&);                                \
    template void keep_to_guides(const ImplicitWorkspace<Real>&, Array<Lanes<Real>>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
