// The grid half of a step on the GPU: sums the tiles, momentum to velocity, gravity, colliders.
#pragma once

#include "knead/mpm/cuda/stencil.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

// Marks the blocks and targets that colliders may touch while they move by up to reach[c].
void launch_mark_near(const MpmSettings& settings, const GridView& grid,
                      const ColliderView* colliders, const double* reach, int count,
                      DeviceNearColliders* block_near, DeviceNearColliders* target_near,
                      cudaStream_t stream);
void launch_update_grid(const MpmSettings& settings, const GridView& grid, const StepView& step,
                        cudaStream_t stream);

}  // namespace knead
