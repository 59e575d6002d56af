// Bodies and runs for the tests of the implicit method.
#pragma once

#include <functional>

#include "knead/base/random.h"
#include "knead/geometry/sdf_build.h"
#include "knead/materials/parameters.h"
#include "knead/math/polar.h"
#include "knead/points/implicit/implicit_solver.h"

namespace knead::implicit_test {

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

template <class Real>
Phase<Real> make_block(const Block& b) {
    Phase<Real> phase;
    Particles<Real>& p = phase.particles;
    const auto n = static_cast<std::size_t>(b.nx * b.ny * b.nz);
    const double volume = b.spacing * b.spacing * b.spacing;
    p.id.create(n), p.parent.create(n, -1), p.body.create(n), p.x.create(n), p.v.create(n);
    p.volume.create(n, static_cast<Real>(volume));
    p.mass.create(n, static_cast<Real>(b.density * volume));
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<int>(i);
        Vec3d x{k % b.nx - 0.5 * (b.nx - 1), k / b.nx % b.ny - 0.5 * (b.ny - 1),
                k / b.nx / b.ny - 0.5 * (b.nz - 1)};
        for (int a = 0; a < 3; ++a)
            x[a] += b.jitter * (2 * random_unit(7, i, static_cast<std::uint64_t>(a)) - 1);
        p.id.at(i) = static_cast<std::int64_t>(i);
        p.x.set(i, b.center + b.spacing * x);
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
inline ImplicitSettings settings_for(const Block& b) {
    ImplicitSettings s;
    s.spacing = b.spacing;
    return s;
}

// A solver with its bodies, ready to step.
template <class Real>
struct Trial {
    Scenery scenery;
    std::vector<Phase<Real>> phases;
    ImplicitSolver<Real> solver;
    std::vector<RigidState> rigid;
    StepMemory memory;
    double time = 0;
    std::int64_t steps = 0, next_id = 1000000;
    std::map<std::string, double> totals;

    Trial(const ImplicitSettings& s, const Material& material, Phase<Real> phase,
          Scenery around = empty_space())
        : Trial(s, std::vector<Material>{material}, {std::move(phase)}, std::move(around)) {}
    Trial(const ImplicitSettings& s, const std::vector<Material>& materials,
          std::vector<Phase<Real>> bodies, Scenery around = empty_space())
        : scenery(std::move(around)), phases(std::move(bodies)), solver(s, materials) {
        for (std::size_t k = 0; k < phases.size(); ++k) phases[k].material = static_cast<int>(k);
        solver.prepare(phases);
        take_hold(scenery.grips, phases);
    }
    Particles<Real>& p() { return phases[0].particles; }
    ImplicitWorkspace<Real>& work() { return solver.workspace(); }
    StepReport step(double dt) {
        Surroundings surroundings(scenery, rigid, time, dt);
        const StepReport report =
            solver.advance(phases, memory, surroundings, dt, {1, steps++, next_id, totals});
        surroundings.finish();
        time += dt;
        return report;
    }
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
    Vec3d momentum() {
        Vec3d P{0, 0, 0};
        for (std::size_t i = 0; i < p().size(); ++i)
            P += double(p().mass.at(i)) * static_cast<Vec3d>(p().v.vec(i));
        return P;
    }
    Vec3d angular_momentum() {
        Vec3d L{0, 0, 0};
        for (std::size_t i = 0; i < p().size(); ++i)
            L += double(p().mass.at(i)) * cross(p().x.vec(i), static_cast<Vec3d>(p().v.vec(i)));
        return L;
    }
    // Least and largest principal stretch of all particles.
    std::pair<double, double> strains() {
        double lo = 1e9, hi = 0;
        for (std::size_t i = 0; i < p().size(); ++i) {
            const Vec3d s = svd(static_cast<Mat3d>(p().F.mat(i))).sigma;
            lo = std::min(lo, s.z), hi = std::max(hi, s.x);
        }
        return {lo, hi};
    }
    double iterations() { return totals["cg_iterations"] / std::max(totals["solves"], 1.0); }

    // The stages up to a body's fit, rotations of the shape it is in, dt = 1 in the moduli.
    void fit(const ImplicitSettings& s, double dt = 1) {
        load(s, solver.laws(), phases, work());
        find_neighbours(work());
        build_rest(s, work());
        work().delta.assign(work().size(), Lanes<Real>(Real(0)));
        freeze_rotations(dt, work());
    }
};

inline Mat3d random_rotation(std::uint64_t key) {
    Mat3d m;
    for (int k = 0; k < 9; ++k) m[k] = random_unit(key, static_cast<std::uint64_t>(k)) - 0.5;
    return polar_rotation(m);
}

}  // namespace knead::implicit_test
