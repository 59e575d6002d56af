// A barrier in shared memory that some threads open for others: an mbarrier where the card has one
// (compute capability 8.0), otherwise a counter. Phases alternate between even and odd.
#pragma once

#include "knead/cuda/launch.h"

namespace knead {

class SharedBarrier {
public:
    // One thread does this; a __syncthreads must follow.
    __device__ void init(unsigned arrivals) {
        if (has_mbarriers())
            mbarrier_init(&word_, arrivals);
        else
            word_ = static_cast<unsigned long long>(arrivals) << 32;
    }
    // What this thread wrote before can be seen by those who pass the barrier.
    __device__ void arrive() {
        if (has_mbarriers()) {
            mbarrier_arrive(&word_);
        } else {
            release_to(&word_);
            atomicAdd(&word_, 1ull);
        }
    }
    // Until the phase of this parity is over.
    __device__ void wait(unsigned parity) {
        if (has_mbarriers()) {
            mbarrier_wait(&word_, parity);
        } else {
            while (phase(peek(&word_)) % 2 == parity) pause_thread();
            acquire_from(&word_);
        }
    }

private:
    // Arrivals are counted in the lower half; how many make a phase stands in the upper half.
    __device__ static unsigned phase(unsigned long long word) {
        return static_cast<unsigned>(word) / static_cast<unsigned>(word >> 32);
    }

#ifdef KNEAD_EMULATED_DEVICE
    static bool has_mbarriers() { return emulated::card().capability >= 80; }
    static void mbarrier_init(unsigned long long* at, unsigned arrivals) {
        emulated::mbarrier_init(at, arrivals);
    }
    static void mbarrier_arrive(unsigned long long* at) { emulated::mbarrier_arrive(at); }
    static void mbarrier_wait(unsigned long long* at, unsigned parity) {
        emulated::mbarrier_wait(at, parity);
    }
    static void release_to(const unsigned long long* at) { emulated::release_to(at); }
    static void acquire_from(const unsigned long long* at) { emulated::acquire_from(at); }
    static void pause_thread() { emulated::pause_thread(); }
#else
    __device__ static constexpr bool has_mbarriers() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        return true;
#else
        return false;
#endif
    }
    __device__ static unsigned address(const unsigned long long* at) {
        return static_cast<unsigned>(__cvta_generic_to_shared(at));
    }
    __device__ static void mbarrier_init(unsigned long long* at, unsigned arrivals) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(at)), "r"(arrivals)
                     : "memory");
#endif
    }
    __device__ static void mbarrier_arrive(unsigned long long* at) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile(
            "{\n"
            ".reg .b64 state;\n"
            "mbarrier.arrive.shared.b64 state, [%0];\n"
            "}\n" ::"r"(address(at))
            : "memory");
#endif
    }
    // Since 9.0 the thread sleeps while it waits.
    __device__ static void mbarrier_wait(unsigned long long* at, unsigned parity) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        asm volatile(
            "{\n"
            ".reg .pred open;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared.b64 open, [%0], %1;\n"
            "@!open bra again;\n"
            "}\n" ::"r"(address(at)),
            "r"(parity)
            : "memory");
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
        asm volatile(
            "{\n"
            ".reg .pred open;\n"
            "again:\n"
            "mbarrier.test_wait.parity.shared.b64 open, [%0], %1;\n"
            "@!open bra again;\n"
            "}\n" ::"r"(address(at)),
            "r"(parity)
            : "memory");
#endif
    }
    __device__ static void release_to(const unsigned long long*) { __threadfence_block(); }
    __device__ static void acquire_from(const unsigned long long*) { __threadfence_block(); }
    __device__ static void pause_thread() { __nanosleep(20); }
#endif

    unsigned long long word_;
};

}  // namespace knead
