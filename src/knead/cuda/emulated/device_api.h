// What the project's kernels use of CUDA, for a C++ compiler. The threads of a CUDA block take
// turns on one processor; where a warp or a CUDA block acts together, they meet. [block.h]
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "knead/cuda/emulated/card.h"
#include "knead/cuda/emulated/race_check.h"

#define __host__
#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __noinline__  // empty: libstdc++ writes __attribute__((__noinline__))

struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

struct dim3;
// Of the thread that runs.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace knead::emulated {

enum class Meeting : int {
    sync,
    shuffle,
    ballot,
    match,
    max_int,
    min_int,
    max_unsigned,
    min_unsigned
};
// All lanes of the mask come together and each gives a value. One of the results.
std::uint64_t meet(Meeting kind, unsigned mask, std::uint64_t value, int which = 0);
void sync_block();
void mbarrier_init(unsigned long long* at, unsigned arrivals);
void mbarrier_arrive(unsigned long long* at);
void mbarrier_wait(unsigned long long* at, unsigned parity);
// Others of the CUDA block go first. For threads that look again and again for a change.
void pause_thread();

template <class T>
std::uint64_t to_bits(T value) {
    static_assert(sizeof(T) <= 8);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T>
T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}
inline int lane() { return static_cast<int>(threadIdx.x & 31u); }

template <class T>
T shuffle(unsigned mask, T value, int from) {
    return from_bits<T>(meet(Meeting::shuffle, mask, to_bits(value), from));
}

}  // namespace knead::emulated

inline void __syncthreads() { knead::emulated::sync_block(); }
inline void __syncwarp(unsigned mask = ~0u) {
    knead::emulated::meet(knead::emulated::Meeting::sync, mask, 0);
}
template <class T>
T __shfl_sync(unsigned mask, T value, int from) {
    return knead::emulated::shuffle(mask, value, from & 31);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by) {
    const int me = knead::emulated::lane(), from = me - static_cast<int>(by);
    return knead::emulated::shuffle(mask, value, from < 0 ? me : from);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by) {
    const int me = knead::emulated::lane(), from = me + static_cast<int>(by);
    return knead::emulated::shuffle(mask, value, from > 31 ? me : from);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int other) {
    return knead::emulated::shuffle(mask, value, knead::emulated::lane() ^ other);
}
inline unsigned __ballot_sync(unsigned mask, int yes) {
    return static_cast<unsigned>(
        knead::emulated::meet(knead::emulated::Meeting::ballot, mask, yes != 0));
}
inline int __any_sync(unsigned mask, int yes) { return __ballot_sync(mask, yes) != 0; }
inline int __all_sync(unsigned mask, int yes) { return __ballot_sync(mask, yes) == mask; }
template <class T>
unsigned __match_any_sync(unsigned mask, T value) {
    using namespace knead::emulated;
    return static_cast<unsigned>(meet(Meeting::match, mask, to_bits(value), lane()));
}
#define KNEAD_WARP_REDUCE(name, T, kind)                                \
    inline T name(unsigned mask, T value) {                             \
        using namespace knead::emulated;                                \
        return from_bits<T>(meet(Meeting::kind, mask, to_bits(value))); \
    }
KNEAD_WARP_REDUCE(__reduce_max_sync, int, max_int)
KNEAD_WARP_REDUCE(__reduce_min_sync, int, min_int)
KNEAD_WARP_REDUCE(__reduce_max_sync, unsigned, max_unsigned)
KNEAD_WARP_REDUCE(__reduce_min_sync, unsigned, min_unsigned)
#undef KNEAD_WARP_REDUCE

// Threads take turns only where they meet, so that nothing comes between.
#define KNEAD_ATOMIC(name, result)                                 \
    template <class T>                                             \
    KNEAD_UNCHECKED T name(T* at, std::type_identity_t<T> value) { \
        knead::emulated::check_atomic(at, sizeof(T));              \
        const T old = *at;                                         \
        *at = (result);                                            \
        return old;                                                \
    }
KNEAD_ATOMIC(atomicAdd, old + value)
KNEAD_ATOMIC(atomicMax, old < value ? value : old)
KNEAD_ATOMIC(atomicMin, value < old ? value : old)
KNEAD_ATOMIC(atomicExch, value)
KNEAD_ATOMIC(atomicOr, old | value)
#undef KNEAD_ATOMIC

inline int __popc(unsigned bits) { return std::popcount(bits); }
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline long long __double_as_longlong(double value) { return std::bit_cast<long long>(value); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
