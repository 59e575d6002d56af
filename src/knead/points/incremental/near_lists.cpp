#include "knead/points/incremental/near_lists.h"

#include <algorithm>
#include <limits>

#include "knead/parallel/exec.h"
#include "knead/points/gather.h"

namespace knead {

namespace {

constexpr std::size_t part = 256;  // particles a task

std::size_t padded(std::size_t n) {
    return (n + NearLists::padding - 1) / NearLists::padding * NearLists::padding;
}

// The last neighbour of an own list that is full: nearer comes first, then the lower row.
template <class Real>
struct Last {
    Real d2 = std::numeric_limits<Real>::infinity();
    std::uint32_t row = 0;
    bool before(Real other, std::uint32_t other_row) const {
        return d2 < other || (d2 == other && row < other_row);
    }
};

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

// The k-th nearest of n, where lists are by row.
template <class Real>
Last<Real> kth_nearest(const Real* d2, const std::uint32_t* row, std::size_t n, std::size_t k,
                       std::vector<Real>& sorted) {
    sorted.assign(d2, d2 + n);
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

}  // namespace

void NearLists::resize(std::size_t n) {
    index_.resize(begin_[n]);
    own_.resize(n);
    all_.resize(n);
}

// Fills up with the particle itself, which contributes nothing.
void NearLists::pad(std::size_t i) {
    for (std::size_t e = begin_[i] + all_[i]; e < begin_[i] + padded(all_[i]); ++e)
        index_[e] = static_cast<std::uint32_t>(i);
}

void NearLists::find_candidates(std::span<const Vec3d> points, double reach) {
    const std::size_t n = points.size();
    const auto search = make_search(SearchKind::hash_grid, points, reach);
    const Neighbours found = all_within(*search, points, {&reach, 1});
    begin_.resize(n + 1);
    candidates_.resize(n);
    begin_[0] = 0;
    for (std::size_t i = 0; i < n; ++i) begin_[i + 1] = begin_[i] + padded(found.of(i).size());
    candidate_.resize(begin_[n]);
    for_each(n, part, [&](std::size_t i) {
        const auto list = found.of(i);
        candidates_[i] = static_cast<std::uint32_t>(list.size());
        std::copy(list.begin(), list.end(), candidate_.data() + begin_[i]);
        for (std::size_t e = begin_[i] + list.size(); e < begin_[i + 1]; ++e)
            candidate_[e] = static_cast<std::uint32_t>(i);
    });
    resize(n);
}

template <class Real>
void NearLists::update(const Array<Real>& place, Real h, std::size_t k) {
    const std::size_t n = own_.size();
    std::vector<Last<Real>> last(n);
    std::vector<std::vector<Real>> beyond((n + part - 1) / part);  // squared distances after it

    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        std::vector<std::uint32_t> row;
        std::vector<Real> d2, sorted;
        for (std::size_t i = first; i < end; ++i) {
            row.resize(candidates_[i] + 2 * padding);
            d2.resize(row.size());
            const std::size_t count = within(place, i, candidate_.data() + begin_[i],
                                             candidates_[i], h, row.data(), d2.data());
            all_[i] = own_[i] = static_cast<std::uint32_t>(count);
            std::uint32_t* own = index_.data() + begin_[i];
            if (k == 0 || count <= k) {
                std::copy_n(row.data(), count, own);
                continue;
            }
            last[i] = kth_nearest(d2.data(), row.data(), count, k, sorted);
            own_[i] = static_cast<std::uint32_t>(k);
            std::uint32_t* other = own + k;
            for (std::size_t c = 0; c < count; ++c) {
                const bool is_own = !last[i].before(d2[c], row[c]);
                *(is_own ? own++ : other++) = row[c];
                if (!is_own) beyond[first / part].push_back(d2[c]);
            }
        }
    });

    // of those beyond the own list, the ones that name the particle stay
    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        const Real* d2 = beyond[first / part].data();
        for (std::size_t i = first; i < end; ++i) {
            std::uint32_t* list = index_.data() + begin_[i];
            std::uint32_t kept = own_[i];
            for (std::uint32_t e = own_[i]; e < all_[i]; ++e, ++d2)
                if (!last[list[e]].before(*d2, static_cast<std::uint32_t>(i)))
                    list[kept++] = list[e];
            all_[i] = kept;
            pad(i);
        }
    });
}

void NearLists::set(const Neighbours& nearest) {
    const Neighbours both = symmetric(nearest);
    const std::size_t n = nearest.size();
    begin_.assign(1, 0);
    for (std::size_t i = 0; i < n; ++i) begin_.push_back(begin_[i] + padded(both.of(i).size()));
    resize(n);
    for_each(n, part, [&](std::size_t i) {
        const auto own = nearest.of(i), all = both.of(i);
        own_[i] = static_cast<std::uint32_t>(own.size());
        all_[i] = static_cast<std::uint32_t>(all.size());
        std::uint32_t* out = std::copy(own.begin(), own.end(), index_.data() + begin_[i]);
        std::set_difference(all.begin(), all.end(), own.begin(), own.end(), out);
        pad(i);
    });
}

std::size_t NearLists::bytes() const {
    return begin_.capacity() * sizeof(begin_[0]) +
           (candidate_.capacity() + candidates_.capacity() + index_.capacity() + own_.capacity() +
            all_.capacity()) *
               sizeof(std::uint32_t);
}

template void NearLists::update(const Array<float>&, float, std::size_t);
template void NearLists::update(const Array<double>&, double, std::size_t);

}  // namespace knead
