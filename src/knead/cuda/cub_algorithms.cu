// What CUB does for the project.
#include "knead/cuda/device_algorithms.h"

#include <algorithm>
#include <cub/cub.cuh>

namespace knead {

template <class Call>
void DeviceAlgorithms::with_scratch(const Call& call) {
    std::size_t bytes = 0;
    check_cuda(call(nullptr, bytes), "sorting");
    check_cuda(call(scratch_.need(std::max<std::size_t>(bytes, 1)), bytes), "sorting");
}

void DeviceAlgorithms::exclusive_sum(const int* in, int* out, int n, cudaStream_t stream) {
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(temp, bytes, in, out, n, stream);
    });
}

void DeviceAlgorithms::sort_pairs(const unsigned* keys, unsigned* sorted_keys,
                                  const unsigned* values, unsigned* sorted_values, int n,
                                  BitRange bits, cudaStream_t stream) {
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(temp, bytes, keys, sorted_keys, values,
                                               sorted_values, n, bits.first, bits.end, stream);
    });
}

void DeviceAlgorithms::sort_pairs(const unsigned long long* keys, unsigned long long* sorted_keys,
                                  const unsigned* values, unsigned* sorted_values, int n,
                                  BitRange bits, cudaStream_t stream) {
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(temp, bytes, keys, sorted_keys, values,
                                               sorted_values, n, bits.first, bits.end, stream);
    });
}

void DeviceAlgorithms::select_set(const char* flags, int n, int* numbers, int* count,
                                  cudaStream_t stream) {
    with_scratch([&](void* temp, std::size_t& bytes) {
        return cub::DeviceSelect::Flagged(temp, bytes, thrust::counting_iterator<int>(0), flags,
                                          numbers, count, n, stream);
    });
}

}  // namespace knead
