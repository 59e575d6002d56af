// Checks a launch as CUDA does, and runs its CUDA blocks one after the other.
#include "knead/cuda/emulated/kernel.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "knead/cuda/emulated/block.h"
#include "knead/cuda/emulated/memory.h"
#include "knead/cuda/emulated/report.h"
#include "knead/cuda/emulated/streams.h"

namespace knead::emulated {

namespace {

constexpr std::size_t shared_without_asking = std::size_t{48} << 10;
std::map<const void*, std::size_t> allowed_shared;

bool is_possible(const Kernel& k) {
    const auto volume = [](const dim3& d) { return std::size_t{d.x} * d.y * d.z; };
    return volume(k.blocks) > 0 && k.blocks.x <= 0x7fffffff && k.blocks.y <= 65535 &&
           k.blocks.z <= 65535 && volume(k.threads) > 0 && volume(k.threads) <= 1024;
}

void run(const Kernel& k) {
    gridDim = k.blocks;
    blockDim = k.threads;
    set_running_kernel(k.name);
    shared().begin_launch(k.shared_bytes);
    begin_launch(k.name, k.overlaps, k.arguments.get(), k.argument_bytes);
    const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    unsigned number = 0;
    for (unsigned z = 0; z < gridDim.z; ++z)
        for (unsigned y = 0; y < gridDim.y; ++y)
            for (unsigned x = 0; x < gridDim.x; ++x) {
                blockIdx = {x, y, z};
                shared().begin_block();
                begin_block(number++, threads);
                block().run(k);
            }
    end_launch();
    set_running_kernel({});
}

}  // namespace

cudaError_t allow_shared(const void* code, std::size_t bytes) {
    const Lock lock(device_lock());
    if (bytes > read_card().shared_bytes) return set_error(cudaErrorInvalidValue);
    allowed_shared[code] = bytes;
    return cudaSuccess;
}

void submit(Kernel kernel, cudaStream_t stream) {
    const Lock lock(device_lock());
    read_card();
    if (!is_possible(kernel)) {
        set_error(cudaErrorInvalidConfiguration);
        return;
    }
    const auto asked = allowed_shared.find(kernel.code);
    const std::size_t most = asked == allowed_shared.end()
                                 ? shared_without_asking
                                 : std::max(asked->second, shared_without_asking);
    if (kernel.shared_bytes > most) {
        set_error(cudaErrorInvalidValue);
        return;
    }
    enqueue(stream, [kernel = std::move(kernel)] { run(kernel); });
}

}  // namespace knead::emulated

using namespace knead::emulated;

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
            return "no error";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        case cudaErrorInsufficientDriver:
            return "CUDA driver version is insufficient for CUDA runtime version";
        case cudaErrorNoDevice:
            return "no CUDA-capable device is detected";
        case cudaErrorNoKernelImageForDevice:
            return "no kernel image is available for execution on the device";
    }
    return "unknown error";
}
cudaError_t cudaGetDeviceCount(int* count) {
    const Card& c = read_card();
    *count = c.capability > 0 ? 1 : 0;
    if (c.driver < runtime_version) return set_error(cudaErrorInsufficientDriver);
    return *count > 0 ? cudaSuccess : set_error(cudaErrorNoDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    const Card& c = read_card();
    *properties = {};
    std::snprintf(properties->name, sizeof(properties->name), "emulated device");
    properties->major = c.capability / 10;
    properties->minor = c.capability % 10;
    properties->multiProcessorCount = 1;
    properties->totalGlobalMem = c.memory_bytes;
    properties->sharedMemPerBlockOptin = c.shared_bytes;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
    *version = read_card().driver;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = runtime_version;
    return cudaSuccess;
}
