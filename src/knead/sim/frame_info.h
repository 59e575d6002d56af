// What a frame file says besides its particles.
#pragma once

#include "knead/io/frame_writer.h"
#include "knead/sim/model.h"
#include "knead/sim/state.h"

namespace knead {

template <class Real>
FrameInfo frame_info(const Model& model, const State<Real>& state);

}  // namespace knead
