// Included by the sources that compile step_particles for their laws.
#pragma once

#include "knead/mpm/cuda/step_particles.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/parallel/device_array.h"

namespace knead {

// Lets a kernel take as much shared memory as its tiles need.
template <auto kernel>
void allow_shared_bytes(std::size_t bytes) {
    static const cudaError_t raised = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    check_cuda(raised, "asking for shared memory");
}

template <class L, int Order, Transfer transfer>
void launch_step_kernel(const L& law, const ParticleView& p, const GridView& grid,
                        const StepView& step, const SourceList& far, const SourceList& near,
                        cudaStream_t stream) {
    constexpr std::size_t bytes = step_shared_bytes<Order, transfer>;
    const auto start = [&]<bool near_colliders>(const SourceList& sources, bool is_first) {
        if (sources.count == 0) return;
        constexpr auto kernel = step_particles<L, Order, transfer, near_colliders>;
        allow_shared_bytes<kernel>(bytes);
        LaunchPlan plan(sources.count, step_threads, bytes, stream);
        check_cuda(cudaLaunchKernelEx(plan.config(), kernel, p, law, grid, step, sources.numbers,
                                      is_first),
                   "starting a step");
    };
    start.template operator()<true>(near, true);
    start.template operator()<false>(far, near.count == 0);
}

}  // namespace knead
