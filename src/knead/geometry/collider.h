// A collider: a shape, its rigid motion, and what happens on contact. Every solver uses it, on grid
// nodes or on particles. [Stomakhin 2013, section 8]
#pragma once

#include <memory>
#include <span>
#include <string>

#include "knead/geometry/contact.h"
#include "knead/geometry/motion.h"
#include "knead/geometry/rigid_body.h"
#include "knead/geometry/sdf_shape.h"

namespace knead {

class AnimatedMesh;
class MeshAt;

struct Collider {
    std::string name;
    SdfShape shape;
    Motion motion;
    Contact contact = Contact::separate;
    double friction = 0;  // Coulomb, `separate` only
    RigidBody rigid;      // with a mass: matter can push it
    double adhesion = 0;  // pull at which matter lets go [Pa], `separate` only
    // In place of the shape: a mesh that changes with time. The motion moves it besides.
    std::shared_ptr<const AnimatedMesh> animation{};

    bool still() const { return !animation && motion.still(); }
    // A bound on the speed of any of its points over [t0, t1].
    double max_speed(double t0, double t1) const;
};

// A collider frozen at one time, ready for many questions. It must not outlive the collider.
struct ColliderAt {
    const Collider* collider;
    Pose pose;
    Twist twist;
    std::shared_ptr<const MeshAt> mesh{};  // of an animated one

    ColliderAt(const Collider& c, double time);
    ColliderAt(const Collider& c, const RigidState& s)
        : collider(&c), pose(s.pose), twist(s.twist) {}
    double distance(const Vec3d& x) const;  // negative inside
    Vec3d normal(const Vec3d& x) const;     // outward, unit
    Vec3d velocity(const Vec3d& x) const;   // of the collider's material at x
    Contact contact() const { return collider->contact; }
    double friction() const { return collider->friction; }
    double adhesion() const { return collider->adhesion; }
};

// Contact with every collider that x is in or within reach of, in order, the deepest one last.
Vec3d resolve_all(std::span<const ColliderAt> colliders, const Vec3d& v, const Vec3d& x,
                  const ContactReach& reach = {});

// A point inside colliders, moved to where it is inside none: out of the deepest one, a few times.
Vec3d project_out(std::span<const ColliderAt> colliders, const Vec3d& x);

}  // namespace knead
