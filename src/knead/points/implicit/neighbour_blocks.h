// Neighbourhoods in blocks. A block is a run of rows; it knows all rows that its neighbourhoods
// touch, its own first, and names neighbours by their place among those. A sum over neighbourhoods
// then reads a small tile and adds to another; what blocks have in common is summed afterwards, in
// a fixed order, so that results are the same for any thread count.
#pragma once

#include <cstdint>
#include <vector>

#include "knead/parallel/array.h"
#include "knead/parallel/exec.h"
#include "knead/points/gather.h"
#include "knead/points/lanes.h"

namespace knead {

template <class Real>
struct NeighbourBlock {
    static constexpr std::size_t most_rows = 256;
    static constexpr std::size_t lanes = pack_lanes<Real>;

    std::uint32_t first = 0, rows = 0;
    std::size_t offset = 0;              // of its tile among those of all blocks
    std::vector<std::uint32_t> touched;  // rows, its own first
    std::vector<std::uint32_t> begin;    // entries of row k: [begin[k], begin[k + 1]), whole packs
    std::vector<std::uint32_t>
        neighbour;  // place among the touched, one an entry; spare ones: itself
    // Gradient vectors, one an entry [1/m]: a pack of x, one of y, one of z. 0 in spare ones.
    Array<Real> gradient;

    const Real* gradients(std::size_t entry) const { return gradient.data() + 3 * entry; }
    Real* gradients(std::size_t entry) { return gradient.data() + 3 * entry; }
    std::size_t bytes() const {
        return 4 * (touched.capacity() + begin.capacity() + neighbour.capacity()) +
               sizeof(Real) * gradient.capacity();
    }
};

// All blocks, and where the parts of a row's sum stand.
template <class Real>
struct NeighbourBlocks {
    std::vector<NeighbourBlock<Real>> blocks;
    Array<std::uint32_t> slot_begin, slot;  // of row i: slot[slot_begin[i] .. slot_begin[i + 1])
    Array<Lanes<Real>> tile;                // what blocks add, before it is summed

    std::size_t entries() const {
        std::size_t sum = 0;
        for (const auto& b : blocks) sum += b.neighbour.size();
        return sum;
    }
    std::size_t bytes() const {
        std::size_t sum =
            4 * (slot_begin.capacity() + slot.capacity()) + sizeof(Lanes<Real>) * tile.capacity();
        for (const auto& b : blocks) sum += b.bytes();
        return sum;
    }
    // After the blocks have changed: their offsets, and the slots of n rows.
    void index_slots(std::size_t n);
};

// sum over the neighbours of row k of z g^T, by columns.
template <class Real>
inline LaneColumns<Real> gather_row(const NeighbourBlock<Real>& b, std::size_t k,
                                    const Lanes<Real>* z) {
    constexpr std::size_t L = NeighbourBlock<Real>::lanes;
    LaneColumns<Real> even{{Lanes<Real>(0), Lanes<Real>(0), Lanes<Real>(0)}}, odd = even;
    const std::uint32_t* to = b.neighbour.data() + b.begin[k];
    const std::uint32_t* end = b.neighbour.data() + b.begin[k + 1];
    const Real* g = b.gradients(b.begin[k]);
    for (; to < end; to += L, g += 3 * L)
        for (std::size_t l = 0; l < L; l += 2) {
            const Lanes<Real> p = z[to[l]], q = z[to[l + 1]];
            for (std::size_t a = 0; a < 3; ++a) {
                even.c[a] += p * Lanes<Real>(g[a * L + l]);
                odd.c[a] += q * Lanes<Real>(g[a * L + l + 1]);
            }
        }
    for (int a = 0; a < 3; ++a) even.c[a] += odd.c[a];
    return even;
}

// sum[neighbour] += T g for every neighbour of row k.
template <class Real>
inline void scatter_row(const NeighbourBlock<Real>& b, std::size_t k, const LaneColumns<Real>& T,
                        Lanes<Real>* sum) {
    constexpr std::size_t L = NeighbourBlock<Real>::lanes;
    const std::uint32_t* to = b.neighbour.data() + b.begin[k];
    const std::uint32_t* end = b.neighbour.data() + b.begin[k + 1];
    const Real* g = b.gradients(b.begin[k]);
    for (; to < end; to += L, g += 3 * L)
        for (std::size_t l = 0; l < L; ++l)
            sum[to[l]] += T.c[0] * Lanes<Real>(g[l]) + T.c[1] * Lanes<Real>(g[L + l]) +
                          T.c[2] * Lanes<Real>(g[2 * L + l]);
}

// Packs of rows of one block: columns of matrices side by side in memory, twelve numbers a row.
template <class Real>
struct RowPack {
    static constexpr std::size_t L = pack_lanes<Real>;
    using P = Pack<Real>;
    alignas(64) Real m[12 * L] = {};

    void set(std::size_t lane, const LaneColumns<Real>& a) {
        for (std::size_t c = 0; c < 3; ++c) a.c[c].store(m + 12 * lane + 4 * c);
    }
    LaneColumns<Real> columns(std::size_t lane) const {
        LaneColumns<Real> a;
        for (std::size_t c = 0; c < 3; ++c) a.c[c] = Lanes<Real>::load(m + 12 * lane + 4 * c);
        return a;
    }
    Mat3<P> matrix() const {
        P column[12];
        load_rows(m, 12, 12, static_cast<int>(L), column);
        return {column[0], column[4], column[8], column[1], column[5],
                column[9], column[2], column[6], column[10]};
    }
    void set(const Mat3<P>& a) {
        const P zero(Real(0));
        const P x[4] = {a.xx, a.yx, a.zx, zero}, y[4] = {a.xy, a.yy, a.zy, zero},
                z[4] = {a.xz, a.yz, a.zz, zero};
        scatter4(x, m, 12, static_cast<int>(L));
        scatter4(y, m + 4, 12, static_cast<int>(L));
        scatter4(z, m + 8, 12, static_cast<int>(L));
    }
};

// Vectors of rows [k, k + count) as packs; lanes past the count repeat the last.
template <class Real>
inline Vec3<Pack<Real>> load_vectors(const Lanes<Real>* rows, int count) {
    Pack<Real> field[4];
    load_rows(reinterpret_cast<const Real*>(rows), 4, 4, count, field);
    return {field[0], field[1], field[2]};
}

// The tile that a block reads: z of the rows it touches.
template <class Real>
inline void load_tile(const NeighbourBlock<Real>& b, const Array<Lanes<Real>>& z,
                      Array<Lanes<Real>>& tile) {
    tile.resize(b.touched.size());
    for (std::size_t k = 0; k < tile.size(); ++k) tile[k] = z[b.touched[k]];
}

// visit(first row, rows, G) with G = sum (z_k - z_j) g_jk^T of as many rows as a pack has lanes.
// sum_g holds the sum of each row's gradient vectors.
template <class Real, class Visit>
void for_each_gradient(const NeighbourBlocks<Real>& all, const Array<Lanes<Real>>& z,
                       const Array<Lanes<Real>>& sum_g, const Visit& visit) {
    constexpr std::size_t L = pack_lanes<Real>;
    for_each(all.blocks.size(), 1, [&](std::size_t i) {
        const NeighbourBlock<Real>& b = all.blocks[i];
        thread_local Array<Lanes<Real>> tile;
        load_tile(b, z, tile);
        for (std::size_t k = 0; k < b.rows; k += L) {
            const int count = static_cast<int>(std::min<std::size_t>(L, b.rows - k));
            RowPack<Real> pack;
            for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l)
                pack.set(l, gather_row(b, k + l, tile.data()));
            const Vec3<Pack<Real>> own = load_vectors(tile.data() + k, count);
            const Vec3<Pack<Real>> g = load_vectors(sum_g.data() + b.first + k, count);
            visit(b.first + k, count, pack.matrix() - outer(own, g));
        }
    });
}

// The same with T = stress(first row, rows, G) scattered: y_k += T_j g_jk, y_j -= T_j sum_g_j, for
// every particle j and its neighbours k. done(row, sum) takes the sums.
template <class Real, class Stress, class Done>
void for_each_force(NeighbourBlocks<Real>& all, const Array<Lanes<Real>>& z,
                    const Array<Lanes<Real>>& sum_g, const Stress& stress, const Done& done) {
    constexpr std::size_t L = pack_lanes<Real>;
    for_each(all.blocks.size(), 1, [&](std::size_t i) {
        const NeighbourBlock<Real>& b = all.blocks[i];
        thread_local Array<Lanes<Real>> tile;
        load_tile(b, z, tile);
        Lanes<Real>* out = all.tile.data() + b.offset;
        std::fill(out, out + b.touched.size(), Lanes<Real>(Real(0)));
        for (std::size_t k = 0; k < b.rows; k += L) {
            const int count = static_cast<int>(std::min<std::size_t>(L, b.rows - k));
            RowPack<Real> pack;
            for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l)
                pack.set(l, gather_row(b, k + l, tile.data()));
            const Vec3<Pack<Real>> own = load_vectors(tile.data() + k, count);
            const Vec3<Pack<Real>> g = load_vectors(sum_g.data() + b.first + k, count);
            const Mat3<Pack<Real>> T = stress(b.first + k, count, pack.matrix() - outer(own, g));
            pack.set(T);
            const Vec3<Pack<Real>> self = T * g;
            for (std::size_t l = 0; l < static_cast<std::size_t>(count); ++l) {
                const int lane = static_cast<int>(l);
                scatter_row(b, k + l, pack.columns(l), out);
                out[k + l] -= to_lanes(Vec3<Real>{self.x[lane], self.y[lane], self.z[lane]});
            }
        }
    });
    for_each(all.slot_begin.size() - 1, 1024, [&](std::size_t i) {
        Lanes<Real> sum(Real(0));
        for (std::uint32_t s = all.slot_begin[i]; s < all.slot_begin[i + 1]; ++s)
            sum += all.tile[all.slot[s]];
        done(i, sum);
    });
}

}  // namespace knead
