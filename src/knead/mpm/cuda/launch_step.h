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
    const auto start = [&](auto kernel) {
        kernel<<<count, step_threads, bytes, stream>>>(p, law, grid, step, first);
    };
    constexpr auto far = step_particles<L, Order, transfer, false>;
    constexpr auto near = step_particles<L, Order, transfer, true>;
    static const cudaError_t raised = [] {
        const auto limit = cudaFuncAttributeMaxDynamicSharedMemorySize;
        const cudaError_t one = cudaFuncSetAttribute(far, limit, static_cast<int>(bytes));
        const cudaError_t two = cudaFuncSetAttribute(near, limit, static_cast<int>(bytes));
        return one != cudaSuccess ? one : two;
    }();
    check_cuda(raised, "asking for shared memory");
    start(far);
    if (step.step >= 0 && step.collider_count > 0) start(near);
    check_cuda(cudaGetLastError(), "starting a step");
}

}  // namespace knead
