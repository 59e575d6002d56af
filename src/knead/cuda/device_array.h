// Memory of the GPU. Included by CUDA sources only.
#pragma once

#include "knead/cuda/runtime.h"

#include <cstddef>
#include <string>
#include <utility>

#include "knead/base/error.h"
#include "knead/base/machine.h"

namespace knead {

struct OutOfDeviceMemory : RunError {
    using RunError::RunError;
};

// Says how much was asked for, where that is known, and how much there is.
[[noreturn]] inline void out_of_device_memory(std::size_t wanted) {
    cudaGetLastError();
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    const auto words = [](std::size_t bytes) { return bytes_in_words(static_cast<double>(bytes)); };
    throw OutOfDeviceMemory("the GPU's memory is full: " +
                            (wanted > 0 ? words(wanted) : std::string("room for stacks")) +
                            " more is needed, " + words(free) + " of " + words(total) +
                            " are free");
}

inline void check_cuda(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    if (status == cudaErrorMemoryAllocation) out_of_device_memory(0);
    cudaGetLastError();
    throw RunError(std::string("the GPU failed while ") + doing + ": " +
                   cudaGetErrorString(status));
}

// An array that only grows, with room to spare, so that a steady run never allocates.
template <class T>
class DeviceArray {
public:
    DeviceArray() = default;
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(DeviceArray&& other) noexcept { swap(other); }
    DeviceArray& operator=(DeviceArray&& other) noexcept {
        swap(other);
        return *this;
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t bytes() const { return capacity_ * sizeof(T); }
    void swap(DeviceArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
    }
    // Room for n; what it held is lost when it grows.
    T* need(std::size_t n) {
        if (n <= capacity_) return use(n);
        const std::size_t roomy = capacity_ == 0 ? n : n + n / 4;
        cudaFree(data_);
        data_ = nullptr;
        capacity_ = 0;
        if (cudaMalloc(reinterpret_cast<void**>(&data_), roomy * sizeof(T)) != cudaSuccess) {
            data_ = nullptr;
            out_of_device_memory(roomy * sizeof(T));
        }
        capacity_ = roomy;
        return use(n);
    }

    // Room for n; the first `kept` stay.
    T* grow(std::size_t n, std::size_t kept, cudaStream_t stream) {
        if (n <= capacity_) return use(n);
        DeviceArray larger;
        larger.need(n + n / 4);
        check_cuda(cudaMemcpyAsync(larger.data_, data_, kept * sizeof(T), cudaMemcpyDeviceToDevice,
                                   stream),
                   "growing");
        check_cuda(cudaStreamSynchronize(stream), "growing");
        swap(larger);
        return use(n);
    }

private:
    // What is spare beyond n is not to be touched; the emulated device watches that.
    T* use([[maybe_unused]] std::size_t n) {
#ifdef KNEAD_EMULATED_DEVICE
        emulated::limit_allocation(data_, n * sizeof(T));
#endif
        return data_;
    }

    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

// Memory of the host that the GPU can reach, for what is fetched often.
template <class T>
class Pinned {
public:
    explicit Pinned(std::size_t n) { need(n); }
    ~Pinned() { cudaFreeHost(data_); }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    T* data() { return data_; }
    T* need(std::size_t n) {
        if (n <= size_) return data_;
        cudaFreeHost(data_);
        data_ = nullptr;
        check_cuda(cudaMallocHost(reinterpret_cast<void**>(&data_), n * sizeof(T)),
                   "taking memory of the host");
        size_ = n;
        return data_;
    }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace knead
