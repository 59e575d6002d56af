// Scenes of sheets and curves that run by themselves, step by step.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/make_solver.h"
#include "knead/sim/statistics.h"

namespace knead::test {

template <class Real>
struct Thin {
    Built<Real> built;
    std::unique_ptr<Solver<Real>> solver;

    explicit Thin(const std::string& text)
        : built(build_model<Real>(read_scene_text(text, "thin.toml"))),
          solver(make_solver<Real>(built.model, Backend::cpu)) {
        solver->prepare(built.state);
    }
    State<Real>& state() { return built.state; }

    // Steps of dt, or shorter where the solver asks; false where one fails.
    bool run(double until, double dt) {
        State<Real>& s = built.state;
        while (s.time < until - 1e-12) {
            double step = std::min(dt, until - s.time);
            for (const DtLimit& limit : solver->dt_limits(s)) step = std::min(step, limit.dt);
            const StepReport report = solver->advance(s, step);
            if (!report.ok) return false;
            s.time += step;
            ++s.step;
        }
        return true;
    }
    FrameStatistics statistics() { return measure(built.state, *solver); }
    double extra(const std::string& name) {
        for (const auto& [key, value] : statistics().extra)
            if (key == name) return value;
        ADD_FAILURE() << "no statistic " << name;
        return 0;
    }
    Particles<Real>& vertices() {
        for (auto& phase : built.state.phases)
            if (phase.kind == PhaseKind::vertices) return phase.particles;
        throw std::logic_error("no vertices");
    }
};

inline std::string scene(const std::string& dx, const std::string& rest) {
    return "gravity = [0, -9.8, 0]\n[solver]\ndx = " + dx + "\n" + rest;
}

inline const std::string cloth =
    "[materials.cloth]\ndensity = 2\nelastic = {law = \"thin\", young_modulus = 400, "
    "poisson_ratio = 0.3}\n";

}  // namespace knead::test
