#include "knead/sim/roll_back.h"

#include <cmath>
#include <utility>

namespace knead {

template <class Real>
void FrameStart<Real>::keep(const State<Real>& state) {
    kept_ = false;
    start_ = state;
    kept_ = true;
}

template <class Real>
void FrameStart<Real>::keep(State<Real>&& state) {
    start_ = std::move(state);
    kept_ = true;
}

template <class Real>
State<Real> FrameStart<Real>::take() {
    kept_ = false;
    return std::exchange(start_, {});
}

template <class Real>
State<Real>& FrameStart<Real>::next(State<Real>& state) {
    auto own = std::exchange(state.phases, {}), kept = std::exchange(next_.phases, {});
    next_ = state;
    state.phases = std::move(own);
    next_.phases = std::move(kept);
    return next_;
}

template <class Real>
void FrameStart<Real>::next_has_arrived() {
    std::swap(start_, next_);
    kept_ = true;
}

// How often the frame has been taken again follows from the two scales.
template <class Real>
bool FrameStart<Real>::may_return(const State<Real>& state) const {
    return std::lround(std::log2(start_.dt_scale / (state.dt_scale / 2))) <= most_returns;
}

template <class Real>
void FrameStart<Real>::return_to(State<Real>& state) const {
    const double scale = state.dt_scale / 2;
    state = start_;
    state.dt_scale = scale;
}

template class FrameStart<float>;
template class FrameStart<double>;

}  // namespace knead
