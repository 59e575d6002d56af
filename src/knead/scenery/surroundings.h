// What acts on the particles of a point method from outside: gravity and pulls, grips that hold
// some of them, obstacles that all of them meet, and obstacles that they push in turn. A step of a
// method uses it like this:
//     v += dt (f / m + surroundings.acceleration(x));
//     surroundings.hold(phases);       // grips take over velocities
//     x += dt v;
//     surroundings.collide(phases);    // obstacles correct positions and velocities
// and whoever made it calls finish() after the step.
#pragma once

#include <span>

#include "knead/geometry/near_colliders.h"
#include "knead/scenery/constraints.h"
#include "knead/scenery/grips.h"
#include "knead/scenery/sticking.h"

namespace knead {

// A collider as the middle of a particle meets it, `gap` away from its surface. Who is nearer than
// that when a step begins, as in a slot too narrow, comes no nearer.
struct GrownCollider {
    const ColliderAt* at;
    double gap;

    double distance(const Vec3d& x) const { return at->distance(x) - gap; }
    Vec3d normal(const Vec3d& x) const { return at->normal(x); }
    Vec3d velocity(const Vec3d& x) const { return at->velocity(x); }
    Contact contact() const { return at->contact(); }
    double friction() const { return at->friction(); }
    double adhesion() const { return at->adhesion(); }
};
using GrownColliders = std::span<GrownCollider>;

// The step from `time` to `time + dt`.
class Surroundings {
public:
    // `rigid` holds one state a collider and is filled at the start if it is empty. Particles stay
    // `gap` away from obstacles.
    Surroundings(const Scenery& scenery, std::vector<RigidState>& rigid, double time, double dt,
                 double gap = 0);

    Vec3d acceleration(const Vec3d& x) const;
    template <class Real>
    void hold(std::vector<Phase<Real>>& phases) const;
    template <class Real>
    void collide(std::vector<Phase<Real>>& phases);
    // Inside a solve: what grips and, if asked for, obstacles fix of the particles' displacements,
    // given where they would go by themselves, phase after phase. Particles that rest on an
    // obstacle (column `reaction`) count as in it up to `reach` away.
    template <class Real>
    std::vector<Constraint> constraints(const std::vector<Phase<Real>>& phases,
                                        std::span<const Vec3d> predicted, double reach,
                                        bool obstacles = true) const;
    // Colliders that matter pushes in this step.
    std::vector<PushedBody> pushed_bodies() const;
    // After the solve: the impulse that each constraint gave its particle [kg m/s]. Pushed bodies
    // take the opposite, and move as they do.
    void reactions(std::span<const Constraint> constraints, std::span<const Vec3d> impulses);
    // Pushed bodies take what they were given.
    void finish();

    std::span<const ColliderAt> colliders() const { return now_; }

private:
    bool is_pushed(std::size_t c) const;
    std::size_t index_of(const ColliderAt& c) const;
    // What is left of the gap between a collider and a particle that was at `before`.
    double gap_of(const ColliderAt& c, const Vec3d& before) const;
    // What one particle met, if it met anything.
    template <class Real>
    const ColliderAt* hold_stuck(Particles<Real>& p, std::size_t i) const;
    template <class Real>
    const ColliderAt* stop_at_walls(GrownColliders near, Particles<Real>& p, std::size_t i) const;
    template <class Real>
    const ColliderAt* push_out_of(GrownColliders near, Particles<Real>& p, std::size_t i) const;
    template <class Real>
    void share_motion(const std::vector<Phase<Real>>& phases);

    const Scenery& scenery_;
    std::vector<RigidState>& rigid_;
    double time_, dt_, gap_;
    std::vector<ColliderAt> now_;    // at the end of the step
    std::vector<Impulse> impulses_;  // on pushed bodies
    bool any_pushed_ = false;
};

}  // namespace knead
