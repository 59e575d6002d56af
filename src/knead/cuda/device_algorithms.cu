#include "knead/cuda/device_algorithms.h"

namespace knead {

int DeviceAlgorithms::select_set(const char* flags, int n, int* numbers, cudaStream_t stream) {
    if (n == 0) return 0;
    select_set(flags, n, numbers, count_.need(1), stream);
    return fetch(count_.data(), stream);
}

int DeviceAlgorithms::fetch(const int* value, cudaStream_t stream) {
    check_cuda(cudaMemcpyAsync(fetched_.data(), value, sizeof(int), cudaMemcpyDeviceToHost, stream),
               "counting");
    check_cuda(cudaStreamSynchronize(stream), "counting");
    return *fetched_.data();
}

}  // namespace knead
