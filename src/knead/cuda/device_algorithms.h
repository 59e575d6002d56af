// Scans, sorts and selections in the GPU's memory, with scratch memory that only grows.
#pragma once

#include "knead/cuda/device_array.h"
#include "knead/cuda/threads.h"

namespace knead {

// Bits [first, end) of a key.
struct BitRange {
    int first, end;
};

class DeviceAlgorithms {
public:
    // out[i] is the sum of in[0 .. i - 1]; both may be one array.
    void exclusive_sum(const int* in, int* out, int n, cudaStream_t stream);
    // By those bits of the keys; where they are equal the order stays.
    void sort_pairs(const unsigned* keys, unsigned* sorted_keys, const unsigned* values,
                    unsigned* sorted_values, int n, BitRange bits, cudaStream_t stream);
    void sort_pairs(const unsigned long long* keys, unsigned long long* sorted_keys,
                    const unsigned* values, unsigned* sorted_values, int n, BitRange bits,
                    cudaStream_t stream);
    // The numbers of the flags that are set, in order; how many there are goes to *count.
    void select_set(const char* flags, int n, int* numbers, int* count, cudaStream_t stream);
    // The same, and waits for the count.
    int select_set(const char* flags, int n, int* numbers, cudaStream_t stream);

    // Waits for what is in the stream and returns a number from the GPU's memory.
    int fetch(const int* value, cudaStream_t stream);
    std::size_t bytes() const { return scratch_.bytes(); }

private:
    template <class Call>
    void with_scratch(const Call& call);

    DeviceArray<char> scratch_;
    DeviceArray<int> count_;
    Pinned<int> fetched_{1};
};

}  // namespace knead
