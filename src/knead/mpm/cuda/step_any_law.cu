// The kernels that serve every law.
#include "knead/mpm/cuda/launch_step.h"

namespace knead {

template <>
void launch_step(const AnyLaw& law, const MpmSettings& settings, const ParticleView& p,
                 const GridView& grid, const StepView& step, const SourceLists& sources,
                 cudaStream_t stream) {
    with_smooth_kernel(settings, [&]<int Order, Transfer transfer>() {
        launch_step_kernels<AnyLaw, Order, transfer>(law, p, grid, step, sources, stream);
    });
}

void launch_add(const MpmSettings& settings, const ParticleView& p, const GridView& grid,
                const StepView& step, int first, int count, cudaStream_t stream) {
    with_smooth_kernel(settings, [&]<int Order, Transfer transfer>() {
        constexpr auto kernel = add_particles<Order, transfer>;
        constexpr std::size_t bytes = step_shared_bytes<Order, transfer>;
        allow_shared_bytes<kernel>(bytes);
        launch<kernel>({count, step_threads, bytes}, stream, p, grid, step, first);
    });
    check_cuda(cudaGetLastError(), "adding particles to the grid");
}

}  // namespace knead
