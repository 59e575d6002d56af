#include "knead/geometry/collider.h"

#include <algorithm>

#include "knead/geometry/animated_mesh.h"

namespace knead {

double Collider::max_speed(double t0, double t1) const {
    if (still()) return 0;
    const Box3 box = animation ? animation->bounds() : shape.bounds();
    const double radius =
        std::min(0.5 * length(box.size()) + length(box.center() - motion.pivot), 1e6);
    return (motion.still() ? 0 : motion.max_speed(t0, t1, radius)) +
           (animation ? animation->max_speed(t0, t1) : 0);
}

ColliderAt::ColliderAt(const Collider& c, double time)
    : collider(&c), pose(c.motion.pose(time)), twist(c.motion.twist(time)) {
    if (c.animation) mesh = c.animation->at(time);
}

double ColliderAt::distance(const Vec3d& x) const {
    const Vec3d rest = to_rest(pose, collider->motion.pivot, x);
    return mesh ? mesh->distance(rest) : collider->shape.distance(rest);
}

Vec3d ColliderAt::normal(const Vec3d& x) const {
    const Vec3d rest = to_rest(pose, collider->motion.pivot, x);
    return pose.rotation * (mesh ? mesh->nearest(rest).normal : collider->shape.gradient(rest));
}

Vec3d ColliderAt::velocity(const Vec3d& x) const {
    const Vec3d carried = velocity_at(twist, pose, x);
    if (!mesh) return carried;
    return carried +
           pose.rotation * mesh->nearest(to_rest(pose, collider->motion.pivot, x)).velocity;
}

Vec3d resolve_all(std::span<const ColliderAt> colliders, const Vec3d& v, const Vec3d& x,
                  const ContactReach& reach) {
    return resolve_contacts(colliders, v, x, reach);
}

Vec3d project_out(std::span<const ColliderAt> colliders, const Vec3d& x) {
    return push_out(colliders, x);
}

}  // namespace knead
