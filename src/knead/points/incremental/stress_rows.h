// What every memory of deformation shares in compute_stress: the trust in a particle's neighbours,
// and the rows that the pair forces read.
#pragma once

#include "knead/parallel/exec.h"
#include "knead/particles/pack_columns.h"
#include "knead/points/incremental/stages.h"
#include "knead/points/mls.h"

namespace knead {

inline constexpr double least_neighbours = 6;  // for an update [Gerszewski 2009, section 4]

// How far a few particles' neighbours can tell a deformation: they may be too few or too flat.
template <class Real>
Pack<Real> trust_in(const Array<NeighbourSums<Real>>& table, std::size_t i, int count) {
    using P = Pack<Real>;
    PlaceSums<P> sums;
    load_part(table, &NeighbourSums<Real>::places, i, count, sums);
    const Sym3<P> A = sums.A();
    const P scale = P(Real(1)) / max(trace(A), P(smallest_normal<Real>));
    return select(sums.count >= P(Real(least_neighbours)), mls_trust(scale * A), P(Real(0)));
}

// compute(i, count, trust) for packs of n particles from number `first` on; stores the trust.
template <class Real, class Compute>
void for_each_trusted_pack(std::size_t n, std::size_t first, IncrementalWorkspace<Real>& work,
                           const Compute& compute) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    work.trust.resize(work.size());
    parallel_chunks(n, 512, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += lanes) {
            const int count = static_cast<int>(std::min(lanes, end - i));
            const Pack<Real> trust = trust_in(work.sums, first + i, count);
            trust.store_part(work.trust.data() + first + i, count);
            compute(i, count, trust);
        }
    });
}

// The rows of a few particles: the metric in units of h, and the stress times the volume.
template <class Real>
void store_pair_rows(const IncrementalSettings& settings, const Sym3<Pack<Real>>& metric,
                     const Sym3<Pack<Real>>& stress, const Particles<Real>& p, std::size_t i,
                     int count, const Pack<Real>& trust, std::size_t first,
                     IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    P volume;
    load_column<Real>(p.volume, i, count, volume);
    volume = trust * volume;
    const double h = settings.support * settings.spacing;
    const P one(static_cast<Real>(1 / (h * h))), two = one + one;
    const MetricAndStress<P> row{{one * metric.xx, one * metric.yy, one * metric.zz,
                                  two * metric.xy, two * metric.xz, two * metric.yz},
                                 volume * stress};
    store_part(row, &PairRow<Real>::elastic, first + i, count, work.pair_rows);
}

// Rows of the force by the fit that have none.
template <class Real>
void clear_fit_rows(const IncrementalSettings& settings, std::size_t n, std::size_t first,
                    IncrementalWorkspace<Real>& work) {
    if (!(settings.force_by_fit > 0)) return;
    work.fit_rows.resize(work.size());
    std::fill_n(work.fit_rows.begin() + static_cast<std::ptrdiff_t>(first), n, FitRow<Real>{});
}

}  // namespace knead
