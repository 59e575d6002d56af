// Sticky walls at their surface on the GPU: what mpm/wall_nodes.h does, after update_nodes has
// summed the tiles. Nodes near walls are bound, free ones take what is bound to them and move, and
// bound ones follow.
#pragma once

#include "knead/mpm/cuda/step_view.h"

namespace knead {

void launch_bind_walls(const MpmSettings& settings, const GridView& grid, const StepView& step,
                       cudaStream_t stream);

}  // namespace knead
