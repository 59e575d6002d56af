// Where a thread stands, what its warp agrees on, and how many CUDA blocks are needed. Blocks of
// threads have one dimension.
#pragma once

#include "knead/cuda/runtime.h"

namespace knead {

// CUDA blocks of 256 threads for n of them.
inline unsigned blocks_for(long long n) { return static_cast<unsigned>((n + 255) / 256); }
// CUDA blocks of 4 warps for n of them.
inline unsigned blocks_of_warps(int n) { return static_cast<unsigned>((n + 3) / 4); }

inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int thread_index() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}
__device__ inline int lane_index() { return static_cast<int>(threadIdx.x & 31u); }

// The best of a warp, by shuffles.
template <class T, class Better>
__device__ inline T warp_best(T value, const Better& better) {
    for (int d = 16; d > 0; d /= 2) {
        const T other = __shfl_xor_sync(all_lanes, value, d);
        if (better(other, value)) value = other;
    }
    return value;
}

// The largest and the least of a warp, for integers: one instruction since compute capability 8.0.
#if defined(KNEAD_EMULATED_DEVICE)
#define KNEAD_IF_WARPS_REDUCE if (emulated::card().capability >= 80)
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define KNEAD_IF_WARPS_REDUCE if constexpr (true)
#endif
template <class T>
__device__ inline T warp_max(T value) {
#ifdef KNEAD_IF_WARPS_REDUCE
    KNEAD_IF_WARPS_REDUCE return __reduce_max_sync(all_lanes, value);
    else
#endif
        return warp_best(value, [](T a, T b) { return a > b; });
}
template <class T>
__device__ inline T warp_min(T value) {
#ifdef KNEAD_IF_WARPS_REDUCE
    KNEAD_IF_WARPS_REDUCE return __reduce_min_sync(all_lanes, value);
    else
#endif
        return warp_best(value, [](T a, T b) { return a < b; });
}
#undef KNEAD_IF_WARPS_REDUCE

}  // namespace knead
