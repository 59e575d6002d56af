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

Vec3d resolve_all(std::span<const ColliderAt> colliders, const Vec3d& v, const Vec3d& x,
                  double reach) {
    return resolve_contacts(colliders, v, x, reach);
}

Vec3d project_out(std::span<const ColliderAt> colliders, const Vec3d& x) {
    return push_out(colliders, x);
}

}  // namespace knead
