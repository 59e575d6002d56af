#include "knead/sim/run.h"

#include <utility>

#include "knead/sim/runner.h"

namespace knead {

template <class Real>
RunOutcome run(const Model& model, State<Real> state, Solver<Real>& solver, const RunFolder& folder,
               const RunOptions& options, RunObserver& observer) {
    folder.create();
    Runner<Real> runner(model, std::move(state), solver, folder, options, observer);
    runner.begin();
    return runner.advance_to_the_end();
}

template <class Real>
RunOutcome resume(const Model& model, Checkpoint<Real> checkpoint, Solver<Real>& solver,
                  const RunFolder& folder, const RunOptions& options, RunObserver& observer) {
    folder.create();
    Runner<Real> runner(model, std::move(checkpoint.state), solver, folder, options, observer);
    runner.begin_at(checkpoint.file, std::move(checkpoint.frame_start));
    return runner.advance_to_the_end();
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
