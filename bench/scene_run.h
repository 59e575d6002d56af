// A scene's matter that the grid method steps, for benchmarks.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"
#include "knead/sim/make_solver.h"

namespace knead::bench {

class SceneRun {
public:
    explicit SceneRun(const std::string& text)
        : built_(build_model<float>(read_scene_text(text, "bench"))),
          solver_(make_solver<float>(built_.model, Backend::cpu)) {
        solver_->prepare(built_.state);
    }
    // One step of at most dt, with the question that the run loop asks before each.
    void step(double dt) {
        State<float>& state = built_.state;
        for (const DtLimit& limit : solver_->dt_limits(state)) dt = std::min(dt, limit.dt);
        const StepReport report = solver_->advance(state, dt);
        if (!report.ok) throw std::runtime_error("bench: " + report.what);
        state.time += dt;
        ++state.step;
    }
    State<float>& state() { return built_.state; }
    const State<float>& state() const { return built_.state; }
    Solver<float>& solver() const { return *solver_; }

private:
    Built<float> built_;
    std::unique_ptr<Solver<float>> solver_;
};

// Wall-clock seconds that some work takes.
template <class Work>
double seconds_of(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace knead::bench
