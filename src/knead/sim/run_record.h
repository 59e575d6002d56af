// What a run leaves on disk: frames, checkpoints and the report. It keeps them in step: a
// checkpoint is never ahead of the frames, and a frame that turns out broken never becomes a file.
#pragma once

#include <atomic>
#include <string>

#include "knead/sim/checkpoints.h"
#include "knead/sim/frame_files.h"
#include "knead/sim/roll_back.h"
#include "knead/sim/run_report.h"

namespace knead {

struct RunOptions {
    int frames = 0;                           // the last frame to reach
    std::uint64_t model_hash = 0;             // checkpoints of another model are refused
    std::string backend = "cpu";              // for the report
    const std::atomic<bool>* stop = nullptr;  // when it turns true, the run stops cleanly
    std::vector<RunChange> changes{};         // made to the scene so far, for the report
    bool scripted = false;                    // a program changed particles, for the report
};

template <class Real>
class RunRecord {
public:
    // All of them must outlive it.
    RunRecord(const Model& model, const State<Real>& state, Solver<Real>& solver,
              const RunFolder& folder, const RunOptions& options, RunObserver& observer);

    FrameStart<Real>& start() { return start_; }
    Checkpoints& checkpoints() { return checkpoints_; }
    RunClock& clock() { return clock_; }
    bool frame_is_written() const { return files_.is_done(); }

    // Makes the folder's files agree with the checkpoint.
    void resume_at(const State<Real>& state);

    // A copy to return to, should the frame fail; the frame before is written from it meanwhile, or
    // read from the solver where that remembers it.
    void begin_frame(State<Real>& state);
    // The frame is complete. Where the solver remembers its particles, they are read later.
    void add_frame(const State<Real>& state, const FrameStatistics& row, double dt);
    void solver_remembers(bool does) { has_snapshot_ = does; }
    // Waits for the frame that is being written. One that was read meanwhile may turn out to have
    // failed.
    StepReport finish_writing(State<Real>& state);
    // Nothing is left to write after this.
    void write_all(State<Real>& state);

    // Writes all frames, and then a checkpoint.
    void save(State<Real>& state, const State<Real>* frame_start);
    // With the start of the frame in progress, where one is.
    void save_midway(State<Real>& state);
    // Where all else failed: the start of the frame, if the frame before it is whole on disk and
    // there is room to write it.
    void save_what_can_be_saved(State<Real>& state);

    void report(const State<Real>& state, const std::string& status,
                const std::string& error = {}) const;
    // Does what it can: the disk that stopped a run may not take the report either.
    void report_failure(const State<Real>& state, const std::string& what) const;

    Progress progress(const State<Real>& state, double dt, double end) const {
        return clock_.progress(model_, state, options_.frames, dt, end);
    }

private:
    bool frame_before_arrives(State<Real>& state);
    const Model& model_;
    Solver<Real>& solver_;
    const RunFolder& folder_;
    const RunOptions& options_;
    FrameStart<Real> start_;
    FrameFiles<Real> files_;
    Checkpoints checkpoints_;
    RunClock clock_;
    bool has_snapshot_ = false;  // the solver remembers the last frame, yet to be read
    int resumed_from_ = -1;
};

}  // namespace knead
