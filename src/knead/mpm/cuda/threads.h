// Where a thread stands, and how many CUDA blocks are needed.
#pragma once

namespace knead {

// CUDA blocks of 256 threads for n of them.
inline unsigned blocks_for(long long n) { return static_cast<unsigned>((n + 255) / 256); }
// CUDA blocks of 4 warps for n of them.
inline unsigned blocks_of_warps(int n) { return static_cast<unsigned>((n + 3) / 4); }

#ifdef __CUDACC__
__device__ inline int thread_index() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ inline int lane_index() { return static_cast<int>(threadIdx.x & 31u); }
#endif

}  // namespace knead
