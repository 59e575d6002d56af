// What the run loop knows of a method. It asks for limits and steps; it knows no physics. A solver
// knows no frames, files or options.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "knead/base/step_report.h"
#include "knead/sim/model.h"
#include "knead/sim/state.h"

namespace knead {

template <class Real>
class Solver {
public:
    virtual ~Solver() = default;

    // Completes a freshly built state (columns the method needs, volumes, stress). A state from a
    // checkpoint or a roll-back is complete already: only scratch made for another state is
    // dropped.
    virtual void prepare(State<Real>& state) = 0;
    // Every limit on the next step; the run takes the least.
    virtual std::vector<DtLimit> dt_limits(const State<Real>& state) = 0;
    // Advances particles from state.time by dt. The run loop keeps time and step counts.
    virtual StepReport advance(State<Real>& state, double dt) = 0;
    // The same for up to `most` steps of dt in a row; says how many were taken, at least one. A
    // solver whose particles live elsewhere takes many before it reports.
    virtual StepReport advance_some(State<Real>& state, double dt, std::int64_t most,
                                    std::int64_t& taken) {
        taken = most > 0 ? 1 : 0;
        return advance(state, dt);
    }
    // Stops what runs on the face of a collider (Motion::belt), or lets it run.
    virtual void hold_belt(std::size_t /*collider*/, bool /*held*/) {}
    // Brings state.phases up to date, where steps leave them behind.
    virtual void fetch(State<Real>&) {}
    // Where particles live elsewhere, remembers them as they are now, so that they can be read
    // while steps go on; false: they have to be fetched.
    virtual bool take_snapshot(State<Real>&) { return false; }
    // Brings what was remembered to `to`. The phases of `state` must not change meanwhile, but
    // other threads may take steps.
    virtual void read_snapshot(const State<Real>&, State<Real>&) {}
    // A particle's own angular momentum is its mass times this times the axis of C - C^T, besides
    // that of its velocity [m^2]; 0 without affine motion.  [Jiang 2015]
    virtual double affine_inertia() const { return 0; }
    // Stored elastic energy [J].
    virtual double elastic_energy(const State<Real>& state) const = 0;
    // The method's own quantities for the statistics: name and value. They follow from the state
    // alone (running sums live in State::totals), so that a resumed run reports the same numbers.
    virtual std::vector<std::pair<std::string, double>> statistics(const State<Real>&) const {
        return {};
    }
    // Seconds spent in each stage since the start.
    virtual std::vector<std::pair<std::string, double>> timings() const { return {}; }
    // Scratch memory held [bytes].
    virtual std::size_t workspace_bytes() const { return 0; }
};

}  // namespace knead
