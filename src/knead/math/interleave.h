// Between structure-of-arrays packs and array-of-structures memory, four fields at a time.
#pragma once

#include "knead/math/wide.h"

namespace knead {

// out[4 lane + k] = field k of lane, for all lanes.
template <class S, int N>
inline void interleave4(const Wide<S, N>& a, const Wide<S, N>& b, const Wide<S, N>& c,
                        const Wide<S, N>& d, S* out) {
    for (int i = 0; i < N; ++i) {
        out[4 * i] = a.v[i];
        out[4 * i + 1] = b.v[i];
        out[4 * i + 2] = c.v[i];
        out[4 * i + 3] = d.v[i];
    }
}
template <class S, int N>
inline void deinterleave4(const S* in, Wide<S, N>& a, Wide<S, N>& b, Wide<S, N>& c, Wide<S, N>& d) {
    for (int i = 0; i < N; ++i) {
        a.v[i] = in[4 * i];
        b.v[i] = in[4 * i + 1];
        c.v[i] = in[4 * i + 2];
        d.v[i] = in[4 * i + 3];
    }
}

// Eight floats: transposes of 4 x 4 in each half of the register.
inline void interleave4(const Wide<float, 8>& a, const Wide<float, 8>& b, const Wide<float, 8>& c,
                        const Wide<float, 8>& d, float* out) {
    using W = Wide<float, 8>;
    const auto ab_lo = __builtin_shufflevector(a.v, b.v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto ab_hi = __builtin_shufflevector(a.v, b.v, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto cd_lo = __builtin_shufflevector(c.v, d.v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto cd_hi = __builtin_shufflevector(c.v, d.v, 2, 10, 3, 11, 6, 14, 7, 15);
    // Lanes 0 and 4, 1 and 5, 2 and 6, 3 and 7.
    const auto l04 = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 8, 9, 4, 5, 12, 13);
    const auto l15 = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 10, 11, 6, 7, 14, 15);
    const auto l26 = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 8, 9, 4, 5, 12, 13);
    const auto l37 = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 10, 11, 6, 7, 14, 15);
    W(__builtin_shufflevector(l04, l15, 0, 1, 2, 3, 8, 9, 10, 11)).store(out);
    W(__builtin_shufflevector(l26, l37, 0, 1, 2, 3, 8, 9, 10, 11)).store(out + 8);
    W(__builtin_shufflevector(l04, l15, 4, 5, 6, 7, 12, 13, 14, 15)).store(out + 16);
    W(__builtin_shufflevector(l26, l37, 4, 5, 6, 7, 12, 13, 14, 15)).store(out + 24);
}
inline void deinterleave4(const float* in, Wide<float, 8>& a, Wide<float, 8>& b, Wide<float, 8>& c,
                          Wide<float, 8>& d) {
    using W = Wide<float, 8>;
    const W l01 = W::load(in), l23 = W::load(in + 8), l45 = W::load(in + 16), l67 = W::load(in + 24);
    const auto l04 = __builtin_shufflevector(l01.v, l45.v, 0, 1, 2, 3, 8, 9, 10, 11);
    const auto l15 = __builtin_shufflevector(l01.v, l45.v, 4, 5, 6, 7, 12, 13, 14, 15);
    const auto l26 = __builtin_shufflevector(l23.v, l67.v, 0, 1, 2, 3, 8, 9, 10, 11);
    const auto l37 = __builtin_shufflevector(l23.v, l67.v, 4, 5, 6, 7, 12, 13, 14, 15);
    const auto ab01 = __builtin_shufflevector(l04, l15, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto cd01 = __builtin_shufflevector(l04, l15, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto ab23 = __builtin_shufflevector(l26, l37, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto cd23 = __builtin_shufflevector(l26, l37, 2, 10, 3, 11, 6, 14, 7, 15);
    a = __builtin_shufflevector(ab01, ab23, 0, 1, 8, 9, 4, 5, 12, 13);
    b = __builtin_shufflevector(ab01, ab23, 2, 3, 10, 11, 6, 7, 14, 15);
    c = __builtin_shufflevector(cd01, cd23, 0, 1, 8, 9, 4, 5, 12, 13);
    d = __builtin_shufflevector(cd01, cd23, 2, 3, 10, 11, 6, 7, 14, 15);
}

}  // namespace knead
