#include "knead/sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "knead/base/error.h"
#include "knead/sim/failure.h"
#include "knead/sim/pacing.h"
#include "knead/sim/streams.h"

namespace knead {

namespace {

template <class Real>
class Runner {
public:
    Runner(const Model& model, State<Real> state, Solver<Real>& solver, const RunFolder& folder,
           const RunOptions& options, RunObserver& observer)
        : model_(model),
          solver_(solver),
          options_(options),
          observer_(observer),
          state_(std::move(state)),
          record_(model, state_, solver, folder, options, observer) {}

    RunOutcome from_the_start() {
        return guarded([&] {
            state_.frame_start = state_.time;
            begin_counting(model_, state_);
            announce();
            record_.clock().frame_begins();
            record_.add_frame(state_, measure(state_, solver_), dt_);
            record_.save(state_, nullptr);
            return loop(false);
        });
    }

    RunOutcome from_checkpoint(const std::string& file, std::optional<State<Real>> frame_start) {
        record_.checkpoints().resumed_at(file, state_.frame);
        return guarded([&] {
            announce();
            record_.resume_at(state_);
            const bool midway = frame_start.has_value();
            if (midway) record_.start().keep(std::move(*frame_start));
            return loop(midway);
        });
    }

private:
    void announce() {
        solver_.prepare(state_);
        record_.start().keep(state_);
        observer_.started(preflight(model_, state_, solver_));
    }

    RunOutcome loop(bool midway) {
        record_.report(state_, "running");
        record_.clock().first_frame_begins();
        while (state_.frame < options_.frames) {
            if (!midway) record_.begin_frame(state_);
            midway = false;
            if (!take_frame()) return stop();
            finish_frame();
            if (stops_after_frame_ && state_.frame < options_.frames) return stop();
        }
        record_.checkpoints().with_advice([&] { record_.write_all(state_); });
        if (record_.checkpoints().last_frame() != state_.frame) record_.save(state_, nullptr);
        record_.report(state_, "finished");
        return outcome(true);
    }

    // Substeps to the end of the frame; false: a stop was asked for on the way.
    bool take_frame() {
        for (;;) {
            // A roll-back may lead to the frame before.
            const double end = (state_.frame + 1) / model_.time.frame_rate;
            StepReport step = take_substep(end);
            const bool ended = state_.time >= end;
            if (step.ok) observer_.substep(record_.progress(state_, dt_, end));
            if (step.ok && !ended && record_.frame_is_written()) step = finish_writing();
            if (!step.ok) {
                roll_back(step);
                continue;
            }
            if (ended) return true;
            if (stop_wanted()) return false;
            if (record_.checkpoints().is_overdue()) save_midway();
        }
    }

    StepReport take_substep(double end) {
        const StepReport exchanged = exchange();
        if (!exchanged.ok) return exchanged;
        const DtLimit limit = next_limit();
        if (std::isnan(limit.dt)) return {false, "time step", limit.reason + ": not a number", -1};
        const double wait = next_exchange() - state_.time;
        const Pace pace = pace_of(limit.dt, end - state_.time, wait);
        dt_ = pace.dt;
        std::int64_t taken = 0;
        const StepReport step = advance(pace, taken);
        if (!step.ok) return step;
        warn_once(step.what);
        for (std::int64_t k = 0; k < taken; ++k) state_.time += pace.dt;
        if (pace.last) state_.time = end;
        state_.step += taken;
        return pace.last ? end_frame() : step;
    }

    DtLimit next_limit() {
        try {
            return least_limit(model_, state_, solver_);
        } catch (const RunError& error) {
            give_up(error.what());
        }
    }

    // A solver that cannot go on, as when its memory is full, leaves the frame's start behind.
    StepReport advance(const Pace& pace, std::int64_t& taken) {
        try {
            return solver_.advance_some(state_, pace.dt, pace.most, taken);
        } catch (const RunError& error) {
            give_up(now() + error.what());
        }
    }

    // What a step that went well has to say nevertheless.
    void warn_once(const std::string& text) {
        if (text.empty() || !warned_.insert(text).second) return;
        observer_.trouble(now() + text);
    }

    double next_exchange() const {
        return std::min(next_emission(model_, state_), next_flow(model_, state_));
    }

    // Matter that comes and goes.
    StepReport exchange() {
        if (state_.time < next_exchange()) return {};
        const StepReport arrived = finish_writing();
        if (!arrived.ok) return arrived;
        solver_.fetch(state_);
        const Exchange copies = emit_due(model_, state_), streams = flow_due(model_, state_);
        warn_once(copies.blocked);
        warn_once(streams.blocked);
        if (copies.changed || streams.changed) solver_.prepare(state_);
        return {};
    }

    // The frame is complete. Particles that live elsewhere are read while the next one runs, unless
    // they are needed at once.
    StepReport end_frame() {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) return arrived;
        saves_after_frame_ = record_.checkpoints().is_due();
        stops_after_frame_ = stop_wanted();
        const bool is_last = state_.frame + 1 >= options_.frames;
        const bool remembered =
            !is_last && !saves_after_frame_ && !stops_after_frame_ && solver_.take_snapshot(state_);
        record_.solver_remembers(remembered);
        pending_ = {};
        if (remembered) return {};
        solver_.fetch(state_);
        pending_ = measure(state_, solver_);
        return check_numbers(pending_, state_);
    }

    void finish_frame() {
        ++state_.frame;
        record_.start().frame_ends(state_);
        state_.dt_scale = std::min(1.0, 2 * state_.dt_scale);
        pending_.frame = state_.frame;
        pending_.seconds = record_.clock().frame_seconds();
        record_.add_frame(state_, pending_, dt_);
        if (saves_after_frame_) record_.save(state_, nullptr);
    }

    void roll_back(StepReport step) {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) step = arrived;  // the frame before is what failed
        const FrameStart<Real>& start = record_.start();
        const std::string what = fmt::format(
            "frame {}, {:.6g} s, stage {}{}: {}", start.state().frame + 1, state_.time, step.stage,
            step.particle >= 0 ? fmt::format(", particle {}", step.particle) : "", step.what);
        if (!start.may_return(state_))
            give_up(fmt::format("{}; {} roll-backs down to steps of {:.3g} s did not help", what,
                                FrameStart<Real>::most_returns, dt_));
        start.return_to(state_);
        solver_.prepare(state_);
        observer_.trouble(fmt::format("{}; back to the frame's start with steps 1/{:.0f} as long",
                                      what, 1 / state_.dt_scale));
    }

    // Leaves the frame's start as a checkpoint and ends the run.
    [[noreturn]] void give_up(const std::string& what) {
        finish_writing();
        state_ = record_.start().state();
        solver_.prepare(state_);
        if (record_.checkpoints().last_frame() != state_.frame) record_.save(state_, nullptr);
        throw RunError(what + "; " + record_.checkpoints().where_to_resume());
    }

    StepReport finish_writing() { return record_.finish_writing(state_); }

    void save_midway() {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) roll_back(arrived);
        record_.save_midway(state_);
    }

    bool stop_wanted() const { return options_.stop && *options_.stop; }

    // A checkpoint of this very moment, with the frame's start where one is in progress.
    RunOutcome stop() {
        save_midway();
        record_.report(state_, "stopped");
        return outcome(false);
    }

    // A run that fails says so in its report, too, and says how to go on.
    template <class Work>
    RunOutcome guarded(const Work& work) {
        try {
            return work();
        } catch (...) {
            const Failure failure = failure_in_flight();
            if (!failure.is_told) fail(now() + failure.what);
            record_.report_failure(state_, failure.what);
            throw;
        }
    }

    [[noreturn]] void fail(const std::string& what) {
        record_.save_what_can_be_saved(state_);
        const std::string all = what + "; " + record_.checkpoints().where_to_resume();
        record_.report_failure(state_, all);
        throw RunError(all);
    }

    std::string now() const {
        return fmt::format("frame {}, {:.6g} s: ", state_.frame + 1, state_.time);
    }

    RunOutcome outcome(bool finished) {
        return {finished,
                state_.frame,
                state_.time,
                state_.step,
                record_.clock().seconds(),
                record_.checkpoints().last()};
    }

    const Model& model_;
    Solver<Real>& solver_;
    const RunOptions& options_;
    RunObserver& observer_;
    State<Real> state_;
    RunRecord<Real> record_;
    double dt_ = 0;                   // the last one
    bool saves_after_frame_ = false;  // a checkpoint is due
    bool stops_after_frame_ = false;  // the run is to stop
    std::set<std::string> warned_;    // once each
    FrameStatistics pending_;         // of the frame that was just completed
};

}  // namespace

template <class Real>
RunOutcome run(const Model& model, State<Real> state, Solver<Real>& solver, const RunFolder& folder,
               const RunOptions& options, RunObserver& observer) {
    folder.create();
    Runner<Real> runner(model, std::move(state), solver, folder, options, observer);
    return runner.from_the_start();
}

template <class Real>
RunOutcome resume(const Model& model, Checkpoint<Real> checkpoint, Solver<Real>& solver,
                  const RunFolder& folder, const RunOptions& options, RunObserver& observer) {
    folder.create();
    Runner<Real> runner(model, std::move(checkpoint.state), solver, folder, options, observer);
    return runner.from_checkpoint(checkpoint.file, std::move(checkpoint.frame_start));
}

template RunOutcome run(const Model&, State<float>, Solver<float>&, const RunFolder&,
                        const RunOptions&, RunObserver&);
template RunOutcome run(const Model&, State<double>, Solver<double>&, const RunFolder&,
                        const RunOptions&, RunObserver&);
template RunOutcome resume(const Model&, Checkpoint<float>, Solver<float>&, const RunFolder&,
                           const RunOptions&, RunObserver&);
template RunOutcome resume(const Model&, Checkpoint<double>, Solver<double>&, const RunFolder&,
                           const RunOptions&, RunObserver&);

}  // namespace knead
