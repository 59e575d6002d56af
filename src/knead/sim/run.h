// The run loop: frames of fixed length made of the solver's substeps, with files, checkpoints and
// roll-backs. It knows no physics. The same start gives the same frames and statistics, whatever
// the clock, the threads or the number of interruptions.
#pragma once

#include <string>

#include "knead/sim/run_record.h"

namespace knead {

struct RunOutcome {
    bool finished = true;  // false: stopped on request
    int frame = 0;         // completed
    double time = 0;       // [s]
    std::int64_t steps = 0;
    double seconds = 0;  // of wall time
    std::string checkpoint;
};

// Starts at frame 0 with a freshly built state. RunError where the run fails; what it says names
// the checkpoint from which it can be resumed.
template <class Real>
RunOutcome run(const Model& model, State<Real> state, Solver<Real>& solver, const RunFolder& folder,
               const RunOptions& options, RunObserver& observer);

// Goes on from a checkpoint that was checked (sim/check_state.h). Frames and statistics come out as
// if the run had never stopped.
template <class Real>
RunOutcome resume(const Model& model, Checkpoint<Real> checkpoint, Solver<Real>& solver,
                  const RunFolder& folder, const RunOptions& options, RunObserver& observer);

}  // namespace knead
