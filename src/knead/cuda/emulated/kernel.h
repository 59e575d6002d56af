// A launch as the emulated device keeps it.
#pragma once

#include <memory>
#include <string_view>

#include "knead/cuda/emulated/device_api.h"
#include "knead/cuda/emulated/host_api.h"

namespace knead::emulated {

// A launch: its shape, what one thread does, and the arguments, kept from the launch on.
struct Kernel {
    std::string_view name;
    const void* code = nullptr;
    dim3 blocks, threads;
    std::size_t shared_bytes = 0;
    bool overlaps = false;  // may begin while the kernel before it still works
    void (*run)(const void*) = nullptr;
    std::shared_ptr<const void> arguments;
    std::size_t argument_bytes = 0;
};
void submit(Kernel kernel, cudaStream_t stream);
cudaError_t allow_shared(const void* code, std::size_t bytes);
// Shared memory of the CUDA block that runs: the piece of that key, or the dynamic part.
void* shared_memory(const void* key, std::size_t bytes);
void* dynamic_shared_memory();

}  // namespace knead::emulated
