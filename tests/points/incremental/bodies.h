// Settings and runs for the tests of the incremental method.
#pragma once

#include "knead/points/incremental/incremental_solver.h"
#include "points/bodies.h"

namespace knead::incremental_test {

using namespace point_test;

// Increments by the kernel alone, without pressure and viscosity, unless a test asks for them.
inline IncrementalSettings plain_settings() {
    IncrementalSettings s;
    s.memory = DeformationMemory::increments;
    s.pressure = s.viscosity = s.force_by_fit = 0;
    s.viscosity_form = ViscosityForm::laplacian;
    return s;
}
inline IncrementalSettings settings_for(const Block& b) {
    IncrementalSettings s = plain_settings();
    s.spacing = b.spacing;
    return s;
}

template <class Real>
using Trial = PointTrial<Real, IncrementalSolver, IncrementalSettings>;

// The stages by hand: places, lists and forces of a body.
template <class Real>
struct Stages {
    IncrementalSettings settings;
    StretchLaw<Real> law;
    std::vector<Phase<Real>> phases;
    IncrementalWorkspace<Real> work;

    Stages(const IncrementalSettings& s, const Material& material, Phase<Real> phase)
        : settings(s), law(make_stretch_law<Real>(material)) {
        phases.push_back(std::move(phase));
        IncrementalSolver<Real>(s, {material}).prepare(phases);
        find();
    }
    Particles<Real>& p() { return phases[0].particles; }
    void find() {
        const double h = settings.support * settings.spacing;
        work.load(settings, phases);
        work.lists.update(work.start, work.place, h, static_cast<std::size_t>(settings.neighbours));
    }
    std::vector<Vec3d> forces() {
        find();
        survey();
        work.set_viscosity({settings.viscosity});
        pair_forces(settings, work);
        std::vector<Vec3d> f(p().size());
        for (std::size_t i = 0; i < f.size(); ++i)
            f[i] = {double(work.force[4 * i]), double(work.force[4 * i + 1]),
                    double(work.force[4 * i + 2])};
        return f;
    }
    // What a step knows before forces.
    void survey() {
        sum_neighbours(settings, phases, work);
        compute_stress(settings, law, phases[0], 0, work);
    }
    // Moves every particle and composes what neighbours see of it.
    void move(const std::function<Vec3d(const Vec3d&)>& to, double dt = 1e-3) {
        find();
        survey();
        work.move.resize(4 * work.size());
        for (std::size_t i = 0; i < p().size(); ++i) {
            const Vec3d x = p().x.vec(i), y = to(x);
            for (int a = 0; a < 3; ++a)
                work.move[4 * i + static_cast<std::size_t>(a)] = static_cast<Real>(y[a] - x[a]);
            p().x.set(i, y);
        }
        fit_increment(settings, work);
        compose_and_flow(settings, law, phases[0], 0, dt, work);
    }
};

inline Mat3d random_rotation(std::uint64_t key) {
    Mat3d m;
    for (int k = 0; k < 9; ++k) m[k] = random_unit(key, static_cast<std::uint64_t>(k)) - 0.5;
    return polar_rotation(m);
}

}  // namespace knead::incremental_test
