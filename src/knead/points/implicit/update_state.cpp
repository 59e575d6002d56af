// update_state: what constraints took, friction, velocities and positions.
#include <algorithm>

#include "knead/points/implicit/stages.h"

namespace knead {

namespace {

template <class Real>
Vec3d vec(const Lanes<Real>& a) {
    return static_cast<Vec3d>(to_vec(a));
}

// Who is pushed rests on its obstacle; who would have to be pulled parts from it, unless it sticks.
template <class Real>
std::size_t remember_reactions(double dt, std::span<const ColliderAt> colliders,
                               const ImplicitWorkspace<Real>& work,
                               std::vector<Phase<Real>>& phases) {
    for (auto& phase : phases) {
        Particles<Real>& p = phase.particles;
        for_each(p.size(), 4096, [&](std::size_t i) { p.reaction.at(i) = Real(0); });
    }
    constexpr double held = 1e-30;  // [N], of what never parts
    std::size_t parted = 0;
    for (std::size_t k = 0; k < work.constraints.size(); ++k) {
        const Constraint& c = work.constraints[k];
        if (c.collider < 0) continue;
        const double push = dot(work.pushes[k], c.normal) / (dt * dt);
        Particles<Real>& p = phases[c.phase].particles;
        if (p.stuck.present() &&
            colliders[static_cast<std::size_t>(c.collider)].contact() == Contact::sticky)
            p.stuck.at(c.row) = c.collider;
        if (c.parts && !(push > 0)) ++parted;
        p.reaction.at(c.row) = static_cast<Real>(std::max(push, c.parts ? 0.0 : held));
    }
    return parted;
}

}  // namespace

template <class Real>
ContactReport update_state(const ImplicitSettings& settings, std::vector<Phase<Real>>& phases,
                           Surroundings& surroundings, double dt, ImplicitWorkspace<Real>& work) {
    ContactReport report{work.constraints.size(), 0, work.pairs.size() / 2};
    const bool remembers = settings.guess == FirstGuess::last_force;
    if (remembers) total_force(work, work.delta, work.force);
    if (settings.is_explicit()) find_pushes(work);
    report.parted = remember_reactions(dt, surroundings.colliders(), work, phases);
    if (settings.is_explicit()) rub(surroundings.colliders(), dt, work);
    std::vector<Vec3d> impulses(work.constraints.size());
    for (std::size_t k = 0; k < impulses.size(); ++k)
        impulses[k] = (work.pushes[k] + work.constraints[k].rub) / dt;
    surroundings.reactions(work.constraints, impulses);
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
