#include "knead/sim/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <new>
#include <optional>
#include <utility>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/sim/emit.h"
#include "knead/sim/frame_info.h"
#include "knead/sim/run_report.h"
#include "knead/sim/stats_file.h"

namespace knead {

namespace {

constexpr int max_rollbacks = 8;  // of one frame, each with half the step

using Clock = std::chrono::steady_clock;
constexpr auto written = std::future_status::ready;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

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
          resumed_from_(-1),
          start_time_(state_.time),
          start_step_(state_.step) {}

    RunOutcome from_the_start() {
        return guarded([&] {
            state_.frame_start = state_.time;
            solver_.prepare(state_);
            announce();
            frame_clock_ = Clock::now();
            on_disk([&] {
                unwritten_ = output(measure(state_, solver_));
                save(nullptr);
            });
            return loop(false);
        });
    }

    RunOutcome from_checkpoint(std::optional<State<Real>> frame_start) {
        resumed_from_ = state_.frame;
        const auto files = folder_.checkpoint_files();
        if (!files.empty()) last_checkpoint_ = files.back(), last_frame_ = state_.frame;
        return guarded([&] {
            solver_.prepare(state_);
            announce();
            on_disk([&] {
                folder_.sweep();
                truncate_stats(folder_.stats(), state_.frame);
            });
            const bool midway = frame_start.has_value();
            if (midway) frame_start_ = std::move(*frame_start), has_frame_start_ = true;
            return loop(midway);
        });
    }

private:
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
            fail(fmt::format("frame {}, {:.6g} s: out of memory; a coarser scene needs less",
                             state_.frame + 1, state_.time));
        } catch (const std::exception& error) {
            fail(
                fmt::format("frame {}, {:.6g} s: {}", state_.frame + 1, state_.time, error.what()));
        }
    }

    void report_failure(const std::string& what) {
        wait_for_writer();
        try {
            report("failed", what);
        } catch (const std::exception&) {
            // The disk or the memory that stopped the run does not take the report either.
        }
    }

    [[noreturn]] void fail(const std::string& what) {
        save_what_can_be_saved();
        const std::string all = what + "; " + where_to_resume();
        report_failure(all);
        throw RunError(all);
    }

    // The start of the frame that failed, where the frame before it is whole on disk and there is
    // room to write it.
    void save_what_can_be_saved() {
        try {
            if (!has_frame_start_ || last_frame_ == frame_start_.frame) return;
            if (writing_.valid() && !finish_writing().ok) return;
            if (folder_.first_gap() <= frame_start_.frame) return;
            state_ = {};  // makes room
            std::swap(state_, frame_start_);
            last_checkpoint_ = folder_.save<Real>(state_, nullptr, options_.model_hash);
            last_frame_ = state_.frame;
        } catch (const std::exception&) {
            // The checkpoint before stands.
        }
    }

    void wait_for_writer() {
        if (writing_.valid()) writing_.wait();
    }

    RunOutcome loop(bool midway) {
        on_disk([&] { report("running"); });
        loop_clock_ = Clock::now();
        while (state_.frame < options_.frames) {
            if (!midway) begin_frame();
            midway = false;
            if (!take_frame()) return stop();
            finish_frame();
            if (stops_after_frame_ && state_.frame < options_.frames) return stop();
        }
        on_disk([&] {
            write_all();
            if (last_frame_ != state_.frame) save(nullptr);
            report("finished");
        });
        return outcome(true);
    }

    // A copy to return to, should the frame fail; the frame before is written from it meanwhile.
    void begin_frame() {
        frame_clock_ = Clock::now();
        const std::int64_t substeps = state_.step - state_.frame_start_step;
        state_.frame_start = state_.time;
        state_.frame_start_step = state_.step;
        if (!unwritten_) return keep_frame_start();
        written_ = std::move(unwritten_);
        unwritten_.reset();
        const auto in_background = [this](auto&& work) {
            writing_ = std::async(std::launch::async, std::forward<decltype(work)>(work));
        };
        if (!has_snapshot_) {
            keep_frame_start();
            in_background([this] { return write(*written_, frame_start_), StepReport{}; });
            return;
        }
        copy_all_but_phases(state_, arriving_);
        in_background([this, substeps] { return read_and_write(substeps); });
    }

    static void copy_all_but_phases(State<Real>& from, State<Real>& to) {
        auto own = std::exchange(from.phases, {}), kept = std::exchange(to.phases, {});
        to = from;
        from.phases = std::move(own);
        to.phases = std::move(kept);
    }

    // The frame that the solver remembers, which becomes the copy to return to.
    StepReport read_and_write(std::int64_t substeps) {
        solver_.read_snapshot(state_, arriving_);
        FrameStatistics row = measure(arriving_, solver_);
        if (!row.finite()) return broken_numbers(arriving_);
        row.substeps = substeps;
        row.seconds = written_->row.seconds;
        written_->row = row;
        written_->progress.particles = row.particles;
        write(*written_, arriving_);
        return {};
    }

    // Substeps to the end of the frame; false: a stop was asked for on the way.
    bool take_frame() {
        for (;;) {
            // A roll-back may lead to the frame before.
            const double end = (state_.frame + 1) / model_.time.frame_rate;
            StepReport step = take_substep(end);
            const bool ended = state_.time >= end;
            if (step.ok) observer_.substep(progress(end));
            if (step.ok && !ended && frame_is_written()) step = finish_writing();
            if (!step.ok) {
                roll_back(step);
                continue;
            }
            if (ended) return true;
            if (stop_wanted()) return false;
            // A frame that takes longer than the time between checkpoints gets its own.
            if (model_.output.checkpoint_seconds > 0 &&
                seconds_since(checkpoint_clock_) > 2 * model_.output.checkpoint_seconds)
                save_midway();
        }
    }

    bool frame_is_written() const {
        return writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == written;
    }

    // With the start of the frame in progress, which must have arrived.
    void save_midway() {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) roll_back(arrived);
        const bool midway = state_.time > state_.frame_start && state_.frame == frame_start_.frame;
        on_disk([&] { save(midway ? &frame_start_ : nullptr); });
    }

    // One substep. The last ones share what is left of the frame, so that none is a sliver.
    StepReport take_substep(double end) {
        const StepReport emitted = emit();
        if (!emitted.ok) return emitted;
        const double remaining = end - state_.time;
        const DtLimit limit = least_limit();
        if (std::isnan(limit.dt)) return {false, "time step", limit.reason + ": not a number", -1};
        double dt = limit.dt;
        const bool last = !(remaining > dt);
        if (last)
            dt = remaining;
        else if (remaining < 2 * dt)
            dt = remaining / 2;
        dt_ = dt;
        std::int64_t taken = 0;
        const StepReport step = advance(dt, steps_ahead(remaining, dt), taken);
        if (!step.ok) return step;
        for (std::int64_t k = 0; k < taken; ++k) state_.time += dt;
        if (last) state_.time = end;
        state_.step += taken;
        return last ? end_frame() : step;
    }

    // A solver that cannot go on, as when its memory is full, leaves the frame's start behind.
    StepReport advance(double dt, std::int64_t most, std::int64_t& taken) {
        try {
            return solver_.advance_some(state_, dt, most, taken);
        } catch (const RunError& error) {
            give_up(
                fmt::format("frame {}, {:.6g} s: {}", state_.frame + 1, state_.time, error.what()));
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

    // Steps of dt that may follow one another: the last two of a frame share what is left, and a
    // copy that is due is let out between steps.
    std::int64_t steps_ahead(double remaining, double dt) const {
        double most = std::floor(remaining / dt) - 1;
        const double wait = next_emission(model_, state_) - state_.time;
        if (wait > 0) most = std::min(most, std::ceil(wait / dt));
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(most, 1e6)));
    }

    // What the next step may be at most.
    DtLimit least_limit() {
        const auto limits = sorted_limits(model_, state_, solver_);
        if (limits.empty()) return {"the frame", 1 / model_.time.frame_rate};
        const DtLimit& least = limits.front();
        if (least.dt < model_.time.min_dt)
            give_up(
                fmt::format("at {:.6g} s the step would have to be {:.3g} s, below time.min_dt "
                            "= {:.3g} s, because of: {}",
                            state_.time, least.dt, model_.time.min_dt, least.reason));
        return least;
    }

    // The frame is complete. Particles that live elsewhere are read while the next one runs, unless
    // they are needed at once.
    StepReport end_frame() {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) return arrived;
        const double every = model_.output.checkpoint_seconds;
        saves_after_frame_ = every <= 0 || seconds_since(checkpoint_clock_) >= every;
        stops_after_frame_ = stop_wanted();
        const bool is_last = state_.frame + 1 >= options_.frames;
        has_snapshot_ =
            !is_last && !saves_after_frame_ && !stops_after_frame_ && solver_.take_snapshot(state_);
        pending_ = {};
        if (has_snapshot_) return {};
        solver_.fetch(state_);
        pending_ = measure(state_, solver_);
        return pending_.finite() ? StepReport{} : broken_numbers(state_);
    }

    // What the solver's own checks let through must not reach a file.
    static StepReport broken_numbers(const State<Real>& state) {
        return {false, "statistics", "a sum over all particles is not a number",
                first_broken_particle(state)};
    }

    void roll_back(StepReport step) {
        const StepReport arrived = finish_writing();
        if (!arrived.ok) step = arrived;  // the frame before is what failed
        const std::string what = fmt::format(
            "frame {}, {:.6g} s, stage {}{}: {}", frame_start_.frame + 1, state_.time, step.stage,
            step.particle >= 0 ? fmt::format(", particle {}", step.particle) : "", step.what);
        // How often this frame has been rolled back follows from the two scales.
        const double scale = state_.dt_scale / 2;
        const int times = static_cast<int>(std::lround(std::log2(frame_start_.dt_scale / scale)));
        if (times > max_rollbacks)
            give_up(fmt::format("{}; {} roll-backs down to steps of {:.3g} s did not help", what,
                                max_rollbacks, dt_));
        state_ = frame_start_;
        state_.dt_scale = scale;
        solver_.prepare(state_);
        observer_.trouble(fmt::format("{}; back to the frame's start with steps 1/{:.0f} as long",
                                      what, 1 / scale));
    }

    // Leaves the frame's start as a checkpoint and ends the run.
    [[noreturn]] void give_up(const std::string& what) {
        finish_writing();
        state_ = frame_start_;
        solver_.prepare(state_);
        if (last_frame_ != state_.frame) on_disk([&] { save(nullptr); });
        throw RunError(what + "; " + where_to_resume());
    }

    void finish_frame() {
        ++state_.frame;
        scale_of_last_frame_ = state_.dt_scale;
        state_.dt_scale = std::min(1.0, 2 * state_.dt_scale);
        pending_.frame = state_.frame;
        pending_.seconds = seconds_since(frame_clock_);
        unwritten_ = output(pending_);
        if (saves_after_frame_) on_disk([&] { save(nullptr); });
    }

    // What a frame leaves besides its particles.
    struct Output {
        FrameInfo info;
        FrameStatistics row;
        Progress progress;
    };
    Output output(const FrameStatistics& row) const {
        Progress p = progress(state_.time);
        p.frame_share = 0;  // of the next frame
        return {frame_info(model_, state_), row, p};
    }
    void write(const Output& o, const State<Real>& state) const {
        write_frame(folder_.frame(o.info.frame), state.phases, o.info);
        append_stats(folder_.stats(), o.row);
    }
    // Waits for the frame that is being written, and says so. One that was read meanwhile may turn
    // out to have failed.
    StepReport finish_writing() {
        if (!writing_.valid()) return {};
        const bool was_read = std::exchange(has_snapshot_, false);
        StepReport report;
        on_disk([&] { report = writing_.get(); });
        if (!report.ok) {
            state_.dt_scale = scale_of_last_frame_;  // with which it failed
            return report;
        }
        if (was_read) std::swap(frame_start_, arriving_);
        observer_.frame(written_->row, written_->progress);
        return report;
    }
    // Nothing is left to write after this.
    void write_all() {
        finish_writing();
        if (!unwritten_) return;
        write(*unwritten_, state_);
        observer_.frame(unwritten_->row, unwritten_->progress);
        unwritten_.reset();
    }

    // A checkpoint is never ahead of the frames.
    void save(const State<Real>* frame_start) {
        write_all();
        solver_.fetch(state_);
        last_checkpoint_ = folder_.save(state_, frame_start, options_.model_hash);
        last_frame_ = state_.frame;
        checkpoint_clock_ = Clock::now();
        report("running");
    }

    bool stop_wanted() const { return options_.stop && *options_.stop; }

    // A checkpoint of this very moment, with the frame's start where one is in progress.
    RunOutcome stop() {
        save_midway();
        on_disk([&] { report("stopped"); });
        return outcome(false);
    }

    // Trouble with files gets the advice that goes with it.
    template <class Work>
    void on_disk(const Work& work) {
        try {
            work();
        } catch (const RunError& error) {
            throw RunError(fmt::format("{}; {}", error.what(), where_to_resume()));
        }
    }

    std::string where_to_resume() const {
        if (last_checkpoint_.empty()) return "no checkpoint was written yet";
        return fmt::format(
            "the last good checkpoint is frame {} ({}): once the cause is gone, run again with "
            "--resume",
            last_frame_, last_checkpoint_);
    }

    void keep_frame_start() {
        has_frame_start_ = false;
        frame_start_ = state_;
        has_frame_start_ = true;
    }

    void announce() {
        keep_frame_start();
        observer_.started(preflight(model_, state_, solver_));
    }

    Progress progress(double end) const {
        Progress p;
        p.frame = state_.frame;
        p.frames = options_.frames;
        p.time = state_.time;
        p.dt = dt_;
        p.step = state_.step;
        p.frame_substeps = state_.step - state_.frame_start_step;
        p.particles = state_.particle_count();
        const double length = end - state_.frame_start;
        p.frame_share = length > 0 ? (state_.time - state_.frame_start) / length : 0;
        p.seconds = seconds_since(start_clock_);
        // A few substeps tell what the rest will take.
        const double done = state_.time - start_time_;
        const double left = options_.frames / model_.time.frame_rate - state_.time;
        if (done > 0 && state_.step >= start_step_ + 10)
            p.seconds_left = seconds_since(loop_clock_) * std::max(0.0, left) / done;
        return p;
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
        r.wall_seconds = seconds_since(start_clock_);
        r.stages = solver_.timings();
        write_report(folder_.report(), r);
    }

    RunOutcome outcome(bool finished) const {
        return {
            finished,        state_.frame, state_.time, state_.step, seconds_since(start_clock_),
            last_checkpoint_};
    }

    const Model& model_;
    Solver<Real>& solver_;
    const RunFolder& folder_;
    const RunOptions& options_;
    RunObserver& observer_;
    State<Real> state_;
    State<Real> frame_start_;
    bool has_frame_start_ = false;     // it is whole
    State<Real> arriving_;             // the next one, while it is read
    bool has_snapshot_ = false;        // the solver remembers the last frame, which is to be read
    bool saves_after_frame_ = false;   // a checkpoint is due
    bool stops_after_frame_ = false;   // the run is to stop
    FrameStatistics pending_;          // of the frame that was just completed
    std::optional<Output> unwritten_;  // that frame, where its particles are still the state's
    std::optional<Output> written_;    // the one that is being written, from frame_start_
    std::future<StepReport> writing_;
    int resumed_from_;
    double start_time_;        // of the simulation, when this process took over [s]
    std::int64_t start_step_;  // and the substeps taken by then
    double dt_ = 0;
    double scale_of_last_frame_ = 1;  // State::dt_scale
    std::string last_checkpoint_;
    int last_frame_ = -1;
    Clock::time_point start_clock_ = Clock::now();
    Clock::time_point loop_clock_ = Clock::now();
    Clock::time_point frame_clock_ = Clock::now();
    Clock::time_point checkpoint_clock_ = Clock::now();
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
