#include "knead/cuda/gpu.h"

#include <algorithm>

#include "knead/cuda/launch.h"

namespace knead {

namespace {

constexpr int least_capability = 75;  // Turing

// Says by being there which cards the kernels were built for.
__global__ void probe() {}

std::string with_point(int number, int unit) {
    return std::to_string(number / unit) + "." + std::to_string(number % unit * 10 / unit);
}
std::string version(int number) { return with_point(number, 1000); }
int capability(const cudaDeviceProp& p) { return 10 * p.major + p.minor; }

std::string why_not(cudaError_t status) {
    if (status == cudaErrorNoDevice) return "no NVIDIA GPU was found";
    if (status != cudaErrorInsufficientDriver) return cudaGetErrorString(status);
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "no NVIDIA driver is installed";
    return "the NVIDIA driver knows CUDA " + version(driver) + ", and this knead needs CUDA " +
           version(runtime) + ": install a newer driver";
}

}  // namespace

std::string why_no_gpu() {
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (status != cudaSuccess) return why_not(status);
    if (count == 0) return why_not(cudaErrorNoDevice);
    cudaDeviceProp p{};
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return "the GPU does not answer";
    const std::string card =
        std::string(p.name) + " has compute capability " + with_point(capability(p), 10);
    if (capability(p) < least_capability) return card + ", and 7.5 (Turing) or newer is needed";
    if (!has_code<probe>())
        return card + ", and this knead was built for " + built_capabilities() +
               ": build it with -DKNEAD_CUDA_ARCHITECTURES=all";
    return {};
}

std::string describe_gpu() {
    cudaDeviceProp p{};
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return "no CUDA device";
    std::string text = std::string(p.name) + ", compute capability " +
                       with_point(capability(p), 10) + ", " +
                       std::to_string(p.multiProcessorCount) + " multiprocessors, " +
                       bytes_in_words(static_cast<double>(p.totalGlobalMem));
    if (device_is_emulated) text += "; kernels run on the processor, for tests";
    return text;
}

std::string what_gpu_lacks() {
    cudaDeviceProp p{};
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess) return {};
    std::string text;
    const auto lacks = [&](bool missing, const char* what) {
        if (missing) text += (text.empty() ? "" : "; ") + std::string(what);
    };
    lacks(capability(p) < 90, "no overlapping launches (since 9.0)");
    lacks(capability(p) < 80, "no barriers in shared memory (since 8.0): warps wait by counting");
    lacks(p.sharedMemPerBlockOptin < std::size_t{100} << 10,
          "little shared memory: fewer CUDA blocks at a time");
    return text;
}

double gpu_copy_bandwidth() {
    constexpr std::size_t bytes = std::size_t{1} << 30;
    DeviceArray<char> a, b;
    a.need(bytes), b.need(bytes);
    cudaEvent_t begin, end;
    check_cuda(cudaEventCreate(&begin), "measuring");
    check_cuda(cudaEventCreate(&end), "measuring");
    float best = 1e30f;
    for (int round = 0; round < 6; ++round) {
        cudaEventRecord(begin);
        check_cuda(cudaMemcpyAsync(b.data(), a.data(), bytes, cudaMemcpyDeviceToDevice),
                   "measuring");
        cudaEventRecord(end);
        check_cuda(cudaEventSynchronize(end), "measuring");
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, begin, end);
        best = std::min(best, milliseconds);
    }
    cudaEventDestroy(begin), cudaEventDestroy(end);
    return 2e3 * static_cast<double>(bytes) / static_cast<double>(best);
}

}  // namespace knead
