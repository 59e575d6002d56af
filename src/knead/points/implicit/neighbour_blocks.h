// Neighbourhoods in blocks of rows, and in groups of as many rows as a pack has lanes. The rows of
// a group lie close together and share one list of links, so that a lane a row does the work and
// nothing is gathered. What a link stores are two weights a row: that of the near row in the row's
// fit, and that of the row in the near row's. A gradient vector is then
//     g_jk = w_jk D_j (q_k - q_j),   D = S^-1 F_e^-1,
// with one matrix D a row  [Zhou 2013, Eq. 5, 15].
#pragma once

#include <cstdint>
#include <vector>

#include "knead/parallel/array.h"
#include "knead/parallel/exec.h"
#include "knead/points/gather.h"
#include "knead/points/lanes.h"

namespace knead {

// How weights are kept. A fit with any weights is exact for linear maps, so those of floats are
// rounded to 16 bits; the fit itself is made with what is kept.
template <class Real>
struct KeptWeight {
    using Type = Real;
    static Pack<Real> load(const Real* at) { return Pack<Real>::load(at); }
    // Weights 0 to 1 as they are kept; returns what load will give.
    static Pack<Real> store(const Pack<Real>& w, Real* at) {
        w.store(at);
        return w;
    }
};
template <>
struct KeptWeight<float> {
    using Type = std::uint16_t;
    using P = Pack<float>;
    static P load(const Type* at) {
#if defined(__AVX2__)
        const __m128i s = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        return reinterpret_cast<P::Native>(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(s)));
#else
        P w;
        for (int k = 0; k < 8; ++k) w.set(k, static_cast<float>(at[k]));
        return w;
#endif
    }
    static P store(const P& w, Type* at) {
        const P scaled = P(65535.0f) * w + P(0.5f);
#if defined(__AVX2__)
        const __m256i whole = _mm256_cvttps_epi32(reinterpret_cast<__m256>(scaled.v));
        const __m128i s =
            _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at), s);
        return reinterpret_cast<P::Native>(_mm256_cvtepi32_ps(whole));
#else
        for (int k = 0; k < 8; ++k) at[k] = static_cast<Type>(scaled[k]);
        return load(at);
#endif
    }
};

template <class Real>
struct NeighbourBlock {
    using Weight = typename KeptWeight<Real>::Type;
    static constexpr std::size_t least_rows = 256, most_rows = 1280;  // of a full block
    static constexpr std::size_t lanes = pack_lanes<Real>;

    std::uint32_t first = 0, rows = 0;  // all of one body
    // Rows that its neighbourhoods may touch, ascending, its own among them; kept over steps.
    std::vector<std::uint32_t> near;
    std::uint32_t own = 0;  // place of the first of its own rows among them
    // Of the near rows: where rest vectors are taken, from the block's middle. With lazy rest
    // vectors also where the rows are, and which of them have rest vectors from there.
    Array<Lanes<Real>> place, present;
    Array<char> follows;  // empty where none does
    // Links of group g: [begin[g], begin[g + 1]).
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> link;  // place among the near rows
    Array<Weight> weight, back;       // a pack a link

    std::size_t groups() const { return (rows + lanes - 1) / lanes; }
    int rows_of(std::size_t group) const {
        return static_cast<int>(std::min<std::size_t>(lanes, rows - group * lanes));
    }
    std::size_t bytes() const {
        return 4 * (near.capacity() + begin.capacity() + link.capacity()) + follows.capacity() +
               sizeof(Lanes<Real>) * (place.capacity() + present.capacity()) +
               sizeof(Weight) * (weight.capacity() + back.capacity());
    }
};

// All blocks, and what their loops keep of each row.
template <class Real>
struct NeighbourBlocks {
    std::vector<NeighbourBlock<Real>> blocks;
    Array<Real> basis[9];      // D
    Array<Lanes<Real>> turn;   // T D of the stress T in hand, three columns a row
    Array<Lanes<Real>> minus;  // T times the sum of the row's gradient vectors
    // When near rows were found: where everything was, and from how far they were taken.
    std::vector<Vec3d> found_at;
    std::vector<std::int32_t> found_body;
    std::vector<double> found_within;  // of each block [m]

    void forget() { found_at.clear(); }
    std::size_t links() const {
        std::size_t sum = 0;
        for (const auto& b : blocks) sum += b.link.size() * NeighbourBlock<Real>::lanes;
        return sum;
    }
    std::size_t bytes() const {
        std::size_t sum = sizeof(Lanes<Real>) * (turn.capacity() + minus.capacity()) +
                          9 * sizeof(Real) * basis[0].capacity() +
                          sizeof(Vec3d) * found_at.capacity();
        for (const auto& b : blocks) sum += b.bytes();
        return sum;
    }
};

// Rows [begin, begin + count) of nine planes; lanes past the count are the identity.
template <class Real>
inline Mat3<Pack<Real>> load_matrices(const Array<Real>* planes, std::size_t begin, int count) {
    Mat3<Pack<Real>> m;
    for (int k = 0; k < 9; ++k)
        m[k] = Pack<Real>::load_part(planes[k].data() + begin, count, Real(k % 4 == 0));
    return m;
}
template <class Real>
inline void store_matrices(const Mat3<Pack<Real>>& m, std::size_t begin, int count,
                           Array<Real>* planes) {
    for (int k = 0; k < 9; ++k) m[k].store_part(planes[k].data() + begin, count);
}

// Four numbers of each of `count` rows as packs; lanes past the count repeat the last.
template <class Real>
inline void load_fours(const Lanes<Real>* rows, int count, Pack<Real> field[4]) {
    load_rows(reinterpret_cast<const Real*>(rows), 4, 4, count, field);
}
template <class Real>
inline Vec3<Pack<Real>> load_vectors(const Lanes<Real>* rows, int count) {
    Pack<Real> field[4];
    load_fours(rows, count, field);
    return {field[0], field[1], field[2]};
}
template <class Real>
inline void store_vectors(const Vec3<Pack<Real>>& v, int count, Lanes<Real>* rows) {
    const Pack<Real> field[4] = {v.x, v.y, v.z, Pack<Real>(Real(0))};
    scatter4(field, reinterpret_cast<Real*>(rows), 4, count);
}

}  // namespace knead
