// A frame that fails returns to its start and is taken again with half the step.
#pragma once

#include "knead/sim/state.h"

namespace knead {

template <class Real>
class FrameStart {
public:
    static constexpr int most_returns = 8;  // of one frame

    // A copy of the state. Should there be no memory for it, there is no start to return to.
    void keep(const State<Real>& state);
    void keep(State<Real>&& state);
    bool is_kept() const { return kept_; }
    const State<Real>& state() const { return start_; }
    State<Real> take();  // leaves nothing

    // Where particles live elsewhere, the start of the next frame while it is read. It has all of
    // the state but the particles.
    State<Real>& next(State<Real>& state);
    void next_has_arrived();

    // Remembers how long the steps of the frame were that ends here, should it turn out broken.
    void frame_ends(const State<Real>& state) { last_scale_ = state.dt_scale; }
    void last_frame_broke(State<Real>& state) const { state.dt_scale = last_scale_; }

    // False: this frame has been taken again often enough.
    bool may_return(const State<Real>& state) const;
    void return_to(State<Real>& state) const;

private:
    State<Real> start_, next_;
    bool kept_ = false;
    double last_scale_ = 1;  // State::dt_scale
};

}  // namespace knead
