// Small bodies for tests of the grid solver.
#pragma once

#include <functional>

#include "knead/materials/presets.h"
#include "knead/mpm/mpm_solver.h"
#include "knead/parallel/exec.h"

namespace knead::testing {

// Points of a lattice of spacing dx / 2 that lie inside; at rest, in one phase.
template <class Real>
Phase<Real> lattice_body(double dx, const Vec3i& lo, const Vec3i& hi, double density,
                         const std::function<bool(const Vec3d&)>& inside) {
    std::vector<Vec3d> points;
    for (int i = lo.x; i < hi.x; ++i)
        for (int j = lo.y; j < hi.y; ++j)
            for (int k = lo.z; k < hi.z; ++k) {
                const Vec3d x{(i + 0.5) * dx / 2, (j + 0.5) * dx / 2, (k + 0.5) * dx / 2};
                if (inside(x)) points.push_back(x);
            }
    Phase<Real> phase;
    Particles<Real>& p = phase.particles;
    p.id.create(points.size());
    p.parent.create(points.size(), -1);
    p.body.create(points.size());
    p.x.create(points.size());
    p.v.create(points.size());
    p.mass.create(points.size(), static_cast<Real>(density * dx * dx * dx / 8));
    p.volume.create(points.size(), static_cast<Real>(dx * dx * dx / 8));
    for (std::size_t i = 0; i < points.size(); ++i) {
        p.id.at(i) = static_cast<std::int64_t>(i);
        p.x.set(i, points[i]);
    }
    return phase;
}

template <class Real>
Phase<Real> cube_body(double dx, int cells, double density) {
    const int n = 2 * cells;
    return lattice_body<Real>(dx, {0, 0, 0}, {n, n, n}, density, [](const Vec3d&) { return true; });
}

// A solver with its particles, ready to step.
template <class Real>
struct Simulation {
    MpmSolver<Real> solver;
    std::vector<Phase<Real>> phases;
    StepMemory memory;
    double time = 0;
    std::int64_t steps = 0, next_id = 1000000;
    std::uint64_t seed = 1;
    std::map<std::string, double> totals;

    Simulation(const MpmSettings& settings, const std::vector<Material>& materials,
               const std::vector<Collider>& colliders, const Vec3d& gravity,
               std::vector<Phase<Real>> start)
        : solver(settings, materials, colliders, gravity), phases(std::move(start)) {
        solver.prepare(phases, memory);
    }
    double stable_dt() {
        double dt = 1;
        for (const DtLimit& limit : solver.dt_limits(phases, memory, time))
            dt = std::min(dt, limit.dt);
        return dt;
    }
    StepReport step(double dt) {
        const StepReport report =
            solver.advance(phases, memory, time, dt, {seed, steps++, next_id, totals});
        time += dt;
        return report;
    }
    bool run_to(double end) {
        while (time < end * (1 - 1e-12))
            if (!step(std::min(stable_dt(), end - time)).ok) return false;
        return true;
    }
    // Sums over particles, in double.
    template <class Value>
    auto total(const Value& value) const {
        auto sum = 0.0 * value(phases[0].particles, std::size_t{0});
        for (const auto& phase : phases)
            for (std::size_t i = 0; i < phase.particles.size(); ++i)
                sum = sum + value(phase.particles, i);
        return sum;
    }
    Vec3d momentum() const {
        return total([](const Particles<Real>& p, std::size_t i) {
            return static_cast<double>(p.mass.at(i)) * static_cast<Vec3d>(p.v.vec(i));
        });
    }
    double mass() const {
        return total([](const Particles<Real>& p, std::size_t i) { return double(p.mass.at(i)); });
    }
    Vec3d center() const {
        return total([](const Particles<Real>& p, std::size_t i) {
                   return static_cast<double>(p.mass.at(i)) * p.x.vec(i);
               }) /
               mass();
    }
};

inline MpmSettings settings_of(double dx, int kernel, Transfer transfer) {
    MpmSettings s;
    s.dx = dx;
    s.kernel = kernel;
    s.transfer = transfer;
    return s;
}

inline Material elastic_material(double density, double young, double poisson) {
    Material m;
    m.name = "test";
    m.density = density;
    m.elastic.law = ElasticLaw::fixed_corotated;
    m.elastic.shear_modulus = young / (2 * (1 + poisson));
    m.elastic.bulk_modulus = young / (3 * (1 - 2 * poisson));
    return m;
}

}  // namespace knead::testing
