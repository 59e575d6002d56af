#include "knead/sim/checkpoints.h"

#include <fmt/format.h>

namespace knead {

template <class Real>
void Checkpoints::save(const State<Real>& state, const State<Real>* frame_start) {
    last_ = folder_.save(state, frame_start, model_hash_);
    last_frame_ = state.frame;
    clock_.restart();
}

std::string Checkpoints::where_to_resume() const {
    if (folder_.is_none()) return "the run has no folder, so there is no checkpoint";
    if (last_.empty()) return "no checkpoint was written yet";
    return fmt::format(
        "the last good checkpoint is frame {} ({}): once the cause is gone, run again with "
        "--resume",
        last_frame_, last_);
}

template void Checkpoints::save(const State<float>&, const State<float>*);
template void Checkpoints::save(const State<double>&, const State<double>*);

}  // namespace knead
