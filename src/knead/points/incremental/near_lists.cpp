#include "knead/points/incremental/near_lists.h"

#include <algorithm>
#include <limits>

#include "knead/parallel/exec.h"
#include "knead/points/gather.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // particles a task

// How far an own list that is full reaches: nearer comes first, then the lower row.
template <class Real>
struct Reach {
    Real d2 = std::numeric_limits<Real>::infinity();
    std::uint32_t row = all_rows;
    static constexpr std::uint32_t all_rows = ~std::uint32_t{0};
    bool holds(Real other, std::uint32_t other_row) const {
        return (other < d2) | ((other == d2) & (other_row <= row));  // without a branch
    }
};

// What is within h of one particle but not in its own list.
template <class Real>
struct Others {
    std::vector<std::uint32_t> row;
    std::vector<Real> d2;
};

// Parts the list of n rows by its reach: the k within it to the front, the others behind them, both
// in order.
template <class Real>
void part_by(const Reach<Real>& reach, std::uint32_t* list, Real* d2, std::size_t n, std::size_t k,
             Others<Real>& others) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    others.row.resize(n + lanes);
    others.d2.resize(n + lanes);
    std::size_t in = 0, out = 0;
    for (std::size_t c = 0; c < n; c += lanes) {
        const auto d = Pack<Real>::load(d2 + c);
        auto near = d <= Pack<Real>(reach.d2);
        if (reach.row != Reach<Real>::all_rows)
            for (std::size_t l = 0; l < lanes; ++l)
                near.v[l] = reach.holds(d2[c + l], list[c + l]) ? -1 : 0;
        const auto there = first_lanes<Real, pack_lanes<Real>>(static_cast<int>(n - c));
        std::uint32_t rows[lanes];
        std::copy_n(list + c, lanes, rows);
        in += compress(near && there, rows, d, list + in, d2 + in);
        out += compress(!near && there, rows, d, others.row.data() + out, others.d2.data() + out);
    }
    std::copy_n(others.row.data(), out, list + k);
    std::copy_n(others.d2.data(), out, d2 + k);
}

// The candidates of i within h, by row.
template <class Real>
std::size_t within(const Array<Real>& place, std::size_t i, const std::uint32_t* candidate,
                   std::size_t count, Real h, std::uint32_t* row, Real* d2) {
    using P = Pack<Real>;
    constexpr std::size_t lanes = pack_lanes<Real>;
    const Real* x = place.data() + 4 * i;
    std::size_t n = 0;
    for (std::size_t c = 0; c < count; c += lanes) {
        P q[4];
        gather4(place.data(), 4, candidate + c, q);
        const Vec3<P> r{q[0] - P(x[0]), q[1] - P(x[1]), q[2] - P(x[2])};
        const P square = dot(r, r);
        const auto near =
            square < P(h * h) && first_lanes<Real, pack_lanes<Real>>(static_cast<int>(count - c));
        n += compress(near, candidate + c, square, row + n, d2 + n);
    }
    return n;
}

// How many of the first n are at most `limit`.
template <class Real>
std::size_t count_up_to(const Real* d2, std::size_t n, Real limit) {
    constexpr int lanes = pack_lanes<Real>;
    std::size_t count = 0;
    for (std::size_t c = 0; c < n; c += lanes) {
        const auto near = Pack<Real>::load(d2 + c) <= Pack<Real>(limit) &&
                          first_lanes<Real, lanes>(static_cast<int>(n - c));
        count += static_cast<std::size_t>(__builtin_popcount(lane_set(near)));
    }
    return count;
}

// The reach of the k nearest of n, looked for in the plain way: nearer comes first, then the lower
// row.
template <class Real>
Reach<Real> reach_of_sorted(const Real* d2, const std::uint32_t* row, std::size_t n,
                            std::size_t k) {
    std::vector<Real> sorted(d2, d2 + n);
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    const Real limit = *at;
    const auto nearer = static_cast<std::size_t>(
        std::count_if(sorted.begin(), at, [&](Real a) { return a < limit; }));
    std::size_t ties = k - nearer, last = 0;
    for (std::size_t c = 0; c < n && ties > 0; ++c)
        if (d2[c] == limit) last = c, --ties;
    return {limit, row[last]};
}

// The reach of the k nearest of n > k: any limit that exactly k are up to. A good guess, such as
// the one of the step before, ends the search at once; and whatever the guess, the reach holds the
// same neighbours.
template <class Real>
Reach<Real> reach_of(const Real* d2, const std::uint32_t* row, std::size_t n, std::size_t k,
                     Real h2, Real guess) {
    Real low = 0, high = h2;
    std::size_t below = 0, above = n;
    for (int tries = 0; tries < 12; ++tries) {
        const std::size_t count = count_up_to(d2, n, guess);
        if (count == k) return {guess, ~std::uint32_t{0}};
        (count < k ? low : high) = guess;
        (count < k ? below : above) = count;
        const Real share =
            (static_cast<Real>(k - below) + Real(0.5)) / static_cast<Real>(above - below + 1);
        guess = low + share * (high - low);
    }
    return reach_of_sorted(d2, row, n, k);
}

}  // namespace

template <class Real>
void NearLists<Real>::resize(std::size_t n) {
    index_.resize(begin_[n]);
    d2_.resize(begin_[n]);
    own_.resize(n);
    all_.resize(n);
}

// Fills up with the particle itself, which contributes nothing.
template <class Real>
void NearLists<Real>::pad(std::size_t i) {
    for (std::size_t e = begin_[i] + all_[i]; e < begin_[i] + padded_list(all_[i]); ++e)
        index_[e] = static_cast<std::uint32_t>(i);
}

template <class Real>
void NearLists<Real>::update(std::span<const Vec3d> points, const Array<Real>& place, double radius,
                             std::size_t k) {
    candidates_.update(points, radius);
    const auto h = static_cast<Real>(radius);
    begin_ = candidates_.begin();
    const std::size_t n = begin_.size() - 1;
    resize(n);
    guess_.resize(n, Real(0.9) * h * h);
    std::vector<Reach<Real>> reach(n);
    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        Others<Real> others;
        for (std::size_t i = first; i < end; ++i) {
            std::uint32_t* list = index_.data() + begin_[i];
            Real* d2 = d2_.data() + begin_[i];
            const std::size_t count =
                within(place, i, candidates_.list(i), candidates_.count(i), h, list, d2);
            all_[i] = own_[i] = static_cast<std::uint32_t>(count);
            if (k == 0 || count <= k) continue;
            reach[i] = reach_of(d2, list, count, k, h * h, guess_[i]);
            guess_[i] = reach[i].d2;
            own_[i] = static_cast<std::uint32_t>(k);
            part_by(reach[i], list, d2, count, k, others);
        }
    });

    // of those beyond the own list, the ones that name the particle stay
    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            std::uint32_t* list = index_.data() + begin_[i];
            const Real* square = d2(i);
            std::uint32_t kept = own_[i];
            for (std::uint32_t e = own_[i]; e < all_[i]; ++e) {
                const std::uint32_t j = list[e];
                list[kept] = j;
                kept += reach[j].holds(square[e], static_cast<std::uint32_t>(i)) ? 1 : 0;
            }
            all_[i] = kept;
            pad(i);
        }
    });
}

template <class Real>
void NearLists<Real>::set(const Neighbours& nearest, const Array<Real>& place) {
    const Neighbours both = symmetric(nearest);
    const std::size_t n = nearest.size();
    begin_.assign(1, 0);
    for (std::size_t i = 0; i < n; ++i)
        begin_.push_back(begin_[i] + padded_list(both.of(i).size()));
    resize(n);
    for_each(n, part, [&](std::size_t i) {
        const auto own = nearest.of(i), all = both.of(i);
        own_[i] = static_cast<std::uint32_t>(own.size());
        all_[i] = static_cast<std::uint32_t>(all.size());
        std::uint32_t* out = std::copy(own.begin(), own.end(), index_.data() + begin_[i]);
        std::set_difference(all.begin(), all.end(), own.begin(), own.end(), out);
        pad(i);
        for (std::size_t e = 0; e < own.size(); ++e) {
            const Real *x = place.data() + 4 * i, *y = place.data() + 4 * own[e];
            d2_[begin_[i] + e] = length_squared(Vec3<Real>{y[0] - x[0], y[1] - x[1], y[2] - x[2]});
        }
    });
}

template <class Real>
std::size_t NearLists<Real>::bytes() const {
    return begin_.capacity() * sizeof(begin_[0]) +
           (index_.capacity() + own_.capacity() + all_.capacity()) * sizeof(std::uint32_t) +
           (d2_.capacity() + guess_.capacity()) * sizeof(Real) + candidates_.bytes();
}

template class NearLists<float>;
template class NearLists<double>;

}  // namespace knead
