// The kernels of a step overlap: one may begin while the last CUDA blocks of the one before it
// still work, and gets ready.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace knead {

// A launch that may begin while the kernel before it still works.
class LaunchPlan {
public:
    LaunchPlan(int blocks, int threads, std::size_t shared_bytes, cudaStream_t stream) {
        overlap_.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlap_.val.programmaticStreamSerializationAllowed = 1;
        config_.gridDim = dim3(static_cast<unsigned>(blocks));
        config_.blockDim = dim3(static_cast<unsigned>(threads));
        config_.dynamicSmemBytes = shared_bytes;
        config_.stream = stream;
        config_.attrs = &overlap_;
        config_.numAttrs = 1;
    }
    LaunchPlan(const LaunchPlan&) = delete;
    LaunchPlan& operator=(const LaunchPlan&) = delete;
    const cudaLaunchConfig_t* config() const { return &config_; }

private:
    cudaLaunchAttribute overlap_{};
    cudaLaunchConfig_t config_{};
};

// Waits until the kernel before, and so all before it that did this, are done and can be seen.
__device__ inline void wait_for_kernel_before() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
// The next one may begin as soon as every CUDA block has come here.
__device__ inline void let_next_kernel_begin() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

}  // namespace knead
