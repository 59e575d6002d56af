// A collider: a shape, its rigid motion, and what happens on contact. Every solver uses it, on grid
// nodes or on particles. [Stomakhin 2013, section 8]
#pragma once

#include <string>

#include "knead/geometry/motion.h"
#include "knead/geometry/sdf_shape.h"

namespace knead {

enum class Contact { sticky, slip, separate };

struct Collider {
    std::string name;
    SdfShape shape;
    Motion motion;
    Contact contact = Contact::separate;
    double friction = 0;  // Coulomb, `separate` only
};

// A collider frozen at one time, ready for many questions.
struct ColliderAt {
    const Collider* collider;
    Pose pose;
    Twist twist;

    ColliderAt(const Collider& c, double time);
    double distance(const Vec3d& x) const;  // negative inside
    Vec3d normal(const Vec3d& x) const;     // outward, unit
    Vec3d velocity(const Vec3d& x) const;   // of the collider's material at x
    // The velocity that contact leaves to something at x, given the outward normal there.
    Vec3d resolve(const Vec3d& v, const Vec3d& x, const Vec3d& normal) const;
};

}  // namespace knead
