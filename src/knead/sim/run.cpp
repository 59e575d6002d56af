#include "knead/sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <utility>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/sim/check_state.h"
#include "knead/sim/checkpoints.h"
#include "knead/sim/emit.h"
#include "knead/sim/frame_files.h"
#include "knead/sim/frame_info.h"
#include "knead/sim/pacing.h"
#include "knead/sim/roll_back.h"
#include "knead/sim/run_report.h"
#include "knead/sim/stats_file.h"

namespace knead {

namespace {

template <class Real>
class Runner {
public:
    Runner(const Model& model, State<Real> state, Solver<Real>& solver, const RunFolder& folder,
           const RunOptions& options, RunObserver& observer)
        : model_(model),
          solver_(solver),
          folder_(folder),
          options_(options),
          observer_(observer),
          state_(std::move(state)),
          files_(folder, solver),
          checkpoints_(folder, options.model_hash, model.output.checkpoint_seconds),
          clock_(state_.time, state_.step) {}

    RunOutcome from_the_start() {
        return guarded([&] {
            state_.frame_start = state_.time;
            solver_.prepare(state_);
            announce();
            clock_.frame_begins();
            checkpoints_.with_advice([&] {
                unwritten_ = output(measure(state_, solver_));
                save(nullptr);
            });
            return loop(false);
        });
    }

    RunOutcome from_checkpoint(std::optional<State<Real>> frame_start) {
        resumed_from_ = state_.frame;
        checkpoints_.resumed_at(state_.frame);
        return guarded([&] {
            solver_.prepare(state_);
            announce();
            checkpoints_.with_advice([&] {
                folder_.sweep();
                truncate_stats(folder_.stats(), state_.frame);
            });
            const bool midway = frame_start.has_value();
            if (midway) start_.keep(std::move(*frame_start));
            return loop(midway);
        });
    }

private:
    RunOutcome loop(bool midway) {
        checkpoints_.with_advice([&] { report("running"); });
        clock_.first_frame_begins();
        while (state_.frame < options_.frames) {
            if (!midway) begin_frame();
            midway = false;
            if (!take_frame()) return stop();
            finish_frame();
            if (stops_after_frame_ && state_.frame < options_.frames) return stop();
        }
        checkpoints_.with_advice([&] {
            write_all();
            if (checkpoints_.last_frame() != state_.frame) save(nullptr);
            report("finished");
        });
        return outcome(true);
    }

    // A copy to return to, should the frame fail; the frame before is written from it meanwhile.
    void begin_frame() {
        clock_.frame_begins();
        const std::int64_t substeps = state_.step - state_.frame_start_step;
        state_.frame_start = state_.time;
        state_.frame_start_step = state_.step;
        if (!has_snapshot_) start_.keep(state_);
        if (!unwritten_) return;
        FrameOutput output = *std::exchange(unwritten_, std::nullopt);
        if (has_snapshot_)
            files_.read_beside(std::move(output), state_, start_.next(state_), substeps);
        else
            files_.write_beside(std::move(output), start_.state());
    }

    // Substeps to the end of the frame; false: a stop was asked for on the way.
    bool take_frame() {
        for (;;) {
            // A roll-back may lead to the frame before.
            const double end = (state_.frame + 1) / model_.time.frame_rate;
            StepReport step = take_substep(end);
            const bool ended = state_.time >= end;
            if (step.ok) observer_.substep(progress(end));
            if (step.ok && !ended && files_.is_done()) step = finish_writing();
            if (!step.ok) {
                roll_back(step);
                continue;
            }
            if (ended) return true;
            if (stop_wanted()) return false;
            if (checkpoints_.is_overdue()) save_midway();
        }
    }

    StepReport take_substep(double end) {
        const StepReport emitted = emit();
        if (!emitted.ok) return emitted;
        const DtLimit limit = next_limit();
        if (std::isnan(limit.dt)) return {false, "time step", limit.reason + ": not a number", -1};
        const double wait = next_emission(model_, state_) - state_.time;
        const Pace pace = pace_of(limit.dt, end - state_.time, wait);
        dt_ = pace.dt;
        std::int64_t taken = 0;
        const StepReport step = advance(pace, taken);
        if (!step.ok) return step;
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

    StepReport emit() {
        if (state_.time < next_emission(model_, state_)) return {};
        const StepReport arrived = finish_writing();
        if (!arrived.ok) return arrived;
        solver_.fetch(state_);
        if (emit_due(model_, state_)) solver_.prepare(state_);
        return {};
    }

    // The frame is complete. Particles that live elsewhere are read while the next one runs, unless
    // they are needed at once.
    StepReport end_frame() {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) return arrived;
        saves_after_frame_ = checkpoints_.is_due();
        stops_after_frame_ = stop_wanted();
        const bool is_last = state_.frame + 1 >= options_.frames;
        has_snapshot_ =
            !is_last && !saves_after_frame_ && !stops_after_frame_ && solver_.take_snapshot(state_);
        pending_ = {};
        if (has_snapshot_) return {};
        solver_.fetch(state_);
        pending_ = measure(state_, solver_);
        return check_numbers(pending_, state_);
    }

    void finish_frame() {
        ++state_.frame;
        start_.frame_ends(state_);
        state_.dt_scale = std::min(1.0, 2 * state_.dt_scale);
        pending_.frame = state_.frame;
        pending_.seconds = clock_.frame_seconds();
        unwritten_ = output(pending_);
        if (saves_after_frame_) checkpoints_.with_advice([&] { save(nullptr); });
    }

    void roll_back(StepReport step) {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) step = arrived;  // the frame before is what failed
        const std::string what = fmt::format(
            "frame {}, {:.6g} s, stage {}{}: {}", start_.state().frame + 1, state_.time, step.stage,
            step.particle >= 0 ? fmt::format(", particle {}", step.particle) : "", step.what);
        if (!start_.may_return(state_))
            give_up(fmt::format("{}; {} roll-backs down to steps of {:.3g} s did not help", what,
                                FrameStart<Real>::most_returns, dt_));
        start_.return_to(state_);
        solver_.prepare(state_);
        observer_.trouble(fmt::format("{}; back to the frame's start with steps 1/{:.0f} as long",
                                      what, 1 / state_.dt_scale));
    }

    // Leaves the frame's start as a checkpoint and ends the run.
    [[noreturn]] void give_up(const std::string& what) {
        finish_writing();
        state_ = start_.state();
        solver_.prepare(state_);
        if (checkpoints_.last_frame() != state_.frame)
            checkpoints_.with_advice([&] { save(nullptr); });
        throw RunError(what + "; " + checkpoints_.where_to_resume());
    }

    // Waits for the frame that is being written, and says so. One that was read meanwhile may turn
    // out to have failed.
    StepReport finish_writing() {
        if (!files_.is_busy()) return {};
        has_snapshot_ = false;
        StepReport report;
        checkpoints_.with_advice([&] { report = files_.finish(); });
        if (!report.ok) {
            start_.last_frame_broke(state_);
            return report;
        }
        if (files_.finished_one_that_was_read()) start_.next_has_arrived();
        observer_.frame(files_.finished().row, files_.finished().progress);
        return report;
    }

    // Nothing is left to write after this.
    void write_all() {
        finish_writing();
        if (!unwritten_) return;
        files_.write(*unwritten_, state_);
        observer_.frame(unwritten_->row, unwritten_->progress);
        unwritten_.reset();
    }

    FrameOutput output(const FrameStatistics& row) const {
        Progress p = progress(state_.time);
        p.frame_share = 0;  // of the next frame
        return {frame_info(model_, state_), row, p};
    }

    // A checkpoint is never ahead of the frames.
    void save(const State<Real>* frame_start) {
        write_all();
        solver_.fetch(state_);
        checkpoints_.save(state_, frame_start);
        report("running");
    }

    // With the start of the frame in progress, which must have arrived.
    void save_midway() {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) roll_back(arrived);
        const bool midway =
            state_.time > state_.frame_start && state_.frame == start_.state().frame;
        checkpoints_.with_advice([&] { save(midway ? &start_.state() : nullptr); });
    }

    bool stop_wanted() const { return options_.stop && *options_.stop; }

    // A checkpoint of this very moment, with the frame's start where one is in progress.
    RunOutcome stop() {
        save_midway();
        checkpoints_.with_advice([&] { report("stopped"); });
        return outcome(false);
    }

    // A run that fails says so in its report, too, and says how to go on.
    template <class Work>
    RunOutcome guarded(const Work& work) {
        try {
            return work();
        } catch (const RunError& error) {
            report_failure(error.what());
            throw;
        } catch (const InputError& error) {
            report_failure(error.what());
            throw;
        } catch (const std::bad_alloc&) {
            fail(now() + "out of memory; a coarser scene needs less");
        } catch (const std::exception& error) {
            fail(now() + error.what());
        }
    }

    std::string now() const {
        return fmt::format("frame {}, {:.6g} s: ", state_.frame + 1, state_.time);
    }

    [[noreturn]] void fail(const std::string& what) {
        save_what_can_be_saved();
        const std::string all = what + "; " + checkpoints_.where_to_resume();
        report_failure(all);
        throw RunError(all);
    }

    // The start of the frame that failed, where the frame before it is whole on disk and there is
    // room to write it.
    void save_what_can_be_saved() {
        try {
            const int frame = start_.state().frame;
            if (!start_.is_kept() || checkpoints_.last_frame() == frame) return;
            if (!finish_writing().ok || folder_.first_gap() <= frame) return;
            state_ = {};  // makes room
            state_ = start_.take();
            checkpoints_.save<Real>(state_, nullptr);
        } catch (const std::exception&) {
            // The checkpoint before stands.
        }
    }

    void report_failure(const std::string& what) {
        files_.wait();
        try {
            report("failed", what);
        } catch (const std::exception&) {
            // The disk or the memory that stopped the run does not take the report either.
        }
    }

    void announce() {
        start_.keep(state_);
        observer_.started(preflight(model_, state_, solver_));
    }

    Progress progress(double end) const {
        return clock_.progress(model_, state_, options_.frames, dt_, end);
    }

    void report(const std::string& status, const std::string& error = {}) const {
        RunReport r;
        r.title = model_.title;
        r.status = status;
        r.error = error;
        r.backend = options_.backend;
        r.precision = sizeof(Real) == 4 ? "single" : "double";
        r.seed = model_.seed;
        r.threads = thread_count();
        r.frame = state_.frame;
        r.frames = options_.frames;
        r.particles = state_.particle_count();
        r.substeps = state_.step;
        r.resumed_from = resumed_from_;
        r.wall_seconds = clock_.seconds();
        r.stages = solver_.timings();
        write_report(folder_.report(), r);
    }

    RunOutcome outcome(bool finished) const {
        return {finished,    state_.frame,     state_.time,
                state_.step, clock_.seconds(), checkpoints_.last()};
    }

    const Model& model_;
    Solver<Real>& solver_;
    const RunFolder& folder_;
    const RunOptions& options_;
    RunObserver& observer_;
    State<Real> state_;
    FrameStart<Real> start_;
    FrameFiles<Real> files_;
    Checkpoints checkpoints_;
    RunClock clock_;
    double dt_ = 0;                         // the last one
    bool has_snapshot_ = false;             // the solver remembers the last frame, yet to be read
    bool saves_after_frame_ = false;        // a checkpoint is due
    bool stops_after_frame_ = false;        // the run is to stop
    FrameStatistics pending_;               // of the frame that was just completed
    std::optional<FrameOutput> unwritten_;  // that frame, where its particles are still the state's
    int resumed_from_ = -1;
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
    check_checkpoint(model, checkpoint, solver);
    folder.create();
    Runner<Real> runner(model, std::move(checkpoint.state), solver, folder, options, observer);
    return runner.from_checkpoint(std::move(checkpoint.frame_start));
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
