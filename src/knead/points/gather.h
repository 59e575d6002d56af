// Rows of a table into SIMD packs: four fields at a time, one particle a lane.
#pragma once

#include <cstdint>

#include "knead/math/interleave.h"
#include "knead/points/lane_sets.h"

namespace knead {

// Four numbers and four more behind them.
inline Wide<float, 8> load_halves(const float* low, const float* high) {
#if defined(__AVX__)
    return _mm256_loadu2_m128(high, low);  // the compiler's own shuffle takes one load more
#else
    return __builtin_shufflevector(Wide<float, 4>::load(low).v, Wide<float, 4>::load(high).v, 0, 1,
                                   2, 3, 4, 5, 6, 7);
#endif
}

// Fields 0..3 of the rows index[0..lanes) into out[0..3]; rows are `stride` numbers apart.
inline void gather4(const float* table, std::size_t stride, const std::uint32_t* index,
                    Wide<float, 8> out[4]) {
    const auto pair = [&](int lane) {
        return load_halves(table + stride * index[lane], table + stride * index[lane + 4]).v;
    };
    const auto r0 = pair(0), r1 = pair(1), r2 = pair(2), r3 = pair(3);
    const auto lo01 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto hi01 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto lo23 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto hi23 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(lo01, lo23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(lo01, lo23, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(hi01, hi23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(hi01, hi23, 2, 3, 10, 11, 6, 7, 14, 15);
}
inline void gather4(const double* table, std::size_t stride, const std::uint32_t* index,
                    Wide<double, 4> out[4]) {
    Wide<double, 4> rows[4];
    for (int lane = 0; lane < 4; ++lane)
        rows[lane] = Wide<double, 4>::load(table + stride * index[lane]);
    transpose4(rows, out);
}

// The other way round: rows of four numbers, one or two a pack. four_of has the row of lane l, and
// for float that of lane l + 4 behind it; spread repeats the number c of each four, so that
// spread<l>(w) goes with four_of(..., l).
inline Wide<float, 8> four_of(const float* table, const std::uint32_t* index, int l) {
    return load_halves(table + 4 * std::size_t{index[l]}, table + 4 * std::size_t{index[l + 4]});
}
inline Wide<double, 4> four_of(const double* table, const std::uint32_t* index, int l) {
    return Wide<double, 4>::load(table + 4 * std::size_t{index[l]});
}
template <int c>
inline Wide<float, 8> spread(const Wide<float, 8>& a) {
    return __builtin_shufflevector(a.v, a.v, c, c, c, c, c + 4, c + 4, c + 4, c + 4);
}
template <int c>
inline Wide<double, 4> spread(const Wide<double, 4>& a) {
    return __builtin_shufflevector(a.v, a.v, c, c, c, c);
}
// One row, for float twice; and the sum of the rows of a pack.
inline Wide<float, 8> same_four(const float* row) {
    const auto four = Wide<float, 4>::load(row);
    return __builtin_shufflevector(four.v, four.v, 0, 1, 2, 3, 0, 1, 2, 3);
}
inline Wide<double, 4> same_four(const double* row) { return Wide<double, 4>::load(row); }
inline void store_sum_of_fours(const Wide<float, 8>& a, float* row) {
    const Wide<float, 4> sum = __builtin_shufflevector(a.v, a.v, 0, 1, 2, 3) +
                               __builtin_shufflevector(a.v, a.v, 4, 5, 6, 7);
    sum.store(row);
}
inline void store_sum_of_fours(const Wide<double, 4>& a, double* row) { a.store(row); }

// The first `fields` numbers of rows that follow each other, `stride` numbers apart; lanes past
// `count` repeat the last row.
template <class S, int N>
inline void load_rows(const S* table, std::size_t stride, std::size_t fields, int count,
                      Wide<S, N>* out) {
    std::uint32_t row[N];
    for (int k = 0; k < N; ++k) row[k] = static_cast<std::uint32_t>(k < count ? k : count - 1);
    for (std::size_t f = 0; f < fields; f += 4) gather4(table + f, stride, row, out + f);
}

// The inverse for rows that follow each other: in[0..3] to fields 0..3 of the first `count` rows.
inline void scatter4(const Wide<float, 8> in[4], float* table, std::size_t stride, int count) {
    const auto ab_lo = __builtin_shufflevector(in[0].v, in[1].v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto ab_hi = __builtin_shufflevector(in[0].v, in[1].v, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto cd_lo = __builtin_shufflevector(in[2].v, in[3].v, 0, 8, 1, 9, 4, 12, 5, 13);
    const auto cd_hi = __builtin_shufflevector(in[2].v, in[3].v, 2, 10, 3, 11, 6, 14, 7, 15);
    const Wide<float, 8> rows[4] = {
        __builtin_shufflevector(ab_lo, cd_lo, 0, 1, 8, 9, 4, 5, 12, 13),
        __builtin_shufflevector(ab_lo, cd_lo, 2, 3, 10, 11, 6, 7, 14, 15),
        __builtin_shufflevector(ab_hi, cd_hi, 0, 1, 8, 9, 4, 5, 12, 13),
        __builtin_shufflevector(ab_hi, cd_hi, 2, 3, 10, 11, 6, 7, 14, 15)};
    for (int lane = 0; lane < count; ++lane) {
        const auto& v = rows[lane % 4].v;
        const Wide<float, 4> half = lane < 4 ? __builtin_shufflevector(v, v, 0, 1, 2, 3)
                                             : __builtin_shufflevector(v, v, 4, 5, 6, 7);
        half.store(table + stride * static_cast<std::size_t>(lane));
    }
}
inline void scatter4(const Wide<double, 4> in[4], double* table, std::size_t stride, int count) {
    Wide<double, 4> rows[4];
    transpose4(in, rows);
    for (int lane = 0; lane < count; ++lane)
        rows[lane].store(table + stride * static_cast<std::size_t>(lane));
}

}  // namespace knead
