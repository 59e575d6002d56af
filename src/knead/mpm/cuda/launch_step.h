// Included by the sources that compile step_particles for their laws.
#pragma once

#include "knead/mpm/cuda/step_particles.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/parallel/device_array.h"

namespace knead {

template <class L, int Order, Transfer transfer>
void launch_step_kernel(const L& law, const ParticleView& p, const GridView& grid,
                        const StepView& step, int first, int count, cudaStream_t stream) {
    constexpr std::size_t bytes = step_shared_bytes<Order, transfer>;
    static const cudaError_t raised =
        cudaFuncSetAttribute(step_particles<L, Order, transfer>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    check_cuda(raised, "asking for shared memory");
    step_particles<L, Order, transfer>
        <<<count, step_threads, bytes, stream>>>(p, law, grid, step, first);
    check_cuda(cudaGetLastError(), "starting a step");
}

}  // namespace knead
