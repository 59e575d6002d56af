// Colliders as the kernels see them: programs in the GPU's memory, frozen at the end of a step.
#pragma once

#include "knead/geometry/contact.h"
#include "knead/geometry/motion.h"
#include "knead/geometry/sdf_eval.h"

namespace knead {

// Kept out of line: the evaluator's stacks would weigh on every kernel.
__device__ __noinline__ static double device_distance(const SdfProgramView<double>& program,
                                                      const Vec3d& p) {
    return evaluate<double>(program, p);
}
__device__ __noinline__ static Vec3d device_gradient(const SdfProgramView<double>& program,
                                                     double step, const Vec3d& p) {
    const Vec3d g = evaluate<Dual<double>>(program, p).g;
    const double n = length(g);
    if (n > 1e-6) return g / n;
    // Where the gradient vanishes: the axis along which the distance grows most.
    Vec3d best{0, 1, 0};
    double most = -1e30;
    for (int k = 0; k < 6; ++k) {
        Vec3d axis{0, 0, 0};
        axis[k / 2] = k % 2 ? -1 : 1;
        const double d = evaluate<double>(program, p + step * axis);
        if (d > most) most = d, best = axis;
    }
    return best;
}

struct ColliderView {
    SdfProgramView<double> program;
    double probe;  // step for finding a direction where the gradient vanishes [m]
    Vec3d pivot;
    Pose pose;
    Twist twist;
    Contact kind;
    double mu;

    __device__ double distance(const Vec3d& x) const {
        return device_distance(program, to_rest(pose, pivot, x));
    }
    __device__ Vec3d normal(const Vec3d& x) const {
        return pose.rotation * device_gradient(program, probe, to_rest(pose, pivot, x));
    }
    __device__ Vec3d velocity(const Vec3d& x) const { return velocity_at(twist, pose, x); }
    __device__ Contact contact() const { return kind; }
    __device__ double friction() const { return mu; }
};

// The colliders that a block of space may touch, in their order. Beyond `most` all are kept.
struct NearList {
    static constexpr int most = 64;
    const ColliderView* all;
    const int* index;  // null: all of them
    int count;

    __device__ int size() const { return count; }
    __device__ const ColliderView& operator[](int i) const { return all[index ? index[i] : i]; }
};

// Whether any collider comes within `radius` of a point while it moves by up to reach[c].
__device__ inline bool any_near(const ColliderView* all, const double* reach, int n,
                                const Vec3d& center, double radius) {
    for (int c = 0; c < n; ++c)
        if (all[c].distance(center) <= radius + reach[c]) return true;
    return false;
}

// Called by every thread of a CUDA block; `list` has room for NearList::most and one more.
__device__ inline NearList find_near(const ColliderView* all, int n, const Vec3d& corner,
                                     const Vec3d& size, int* list) {
    if (n == 0) return {all, nullptr, 0};
    if (threadIdx.x < 32) {
        const Vec3d center = corner + 0.5 * size;
        const double radius = 0.5 * length(size) * (1 + node_reach);
        int found = 0;
        for (int first = 0; first < n; first += 32) {
            const int c = first + static_cast<int>(threadIdx.x);
            const bool near = c < n && all[c].distance(center) <= radius;
            const unsigned lanes = __ballot_sync(0xffffffffu, near);
            const int at = found + __popc(lanes & ((1u << threadIdx.x) - 1));
            if (near && at < NearList::most) list[at] = c;
            found += __popc(lanes);
        }
        if (threadIdx.x == 0) list[NearList::most] = found;
    }
    __syncthreads();
    const int found = list[NearList::most];
    if (found > NearList::most) return {all, nullptr, n};
    return {all, list, found};
}

struct Motion3 {
    Vec3d x, v;
};

// x goes by dt v past the colliders near by: contact first where it is, then out of what it
// entered. One that cannot get there in this step is left alone.
__device__ __noinline__ static Motion3 move_past(NearList near, Motion3 m, double dt) {
    double free = 1e30;
    for (int i = 0; i < near.size(); ++i) free = fmin(free, near[i].distance(m.x));
    if (free <= 0) m.v = resolve_contacts(near, m.v, m.x);
    const Vec3d step = dt * m.v;
    m.x += step;
    if (free <= length(step)) m.x = push_out(near, m.x);
    return m;
}

}  // namespace knead
