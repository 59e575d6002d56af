// Colliders as the kernels see them: programs in the GPU's memory, frozen at the end of a step.
#pragma once

#include "knead/cuda/runtime.h"
#include "knead/geometry/contact.h"
#include "knead/geometry/motion.h"
#include "knead/geometry/sdf_eval.h"
#include "knead/geometry/thin_walls.h"

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
    double sticks;       // adhesion [Pa]
    bool is_half_space;  // what lies below one face, as a floor does
    Vec3d face_normal;
    double face_at;  // of its points along the normal [m]

    __device__ double distance(const Vec3d& x) const {
        if (is_half_space) return dot(face_normal, x) - face_at;
        return device_distance(program, to_rest(pose, pivot, x));
    }
    // No more than the distance of any point of a box.
    __device__ double clearance(const Vec3d& center, const Vec3d& half) const {
        const Vec3d n = face_normal;
        const double reach = is_half_space
                                 ? fabs(n.x) * half.x + fabs(n.y) * half.y + fabs(n.z) * half.z
                                 : length(half);
        return distance(center) - reach;
    }
    __device__ Vec3d normal(const Vec3d& x) const {
        if (is_half_space) return face_normal;
        return pose.rotation * device_gradient(program, probe, to_rest(pose, pivot, x));
    }
    __device__ Vec3d velocity(const Vec3d& x) const { return velocity_at(twist, pose, x); }
    __device__ Contact contact() const { return kind; }
    __device__ double friction() const { return mu; }
    __device__ double adhesion() const { return sticks; }
};

// Which colliders may touch a block of space during a batch, in their order.
struct DeviceNearColliders {
    static constexpr int most = 7;
    unsigned short count;  // most + 1: more than can be named
    unsigned short index[most];

    __device__ void add(int collider) {
        if (count < most) index[count] = static_cast<unsigned short>(collider);
        if (count <= most) ++count;
    }
};

// The same as a list.
struct NearList {
    const ColliderView* all;
    const unsigned short* index;  // null: all of them
    int count;
    const struct ColliderFace* face;  // where one half-space is all there is

    __device__ NearList(const ColliderView* colliders, int n, const DeviceNearColliders& near)
        : all(colliders),
          index(near.count > DeviceNearColliders::most ? nullptr : near.index),
          count(near.count > DeviceNearColliders::most ? n : near.count),
          face(nullptr) {}
    __device__ int size() const { return count; }
    __device__ const ColliderView& operator[](int i) const { return all[index ? index[i] : i]; }
};

struct Motion3 {
    Vec3d x, v;
    Vec3d own;  // velocity of a particle that goes by another one
};

// x goes by dt v past the colliders near by: contact first where it is, then out of what it
// entered. One that cannot get there in this step is left alone.
__device__ __noinline__ static Motion3 move_past(NearList near, Motion3 m, double dx, double dt) {
    double free = 1e30;
    for (int i = 0; i < near.size(); ++i) free = fmin(free, near[i].distance(m.x));
    if (free <= 0) {
        m.own = resolve_contacts(near, m.own, m.x);
        m.v = resolve_contacts(near, m.v, m.x);
    }
    const Vec3d x = m.x, step = dt * m.v;
    const double reach = length(step);
    m.x += step;
    const Vec3d before = m.v;
    if (clearance_in_step(near, x, dt) <= reach && stop_at_thin_walls(near, dx, dt, x, m.v, m.x)) {
        m.own += m.v - before;
        return m;
    }
    if (free <= reach && !(free < 0 && is_held(near, x))) m.x = push_out(near, m.x);
    return m;
}

// One half-space, as contact asks for it.
struct ColliderFace {
    Vec3d face_normal;
    double at, mu, sticks;
    Vec3d center;  // of its rotation
    Twist twist;
    Contact kind;

    __device__ double distance(const Vec3d& x) const { return dot(face_normal, x) - at; }
    __device__ Vec3d velocity(const Vec3d& x) const {
        return twist.linear + cross(twist.angular, x - center);
    }
    __device__ Contact contact() const { return kind; }
    __device__ double friction() const { return mu; }
    __device__ double adhesion() const { return sticks; }
};

// Called by every thread of a CUDA block, before a __syncthreads: brings the half-space nearer if
// it is all there is.
__device__ inline void keep_face(NearList& near, ColliderFace& face) {
    if (near.size() != 1 || !near[0].is_half_space) return;
    const ColliderView& c = near[0];
    if (threadIdx.x == 0)
        face = {c.face_normal, c.face_at, c.mu, c.sticks, c.pose.position, c.twist, c.kind};
    near.face = &face;
}

// What move_past does, for that.
__device__ inline Motion3 move_past_face(const ColliderFace& c, Motion3 m, double dt) {
    const double free = c.distance(m.x);
    if (free <= 0) {
        m.own = resolve_contact(c, m.own, m.x, c.face_normal);
        m.v = resolve_contact(c, m.v, m.x, c.face_normal);
    }
    m.x += dt * m.v;
    if (free < 0 && c.kind == Contact::sticky) return m;
    const double depth = c.distance(m.x);
    if (depth < 0) m.x += (1e-12 - depth) * c.face_normal;
    return m;
}

}  // namespace knead
