#include "knead/points/incremental/near_lists.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "knead/parallel/exec.h"
#include "knead/points/gather.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // particles a task

// The distances of one particle to its candidates, and room to part them.
template <class Real>
struct CandidateDistances {
    std::size_t count, near, up_to_guess;
    const std::uint32_t* rows;   // of the candidates
    std::vector<Pack<Real>> d2;  // to each; those past the last are infinitely far
    std::vector<std::uint32_t> other_rows;
    std::vector<Real> other_d2;

    // Measures them, and counts those nearer than h and those up to a guess.
    void measure(const Array<Real>& place, const Candidates& candidates, std::size_t i, Real h2,
                 Real guess) {
        using P = Pack<Real>;
        constexpr std::size_t lanes = pack_lanes<Real>;
        count = candidates.count(i), rows = candidates.list(i);
        d2.resize((count + lanes - 1) / lanes);
        const Real* x = place.data() + 4 * i;
        unsigned nearer = 0, nearest = 0;
        const auto look = [&](std::size_t c, const auto& exist) {
            P q[4];
            gather4(place.data(), 4, rows + lanes * c, q);
            const Vec3<P> r{q[0] - P(x[0]), q[1] - P(x[1]), q[2] - P(x[2])};
            d2[c] = exist(dot(r, r));
            nearer += popcount(lane_set(d2[c] < P(h2)));
            nearest += popcount(lane_set(d2[c] <= P(guess)));
        };
        for (std::size_t c = 0; c < count / lanes; ++c) look(c, [](const P& all) { return all; });
        if (count % lanes != 0)
            look(count / lanes, [&](const P& some) {
                return select(first_lanes<Real, pack_lanes<Real>>(static_cast<int>(count % lanes)),
                              some, P(std::numeric_limits<Real>::infinity()));
            });
        near = nearer, up_to_guess = nearest;
    }
    std::size_t up_to(Real square) const {
        unsigned n = 0;
        for (const auto& c : d2) n += popcount(lane_set(c <= Pack<Real>(square)));
        return n;
    }
    Real square(std::size_t candidate) const {
        constexpr std::size_t lanes = pack_lanes<Real>;
        return d2[candidate / lanes][static_cast<int>(candidate % lanes)];
    }
    static unsigned popcount(unsigned bits) {
        return static_cast<unsigned>(__builtin_popcount(bits));
    }
};

// The reach of the k nearest, looked for in the plain way: nearer comes first, then the lower row.
template <class Real>
Reach<Real> reach_of_sorted(const CandidateDistances<Real>& distances, std::size_t k) {
    std::vector<Real> sorted(distances.count);
    for (std::size_t c = 0; c < distances.count; ++c) sorted[c] = distances.square(c);
    const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(sorted.begin(), at, sorted.end());
    const Real limit = *at;
    const auto nearer = static_cast<std::size_t>(
        std::count_if(sorted.begin(), at, [&](Real a) { return a < limit; }));
    std::size_t ties = k - nearer, last = 0;
    for (std::size_t c = 0; c < distances.count && ties > 0; ++c)
        if (distances.square(c) == limit) last = c, --ties;
    return {limit, distances.rows[last]};
}

// The reach of the k nearest of more that are nearer than h: any limit that exactly k are up to. A
// good guess, such as the one of the step before, ends the search at once; and whatever the guess,
// the reach holds the same neighbours.
template <class Real>
Reach<Real> reach_of(const CandidateDistances<Real>& distances, std::size_t k, Real h2,
                     Real guess) {
    Real low = 0, high = h2;
    std::size_t below = 0, above = distances.near, count = distances.up_to_guess;
    for (int tries = 0; tries < 12; ++tries) {
        if (count == k) return {guess, Reach<Real>::all_rows};
        (count < k ? low : high) = guess;
        (count < k ? below : above) = count;
        const Real share =
            (static_cast<Real>(k - below) + Real(0.5)) / static_cast<Real>(above - below + 1);
        guess = low + share * (high - low);
        count = distances.up_to(guess);
    }
    return reach_of_sorted(distances, k);
}

// Who of a pack is within reach.
template <class Real>
auto within_reach(const Reach<Real>& reach, const Pack<Real>& d2, const std::uint32_t* rows) {
    auto near = d2 <= Pack<Real>(reach.d2);
    if (reach.row != Reach<Real>::all_rows)
        for (int l = 0; l < pack_lanes<Real>; ++l) near.v[l] = reach.holds(d2[l], rows[l]) ? -1 : 0;
    return near;
}

// All within h, an own list that is not full.
template <class Real>
std::size_t take_all(const CandidateDistances<Real>& distances, Real h2, std::uint32_t* list,
                     Real* d2) {
    std::size_t n = 0;
    const std::uint32_t* rows = distances.rows;
    for (const Pack<Real>& c : distances.d2) {
        n += compress(c < Pack<Real>(h2), rows, c, list + n, d2 + n);
        rows += pack_lanes<Real>;
    }
    return n;
}

// Those within reach first, k of them, then the others within h; how many in all.
template <class Real>
std::size_t take_parted(CandidateDistances<Real>& distances, Real h2, const Reach<Real>& reach,
                        std::size_t k, std::uint32_t* list, Real* d2) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    distances.other_rows.resize(list_room(distances.count));
    distances.other_d2.resize(list_room(distances.count));
    std::size_t own = 0, others = 0;
    const std::uint32_t* rows = distances.rows;
    for (const Pack<Real>& c : distances.d2) {
        const auto near = c < Pack<Real>(h2), within = within_reach(reach, c, rows);
        own += compress(near && within, rows, c, list + own, d2 + own);
        others += compress(near && !within, rows, c, distances.other_rows.data() + others,
                           distances.other_d2.data() + others);
        rows += lanes;
    }
    for (std::size_t e = 0; e < others; e += 8) {
        std::memcpy(list + k + e, distances.other_rows.data() + e, 8 * sizeof(std::uint32_t));
        std::memcpy(d2 + k + e, distances.other_d2.data() + e, 8 * sizeof(Real));
    }
    return k + others;
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
    std::fill_n(index_.data() + begin_[i] + all_[i], 8, static_cast<std::uint32_t>(i));
}

template <class Real>
void NearLists<Real>::update(std::span<const Vec3d> points, const Array<Real>& place, double h,
                             std::size_t k) {
    if (candidates_.update(points, h)) begin_ = candidates_.begin();
    const std::size_t n = points.size();
    resize(n);
    const Real h2 = static_cast<Real>(h) * static_cast<Real>(h);
    guess_.resize(n, Real(0.9) * h2);
    reach_.resize(n);
    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        CandidateDistances<Real> distances;
        for (std::size_t i = first; i < end; ++i) {
            distances.measure(place, candidates_, i, h2, guess_[i]);
            const bool full = k > 0 && distances.near > k;
            reach_[i] = full ? reach_of(distances, k, h2, guess_[i]) : Reach<Real>{};
            if (full) guess_[i] = reach_[i].d2;
            std::uint32_t* list = index_.data() + begin_[i];
            Real* d2 = d2_.data() + begin_[i];
            const std::size_t all = full ? take_parted(distances, h2, reach_[i], k, list, d2)
                                         : take_all(distances, h2, list, d2);
            own_[i] = static_cast<std::uint32_t>(full ? k : all);
            all_[i] = static_cast<std::uint32_t>(all);
        }
    });

    // of those beyond the own list, the ones that list the particle stay
    for_each(n, part, [&](std::size_t i) {
        std::uint32_t* list = index_.data() + begin_[i];
        const Real* square = d2(i);
        std::uint32_t kept = own_[i];
        for (std::uint32_t e = kept, end = all_[i]; e < end; ++e) {
            const std::uint32_t j = list[e];
            list[kept] = j;
            kept += reach_[j].holds(square[e], static_cast<std::uint32_t>(i)) ? 1 : 0;
        }
        all_[i] = kept;
        pad(i);
    });
}

template <class Real>
void NearLists<Real>::set(const Neighbours& nearest, const Array<Real>& place) {
    const Neighbours both = symmetric(nearest);
    const std::size_t n = nearest.size();
    begin_.assign(1, 0);
    for (std::size_t i = 0; i < n; ++i) begin_.push_back(begin_[i] + list_room(both.of(i).size()));
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
           (d2_.capacity() + guess_.capacity()) * sizeof(Real) +
           reach_.capacity() * sizeof(Reach<Real>) + candidates_.bytes();
}

template class NearLists<float>;
template class NearLists<double>;

}  // namespace knead
