#include "knead/scenery/constraints.h"

#include <algorithm>

#include "knead/parallel/exec.h"
#include "knead/scenery/surroundings.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // particles a task

Box3 bounds_of(std::span<const Vec3d> points) {
    Box3 box{points[0], points[0]};
    for (const Vec3d& x : points) box.lo = min(box.lo, x), box.hi = max(box.hi, x);
    return box;
}

// An obstacle that a particle is predicted in, or that it rests on.
struct Met {
    const ColliderAt* collider;
    double distance;
};

// Those of one particle, the deepest first.
std::vector<Met> obstacles_met(std::span<const ColliderAt> near, const Vec3d& predicted,
                               double reach) {
    std::vector<Met> met;
    for (const ColliderAt& c : near) {
        const double d = c.distance(predicted);
        if (d < 0 || d < reach) met.push_back({&c, d});
    }
    std::stable_sort(met.begin(), met.end(),
                     [](const Met& a, const Met& b) { return a.distance < b.distance; });
    return met;
}

// To the surface of what it met, from x to the prediction and out.
void add_obstacle(const Met& met, const Vec3d& x, const Vec3d& predicted, double dt, int collider,
                  Constraint& c) {
    const Vec3d n = met.collider->normal(predicted);
    const Vec3d drift = dt * met.collider->velocity(predicted);
    if (c.count == 0) {
        c.normal = n;
        c.drift = drift;
        c.arm = predicted - met.collider->pose.position;
        c.collider = collider;
        c.friction = met.collider->friction();
        c.parts = met.collider->contact() != Contact::slip;
        if (met.collider->contact() == Contact::slip) c.friction = 0;
        if (met.collider->contact() == Contact::sticky) {
            // with the obstacle, and out of it
            const double out = dot(n, predicted - met.distance * n - x - drift);
            return c.fix(drift + out * n);
        }
    }
    c.add(n, dot(n, predicted - met.distance * n - x));
}

// What sticks goes where its obstacle goes, pulled or pushed.
void carry_along(const ColliderAt& at, const RigidState& before, const Vec3d& x, int collider,
                 Constraint& c) {
    const Vec3d& pivot = at.collider->motion.pivot;
    const Vec3d carried = from_rest(at.pose, pivot, to_rest(before.pose, pivot, x));
    c.normal = at.normal(carried);
    c.arm = carried - at.pose.position;
    c.collider = collider;
    c.fix(carried - x);
}

}  // namespace

std::vector<PushedBody> Surroundings::pushed_bodies() const {
    std::vector<PushedBody> list;
    for (std::size_t c = 0; c < now_.size(); ++c) {
        if (!is_pushed(c)) continue;
        const RigidBody& body = scenery_.colliders[c].rigid;
        const Mat3d& r = now_[c].pose.rotation;
        list.push_back(
            {static_cast<int>(c), body.mass, r * body.inertia * transpose(r), body.guide});
    }
    return list;
}

template <class Real>
std::vector<Constraint> Surroundings::constraints(const std::vector<Phase<Real>>& phases,
                                                  std::span<const Vec3d> predicted, double reach,
                                                  bool obstacles) const {
    std::vector<Constraint> all;
    const std::vector<Carry> carry = carries(scenery_.grips, time_, dt_);
    std::size_t first = 0;
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const Particles<Real>& p = phases[k].particles;
        const auto places = predicted.subspan(first, p.size());
        std::vector<std::vector<Constraint>> parts((p.size() + part - 1) / part);
        parallel_chunks(p.size(), part, [&](std::size_t begin, std::size_t end) {
            const Box3 box = bounds_of(places.subspan(begin, end - begin));
            const NearColliders near(now_, box.lo - splat(reach), box.size() + splat(2 * reach));
            for (std::size_t i = begin; i < end; ++i) {
                Constraint c{static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(i)};
                const Vec3d x = p.x.vec(i);
                const std::int32_t grip = p.grip.present() ? p.grip.at(i) : -1;
                const std::int32_t stuck = p.stuck.present() ? p.stuck.at(i) : -1;
                if (grip >= 0 && carry[static_cast<std::size_t>(grip)].holds) {
                    c.fix(carry[static_cast<std::size_t>(grip)].place(x) - x);
                } else if (obstacles && stuck >= 0) {
                    const auto on = static_cast<std::size_t>(stuck);
                    carry_along(now_[on], rigid_[on], x, stuck, c);
                    c.blocked = c.count;
                } else if (obstacles && !near.empty()) {
                    const bool rests = p.reaction.present() && p.reaction.at(i) > Real(0);
                    for (const Met& met : obstacles_met(near.list(), places[i], rests ? reach : 0))
                        add_obstacle(
                            met, x, places[i], dt_,
                            static_cast<int>(met.collider->collider - scenery_.colliders.data()),
                            c);
                    c.blocked = c.count;
                }
                if (c.count > 0) parts[begin / part].push_back(c);
            }
        });
        for (auto& list : parts) all.insert(all.end(), list.begin(), list.end());
        first += p.size();
    }
    return all;
}

void Surroundings::reactions(std::span<const Constraint> constraints,
                             std::span<const Vec3d> impulses) {
    if (!any_pushed_) return;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        const Constraint& c = constraints[i];
        if (c.collider < 0 || !is_pushed(static_cast<std::size_t>(c.collider))) continue;
        Impulse& sum = impulses_[static_cast<std::size_t>(c.collider)];
        sum = sum + Impulse{-impulses[i], cross(c.arm, -impulses[i])};
    }
    for (std::size_t c = 0; c < now_.size(); ++c) {
        if (!is_pushed(c)) continue;
        now_[c].twist = pushed(scenery_.colliders[c].rigid, rigid_[c], impulses_[c]);
        now_[c].pose = moved(rigid_[c].pose, now_[c].twist, dt_);
    }
}

template std::vector<Constraint> Surroundings::constraints(const std::vector<Phase<float>>&,
                                                           std::span<const Vec3d>, double,
                                                           bool) const;
template std::vector<Constraint> Surroundings::constraints(const std::vector<Phase<double>>&,
                                                           std::span<const Vec3d>, double,
                                                           bool) const;

}  // namespace knead
