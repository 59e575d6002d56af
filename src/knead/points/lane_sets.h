// Which lanes of a pack count: masks of the first ones, the lanes of a mask moved together, and
// sums of lanes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "knead/math/interleave.h"
#include "knead/math/vec.h"

namespace knead {

// Lanes 0 .. n - 1, n >= 0.
template <class S, int N>
inline WideMask<S, N> first_lanes(int n) {
    // a window of ones and zeros: built lane by lane it would take dozens of instructions
    static constexpr auto window = [] {
        std::array<typename WideMask<S, N>::Lane, 2 * N> lanes{};
        for (std::size_t i = 0; i < N; ++i) lanes[i] = -1;
        return lanes;
    }();
    WideMask<S, N> mask;
    std::memcpy(&mask.v, window.data() + (N - (n < N ? n : N)), sizeof(mask.v));
    return mask;
}

// One bit a lane.
template <class S, int N>
inline unsigned lane_set(const WideMask<S, N>& m) {
#if defined(__AVX__)
    if constexpr (sizeof(m.v) == 32) return static_cast<unsigned>(lane_bits(m));
    if constexpr (sizeof(m.v) == 16 && N == 4)
        return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(m.v)));
#endif
    unsigned bits = 0;
    for (int i = 0; i < N; ++i) bits |= m[i] ? 1u << i : 0u;
    return bits;
}

// Appends the lanes of a mask: out[0..] gets index and d2 of the lanes that are set, in order, and
// the count is returned. Whole packs are written, so there must be room for one more.
namespace gather_detail {
// In bytes, for it shares the first-level cache with what is compressed.
struct LaneOrder {
    std::uint8_t of[256][8];
    constexpr LaneOrder() : of{} {
        for (unsigned set = 0; set < 256; ++set) {
            unsigned n = 0;
            for (unsigned lane = 0; lane < 8; ++lane)
                if (set & (1u << lane)) of[set][n++] = static_cast<std::uint8_t>(lane);
        }
    }
};
inline constexpr LaneOrder lane_order;
}  // namespace gather_detail
inline std::size_t compress(unsigned set, const std::uint32_t* index, std::uint32_t* out) {
    const std::uint8_t* order = gather_detail::lane_order.of[set];
#if defined(__AVX2__)
    const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index));
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(out),
        _mm256_permutevar8x32_epi32(from, _mm256_cvtepu8_epi32(_mm_loadu_si64(order))));
#else
    for (int k = 0; k < 8; ++k) out[k] = index[order[k]];
#endif
    return static_cast<std::size_t>(__builtin_popcount(set));
}
template <class S, int N>
inline void compress(unsigned set, const Wide<S, N>& values, S* out) {
    const std::uint8_t* order = gather_detail::lane_order.of[set];
#if defined(__AVX2__)
    if constexpr (sizeof(S) == 4 && N == 8) {
        const __m256i o = _mm256_cvtepu8_epi32(_mm_loadu_si64(order));
        _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(reinterpret_cast<__m256>(values.v), o));
        return;
    }
#endif
    for (int k = 0; k < N; ++k) out[k] = values[order[k] % N];
}
template <class S, int N>
inline std::size_t compress(const WideMask<S, N>& mask, const std::uint32_t* index,
                            const Wide<S, N>& d2, std::uint32_t* out_index, S* out_d2) {
    const unsigned set = lane_set(mask);
    compress(set, d2, out_d2);
    if constexpr (N == 8) return compress(set, index, out_index);
    const std::uint8_t* order = gather_detail::lane_order.of[set];
    for (int k = 0; k < N; ++k) out_index[k] = index[order[k] % N];
    return static_cast<std::size_t>(__builtin_popcount(set));
}

// The sums of all lanes of eight packs, always in the same order.
inline void sum_lanes8(const Wide<float, 8> in[8], float out[8]) {
    const auto pair = [](const auto& a, const auto& b) {
        return __builtin_shufflevector(a.v, b.v, 0, 8, 1, 9, 4, 12, 5, 13) +
               __builtin_shufflevector(a.v, b.v, 2, 10, 3, 11, 6, 14, 7, 15);
    };
    const auto four = [](const auto& ab, const auto& cd) {
        return __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    };
    const auto low = four(pair(in[0], in[1]), pair(in[2], in[3]));
    const auto high = four(pair(in[4], in[5]), pair(in[6], in[7]));
    const Wide<float, 8> sums = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11) +
                                __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
    sums.store(out);
}
inline void sum_lanes8(const Wide<double, 4> in[8], double out[8]) {
    for (int half = 0; half < 8; half += 4) {
        Wide<double, 4> t[4];
        transpose4(in + half, t);
        ((t[0] + t[1]) + (t[2] + t[3])).store(out + half);
    }
}
inline float sum_lanes(const Wide<float, 8>& a) {
    const auto half = __builtin_shufflevector(a.v, a.v, 0, 1, 2, 3) +
                      __builtin_shufflevector(a.v, a.v, 4, 5, 6, 7);
    const auto quarter = half + __builtin_shufflevector(half, half, 2, 3, 0, 1);
    return quarter[0] + quarter[1];
}
inline double sum_lanes(const Wide<double, 4>& a) {
    const auto half =
        __builtin_shufflevector(a.v, a.v, 0, 1) + __builtin_shufflevector(a.v, a.v, 2, 3);
    return half[0] + half[1];
}
template <class S, int N>
inline Vec3<S> sum_lanes(const Vec3<Wide<S, N>>& a) {
    return {sum_lanes(a.x), sum_lanes(a.y), sum_lanes(a.z)};
}

}  // namespace knead
