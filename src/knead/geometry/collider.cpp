#include "knead/geometry/collider.h"

namespace knead {

ColliderAt::ColliderAt(const Collider& c, double time)
    : collider(&c), pose(c.motion.pose(time)), twist(c.motion.twist(time)) {}

double ColliderAt::distance(const Vec3d& x) const {
    return collider->shape.distance(to_rest(pose, collider->motion.pivot, x));
}

Vec3d ColliderAt::normal(const Vec3d& x) const {
    return pose.rotation * collider->shape.gradient(to_rest(pose, collider->motion.pivot, x));
}

Vec3d ColliderAt::velocity(const Vec3d& x) const { return velocity_at(twist, pose, x); }

Vec3d ColliderAt::resolve(const Vec3d& v, const Vec3d& x, const Vec3d& normal) const {
    const Vec3d v_o = velocity(x);
    if (collider->contact == Contact::sticky) return v_o;
    const Vec3d v_r = v - v_o;
    const double v_n = dot(v_r, normal);
    const Vec3d v_t = v_r - v_n * normal;
    if (collider->contact == Contact::slip) return v_o + v_t;
    if (v_n >= 0) return v;
    // Coulomb: the tangential speed loses friction |v_n|, and sticks when that is all of it.
    const double speed = length(v_t), loss = -collider->friction * v_n;
    return speed <= loss ? v_o : v_o + (1 - loss / speed) * v_t;
}

Vec3d resolve_all(std::span<const ColliderAt> colliders, const Vec3d& v, const Vec3d& x) {
    const ColliderAt* deepest = nullptr;
    double least = 0;
    Vec3d result = v;
    // Each time a deeper one is met, the one held back so far takes its turn.
    for (const ColliderAt& c : colliders) {
        const double d = c.distance(x);
        if (d > 0) continue;
        const ColliderAt* now = &c;
        if (!deepest || d < least) {
            now = deepest;
            deepest = &c, least = d;
        }
        if (now) result = now->resolve(result, x, now->normal(x));
    }
    return deepest ? deepest->resolve(result, x, deepest->normal(x)) : result;
}

Vec3d project_out(std::span<const ColliderAt> colliders, const Vec3d& x) {
    Vec3d p = x;
    for (int round = 0; round < 16; ++round) {
        const ColliderAt* deepest = nullptr;
        double least = 0;
        for (const ColliderAt& c : colliders) {
            const double d = c.distance(p);
            if (d < least) least = d, deepest = &c;
        }
        if (!deepest) break;
        p += (1e-12 - least) * deepest->normal(p);  // a hair outside, whatever the rounding
    }
    return p;
}

}  // namespace knead
