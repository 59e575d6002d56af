// The grid half of a step on the GPU: sums the tiles, momentum to velocity, gravity, colliders.
#pragma once

#include "knead/mpm/cuda/stencil.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

void launch_update_grid(const MpmSettings& settings, const GridView& grid, const StepView& step,
                        cudaStream_t stream);

}  // namespace knead
