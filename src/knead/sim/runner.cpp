#include "knead/sim/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "knead/base/error.h"
#include "knead/sim/failure.h"
#include "knead/sim/streams.h"

namespace knead {

template <class Real>
Runner<Real>::Runner(const Model& model, State<Real> state, Solver<Real>& solver,
                     const RunFolder& folder, const RunOptions& options, RunObserver& observer)
    : model_(model),
      solver_(solver),
      options_(options),
      observer_(observer),
      state_(std::move(state)),
      record_(model, state_, solver, folder, options, observer) {}

template <class Real>
void Runner<Real>::begin() {
    guarded([&] {
        state_.frame_start = state_.time;
        begin_counting(model_, state_);
        announce();
        record_.clock().frame_begins();
        pending_ = measure(state_, solver_);
        record_.add_frame(state_, pending_, dt_);
        record_.save(state_, nullptr);
        record_.report(state_, "running");
        record_.clock().first_frame_begins();
    });
}

template <class Real>
void Runner<Real>::begin_at(const std::string& file, std::optional<State<Real>> frame_start) {
    record_.checkpoints().resumed_at(file, state_.frame);
    guarded([&] {
        announce();
        record_.resume_at(state_);
        pending_ = measure(state_, solver_);
        in_frame_ = frame_start.has_value();
        if (in_frame_) record_.start().keep(std::move(*frame_start));
        record_.report(state_, "running");
        record_.clock().first_frame_begins();
    });
}

template <class Real>
void Runner<Real>::announce() {
    const Preflight cost = preflight(model_, state_, solver_);
    record_.start().keep(state_);
    observer_.started(cost);
}

template <class Real>
RunOutcome Runner<Real>::advance_to_the_end() {
    while (state_.frame < options_.frames) {
        const bool ended = advance();
        const bool stops =
            ended ? stops_after_frame_ && state_.frame < options_.frames : stop_wanted();
        if (stops) return stop();
    }
    return conclude();
}

template <class Real>
RunOutcome Runner<Real>::conclude() {
    return guarded([&] {
        record_.checkpoints().with_advice([&] { record_.write_all(state_); });
        if (record_.checkpoints().last_frame() != state_.frame) record_.save(state_, nullptr);
        record_.report(state_, "finished");
        return outcome(true);
    });
}

// A checkpoint of this very moment, with the frame's start where one is in progress.
template <class Real>
RunOutcome Runner<Real>::stop() {
    return guarded([&] {
        save_midway();
        record_.report(state_, "stopped");
        return outcome(false);
    });
}

template <class Real>
bool Runner<Real>::advance() {
    return guarded([&] {
        if (!in_frame_) record_.begin_frame(state_);
        in_frame_ = true;
        return take_substeps();
    });
}

template <class Real>
void Runner<Real>::write_frames() {
    guarded([&] {
        if (!in_frame_) record_.write_all(state_);
    });
}

// One that stays, after those that are taken again.
template <class Real>
bool Runner<Real>::take_substeps() {
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
        if (ended) finish_frame();
        if (!ended && !stop_wanted() && record_.checkpoints().is_overdue()) save_midway();
        return ended;
    }
}

template <class Real>
StepReport Runner<Real>::take_substep(double end) {
    const StepReport exchanged = exchange();
    if (!exchanged.ok) return exchanged;
    hold_drives();
    const DtLimit limit = next_limit();
    if (std::isnan(limit.dt)) return {false, "time step", limit.reason + ": not a number", -1};
    const double wait = next_exchange() - state_.time;
    const Pace pace = pace_of(limit.dt, end - state_.time, wait);
    dt_ = pace.dt;
    if (push_) push_(state_, pace.dt);
    std::int64_t taken = 0;
    const StepReport step = advance(pace, taken);
    if (!step.ok) return step;
    warn_once(step.what);
    for (std::int64_t k = 0; k < taken; ++k) state_.time += pace.dt;
    if (pace.last) state_.time = end;
    state_.step += taken;
    return pace.last ? end_frame() : step;
}

template <class Real>
DtLimit Runner<Real>::next_limit() {
    try {
        return least_limit(model_, state_, solver_);
    } catch (const RunError& error) {
        give_up(error.what());
    }
}

// A solver that cannot go on, as when its memory is full, leaves the frame's start behind.
template <class Real>
StepReport Runner<Real>::advance(const Pace& pace, std::int64_t& taken) {
    try {
        return solver_.advance_some(state_, pace.dt, pace.most, taken);
    } catch (const RunError& error) {
        give_up(now() + error.what());
    }
}

// What a step that went well has to say nevertheless.
template <class Real>
void Runner<Real>::warn_once(const std::string& text, const std::string& where) {
    if (text.empty() || !warned_.insert(text).second) return;
    observer_.trouble(now() + text + where);
}

template <class Real>
double Runner<Real>::next_exchange() const {
    return std::min(next_emission(model_, state_), next_flow(model_, state_));
}

// Those of streams that matter presses back stand still.
template <class Real>
void Runner<Real>::hold_drives() {
    for (std::size_t n = 0; n < state_.streams.size(); ++n)
        if (model_.streams[n].wall != Stream::none)
            solver_.hold_belt(model_.streams[n].wall, state_.streams[n].held > 0);
}

// Matter that comes and goes.
template <class Real>
StepReport Runner<Real>::exchange() {
    if (state_.time < next_exchange()) return {};
    const StepReport arrived = finish_writing();
    if (!arrived.ok) return arrived;
    solver_.fetch(state_);
    const Exchange copies = emit_due(model_, state_), streams = flow_due(model_, state_);
    warn_once(copies.blocked);
    warn_once(streams.blocked, streams.where);
    if (copies.changed || streams.changed) solver_.prepare(state_);
    return {};
}

// The frame is complete. Particles that live elsewhere are read while the next one runs, unless
// they are needed at once.
template <class Real>
StepReport Runner<Real>::end_frame() {
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

template <class Real>
void Runner<Real>::finish_frame() {
    in_frame_ = false;
    ++state_.frame;
    record_.start().frame_ends(state_);
    state_.dt_scale = std::min(1.0, 2 * state_.dt_scale);
    pending_.frame = state_.frame;
    pending_.seconds = record_.clock().frame_seconds();
    record_.add_frame(state_, pending_, dt_);
    if (saves_after_frame_) record_.save(state_, nullptr);
}

template <class Real>
void Runner<Real>::roll_back(StepReport step) {
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
    observer_.trouble(fmt::format("{}; back to the frame's start with steps 1/{:.0f} as long", what,
                                  1 / state_.dt_scale));
}

// Leaves the frame's start as a checkpoint and ends the run.
template <class Real>
void Runner<Real>::give_up(const std::string& what) {
    finish_writing();
    state_ = record_.start().state();
    solver_.prepare(state_);
    if (record_.checkpoints().last_frame() != state_.frame) record_.save(state_, nullptr);
    throw RunError(what + "; " + record_.checkpoints().where_to_resume());
}

template <class Real>
void Runner<Real>::save_midway() {
    const StepReport arrived = finish_writing();
    if (!arrived.ok) roll_back(arrived);
    record_.save_midway(state_);
}

// A run that fails says so in its report, too, and says how to go on.
template <class Real>
template <class Work>
auto Runner<Real>::guarded(const Work& work) {
    try {
        return work();
    } catch (...) {
        const Failure failure = failure_in_flight();
        if (!failure.is_told) fail(now() + failure.what);
        record_.report_failure(state_, failure.what);
        throw;
    }
}

template <class Real>
void Runner<Real>::fail(const std::string& what) {
    record_.save_what_can_be_saved(state_);
    const std::string all = what + "; " + record_.checkpoints().where_to_resume();
    record_.report_failure(state_, all);
    throw RunError(all);
}

template <class Real>
std::string Runner<Real>::now() const {
    return fmt::format("frame {}, {:.6g} s: ", state_.frame + 1, state_.time);
}

template <class Real>
RunOutcome Runner<Real>::outcome(bool finished) {
    return {finished,
            state_.frame,
            state_.time,
            state_.step,
            record_.clock().seconds(),
            record_.checkpoints().last()};
}

template class Runner<float>;
template class Runner<double>;

}  // namespace knead
