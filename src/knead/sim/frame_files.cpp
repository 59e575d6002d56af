#include "knead/sim/frame_files.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "knead/sim/stats_file.h"

namespace knead {

template <class Real>
StepReport check_numbers(const FrameStatistics& row, const State<Real>& state) {
    if (row.finite()) return {};
    return {false, "statistics", "a sum over all particles is not a number",
            first_broken_particle(state)};
}

template <class Real>
void FrameFiles<Real>::add(FrameOutput output) {
    if (folder_.is_none())
        tell(output);
    else
        waiting_ = std::move(output);
}

template <class Real>
void FrameFiles<Real>::tell(const FrameOutput& output) {
    const FrameStatistics& row = output.row;
    const double ratio = row.rest_volume > 0 ? row.volume / row.rest_volume : 1;
    if (!told_of_volume_ && (ratio < 0.5 || ratio > 2)) {
        told_of_volume_ = true;
        observer_.trouble(fmt::format(
            "frame {}, {:.6g} s: matter takes {:.3g} times its volume at rest; it is far too soft "
            "for its load, or was torn to pieces: check the units of its moduli",
            row.frame, row.time, ratio));
    }
    observer_.frame(row, output.progress);
}

template <class Real>
void FrameFiles<Real>::write(const FrameOutput& output, const State<Real>& particles) const {
    write_frame(folder_.frame(output.info.frame), particles.phases, output.info);
    append_stats(folder_.stats(), output.row);
}

template <class Real>
void FrameFiles<Real>::write(const State<Real>& particles) {
    if (!waiting_) return;
    write(*waiting_, particles);
    tell(*waiting_);
    waiting_.reset();
}

template <class Real>
void FrameFiles<Real>::move_on() {
    output_ = std::move(waiting_);
    waiting_.reset();
}

template <class Real>
void FrameFiles<Real>::write_beside(const State<Real>& particles) {
    move_on();
    was_read_ = false;
    writing_ = std::async(std::launch::async, [this, &particles] {
        write(*output_, particles);
        return StepReport{};
    });
}

template <class Real>
void FrameFiles<Real>::read_beside(const State<Real>& state, State<Real>& to,
                                   std::int64_t substeps) {
    move_on();
    was_read_ = true;
    writing_ = std::async(std::launch::async, [this, &state, &to, substeps] {
        return read_and_write(state, to, substeps);
    });
}

template <class Real>
StepReport FrameFiles<Real>::read_and_write(const State<Real>& state, State<Real>& to,
                                            std::int64_t substeps) {
    solver_.read_snapshot(state, to);
    FrameStatistics row = measure(to, solver_);
    StepReport numbers = check_numbers(row, to);
    if (!numbers.ok) return numbers;
    row.substeps = substeps;
    row.seconds = output_->row.seconds;
    output_->row = row;
    output_->progress.particles = row.particles;
    write(*output_, to);
    return numbers;
}

template <class Real>
bool FrameFiles<Real>::is_done() const {
    return is_busy() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

template <class Real>
void FrameFiles<Real>::wait() const {
    if (is_busy()) writing_.wait();
}

template <class Real>
StepReport FrameFiles<Real>::finish() {
    failed_ = !was_read_;  // until it has come to its end
    const StepReport report = writing_.get();
    failed_ = false;
    if (report.ok) tell(*output_);
    return report;
}

template <class Real>
void FrameFiles<Real>::write_again(const State<Real>& particles) {
    if (!failed_) return;
    write(*output_, particles);
    failed_ = false;
    tell(*output_);
}

template class FrameFiles<float>;
template class FrameFiles<double>;
template StepReport check_numbers(const FrameStatistics&, const State<float>&);
template StepReport check_numbers(const FrameStatistics&, const State<double>&);

}  // namespace knead
