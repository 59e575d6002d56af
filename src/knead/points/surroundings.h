// What acts on the particles of a point method from outside: gravity and pulls, grips that hold
// some of them, obstacles that all of them meet, and obstacles that they push in turn. A step of a
// method uses it like this:
//     v += dt (f / m + surroundings.acceleration(x));
//     surroundings.hold(phases);       // grips take over velocities
//     x += dt v;
//     surroundings.collide(phases);    // obstacles correct positions and velocities
// and whoever made it calls finish() after the step.
#pragma once

#include <string>
#include <vector>

#include "knead/base/step_report.h"
#include "knead/geometry/near_colliders.h"
#include "knead/particles/phase.h"

namespace knead {

// Holds the particles that start in a region and carries them along a motion until it lets go.
struct Grip {
    std::string name;
    SdfShape region;
    Motion motion;
    double release = 0;  // [s]
};

// Pulls everything towards a point, the harder the farther away: a = -strength (x - center).
struct Pull {
    Vec3d center{0, 0, 0};
    double strength = 0;         // [1/s2]
    double start = 0, stop = 0;  // [s]
};

// The fixed part.
struct Scenery {
    std::vector<Collider> colliders;
    std::vector<Grip> grips;
    std::vector<Pull> pulls;
    Vec3d gravity{0, -9.81, 0};  // [m/s2]
};

// Marks the particles that grips hold, in the column `grip`; for fresh particles, once.
template <class Real>
void take_hold(const std::vector<Grip>& grips, std::vector<Phase<Real>>& phases);

// Limits from obstacles and grips: nothing crosses more than `reach` in a step.
std::vector<DtLimit> scenery_dt_limits(const Scenery& scenery, double time, double longest,
                                       double reach);

// The step from `time` to `time + dt`.
class Surroundings {
public:
    // `rigid` holds one state a collider and is filled at the start if it is empty.
    Surroundings(const Scenery& scenery, std::vector<RigidState>& rigid, double time, double dt);

    Vec3d acceleration(const Vec3d& x) const;
    template <class Real>
    void hold(std::vector<Phase<Real>>& phases) const;
    template <class Real>
    void collide(std::vector<Phase<Real>>& phases);
    // Pushed bodies take what they were given.
    void finish();

    std::span<const ColliderAt> colliders() const { return now_; }

private:
    bool is_pushed(std::size_t c) const;
    template <class Real>
    void share_motion(const std::vector<Phase<Real>>& phases);

    const Scenery& scenery_;
    std::vector<RigidState>& rigid_;
    double time_, dt_;
    std::vector<ColliderAt> now_;    // at the end of the step
    std::vector<Impulse> impulses_;  // on pushed bodies
    bool any_pushed_ = false;
};

}  // namespace knead
