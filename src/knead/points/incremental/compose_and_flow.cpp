#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "knead/particles/pack_columns.h"
#include "knead/points/gather.h"
#include "knead/points/incremental/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

constexpr double least_stretch = 1e-3;  // an update that would leave less is refused
constexpr double least_to_flow = 1e-4;

// A few particles of one phase.
template <class Real>
class FlowPack {
    using P = Pack<Real>;
    using Mask = typename P::Mask;
    static constexpr int lanes = pack_lanes<Real>;

public:
    FlowPack(const IncrementalSettings& settings, const StretchLaw<Real>& law, Particles<Real>& p,
             std::size_t first, Real dt, const IncrementalWorkspace<Real>& work)
        : settings_(settings), law_(law), p_(p), first_(first), dt_(dt), work_(work) {
        if (!law.flow) return;
        flow_ = *law.flow;  // with the rate of this step
        flow_.rate = law.flow->rate_over(dt);
        flow_.interval = Real(0);
    }

    // The method: F <- (I + D) F, then flow. Flattened, so that the svd stays in registers.
    template <class Elastic>
    __attribute__((flatten)) FlowReport increments(const Elastic& elastic, std::size_t i,
                                                   int count) const {
        Mat3<P> D, F;
        const Mask sound = increment(i, count, D);
        load_column<Real>(p_.F, i, count, F);
        Mat3<P> next = select(sound, F + D * F, F);
        Svd3<P> d = svd(next);
        const Mask kept = !sound || !(d.sigma.z >= P(Real(least_stretch)));
        if (any(kept)) {
            next = select(kept, F, next);
            d = svd(next);
        }
        FlowReport report{counted(kept, count), 0};
        Vec3<P> plastic;
        const Mask flows = flowed(elastic, d.sigma, plastic, i, count, report);
        if (any(flows)) next = select(flows, d.U * diagonal(d.sigma) * transpose(d.V), next);
        store_column<Real>(p_.F, i, count, next);
        return report;
    }

    // Baseline: all of the deformation from the rest configuration, F_e = F F_p^-1.
    template <class Elastic>
    FlowReport from_rest(const Elastic& elastic, std::size_t i, int count) const {
        Mat3<P> D, F_p, F;
        const Mask sound = increment(i, count, D);
        load_column<Real>(p_.plastic_F, i, count, F_p);
        load_column<Real>(p_.F, i, count, F);
        F = select(sound, (identity3<P>() + D) * inverse(F_p), F);
        Svd3<P> d = svd(F);
        FlowReport report{counted(!sound, count), 0};
        Vec3<P> plastic;
        const Mask flows = flowed(elastic, d.sigma, plastic, i, count, report);
        if (any(flows)) {
            F = select(flows, d.U * diagonal(d.sigma) * transpose(d.V), F);
            const auto step = static_cast<Mat3<P>>(congruence(d.V, plastic));
            store_column<Real>(p_.plastic_F, i, count, select(flows, step * F_p, F_p));
        }
        store_column<Real>(p_.F, i, count, F);
        return report;
    }

    // Matter that never flows: all of the deformation since the start.
    FlowReport from_start(std::size_t i, int count) const {
        Mat3<P> D, F;
        const Mask sound = increment(i, count, D);
        load_column<Real>(p_.F, i, count, F);
        store_column<Real>(p_.F, i, count, select(sound, identity3<P>() + D, F));
        return {counted(!sound, count), 0};
    }

    // Baseline: Green's strain of every increment, added up; flow takes from its deviator.
    FlowReport strains(const CorotatedLinear<Real>& elastic, std::size_t i, int count) const {
        Mat3<P> D;
        const Mask sound = increment(i, count, D);
        Sym3<P> strain;
        load_column<Real>(p_.strain, i, count, strain);
        const P half(Real(0.5));
        const Sym3<P> products = svd_detail::gram_columns(D);
        const Sym3<P> green =
            half * products +
            Sym3<P>{
                D.xx, D.yy, D.zz, half * (D.xy + D.yx), half * (D.xz + D.zx), half * (D.yz + D.zy)};
        strain = select(sound, strain + green, strain);
        FlowReport report{counted(!sound, count), 0};
        if (law_.flow) {
            const P pressure = P(elastic.lambda) * trace(strain);
            const Sym3<P> stress = P(2 * elastic.mu) * strain + sym_diagonal(splat(pressure));
            const P norm = sqrt(norm_squared(stress)), share = creep(norm, i, count);
            remember(share, norm, i, count, report);
            strain = strain - share * deviator(strain);
        }
        store_column<Real>(p_.strain, i, count, strain);
        return report;
    }

private:
    // dF - I where the fit can be trusted.
    Mask increment(std::size_t i, int count, Mat3<P>& D) const {
        P sums[moment::stride];
        load_rows(work_.moments.data() + moment::stride * (first_ + i), moment::stride,
                  moment::stride, count, sums);
        MlsMoments<P> m{fit_matrix(sums), {}};
        for (int k = 0; k < 9; ++k)
            m.B[k] = sums[moment::B + 4 * static_cast<std::size_t>(k / 3) +
                          static_cast<std::size_t>(k % 3)];
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
        P hardening;
        load_column<Real>(p_.hardening, i, count, hardening);
        return flow_.share(norm, hardening, dt_);
    }
    // Keeps the share in view; hardening follows where anything flows.
    void remember(const P& share, const P& norm, std::size_t i, int count,
                  FlowReport& report) const {
        P hardening;
        load_column<Real>(p_.hardening, i, count, hardening);
        const Mask flows = share > P(Real(0));
        store_column<Real>(p_.hardening, i, count,
                           select(flows, hardening + P(dt_) * norm, hardening));
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
        const P share = law_.radial ? law_.radial_share(sigma, norm, dt_) : creep(norm, i, count);
        remember(share, norm, i, count, report);
        const Mask flows = share > P(Real(0));
        if (!any(flows)) return none;
        const Vec3<P> strain = log(Hencky<Real>::safe_stretch(sigma));
        const Vec3<P> kept = law_.flowed(flow_, strain, share);
        plastic = exp(strain - kept);
        sigma = select(flows, exp(kept), sigma);
        return flows;
    }

    const IncrementalSettings& settings_;
    const StretchLaw<Real>& law_;
    Particles<Real>& p_;
    std::size_t first_;
    Real dt_;
    const IncrementalWorkspace<Real>& work_;
    Creep<Real> flow_{};
};

}  // namespace

template <class Real>
FlowReport compose_and_flow(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                            Phase<Real>& phase, std::size_t first, double dt,
                            const IncrementalWorkspace<Real>& work) {
    constexpr std::size_t lanes = pack_lanes<Real>, part = 512;
    Particles<Real>& p = phase.particles;
    const FlowPack<Real> pack(settings, law, p, first, static_cast<Real>(dt), work);
    std::vector<FlowReport> reports((p.size() + part - 1) / part);
    const auto each_pack = [&](const auto& flow) {
        parallel_chunks(p.size(), part, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; i += lanes)
                reports[begin / part] =
                    reports[begin / part] + flow(i, static_cast<int>(std::min(lanes, end - i)));
        });
    };
    std::visit(
        [&](const auto& elastic) {
            using Elastic = std::decay_t<decltype(elastic)>;
            // where others keep their start, what flows has increments
            const bool flows_beside = settings.keeps_start() && !p.rest_x.present();
            switch (flows_beside ? DeformationMemory::increments : settings.memory) {
                case DeformationMemory::by_matter:  // fill_in has chosen one of the others
                case DeformationMemory::increments:
                    return each_pack([&](std::size_t i, int count) {
                        return pack.increments(elastic, i, count);
                    });
                case DeformationMemory::rest_configuration:
                    return each_pack([&](std::size_t i, int count) {
                        return pack.from_rest(elastic, i, count);
                    });
                case DeformationMemory::start:
                    return each_pack(
                        [&](std::size_t i, int count) { return pack.from_start(i, count); });
                case DeformationMemory::additive_strain:
                    if constexpr (std::is_same_v<Elastic, CorotatedLinear<Real>>)
                        each_pack([&](std::size_t i, int count) {
                            return pack.strains(elastic, i, count);
                        });
            }
        },
        law.elastic);
    FlowReport total;
    for (const FlowReport& r : reports) total = total + r;
    return total;
}

template FlowReport compose_and_flow(const IncrementalSettings&, const StretchLaw<float>&,
                                     Phase<float>&, std::size_t, double,
                                     const IncrementalWorkspace<float>&);
template FlowReport compose_and_flow(const IncrementalSettings&, const StretchLaw<double>&,
                                     Phase<double>&, std::size_t, double,
                                     const IncrementalWorkspace<double>&);

}  // namespace knead
