// Materials, bodies, surroundings and runs for the tests of all point methods.
#pragma once

#include <functional>

#include "knead/base/random.h"
#include "knead/geometry/sdf_build.h"
#include "knead/materials/parameters.h"
#include "knead/scenery/surroundings.h"

namespace knead::point_test {

inline Material elastic(double young, double poisson = 0.3) {
    Material m;
    m.name = "solid";
    m.elastic.law = ElasticLaw::corotated_linear;
    set_young_poisson(m, young, poisson);
    return m;
}
inline Material creeping(double young, double yield, double rate) {
    Material m = elastic(young);
    m.flow.rule = FlowRule::creep;
    m.flow.yield_stress = yield;
    m.flow.creep_rate = rate;
    // volume never flows, unless a test asks for it
    m.flow.creep_volume_low = 9;
    m.flow.creep_volume_high = 10;
    return m;
}

// nx x ny x nz points around `center`, `jitter` of the spacing away from a lattice.
struct Block {
    int nx = 7, ny = 7, nz = 7;
    double spacing = 0.02;
    double jitter = 0;
    Vec3d center{0, 0, 0};
    double density = 1000;
};

// count.x x count.y x count.z points, `jitter` away from the cells of a lattice that begins at
// `first`; place(x, k) says where point k belongs, x in spacings.
template <class Real, class Place>
Phase<Real> jittered_lattice(const Vec3i& count, const Vec3d& first, double jitter,
                             const Place& place) {
    Phase<Real> phase;
    Particles<Real>& p = phase.particles;
    const auto n = static_cast<std::size_t>(count.x * count.y * count.z);
    p.id.create(n), p.parent.create(n, -1), p.body.create(n), p.x.create(n), p.v.create(n);
    p.mass.create(n), p.volume.create(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<int>(i);
        Vec3d x{k % count.x + first.x, k / count.x % count.y + first.y,
                k / count.x / count.y + first.z};
        for (int a = 0; a < 3; ++a)
            x[a] += jitter * (2 * random_unit(7, i, static_cast<std::uint64_t>(a)) - 1);
        p.id.at(i) = static_cast<std::int64_t>(i);
        p.x.set(i, place(x, k));
    }
    return phase;
}

template <class Real>
Phase<Real> make_block(const Block& b) {
    const Vec3d first{-0.5 * (b.nx - 1), -0.5 * (b.ny - 1), -0.5 * (b.nz - 1)};
    Phase<Real> phase =
        jittered_lattice<Real>({b.nx, b.ny, b.nz}, first, b.jitter,
                               [&](const Vec3d& x, int) { return b.center + b.spacing * x; });
    const double volume = b.spacing * b.spacing * b.spacing;
    for (std::size_t i = 0; i < phase.particles.size(); ++i) {
        phase.particles.volume.at(i) = static_cast<Real>(volume);
        phase.particles.mass.at(i) = static_cast<Real>(b.density * volume);
    }
    return phase;
}

inline Scenery empty_space() {
    Scenery scenery;
    scenery.gravity = {0, 0, 0};
    return scenery;
}
inline Scenery ground(double friction = 0.5) {
    Scenery scenery;
    Collider floor;
    floor.name = "floor";
    floor.shape = sdf::plane({0, 0, 0}, {0, 1, 0});
    floor.friction = friction;
    scenery.colliders.push_back(floor);
    return scenery;
}

// A solver with its bodies, ready to step.
template <class Real, template <class> class Method, class Settings>
struct PointTrial {
    Settings settings;
    Scenery scenery;
    std::vector<Phase<Real>> phases;
    Method<Real> solver;
    std::vector<RigidState> rigid;
    StepMemory memory;
    double time = 0, gap = 0;  // gap: between obstacles and the middles of particles
    std::int64_t steps = 0, next_id = 1000000;
    std::map<std::string, double> totals;

    PointTrial(const Settings& s, const Material& material, Phase<Real> phase,
               Scenery around = empty_space())
        : PointTrial(s, std::vector<Material>{material}, {std::move(phase)}, std::move(around)) {}
    // A phase of each material.
    PointTrial(const Settings& s, const std::vector<Material>& materials,
               std::vector<Phase<Real>> bodies, Scenery around = empty_space())
        : settings(s), scenery(std::move(around)), phases(std::move(bodies)), solver(s, materials) {
        for (std::size_t k = 0; k < phases.size(); ++k) phases[k].material = static_cast<int>(k);
        solver.prepare(phases);
        stick_at_start(scenery.colliders, 0, 1e9, phases);
        take_hold(scenery.grips, phases);
    }
    Particles<Real>& p() { return phases[0].particles; }
    StepReport step(double dt) {
        Surroundings surroundings(scenery, rigid, time, dt, gap);
        const StepReport report =
            solver.advance(phases, memory, surroundings, dt, {1, steps++, next_id, totals});
        surroundings.finish();
        time += dt;
        return report;
    }
    // Up to a time; false where it failed on the way, and then `time` says when.
    bool run_until(double end, double dt) {
        while (time < end - 0.5 * dt)
            if (!step(dt).ok) return false;
        return true;
    }
    void set_velocity(const std::function<Vec3d(const Vec3d&)>& v) {
        for (std::size_t i = 0; i < p().size(); ++i)
            p().v.set(i, static_cast<Vec3<Real>>(v(p().x.vec(i))));
    }
    Vec3d extent() {
        Vec3d lo = p().x.vec(0), hi = lo;
        for (std::size_t i = 0; i < p().size(); ++i)
            lo = min(lo, p().x.vec(i)), hi = max(hi, p().x.vec(i));
        return hi - lo;
    }
    double kinetic_energy() {
        double e = 0;
        for (std::size_t i = 0; i < p().size(); ++i)
            e += 0.5 * double(p().mass.at(i)) * length_squared(static_cast<Vec3d>(p().v.vec(i)));
        return e;
    }
    double energy() { return kinetic_energy() + solver.elastic_energy(phases); }
    Vec3d angular_momentum() {
        Vec3d L{0, 0, 0};
        for (std::size_t i = 0; i < p().size(); ++i)
            L += double(p().mass.at(i)) * cross(p().x.vec(i), static_cast<Vec3d>(p().v.vec(i)));
        return L;
    }
    Vec3d momentum() {
        Vec3d P{0, 0, 0};
        for (std::size_t i = 0; i < p().size(); ++i)
            P += double(p().mass.at(i)) * static_cast<Vec3d>(p().v.vec(i));
        return P;
    }
};

}  // namespace knead::point_test
