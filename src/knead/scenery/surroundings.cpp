#include "knead/scenery/surroundings.h"

#include <algorithm>

#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // particles a task

// The bounds of rows [begin, end).
template <class Real>
Box3 bounds_of(const Particles<Real>& p, std::size_t begin, std::size_t end) {
    Box3 box{p.x.vec(begin), p.x.vec(begin)};
    for (std::size_t i = begin; i < end; ++i) {
        const Vec3d x = p.x.vec(i);
        box.lo = min(box.lo, x), box.hi = max(box.hi, x);
    }
    return box;
}

// The collider that x is deepest in, or none.
const ColliderAt* deepest(std::span<const ColliderAt> colliders, const Vec3d& x) {
    const ColliderAt* found = nullptr;
    double least = 0;
    for (const ColliderAt& c : colliders) {
        const double d = c.distance(x);
        if (d < least) least = d, found = &c;
    }
    return found;
}

// work(rows' first, end, colliders near them, task) for parts of the table that touch anything.
template <class Real, class Work>
void for_each_touching(const Particles<Real>& p, std::span<const ColliderAt> all,
                       const Work& work) {
    parallel_chunks(p.size(), part, [&](std::size_t begin, std::size_t end) {
        const Box3 box = bounds_of(p, begin, end);
        const NearColliders near(all, box.lo, box.size());
        if (!near.empty()) work(begin, end, near.list(), begin / part);
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
                           double dt)
    : scenery_(scenery), rigid_(rigid), time_(time), dt_(dt), impulses_(scenery.colliders.size()) {
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
                p, {&at, 1}, [&](std::size_t begin, std::size_t end, auto, auto task) {
                    for (std::size_t i = begin; i < end; ++i) {
                        const Vec3d x = p.x.vec(i), v = static_cast<Vec3d>(p.v.vec(i));
                        if (!(at.distance(x) < 0)) continue;
                        const Vec3d n = at.normal(x);
                        if (dot(n, v - at.velocity(x)) < 0)
                            parts[task].add(static_cast<double>(p.mass.at(i)), x, n, v);
                    }
                });
            for (const InelasticContact& part : parts) contact.add(part);
        }
        now_[c].twist = contact.solve();
    }
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
        for_each_touching(p, now_, [&](std::size_t begin, std::size_t end, auto near, auto task) {
            for (std::size_t i = begin; i < end; ++i) {
                const Vec3d x = p.x.vec(i);
                const ColliderAt* met = deepest(near, x);
                if (!met) continue;
                const Vec3d v = static_cast<Vec3d>(p.v.vec(i)), after = resolve_all(near, v, x);
                p.v.set(i, static_cast<Vec3<Real>>(after));
                p.x.set(i, project_out(near, x));
                if (!any_pushed_) continue;
                const Vec3d push = static_cast<double>(p.mass.at(i)) * (v - after);
                Impulse& sum =
                    parts[task]
                         [static_cast<std::size_t>(met->collider - scenery_.colliders.data())];
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
