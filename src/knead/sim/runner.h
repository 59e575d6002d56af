// A run, substep by substep: the loop of run.h for whoever wants to look in between. Without a
// folder it leaves nothing on disk.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "knead/sim/pacing.h"
#include "knead/sim/run.h"

namespace knead {

template <class Real>
class Runner {
public:
    // All but the state must outlive it.
    Runner(const Model& model, State<Real> state, Solver<Real>& solver, const RunFolder& folder,
           const RunOptions& options, RunObserver& observer);

    // One of them comes first: a freshly built state, which is frame 0, or that of a checkpoint,
    // with the start of its frame where it stands midway.
    void begin();
    void begin_at(const std::string& file, std::optional<State<Real>> frame_start);

    // A substep, or several where the solver takes them in a row; true: a frame is complete. A
    // frame that fails is taken again from its start with half the step, so time may go back.
    // RunError where the run fails.
    bool advance();
    // To options.frames, or until a stop is asked for.
    RunOutcome advance_to_the_end();

    // Nothing is left to write after these: all frames are whole, and a checkpoint of this very
    // moment is there. One may go on after them.
    RunOutcome conclude();
    RunOutcome stop();

    // Frames that are complete are on disk after it. To be called before somebody else changes
    // particles between two frames.
    void write_frames();
    // Called before every substep with its length [s]; may change velocities.
    void push_with(std::function<void(State<Real>&, double)> push) { push_ = std::move(push); }

    // Renews the report, as where options have changed.
    void report() { record_.report(state_, "running"); }

    State<Real>& state() { return state_; }
    const FrameStatistics& last_frame() const { return pending_; }  // that was completed
    double last_dt() const { return dt_; }                          // [s]

private:
    void announce();
    bool take_substeps();
    StepReport take_substep(double end);
    DtLimit next_limit();
    StepReport advance(const Pace& pace, std::int64_t& taken);
    void warn_once(const std::string& text, const std::string& where = {});
    void hold_drives();
    double next_exchange() const;
    StepReport exchange();
    StepReport end_frame();
    void finish_frame();
    void roll_back(StepReport step);
    [[noreturn]] void give_up(const std::string& what);
    StepReport finish_writing() { return record_.finish_writing(state_); }
    void save_midway();
    bool stop_wanted() const { return options_.stop && *options_.stop; }
    template <class Work>
    auto guarded(const Work& work);
    [[noreturn]] void fail(const std::string& what);
    std::string now() const;
    RunOutcome outcome(bool finished);

    const Model& model_;
    Solver<Real>& solver_;
    const RunOptions& options_;
    RunObserver& observer_;
    State<Real> state_;
    RunRecord<Real> record_;
    double dt_ = 0;                   // the last one
    bool in_frame_ = false;           // a frame was begun
    bool saves_after_frame_ = false;  // a checkpoint is due
    bool stops_after_frame_ = false;  // the run is to stop
    std::set<std::string> warned_;    // once each
    FrameStatistics pending_;         // of the frame that was just completed
    std::function<void(State<Real>&, double)> push_;
};

}  // namespace knead
