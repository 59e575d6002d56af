// A few particles of one phase at the end of a step: the increment that their neighbours tell, and
// plastic flow. What every memory of deformation shares.
#pragma once

#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "knead/particles/pack_columns.h"
#include "knead/points/incremental/stages.h"
#include "knead/points/mls.h"

namespace knead {

template <class Real>
class FlowPack {
    using P = Pack<Real>;
    using Mask = typename P::Mask;
    static constexpr double least_to_flow = 1e-4;  // stretch

public:
    FlowPack(const IncrementalSettings& settings, const StretchLaw<Real>& law, Particles<Real>& p,
             std::size_t first, Real dt, const IncrementalWorkspace<Real>& work)
        : settings_(settings), law_(law), p_(p), first_(first), dt_(dt), work_(work) {
        if (law.flow) flow_ = law.rule_of_step(dt);
    }

    Particles<Real>& particles() const { return p_; }
    bool can_flow() const { return law_.flow.has_value(); }

    // D = dF - I, and where the fit can be trusted.
    Mask increment(std::size_t i, int count, Mat3<P>& D) const {
        NeighbourSums<P> sums;
        load_row(work_.sums, first_ + i, count, sums);
        MlsMoments<P> m{sums.places.A(), sums.motion.B()};
        // entries of order one, whatever the spacing
        const P scale = P(Real(1)) / max(trace(m.A), P(smallest_normal<Real>));
        m.A = scale * m.A;
        m.B = scale * m.B;
        D = mls_fit(m);
        return P::load_part(work_.trust.data() + first_ + i, count, Real(1)) > P(Real(0));
    }

    static std::size_t counted(const Mask& mask, int count) {
        std::size_t n = 0;
        for (int k = 0; k < count; ++k) n += mask[k] ? 1 : 0;
        return n;
    }

    // gamma for a stress norm [Bargteil 2007].
    P creep(const P& norm, std::size_t i, int count) const {
        return flow_.share(norm, hardening(i, count), dt_);
    }
    // Stores the share that flows; hardening follows where anything does.
    void store_share(const P& share, const P& norm, std::size_t i, int count,
                     FlowReport& report) const {
        const P before = hardening(i, count);
        const Mask flows = share > P(Real(0));
        store_column<Real>(p_.hardening, i, count, select(flows, before + P(dt_) * norm, before));
        store_column<Real>(p_.flow, i, count, share);
        report.flowing = counted(flows, count);
    }

    // Singular values after flow, and what flowed away; which particles flowed.
    template <class Elastic>
    Mask flowed(const Elastic& elastic, Vec3<P>& sigma, Vec3<P>& plastic, std::size_t i, int count,
                FlowReport& report) const {
        const Mask none = P(Real(1)) < P(Real(0));
        if (!law_.flow) return none;
        const Mask able = sigma.z >= P(Real(least_to_flow));
        const P stress =
            law_.flow_stress(elastic, settings_.squared_stretch ? sigma * sigma : sigma);
        const P norm = select(able, stress, P(Real(0)));
        const P share = law_.share(flow_, sigma, norm, hardening(i, count), dt_);
        store_share(share, norm, i, count, report);
        return law_.split(flow_, share, sigma, plastic);
    }

private:
    P hardening(std::size_t i, int count) const {
        P memory;
        load_column<Real>(p_.hardening, i, count, memory);
        return memory;
    }

    const IncrementalSettings& settings_;
    const StretchLaw<Real>& law_;
    Particles<Real>& p_;
    std::size_t first_;
    Real dt_;
    const IncrementalWorkspace<Real>& work_;
    Creep<Real> flow_{};
};

// The sum of flow(i, count) over packs of n particles.
template <class Real, class Flow>
FlowReport sum_packs(std::size_t n, const Flow& flow) {
    constexpr std::size_t lanes = pack_lanes<Real>, part = 512;
    std::vector<FlowReport> reports((n + part - 1) / part);
    parallel_chunks(n, part, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += lanes)
            reports[begin / part] =
                reports[begin / part] + flow(i, static_cast<int>(std::min(lanes, end - i)));
    });
    FlowReport total;
    for (const FlowReport& r : reports) total = total + r;
    return total;
}

}  // namespace knead
