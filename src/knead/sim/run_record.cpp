#include "knead/sim/run_record.h"

#include <exception>

#include "knead/sim/frame_info.h"
#include "knead/sim/preflight.h"
#include "knead/sim/stats_file.h"

namespace knead {

template <class Real>
RunRecord<Real>::RunRecord(const Model& model, const State<Real>& state, Solver<Real>& solver,
                           const RunFolder& folder, const RunOptions& options,
                           RunObserver& observer)
    : model_(model),
      solver_(solver),
      folder_(folder),
      options_(options),
      files_(folder, solver, observer),
      checkpoints_(folder, options.model_hash, model.output.checkpoint_seconds),
      clock_(state.time, state.step) {}

template <class Real>
void RunRecord<Real>::resume_at(const State<Real>& state) {
    resumed_from_ = state.frame;
    checkpoints_.with_advice([&] {
        folder_.sweep();
        truncate_stats(folder_.stats(), state.frame);
    });
}

template <class Real>
void RunRecord<Real>::begin_frame(State<Real>& state) {
    clock_.frame_begins();
    const std::int64_t substeps = state.step - state.frame_start_step;
    state.frame_start = state.time;
    state.frame_start_step = state.step;
    if (!has_snapshot_) start_.keep(state);
    if (!files_.has_one_waiting()) return;
    if (has_snapshot_)
        files_.read_beside(state, start_.next(state), substeps);
    else
        files_.write_beside(start_.state());
}

template <class Real>
void RunRecord<Real>::add_frame(const State<Real>& state, const FrameStatistics& row, double dt) {
    Progress p = progress(state, dt, state.time);
    p.frame_share = 0;  // of the next frame
    files_.add({frame_info(model_, state), row, p});
}

template <class Real>
StepReport RunRecord<Real>::finish_writing(State<Real>& state) {
    if (!files_.is_busy()) return {};
    has_snapshot_ = false;
    StepReport report;
    checkpoints_.with_advice([&] { report = files_.finish(); });
    if (!report.ok)
        start_.last_frame_broke(state);
    else if (files_.finished_one_that_was_read())
        start_.next_has_arrived();
    return report;
}

template <class Real>
void RunRecord<Real>::write_all(State<Real>& state) {
    finish_writing(state);
    files_.write(state);
}

template <class Real>
void RunRecord<Real>::save(State<Real>& state, const State<Real>* frame_start) {
    if (folder_.is_none()) return;
    checkpoints_.with_advice([&] {
        write_all(state);
        solver_.fetch(state);
        checkpoints_.save(state, frame_start);
        report(state, "running");
    });
}

template <class Real>
void RunRecord<Real>::save_midway(State<Real>& state) {
    const bool midway = state.time > state.frame_start && state.frame == start_.state().frame;
    save(state, midway ? &start_.state() : nullptr);
}

// False: its numbers are none. Where only its writing failed, that is tried again with more room.
template <class Real>
bool RunRecord<Real>::frame_before_arrives(State<Real>& state) {
    try {
        return finish_writing(state).ok;
    } catch (const std::exception&) {
        return true;
    }
}

template <class Real>
void RunRecord<Real>::save_what_can_be_saved(State<Real>& state) {
    try {
        const int frame = start_.state().frame;
        if (folder_.is_none() || !start_.is_kept() || checkpoints_.last_frame() == frame) return;
        if (!frame_before_arrives(state)) return;
        state = {};  // makes room
        state = start_.take();
        files_.write_again(state);
        if (folder_.first_gap() <= frame) return;
        checkpoints_.save<Real>(state, nullptr);
    } catch (const std::exception&) {
        // The checkpoint before stands.
    }
}

template <class Real>
void RunRecord<Real>::report(const State<Real>& state, const std::string& status,
                             const std::string& error) const {
    if (folder_.is_none()) return;
    RunReport r = report_of(model_, state);
    r.status = status;
    r.error = error;
    r.backend = options_.backend;
    r.frames = options_.frames;
    r.resumed_from = resumed_from_;
    r.wall_seconds = clock_.seconds();
    r.stages = solver_.timings();
    r.changes = options_.changes;
    r.scripted = options_.scripted;
    if (error.empty() && options_.backend == "cpu")
        if (const auto limits = sorted_limits(model_, state, solver_); !limits.empty())
            r.limit = limits.front().dt, r.limited_by = limits.front().reason;
    checkpoints_.with_advice([&] { write_report(folder_.report(), r); });
}

template <class Real>
void RunRecord<Real>::report_failure(const State<Real>& state, const std::string& what) const {
    files_.wait();
    try {
        report(state, "failed", what);
    } catch (const std::exception&) {
        // Whoever runs it hears of it all the same.
    }
}

template class RunRecord<float>;
template class RunRecord<double>;

}  // namespace knead
