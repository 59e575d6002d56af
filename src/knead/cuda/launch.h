// What CUDA spells in a syntax of its own, written once for nvcc and for the emulated device:
// starting kernels, shared memory, and kernels that overlap.
#pragma once

#include <string>
#include <type_traits>

#include "knead/cuda/device_array.h"

namespace knead {

// CUDA blocks, threads in each, and dynamic shared memory of each [bytes].
struct LaunchShape {
    dim3 blocks, threads;
    std::size_t shared_bytes;

    LaunchShape(dim3 b, int t, std::size_t bytes = 0)
        : blocks(b), threads(static_cast<unsigned>(t)), shared_bytes(bytes) {}
    template <class Integer>
    requires std::is_integral_v<Integer> LaunchShape(Integer b, int t, std::size_t bytes = 0)
        : LaunchShape(dim3(static_cast<unsigned>(b)), t, bytes) {}
};

}  // namespace knead

#ifdef KNEAD_EMULATED_DEVICE
#include "knead/cuda/emulated/launch.h"
#else

namespace knead {

inline constexpr bool device_is_emulated = false;

// Whether this program has a kernel in a form that the card can run.
template <auto kernel>
bool has_code() {
    cudaFuncAttributes code{};
    const bool has = cudaFuncGetAttributes(&code, kernel) == cudaSuccess;
    cudaGetLastError();
    return has;
}
// The compute capabilities it was built for, as CMake names them.
inline std::string built_capabilities() { return KNEAD_CUDA_ARCHITECTURES; }

// Whether a kernel may begin while the one before it still works: the card can do that since
// compute capability 9.0, and the code that runs must have been made for such a card.
template <auto kernel>
bool can_overlap() {
    static const bool can = [] {
        cudaFuncAttributes code{};
        int major = 0;
        return cudaFuncGetAttributes(&code, kernel) == cudaSuccess &&
               cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) ==
                   cudaSuccess &&
               major >= 9 && code.ptxVersion >= 90;
    }();
    return can;
}

template <auto kernel, class... A>
cudaError_t launch_with(const LaunchShape& shape, cudaStream_t stream, bool overlaps, A&&... args) {
    cudaLaunchAttribute overlap{};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.blocks;
    config.blockDim = shape.threads;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = overlaps ? 1 : 0;
    return cudaLaunchKernelEx(&config, kernel, std::forward<A>(args)...);
}
// Puts a kernel into a stream. Mistakes are found by the next cudaGetLastError.
template <auto kernel, class... A>
void launch(const LaunchShape& shape, cudaStream_t stream, A&&... args) {
    launch_with<kernel>(shape, stream, false, std::forward<A>(args)...);
}
// The same for a kernel that may begin while the one before it still works, where that is possible.
template <auto kernel, class... A>
void launch_overlapping(const LaunchShape& shape, cudaStream_t stream, A&&... args) {
    check_cuda(launch_with<kernel>(shape, stream, can_overlap<kernel>(), std::forward<A>(args)...),
               "starting a step");
}

// Waits until the kernel before, and so all before it that did this, are done and can be seen.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// The next one may begin as soon as every CUDA block has come here.
__device__ inline void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Memory that the threads of a CUDA block share: SHARED(double[4][32], sums);
#define SHARED(T, name) __shared__ std::type_identity_t<T> name

// The dynamic shared memory of a launch.
template <class T>
__device__ T* dynamic_shared() {
    extern __shared__ float4 knead_dynamic_shared[];
    return reinterpret_cast<T*>(knead_dynamic_shared);
}

// A store of one same value by any number of threads, and a read beside others' atomic changes.
template <class T>
__device__ void set_flag(T* flag) {
    *static_cast<volatile T*>(flag) = 1;
}
template <class T>
__device__ T peek(const T* at) {
    return *static_cast<const volatile T*>(at);
}

// Lets a kernel take as much shared memory as its tiles need.
template <auto kernel>
void allow_shared_bytes(std::size_t bytes) {
    static const cudaError_t raised = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
    check_cuda(raised, "asking for shared memory");
}

}  // namespace knead

#endif
