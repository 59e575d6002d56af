// update_state: what constraints took, friction, velocities and positions.
#include <algorithm>

#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

template <class Real>
Vec3d vec(const Lanes<Real>& a) {
    return static_cast<Vec3d>(to_vec(a));
}

// dt times the impulse that each constraint gave [kg m].
template <class Real>
std::vector<Vec3d> pushes_of(const ImplicitWorkspace<Real>& work) {
    std::vector<Vec3d> all(work.constraints.size());
    for_each(all.size(), 256, [&](std::size_t k) {
        const Constraint& c = work.constraints[k];
        const std::size_t i = work.row_of(c);
        const Vec3d left =
            static_cast<double>(work.mass[i]) * vec(work.delta[i] - work.ballistic[i]) -
            vec(work.force[i]);
        all[k] = c.within(left);
    });
    return all;
}

// Coulomb: of what slides along an obstacle, friction takes up to its coefficient times the push.
// Returns dt times the impulses of friction.
template <class Real>
std::vector<Vec3d> rub(const std::vector<Vec3d>& pushes, std::span<const ColliderAt> colliders,
                       double dt, ImplicitWorkspace<Real>& work) {
    std::vector<Vec3d> all(pushes.size(), Vec3d{0, 0, 0});
    for_each(all.size(), 256, [&](std::size_t k) {
        const Constraint& c = work.constraints[k];
        if (c.collider < 0 || c.count == 3 || !(c.friction > 0)) return;
        const std::size_t i = work.row_of(c);
        const auto mass = static_cast<double>(work.mass[i]);
        const double push = dot(pushes[k], c.normal) / mass;
        if (!(push > 0)) return;
        const Vec3d delta = vec(work.delta[i]);
        const Vec3d drift =
            dt * colliders[static_cast<std::size_t>(c.collider)].velocity(work.x[i] + delta);
        const Vec3d slide = (delta - drift) - c.within(delta - drift);
        const double size = length(slide);
        const double kept = size > 0 ? std::max(0.0, 1 - c.friction * push / size) : 0.0;
        all[k] = (mass * (kept - 1)) * slide;
        work.delta[i] += to_lanes(static_cast<Vec3<Real>>((kept - 1) * slide));
    });
    return all;
}

// Who is pushed rests on its obstacle; who would have to be pulled parts from it.
template <class Real>
std::size_t remember_reactions(const std::vector<Vec3d>& pushes, double dt,
                               const ImplicitWorkspace<Real>& work,
                               std::vector<Phase<Real>>& phases) {
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        for_each(p.size(), 4096, [&](std::size_t i) { p.reaction.at(i) = Real(0); });
    }
    constexpr double held = 1e-30;  // [N], of what never parts
    std::size_t parted = 0;
    for (std::size_t k = 0; k < pushes.size(); ++k) {
        const Constraint& c = work.constraints[k];
        if (c.collider < 0) continue;
        const double push = dot(pushes[k], c.normal) / (dt * dt);
        if (c.parts && !(push > 0)) ++parted;
        phases[c.phase].particles.reaction.at(c.row) =
            static_cast<Real>(std::max(push, c.parts ? 0.0 : held));
    }
    return parted;
}

}  // namespace

template <class Real>
ContactReport update_state(const ImplicitSettings& settings, std::vector<Phase<Real>>& phases,
                           Surroundings& surroundings, double dt, ImplicitWorkspace<Real>& work) {
    ContactReport report{work.constraints.size(), 0, work.pairs.size() / 2};
    const bool remembers = settings.guess == FirstGuess::last_force;
    if (remembers || !work.constraints.empty()) total_force(work, work.delta, work.force);
    std::vector<Vec3d> pushes = pushes_of(work);
    report.parted = remember_reactions(pushes, dt, work, phases);
    const auto react = [&](std::vector<Vec3d> all) {
        for (Vec3d& a : all) a = a / dt;
        surroundings.reactions(work.constraints, all);
    };
    react(pushes);
    react(rub(pushes, surroundings.colliders(), dt, work));
    for (std::size_t k = 0; k < phases.size(); ++k) {
        Particles<Real>& p = phases[k].particles;
        for_each(p.size(), 1024, [&](std::size_t i) {
            const Lanes<Real> delta = work.delta[work.first[k] + i];
            p.x.set(i, p.x.vec(i) + vec(delta));
            p.v.set(i, static_cast<Real>(1 / dt) * to_vec(delta));
            if (remembers)
                p.last_force.set(
                    i, static_cast<Real>(1 / (dt * dt)) * to_vec(work.force[work.first[k] + i]));
        });
    }
    surroundings.collide(phases);
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const Particles<Real>& p = phases[k].particles;
        for_each(p.size(), 1024, [&](std::size_t i) {
            const std::size_t row = work.first[k] + i;
            work.delta[row] = to_lanes(static_cast<Vec3<Real>>(p.x.vec(i) - work.x[row]));
        });
    }
    return report;
}

template ContactReport update_state(const ImplicitSettings&, std::vector<Phase<float>>&,
                                    Surroundings&, double, ImplicitWorkspace<float>&);
template ContactReport update_state(const ImplicitSettings&, std::vector<Phase<double>>&,
                                    Surroundings&, double, ImplicitWorkspace<double>&);

}  // namespace knead
