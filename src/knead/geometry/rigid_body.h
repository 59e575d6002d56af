// A rigid body that matter can push: mass and inertia, and how impulses change its motion.
#pragma once

#include "knead/geometry/motion.h"

namespace knead {

struct RigidBody {
    double mass = 0;                      // [kg]; 0: moves as scripted, whatever pushes
    Mat3d inertia = identity3<double>();  // about the pivot, its centre of mass, at rest [kg m2]
    double release = 0;                   // scripted until then [s]
    Vec3d guide{0, 0, 0};                 // slides along this direction and never turns; 0: free
};

// What a step changes. Part of every checkpoint.
struct RigidState {
    Pose pose;
    Twist twist;
};

// A push at points of the body: its sum [kg m/s] and its moment about the centre [kg m2/s].
struct Impulse {
    Vec3d linear{0, 0, 0};
    Vec3d angular{0, 0, 0};
};
inline Impulse operator+(const Impulse& a, const Impulse& b) {
    return {a.linear + b.linear, a.angular + b.angular};
}

// The pose after moving with a steady twist.
Pose moved(const Pose& pose, const Twist& twist, double dt);

// The twist after an impulse, as far as the guide lets it change.
Twist pushed(const RigidBody& body, const RigidState& state, const Impulse& impulse);

// Matter that meets the body without bouncing. Directions in which the body would drive into the
// matter are added one by one; solve() finds the twist at which they all move together, so that a
// heavy contact does not throw a light body back.
class InelasticContact {
public:
    // The body's motion before it meets anything.
    InelasticContact(const RigidBody& body, const RigidState& state);
    // Mass m at x, with velocity v, kept from moving into the body along the unit vector n.
    void add(double m, const Vec3d& x, const Vec3d& n, const Vec3d& v);
    void add(const InelasticContact& other);  // of the same body, made with empty()
    InelasticContact empty() const;
    Twist solve() const;

private:
    Vec3d center_, guide_;
    double A_[6][6] = {};  // generalised mass
    double b_[6] = {};     // generalised momentum
};

}  // namespace knead
