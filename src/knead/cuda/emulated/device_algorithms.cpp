// The plain versions of what CUB does on a GPU.
#include "knead/cuda/device_algorithms.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "knead/cuda/emulated/memory.h"
#include "knead/cuda/emulated/streams.h"

namespace knead {

using emulated::check_device_range;
using emulated::enqueue;
using emulated::note_written;

namespace {

template <class T>
void check(const T* at, int n) {
    check_device_range(at, static_cast<std::size_t>(n) * sizeof(T), "what an algorithm works on");
}
template <class T>
void wrote(const T* at, int n) {
    note_written(at, static_cast<std::size_t>(n) * sizeof(T));
}

template <class K>
void sort_by(const K* keys, K* sorted_keys, const unsigned* values, unsigned* sorted_values, int n,
             BitRange bits) {
    check(keys, n), check(sorted_keys, n), check(values, n), check(sorted_values, n);
    const int width = bits.end - bits.first;
    const K mask = width >= static_cast<int>(8 * sizeof(K)) ? ~K{0} : (K{1} << width) - 1;
    std::vector<std::pair<K, int>> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        order[static_cast<std::size_t>(i)] = {keys[i] >> bits.first & mask, i};
    std::sort(order.begin(), order.end());
    for (int i = 0; i < n; ++i) {
        const int from = order[static_cast<std::size_t>(i)].second;
        sorted_keys[i] = keys[from];
        sorted_values[i] = values[from];
    }
    wrote(sorted_keys, n), wrote(sorted_values, n);
}

}  // namespace

void DeviceAlgorithms::exclusive_sum(const int* in, int* out, int n, cudaStream_t stream) {
    enqueue(stream, [=] {
        check(in, n), check(out, n);
        std::exclusive_scan(in, in + n, out, 0);
        wrote(out, n);
    });
}
void DeviceAlgorithms::sort_pairs(const unsigned* keys, unsigned* sorted_keys,
                                  const unsigned* values, unsigned* sorted_values, int n,
                                  BitRange bits, cudaStream_t stream) {
    enqueue(stream, [=] { sort_by(keys, sorted_keys, values, sorted_values, n, bits); });
}
void DeviceAlgorithms::sort_pairs(const unsigned long long* keys, unsigned long long* sorted_keys,
                                  const unsigned* values, unsigned* sorted_values, int n,
                                  BitRange bits, cudaStream_t stream) {
    enqueue(stream, [=] { sort_by(keys, sorted_keys, values, sorted_values, n, bits); });
}
void DeviceAlgorithms::select_set(const char* flags, int n, int* numbers, int* count,
                                  cudaStream_t stream) {
    enqueue(stream, [=] {
        check(flags, n), check(count, 1);
        int found = 0;
        for (int i = 0; i < n; ++i)
            if (flags[i]) {
                check(numbers + found, 1);
                numbers[found++] = i;
            }
        *count = found;
        wrote(numbers, found), wrote(count, 1);
    });
}

}  // namespace knead
