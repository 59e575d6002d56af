// Sums over neighbourhoods, a group of rows at a time. Links are in the order of rows, and a weight
// of 0 adds nothing: so a row's sum does not depend on what it is grouped with.
#pragma once

#include "knead/points/implicit/neighbour_blocks.h"

namespace knead {

// Where a group's own rows are, as their rest vectors and those of followers see them.
template <class Real>
class GroupPlaces {
public:
    using P = Pack<Real>;

    GroupPlaces(const NeighbourBlock<Real>& b, std::size_t group) : b_(b) {
        const std::size_t at = b.own + group * NeighbourBlock<Real>::lanes;
        const int count = b.rows_of(group);
        rest_ = load_vectors(b.place.data() + at, count);
        if (b.follows.empty()) return;
        now_ = load_vectors(b.present.data() + at, count);
        P follow(Real(0));
        for (int l = 0; l < count; ++l)
            follow.set(l, Real(b.follows[at + static_cast<std::size_t>(l)]));
        follow_ = follow > P(Real(0));
    }

    // From the rows to near row k, in the space that the rows' own fits live in.
    template <bool mixed>
    ALWAYS_INLINE Vec3<P> to(std::uint32_t k) const {
        const Vec3<P> a = spread(b_.place[k]) - rest_;
        if constexpr (!mixed) return a;
        const Vec3<P> c = spread(b_.present[k]) - now_;
        return {select(follow_, c.x, a.x), select(follow_, c.y, a.y), select(follow_, c.z, a.z)};
    }
    // From near row k to the rows, in the space of k's fit.
    template <bool mixed>
    ALWAYS_INLINE Vec3<P> from(std::uint32_t k) const {
        if constexpr (mixed)
            if (b_.follows[k]) return now_ - spread(b_.present[k]);
        return rest_ - spread(b_.place[k]);
    }

private:
    ALWAYS_INLINE static Vec3<P> spread(const Lanes<Real>& a) {
        const Real* p = reinterpret_cast<const Real*>(&a);
        return {P(p[0]), P(p[1]), P(p[2])};
    }

    const NeighbourBlock<Real>& b_;
    Vec3<P> rest_, now_;
    typename P::Mask follow_{};
};

// sum over links of z (w q)^T; vector(k) are the numbers of near row k.
template <bool mixed, class Real, class Vector>
inline Mat3<Pack<Real>> sum_of_outer(const NeighbourBlock<Real>& b, std::size_t group,
                                     const Vector& vector) {
    using P = Pack<Real>;
    constexpr std::size_t L = NeighbourBlock<Real>::lanes;
    const GroupPlaces<Real> places(b, group);
    P s[9];
    for (P& a : s) a = P(Real(0));
    for (std::uint32_t e = b.begin[group]; e < b.begin[group + 1]; ++e) {
        const std::uint32_t k = b.link[e];
        const P w = KeptWeight<Real>::load(b.weight.data() + L * e);
        const Vec3<P> r = w * places.template to<mixed>(k);
        const Real* z = vector(k);
        for (int a = 0; a < 3; ++a) {
            const P za(z[a]);
            s[3 * a] += za * r.x, s[3 * a + 1] += za * r.y, s[3 * a + 2] += za * r.z;
        }
    }
    return {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8]};
}

// sum over links of H_k w_kj (q_j - q_k), for the rows j; H by columns, twelve numbers a row.
template <bool mixed, class Real>
inline Vec3<Pack<Real>> sum_of_products(const NeighbourBlock<Real>& b, std::size_t group,
                                        const Lanes<Real>* H) {
    using P = Pack<Real>;
    constexpr std::size_t L = NeighbourBlock<Real>::lanes;
    const GroupPlaces<Real> places(b, group);
    P s[9];
    for (P& a : s) a = P(Real(0));
    for (std::uint32_t e = b.begin[group]; e < b.begin[group + 1]; ++e) {
        const std::uint32_t k = b.link[e];
        const P w = KeptWeight<Real>::load(b.back.data() + L * e);
        const Vec3<P> t = w * places.template from<mixed>(k);
        const Real* h = reinterpret_cast<const Real*>(H + 3 * std::size_t{b.near[k]});
        for (int a = 0; a < 3; ++a) {
            s[a] += P(h[a]) * t.x;
            s[3 + a] += P(h[4 + a]) * t.y;
            s[6 + a] += P(h[8 + a]) * t.z;
        }
    }
    return {s[0] + s[3] + s[6], s[1] + s[4] + s[7], s[2] + s[5] + s[8]};
}

template <class Real>
inline Mat3<Pack<Real>> gather_group(const NeighbourBlock<Real>& b, std::size_t group,
                                     const Lanes<Real>* z) {
    const auto vector = [&](std::uint32_t k) {
        return reinterpret_cast<const Real*>(z + b.near[k]);
    };
    return b.follows.empty() ? sum_of_outer<false>(b, group, vector)
                             : sum_of_outer<true>(b, group, vector);
}

// visit(first row, rows, G) with G = sum (z_k - z_j) g_jk^T of the rows of a group, for all groups.
// sum_g holds the sum of each row's gradient vectors.
template <class Real, class Visit>
void for_each_gradient(const NeighbourBlocks<Real>& all, const Array<Lanes<Real>>& z,
                       const Array<Lanes<Real>>& sum_g, const Visit& visit) {
    constexpr std::size_t L = pack_lanes<Real>;
    for_each(all.blocks.size(), 1, [&](std::size_t i) {
        const NeighbourBlock<Real>& b = all.blocks[i];
        for (std::size_t group = 0; group < b.groups(); ++group) {
            const std::size_t begin = b.first + L * group;
            const int count = b.rows_of(group);
            const Mat3<Pack<Real>> D = load_matrices(all.basis, begin, count);
            const Vec3<Pack<Real>> own = load_vectors(z.data() + begin, count);
            const Vec3<Pack<Real>> g = load_vectors(sum_g.data() + begin, count);
            visit(begin, count, gather_group(b, group, z.data()) * transpose(D) - outer(own, g));
        }
    });
}

// The same with T = stress(first row, rows, G), and what that pulls: y_k += T_j g_jk and
// y_j -= T_j sum_g_j for every row j and its neighbours k. done(row, y) takes the sums.
template <class Real, class Stress, class Done>
void for_each_force(NeighbourBlocks<Real>& all, const Array<Lanes<Real>>& z,
                    const Array<Lanes<Real>>& sum_g, const Stress& stress, const Done& done) {
    using P = Pack<Real>;
    all.turn.resize(3 * z.size());
    all.minus.resize(z.size());
    for_each_gradient(all, z, sum_g, [&](std::size_t begin, int count, const Mat3<P>& G) {
        const Mat3<P> T = stress(begin, count, G);
        const Mat3<P> H = T * load_matrices(all.basis, begin, count);
        const Vec3<P> g = load_vectors(sum_g.data() + begin, count);
        store_vectors(T * g, count, all.minus.data() + begin);
        for (int c = 0; c < 3; ++c) {
            const P column[4] = {H(0, c), H(1, c), H(2, c), P(Real(0))};
            scatter4(column, reinterpret_cast<Real*>(all.turn.data() + 3 * begin) + 4 * c, 12,
                     count);
        }
    });
    for_each(all.blocks.size(), 1, [&](std::size_t i) {
        const NeighbourBlock<Real>& b = all.blocks[i];
        for (std::size_t group = 0; group < b.groups(); ++group) {
            const Vec3<P> sum = b.follows.empty()
                                    ? sum_of_products<false>(b, group, all.turn.data())
                                    : sum_of_products<true>(b, group, all.turn.data());
            Lanes<Real> rows[NeighbourBlock<Real>::lanes];
            const int count = b.rows_of(group);
            store_vectors(sum, count, rows);
            for (int l = 0; l < count; ++l) {
                const std::size_t row = b.first + pack_lanes<Real> * group + std::size_t(l);
                done(row, rows[l] - all.minus[row]);
            }
        }
    });
}

}  // namespace knead
