// What counts in the affine fit, and how much. The weight is w^power with w = (1 - r^2 / h^2)^3 up
// to a constant; the paper scales the columns of both matrices by w, hence its power is 2
// [Gerszewski 2009, Eq. 2 to 7].
#pragma once

#include <utility>

#include "knead/points/gather.h"
#include "knead/points/incremental/settings.h"
#include "knead/points/incremental/workspace.h"

namespace knead {

// Which of the particles at `list` are of one matter with i.
template <class Real>
ALWAYS_INLINE auto same_matter(const IncrementalWorkspace<Real>& work, std::size_t i,
                               const std::uint32_t* list) {
    Pack<Real> other;
    for (int k = 0; k < pack_lanes<Real>; ++k) other.set(k, work.matter[list[k]]);
    return other == Pack<Real>(work.matter[i]);
}

// The weights of a pack of own neighbours.
template <class Real>
struct FitWeights {
    using P = Pack<Real>;
    P cubed;  // w, of whichever body
    P w;      // in the fit
    typename P::Mask counts;
};

template <class Real>
class FitWeight {
    using P = Pack<Real>;

public:
    // `power` of w that counts.
    FitWeight(const IncrementalSettings& settings, int power,
              const IncrementalWorkspace<Real>& work, const NearLists<Real>& lists)
        : work_(work),
          lists_(lists),
          inverse_(static_cast<Real>(1 / (settings.support * settings.spacing)) *
                   static_cast<Real>(1 / (settings.support * settings.spacing))),
          squared_(power == 2),
          fuse_(work.one_matter) {}

    // Of the own neighbours k, k + 1, ... of i.
    ALWAYS_INLINE FitWeights<Real> operator()(std::size_t i, int k) const {
        const P zero(Real(0)), d2 = P::load(lists_.d2(i) + k);
        const P rest = max(P(Real(1)) - d2 * P(inverse_), zero);
        FitWeights<Real> weights;
        weights.counts = first_lanes<Real, pack_lanes<Real>>(lists_.own(i) - k);
        weights.cubed = select(weights.counts, rest * rest * rest, zero);
        if (!fuse_) weights.counts = weights.counts && same_matter(work_, i, lists_.list(i) + k);
        const P w = squared_ ? weights.cubed * weights.cubed : weights.cubed;
        weights.w = fuse_ ? w : select(weights.counts, w, zero);
        weights.counts = weights.counts && weights.w > zero;
        return weights;
    }

private:
    const IncrementalWorkspace<Real>& work_;
    const NearLists<Real>& lists_;
    Real inverse_;
    bool squared_, fuse_;
};

// visit(std::integral_constant<int, l>) for the four rows, or pairs of rows, of a pack.
template <class Visit>
ALWAYS_INLINE void for_each_four(const Visit& visit) {
    visit(std::integral_constant<int, 0>{});
    visit(std::integral_constant<int, 1>{});
    visit(std::integral_constant<int, 2>{});
    visit(std::integral_constant<int, 3>{});
}

}  // namespace knead
