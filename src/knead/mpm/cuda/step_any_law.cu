// The kernels that serve every law.
#include "knead/mpm/cuda/launch_step.h"

namespace knead {

template <>
void launch_step(const AnyLaw& law, const MpmSettings& settings, const ParticleView& p,
                 const GridView& grid, const StepView& step, int first, int count,
                 cudaStream_t stream) {
    with_kernel(settings, [&]<int Order, Transfer transfer>() {
        launch_step_kernel<AnyLaw, Order, transfer>(law, p, grid, step, first, count, stream);
    });
}

}  // namespace knead
