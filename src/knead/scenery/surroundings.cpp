#include "knead/scenery/surroundings.h"

#include <algorithm>
#include <cmath>

#include "knead/geometry/thin_walls.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // particles a task

// The bounds of where rows [begin, end) have been in the step, and of what may have come by.
template <class Real>
Box3 bounds_of(const Particles<Real>& p, std::size_t begin, std::size_t end, double dt) {
    Box3 box{p.x.vec(begin), p.x.vec(begin)};
    Real largest = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const Vec3d x = p.x.vec(i), before = x - dt * static_cast<Vec3d>(p.v.vec(i));
        box.lo = min(box.lo, min(x, before)), box.hi = max(box.hi, max(x, before));
        largest = std::max(largest, p.volume.at(i));
    }
    const Vec3d room = splat(std::cbrt(static_cast<double>(largest)));
    return {box.lo - room, box.hi + room};
}

// The collider that x is deepest in, or none.
const ColliderAt* deepest(GrownColliders colliders, const Vec3d& x) {
    const ColliderAt* found = nullptr;
    double least = 0;
    for (const GrownCollider& c : colliders) {
        const double d = c.distance(x);
        if (d < least) least = d, found = c.at;
    }
    return found;
}

// work(rows' first, end, colliders near them, task) for parts of the table that touch anything.
template <class Real, class Work>
void for_each_touching(const Particles<Real>& p, double dt, double gap,
                       std::span<const ColliderAt> all, const Work& work) {
    parallel_chunks(p.size(), part, [&](std::size_t begin, std::size_t end) {
        const Box3 box = bounds_of(p, begin, end, dt);
        const NearColliders near(all, box.lo - splat(gap), box.size() + splat(2 * gap));
        if (near.empty() && !p.stuck.present()) return;
        std::vector<GrownCollider> grown;
        for (const ColliderAt& c : near.list()) grown.push_back({&c, gap});
        work(begin, end, grown, begin / part);
    });
}

}  // namespace

std::vector<DtLimit> scenery_dt_limits(const Scenery& scenery, double time, double longest,
                                       double reach) {
    std::vector<DtLimit> limits;
    const auto limit = [&](const std::string& name, double speed) {
        if (speed > 0) limits.push_back({"speed of " + name, reach / speed});
    };
    for (const Collider& c : scenery.colliders)
        limit("collider " + c.name, c.max_speed(time, time + longest));
    for (const Grip& g : scenery.grips)
        if (time < g.release)  // what it holds moves like a collider of its shape
            limit("grip " + g.name,
                  Collider{g.name, g.region, g.motion, {}, 0, {}}.max_speed(time, time + longest));
    return limits;
}

Surroundings::Surroundings(const Scenery& scenery, std::vector<RigidState>& rigid, double time,
                           double dt, double gap)
    : scenery_(scenery),
      rigid_(rigid),
      time_(time),
      dt_(dt),
      gap_(gap),
      impulses_(scenery.colliders.size()) {
    const auto& colliders = scenery.colliders;
    for (std::size_t c = rigid.size(); c < colliders.size(); ++c)
        rigid.push_back({colliders[c].motion.pose(time), colliders[c].motion.twist(time)});
    now_.reserve(colliders.size());
    for (std::size_t c = 0; c < colliders.size(); ++c) {
        if (!is_pushed(c)) {
            now_.emplace_back(colliders[c], time + dt);
            continue;
        }
        any_pushed_ = true;
        const RigidBody& body = colliders[c].rigid;
        rigid[c].twist = pushed(body, rigid[c], {(dt * body.mass) * scenery.gravity, {0, 0, 0}});
        now_.emplace_back(colliders[c],
                          RigidState{moved(rigid[c].pose, rigid[c].twist, dt), rigid[c].twist});
    }
}

bool Surroundings::is_pushed(std::size_t c) const {
    const RigidBody& body = scenery_.colliders[c].rigid;
    return body.mass > 0 && time_ >= body.release;
}

Vec3d Surroundings::acceleration(const Vec3d& x) const {
    Vec3d a = scenery_.gravity;
    for (const Pull& pull : scenery_.pulls)
        if (time_ >= pull.start && time_ < pull.stop) a -= pull.strength * (x - pull.center);
    return a;
}

// The velocity that takes a held particle to where its grip carries it.
template <class Real>
void Surroundings::hold(std::vector<Phase<Real>>& phases) const {
    const std::vector<Carry> carry = carries(scenery_.grips, time_, dt_);
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        if (!p.grip.present()) continue;
        for_each(p.size(), part, [&](std::size_t i) {
            if (p.grip.at(i) < 0) return;
            const Carry& c = carry[static_cast<std::size_t>(p.grip.at(i))];
            if (!c.holds) return;
            const Vec3d x = p.x.vec(i);
            p.v.set(i, static_cast<Vec3<Real>>((c.place(x) - x) / dt_));
        });
    }
}

// Pushed bodies first: each gets the motion that it and the matter in its way have in common.
template <class Real>
void Surroundings::share_motion(const std::vector<Phase<Real>>& phases) {
    for (std::size_t c = 0; c < now_.size(); ++c) {
        if (!is_pushed(c)) continue;
        const ColliderAt& at = now_[c];
        InelasticContact contact(at.collider->rigid, {at.pose, at.twist});
        for (const auto& phase : phases) {
            const Particles<Real>& p = phase.particles;
            std::vector<InelasticContact> parts((p.size() + part - 1) / part, contact.empty());
            for_each_touching(
                p, dt_, gap_, {&at, 1}, [&](std::size_t begin, std::size_t end, auto, auto task) {
                    for (std::size_t i = begin; i < end; ++i) {
                        const Vec3d x = p.x.vec(i), v = static_cast<Vec3d>(p.v.vec(i));
                        const auto m = static_cast<double>(p.mass.at(i));
                        const bool stuck =
                            p.stuck.present() && p.stuck.at(i) == static_cast<std::int32_t>(c);
                        if (stuck && at.contact() == Contact::sticky)
                            for (const Vec3d& axis : {Vec3d{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
                                parts[task].add(m, x, axis, v);
                        else if (stuck || at.distance(x) < gap_of(at, x - dt_ * v))
                            if (const Vec3d n = at.normal(x); dot(n, v - at.velocity(x)) < 0)
                                parts[task].add(m, x, n, v);
                    }
                });
            for (const InelasticContact& part : parts) contact.add(part);
        }
        now_[c].twist = contact.solve();
    }
}

double Surroundings::gap_of(const ColliderAt& c, const Vec3d& before) const {
    return gap_ > 0 ? std::clamp(c.distance(carried_by(c, before, dt_)), 0.0, gap_) : 0;
}

std::size_t Surroundings::index_of(const ColliderAt& c) const {
    return static_cast<std::size_t>(c.collider - scenery_.colliders.data());
}

// A particle that sticks goes where its collider goes, from where it was before the step. With
// adhesion alone it does so while the pull at its share of the surface is below that; until then
// adhesion also presses for friction.
template <class Real>
const ColliderAt* Surroundings::hold_stuck(Particles<Real>& p, std::size_t i) const {
    const auto c = static_cast<std::size_t>(p.stuck.at(i));
    const ColliderAt& at = now_[c];
    const Vec3d v = static_cast<Vec3d>(p.v.vec(i)), before = p.x.vec(i) - dt_ * v;
    const Vec3d& pivot = at.collider->motion.pivot;
    const Vec3d carried = from_rest(at.pose, pivot, to_rest(rigid_[c].pose, pivot, before));
    const Vec3d drift = (carried - before) / dt_;
    Vec3d after = drift;
    if (at.contact() != Contact::sticky) {
        const Vec3d n = at.normal(carried);
        const double away = dot(v - drift, n),
                     side = std::cbrt(static_cast<double>(p.volume.at(i)));
        const double most =
            dt_ * at.collider->adhesion * side * side / static_cast<double>(p.mass.at(i));
        if (away > most) {
            p.stuck.at(i) = -1;
            return nullptr;
        }
        const Vec3d slide = v - drift - away * n;
        after = drift + after_friction(slide, at.friction() * (most - away));
    }
    p.x.set(i, before + dt_ * after);
    p.v.set(i, static_cast<Vec3<Real>>(after));
    return &at;
}

// Before thin walls, on the side that it comes from.
template <class Real>
const ColliderAt* Surroundings::stop_at_walls(GrownColliders near, Particles<Real>& p,
                                              std::size_t i) const {
    Vec3d v = static_cast<Vec3d>(p.v.vec(i)), to = p.x.vec(i);
    const Vec3d before = to - dt_ * v;
    const double spacing = std::cbrt(static_cast<double>(p.volume.at(i)));
    for (std::size_t k = 0; k < near.size(); ++k) {
        if (clearance_in_step(near.subspan(k, 1), before, dt_) > dt_ * length(v)) continue;
        if (!stop_at_thin_walls(near.subspan(k), spacing, dt_, before, v, to)) continue;
        p.v.set(i, static_cast<Vec3<Real>>(v));
        p.x.set(i, to);
        if (p.stuck.present() && can_stick(*near[k].at->collider))
            p.stuck.at(i) = static_cast<std::int32_t>(index_of(*near[k].at));
        return near[k].at;
    }
    return nullptr;
}

// Out of the obstacles that a particle has entered, and what their friction takes of its velocity
// is taken of the step just made, too: else it would slide on by that in every step.
template <class Real>
const ColliderAt* Surroundings::push_out_of(GrownColliders near, Particles<Real>& p,
                                            std::size_t i) const {
    const Vec3d x = p.x.vec(i), v = static_cast<Vec3d>(p.v.vec(i)), before = x - dt_ * v;
    for (GrownCollider& c : near) c.gap = gap_;
    if (clearance_in_step(near, before, dt_) > dt_ * length(v)) return nullptr;
    for (GrownCollider& c : near) c.gap = gap_of(*c.at, before);
    if (const ColliderAt* wall = stop_at_walls(near, p, i)) return wall;
    const ColliderAt* met = deepest(near, x);
    if (!met) return nullptr;
    const Vec3d after = resolve_contacts(near, v, x);
    const Vec3d change = after - v, n = met->normal(x);
    p.v.set(i, static_cast<Vec3<Real>>(after));
    p.x.set(i, push_out(near, x + dt_ * (change - dot(change, n) * n)));
    if (p.stuck.present() && can_stick(*met->collider))
        p.stuck.at(i) = static_cast<std::int32_t>(index_of(*met));
    return met;
}

template <class Real>
void Surroundings::collide(std::vector<Phase<Real>>& phases) {
    if (now_.empty()) return;
    if (any_pushed_) share_motion(phases);
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        using Impulses = std::vector<Impulse>;
        std::vector<Impulses> parts(any_pushed_ ? (p.size() + part - 1) / part : 0,
                                    Impulses(now_.size()));
        for_each_touching(
            p, dt_, gap_, now_,
            [&](std::size_t begin, std::size_t end, GrownColliders near, auto task) {
                for (std::size_t i = begin; i < end; ++i) {
                    const Vec3d x = p.x.vec(i), v = static_cast<Vec3d>(p.v.vec(i));
                    const bool stuck = p.stuck.present() && p.stuck.at(i) >= 0;
                    const ColliderAt* met = stuck ? hold_stuck(p, i) : push_out_of(near, p, i);
                    if (!met || !any_pushed_) continue;
                    const Vec3d after = static_cast<Vec3d>(p.v.vec(i));
                    const Vec3d push = static_cast<double>(p.mass.at(i)) * (v - after);
                    Impulse& sum = parts[task][index_of(*met)];
                    sum = sum + Impulse{push, cross(x - met->pose.position, push)};
                }
            });
        for (const Impulses& part : parts)
            for (std::size_t c = 0; c < now_.size(); ++c) impulses_[c] = impulses_[c] + part[c];
    }
}

void Surroundings::finish() {
    for (std::size_t c = 0; c < now_.size(); ++c) {
        if (is_pushed(c)) {
            rigid_[c].twist = pushed(scenery_.colliders[c].rigid, rigid_[c], impulses_[c]);
            rigid_[c].pose = moved(rigid_[c].pose, rigid_[c].twist, dt_);
        } else {
            rigid_[c] = {now_[c].pose, now_[c].twist};
        }
    }
}

template void Surroundings::hold(std::vector<Phase<float>>&) const;
template void Surroundings::hold(std::vector<Phase<double>>&) const;
template void Surroundings::collide(std::vector<Phase<float>>&);
template void Surroundings::collide(std::vector<Phase<double>>&);

}  // namespace knead
