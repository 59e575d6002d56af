// Between structure-of-arrays packs and array-of-structures memory, four fields at a time.
#pragma once

#include "knead/math/wide.h"

namespace knead {

// interleave4: out[4 lane + k] = field k of lane, for all lanes; deinterleave4 is its inverse.

// Four doubles: one 4 x 4 transpose, which is its own inverse.
inline void transpose4(const Wide<double, 4> in[4], Wide<double, 4> out[4]) {
    const auto ab_lo = __builtin_shufflevector(in[0].v, in[1].v, 0, 4, 2, 6);
    const auto ab_hi = __builtin_shufflevector(in[0].v, in[1].v, 1, 5, 3, 7);
    const auto cd_lo = __builtin_shufflevector(in[2].v, in[3].v, 0, 4, 2, 6);
    const auto cd_hi = __builtin_shufflevector(in[2].v, in[3].v, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 6, 7);
}
inline void interleave4(const Wide<double, 4>& a, const Wide<double, 4>& b,
                        const Wide<double, 4>& c, const Wide<double, 4>& d, double* out) {
    const Wide<double, 4> fields[4] = {a, b, c, d};
    Wide<double, 4> lanes[4];
    transpose4(fields, lanes);
    for (int i = 0; i < 4; ++i) lanes[i].store(out + 4 * i);
}
inline void deinterleave4(const double* in, Wide<double, 4>& a, Wide<double, 4>& b,
                          Wide<double, 4>& c, Wide<double, 4>& d) {
    using W = Wide<double, 4>;
    const W lanes[4] = {W::load(in), W::load(in + 4), W::load(in + 8), W::load(in + 12)};
    W fields[4];
    transpose4(lanes, fields);
    a = fields[0], b = fields[1], c = fields[2], d = fields[3];
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
    const W l01 = W::load(in), l23 = W::load(in + 8), l45 = W::load(in + 16),
            l67 = W::load(in + 24);
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
