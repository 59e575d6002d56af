// Bodies and materials for the tests of the embedded method.
#pragma once

#include <cmath>
#include <functional>

#include "knead/points/embedded/embedded_solver.h"
#include "knead/points/embedded/start.h"
#include "points/bodies.h"

namespace knead::embedded_test {

inline Material solid(double young, double poisson, double density = 1000) {
    Material m;
    m.name = "solid";
    m.density = density;
    m.elastic.law = ElasticLaw::corotated_linear;
    m.elastic.bulk_modulus = young / (3 * (1 - 2 * poisson));
    m.elastic.shear_modulus = young / (2 * (1 + poisson));
    return m;
}
inline Material creeping(double young, double poisson, double yield, double rate) {
    Material m = solid(young, poisson);
    m.flow.rule = FlowRule::creep;
    m.flow.yield_stress = yield;
    m.flow.creep_rate = rate;
    return m;
}

// As the paper's scenes have it.
inline EmbeddedSettings damped(double viscosity = 20) {
    EmbeddedSettings s;
    s.shape_stiffness = 0.5;
    s.viscosity = viscosity;
    s.viscosity_form = ViscosityForm::laplacian;
    return s;
}

// nx x ny x nz points, `jitter` of the spacing away from a lattice whose first point is at
// `corner`; those of the top layer `ripple` spacings up and down by turns.
struct Block {
    int nx = 6, ny = 6, nz = 6;
    double spacing = 0.02;
    double jitter = 0;
    Vec3d corner{0, 0, 0};
    double ripple = 0;
};

template <class Real>
Phase<Real> make_block(const Block& b) {
    const auto place = [&](Vec3d x, int k) {
        if (k / b.nx % b.ny == b.ny - 1)
            x.y += (k + k / b.nx / b.ny) % 2 == 0 ? b.ripple : -b.ripple;
        return b.corner + b.spacing * x;
    };
    Phase<Real> phase =
        point_test::jittered_lattice<Real>({b.nx, b.ny, b.nz}, Vec3d{0, 0, 0}, b.jitter, place);
    for (std::size_t i = 0; i < phase.particles.size(); ++i)
        phase.particles.volume.at(i) = static_cast<Real>(std::pow(b.spacing, 3));
    return phase;
}

// A block, ready for its first step.
template <class Real>
struct Body {
    EmbeddedSettings settings;
    StretchLaw<Real> law;
    Phase<Real> phase;
    EmbeddedWorkspace<Real> work;

    Body(const Block& block, const Material& material, const EmbeddedSettings& s = damped())
        : settings(s), law(make_stretch_law<Real>(material)), phase(make_block<Real>(block)) {
        start_bodies(phase, law, settings, work);
        work.graph.build(phase.links);
        compute_basis(phase, law, settings.volume, work);
    }
    Particles<Real>& p() { return phase.particles; }
    std::size_t size() const { return phase.particles.size(); }
    void move(const std::function<Vec3d(const Vec3d&)>& to) {
        for (std::size_t i = 0; i < size(); ++i) p().x.set(i, to(p().x.vec(i)));
    }
    Mat3<Real> F(std::size_t i) const {
        Mat3<Real> m;
        for (int k = 0; k < 9; ++k) m[k] = work.F[k][i];
        return m;
    }
    std::size_t compute_forces(Real dt = Real(1e-3)) {
        deformation_gradient(phase, work);
        const std::size_t flowing = plastic_factor(phase, law, settings, dt, work);
        elastic_forces(phase, work);
        return flowing;
    }
    double largest_force() const {
        double f = 0;
        for (std::size_t i = 0; i < size(); ++i)
            f = std::max(f, static_cast<double>(length(to_vec(work.force[i]))));
        return f;
    }
};

// Without what we add to the method: the oracles' own numbers.
inline EmbeddedSettings as_in_the_paper(EmbeddedSettings s) {
    s.settling = 0;
    s.shape_stiffness = 0;
    return s;
}

// A random smooth deformation about the identity.
inline Vec3d wave(const Vec3d& x, double size) {
    return x + size * Vec3d{std::sin(31 * x.y + 17 * x.z), std::sin(23 * x.x - 29 * x.z),
                            std::cos(19 * x.x + 37 * x.y)};
}

// The whole solver over a few seconds.
struct Course {
    EmbeddedSolver<double> solver;
    Scenery scenery;
    std::vector<RigidState> rigid;
    std::vector<Phase<double>> phases;
    StepMemory memory;
    std::int64_t next_id = 1 << 20;
    std::map<std::string, double> totals;
    double time = 0, gap = 0;  // gap: between obstacles and the middles of particles
    std::int64_t step = 0;

    Course(const EmbeddedSettings& settings, const Material& material, const Block& block,
           std::vector<Collider> colliders = {}, const Vec3d& gravity = {0, 0, 0})
        : solver(settings, {material}),
          scenery{std::move(colliders), {}, {}, gravity},
          phases{make_block<double>(block)} {
        solver.prepare(phases);
        stick_at_start(scenery.colliders, 0, block.spacing, phases);
    }
    Particles<double>& p() { return phases[0].particles; }
    StepReport take(double dt) {
        Surroundings surroundings(scenery, rigid, time, dt, gap);
        const StepReport r =
            solver.advance(phases, memory, surroundings, dt, {1, step, next_id, totals});
        surroundings.finish();
        time += dt;
        ++step;
        return r;
    }
    // A step of at most dt, as short as the solver asks.
    double allowed(double dt) {
        for (const DtLimit& limit : solver.dt_limits(phases, memory)) dt = std::min(dt, limit.dt);
        return dt;
    }
    bool go(double until, double dt) {
        while (time < until - dt / 2)
            if (!take(dt).ok) return false;
        return true;
    }
    // Row of a particle by its id.
    std::size_t row(std::int64_t id) {
        for (std::size_t i = 0; i < p().size(); ++i)
            if (p().id.at(i) == id) return i;
        return p().size();
    }
};

// Row of the particle nearest to a place of a lattice with a spacing of 0.02.
inline std::size_t at(Body<double>& body, const Vec3d& cell) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < body.size(); ++i)
        if (length(body.p().x.vec(i) - 0.02 * cell) < length(body.p().x.vec(best) - 0.02 * cell))
            best = i;
    return best;
}

}  // namespace knead::embedded_test
