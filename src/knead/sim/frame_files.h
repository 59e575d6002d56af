// Frames on their way to disk, while the steps of the next one are taken.
#pragma once

#include <future>
#include <optional>

#include "knead/io/frame_writer.h"
#include "knead/sim/run_folder.h"
#include "knead/sim/run_observer.h"
#include "knead/sim/solver.h"

namespace knead {

// What a frame leaves besides its particles.
struct FrameOutput {
    FrameInfo info;
    FrameStatistics row;
    Progress progress;
};

template <class Real>
class FrameFiles {
public:
    FrameFiles(const RunFolder& folder, Solver<Real>& solver, RunObserver& observer)
        : folder_(folder), solver_(solver), observer_(observer) {}

    // A frame that is complete, but not written yet.
    void add(FrameOutput output);
    bool has_one_waiting() const { return waiting_.has_value(); }
    // Writes the frame that waits, if any, here and now.
    void write(const State<Real>& particles);
    // The same in the background. The particles must not change until it is done.
    void write_beside(const State<Real>& particles);
    // Reads the frame that the solver remembers into `to` and writes it, in the background. The
    // phases of `state` must not change until it is done.
    void read_beside(const State<Real>& state, State<Real>& to, std::int64_t substeps);

    bool is_busy() const { return writing_.valid(); }
    bool is_done() const;  // what was begun in the background
    void wait() const;
    // Waits for it and tells the observer; RunError where it could not be written. What was read
    // may turn out to be broken: nothing is written then, and the report says so.
    StepReport finish();
    // Once more, where finish() threw as the frame could not be written: now there may be room.
    void write_again(const State<Real>& particles);
    bool finished_one_that_was_read() const { return was_read_; }

private:
    void tell(const FrameOutput& output);
    void write(const FrameOutput& output, const State<Real>& particles) const;
    StepReport read_and_write(const State<Real>& state, State<Real>& to, std::int64_t substeps);
    void move_on();

    const RunFolder& folder_;
    Solver<Real>& solver_;
    RunObserver& observer_;
    std::optional<FrameOutput> waiting_;
    std::optional<FrameOutput> output_;  // that is being written
    bool was_read_ = false;
    bool failed_ = false;          // what was begun in the background; those that are written only
    bool told_of_volume_ = false;  // that it is far from that at rest
    std::future<StepReport> writing_;
};

// A report where the statistics hold a number that is none: what the solver's own checks let
// through must not reach a file.
template <class Real>
StepReport check_numbers(const FrameStatistics& row, const State<Real>& state);

}  // namespace knead
