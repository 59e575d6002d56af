#include "knead/mpm/advance_particles.h"

#include <algorithm>
#include <cmath>

#include "knead/geometry/thin_walls.h"
#include "knead/mpm/formulas.h"
#include "knead/mpm/pack_columns.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

namespace {

template <class Real>
double largest_speed_squared(const Particles<Real>& p, std::size_t begin, int n) {
    const Real *x = p.v.plane(0) + begin, *y = p.v.plane(1) + begin, *z = p.v.plane(2) + begin;
    Real largest = 0;
    for (int i = 0; i < n; ++i)
        largest = std::max(largest, x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
    return static_cast<double>(largest);
}

// The same of velocities that were gathered.
template <class Real>
double largest_speed_squared(const Real* velocities, int n) {
    Real largest = 0;
    for (const Real* v = velocities; v < velocities + 4 * n; v += 4)
        largest = std::max(largest, v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    return static_cast<double>(largest);
}

// x += dt v, with v from planes or `stride` apart; returns the largest step along an axis.
template <int stride, class Real>
double move_freely(Particles<Real>& p, std::size_t begin, int n, double dt,
                   const Real* const (&velocity)[3]) {
    double largest = 0;
    for (int a = 0; a < 3; ++a) {
        double* x = p.x.plane(a) + begin;
        const Real* v = velocity[a];
        for (int i = 0; i < n; ++i) {
            const double step = dt * static_cast<double>(v[stride * i]);
            x[i] += step;
            largest = std::max(largest, std::abs(step));
        }
    }
    return largest;
}

// How far the nearest of the colliders is; negative inside.
double clearance(std::span<const ColliderAt> near, const Vec3d& x) {
    double least = 1e30;
    for (const ColliderAt& c : near) least = std::min(least, c.distance(x));
    return least;
}

// The same past colliders: contact first where the particle is, then out of what it entered. One
// that cannot get there in this step is left alone.
template <class Real>
double move_past(Particles<Real>& p, std::size_t begin, int n, double dx, double dt,
                 std::span<const ColliderAt> near, const Real* velocities) {
    double largest = 0;
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(n); ++i) {
        const Vec3d x = p.x.vec(i);
        const Vec3d own = static_cast<Vec3d>(p.v.vec(i));
        Vec3d v = own;
        if (const Real* g = velocities)
            v = {g[4 * (i - begin) + 1], g[4 * (i - begin) + 2], g[4 * (i - begin) + 3]};
        const double free = clearance(near, x);
        if (free <= 0) {
            p.v.set(i, static_cast<Vec3<Real>>(resolve_all(near, own, x)));
            v = resolve_all(near, v, x);
        }
        Vec3d to = x + dt * v;
        const Vec3d before = v;
        const double reach = length(dt * v);
        if (clearance_in_step(near, x, dt) <= reach && stop_at_thin_walls(near, dx, dt, x, v, to))
            p.v.set(i, velocities ? p.v.vec(i) + static_cast<Vec3<Real>>(v - before)
                                  : static_cast<Vec3<Real>>(v));
        else if (free <= reach && !(free < 0 && is_held(near, x)))
            to = project_out(near, to);
        p.x.set(i, to);
        const Vec3d step = to - x;
        largest = std::max({largest, std::abs(step.x), std::abs(step.y), std::abs(step.z)});
    }
    return largest;
}

// Whether none of the particles can reach a collider in a step of length `step` or less.
template <class Real>
bool stay_clear(const Particles<Real>& p, std::size_t begin, int n, double step, double dt,
                std::span<const ColliderAt> near) {
    Vec3d center{0, 0, 0}, half{0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        const Extent extent = extent_of(p.x.plane(a) + begin, n);
        center[a] = 0.5 * (extent.least + extent.most);
        half[a] = 0.5 * (extent.most - extent.least);
    }
    const double radius = length(half);
    double least = 1e30;
    for (const ColliderAt& c : near) {
        const double drift = length(c.velocity(center)) + length(c.twist.angular) * radius;
        least = std::min(least, c.distance(center) - dt * drift);
    }
    return least > (radius + step) * (1 + 1e-9);
}

}  // namespace

template <class Real, int Order, Transfer transfer>
void advance_motion(Particles<Real>& p, std::size_t begin, int n, const Gathered<Real>& g,
                    const AdvanceSettings& settings) {
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    const auto flip = static_cast<Real>(settings.flip_fraction);
    const AffineDamping<Real> damped(Order, settings.dx, settings.damping);

    for (int k = 0; k < n; k += lanes) {
        const int count = std::min(lanes, n - k);
        const std::size_t row = begin + static_cast<std::size_t>(k);
        P skip;
        Vec3<P> v;
        deinterleave4(g.velocity + 4 * k, skip, v.x, v.y, v.z);
        if constexpr (is_affine(transfer)) {
            Mat3<P> B;
            for (int a = 0; a < 3; ++a)
                deinterleave4((Order == 1 ? g.gradient : g.affine)[a] + 4 * k, skip, B[a], B[3 + a],
                              B[6 + a]);
            store_column<Real>(p.C, row, count, damped(B));
        }
        if constexpr (keeps_own(transfer)) {
            Vec3<P> old, change;
            load_column<Real>(p.v, row, count, old);
            deinterleave4(g.change + 4 * k, change.x, change.y, change.z, skip);
            v = blend_flip(v, old, change, flip);
        }
        store_column<Real>(p.v, row, count, v);
    }
}

template <class Real>
void note_bad_velocity(const Particles<Real>& p, std::size_t begin, int n, AdvanceReport& report) {
    if (is_finite(largest_speed_squared(p, begin, n))) return;
    for (std::size_t i = begin; i < begin + static_cast<std::size_t>(n); ++i) {
        const Vec3<Real> v = p.v.vec(i);
        if (is_finite(dot(v, v))) continue;
        report.bad_id = report.bad_id < 0 ? p.id.at(i) : std::min(report.bad_id, p.id.at(i));
    }
}

template <class Real>
void move_chunk(Particles<Real>& p, std::size_t begin, int n, const AdvanceSettings& settings,
                std::span<const ColliderAt> near, const Real* velocities, AdvanceReport& report) {
    const double dt = settings.dt;
    double fastest = largest_speed_squared(p, begin, n);
    if (velocities) fastest = std::max(fastest, largest_speed_squared(velocities, n));
    const bool freely = near.empty() || stay_clear(p, begin, n, dt * std::sqrt(fastest), dt, near);
    const double move =
        !freely      ? move_past(p, begin, n, settings.dx, dt, near, velocities)
        : velocities ? move_freely<4, Real>(p, begin, n, dt,
                                            {velocities + 1, velocities + 2, velocities + 3})
                     : move_freely<1, Real>(
                           p, begin, n, dt,
                           {p.v.plane(0) + begin, p.v.plane(1) + begin, p.v.plane(2) + begin});
    report.max_move = std::max(report.max_move, move / settings.dx);
    report.max_speed =
        std::max(report.max_speed, freely ? fastest : largest_speed_squared(p, begin, n));
}

template void note_bad_velocity(const Particles<float>&, std::size_t, int, AdvanceReport&);
template void note_bad_velocity(const Particles<double>&, std::size_t, int, AdvanceReport&);
template void move_chunk(Particles<float>&, std::size_t, int, const AdvanceSettings&,
                         std::span<const ColliderAt>, const float*, AdvanceReport&);
template void move_chunk(Particles<double>&, std::size_t, int, const AdvanceSettings&,
                         std::span<const ColliderAt>, const double*, AdvanceReport&);

#define INSTANTIATE(Real, Order, transfer)               \
    template void advance_motion<Real, Order, transfer>( \
        Particles<Real>&, std::size_t, int, const Gathered<Real>&, const AdvanceSettings&);
KNEAD_FOR_EACH_KERNEL(INSTANTIATE)

}  // namespace knead
