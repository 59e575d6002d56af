#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "knead/particles/pack_columns.h"
#include "knead/points/gather.h"
#include "knead/points/incremental/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

constexpr double least_neighbours = 6;  // for an update [Gerszewski 2009, section 4]

// How far a few particles' neighbours can tell a deformation: they may be too few or too flat.
template <class Real>
Pack<Real> trust_in(const Real* moments, int count) {
    using P = Pack<Real>;
    P sums[moment::B];
    load_rows(moments, moment::stride, moment::B, count, sums);
    const Sym3<P> A = fit_matrix(sums);
    const P scale = P(Real(1)) / max(trace(A), P(smallest_normal<Real>));
    return select(sums[moment::count] >= P(Real(least_neighbours)), mls_trust(scale * A),
                  P(Real(0)));
}

// The share of the force that is the fit's. What flows at any stress forgets its disorder by
// itself.
template <class Real>
double share_by_fit(const IncrementalSettings& settings, const StretchLaw<Real>& law) {
    const bool forgets = law.flow && !(law.flow->yield_stress > Real(0));
    return forgets ? 0 : settings.force_by_fit;
}

// v tau A^-1, with A the matrix of the fit; tau is given.
template <class Real>
void store_fit_rows(const Sym3<Pack<Real>>& tau, const Particles<Real>& p, std::size_t i, int count,
                    const Pack<Real>& trust, const Real* moments, Real* rows) {
    using P = Pack<Real>;
    P volume, sums[moment::B];
    load_column<Real>(p.volume, i, count, volume);
    load_rows(moments, moment::stride, moment::B, count, sums);
    const Sym3<P> A = select(trust > P(Real(0)), fit_matrix(sums), sym_identity<P>());
    const P scale = P(Real(1)) / trace(A);  // entries of order one, whatever the spacing
    const Mat3<P> M = (trust * volume * scale) *
                      (static_cast<Mat3<P>>(tau) * static_cast<Mat3<P>>(inverse(scale * A)));
    P fields[fit_rows::stride];
    for (int k = 0; k < 9; ++k) fields[k] = M[k];
    fields[9] = fields[10] = fields[11] = P(Real(0));
    for (std::size_t f = 0; f < fit_rows::stride; f += 4)
        scatter4(fields + f, rows + f, fit_rows::stride, count);
}

// The rows of a few particles: the metric in units of h, and the stress times the volume.
template <class Real>
void store_rows(const IncrementalSettings& settings, const Sym3<Pack<Real>>& metric,
                const Sym3<Pack<Real>>& stress, const Particles<Real>& p, std::size_t i, int count,
                const Pack<Real>& trust, Real* rows) {
    using P = Pack<Real>;
    P volume;
    load_column<Real>(p.volume, i, count, volume);
    volume = trust * volume;
    const Sym3<P> vs = volume * stress;
    const double h = settings.support * settings.spacing;
    const P one(static_cast<Real>(1 / (h * h))), two = one + one;
    const P fields[12] = {one * metric.xx, one * metric.yy, one * metric.zz, two * metric.xy,
                          two * metric.xz, two * metric.yz, vs.xx,           vs.yy,
                          vs.zz,           vs.xy,           vs.xz,           vs.yz};
    for (std::size_t f = 0; f < 12; f += 4)
        scatter4(fields + f, rows + shown::metric + f, shown::stride, count);
}

// With F = U diag(s) V^T and T = U diag(t) V^T [Gerszewski 2009, Eq. 9, 10], a neighbour at r has
// F^-1 r at rest, of which the force takes the length and T F^-1 r. Both need U alone:
// |F^-1 r|^2 = r U diag(s^-2) U^T r, T F^-1 = U diag(t / s) U^T. Flattened for the svd.
template <class Real, class Elastic>
__attribute__((flatten)) void stress_of_stretch(const IncrementalSettings& settings,
                                                const Elastic& elastic, const Particles<Real>& p,
                                                std::size_t i, int count, const Pack<Real>& trust,
                                                double by_fit, std::size_t first,
                                                IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    Mat3<P> F;
    load_column<Real>(p.F, i, count, F);
    const Svd3<P> d = svd(F);
    const Vec3<P> inverse{P(Real(1)) / d.sigma.x, P(Real(1)) / d.sigma.y, P(Real(1)) / d.sigma.z};
    Vec3<P> stress = elastic.piola(settings.squared_stretch ? d.sigma * d.sigma : d.sigma);
    if (by_fit > 0) {
        const P share(static_cast<Real>(by_fit));
        store_fit_rows<Real>(congruence(d.U, share * (d.sigma * stress)), p, i, count, trust,
                             work.moments.data() + moment::stride * (first + i),
                             work.fit_row.data() + fit_rows::stride * (first + i));
        stress = stress - share * stress;
    }
    if (settings.stress == StressForm::plain) stress = inverse * stress;
    store_rows<Real>(settings, congruence(d.U, inverse * inverse), congruence(d.U, stress), p, i,
                     count, trust, work.row.data() + shown::stride * (first + i));
}

// The baseline that keeps a rest configuration: F_p and v T as they are.
template <class Real, class Elastic>
void stress_from_rest(const IncrementalSettings& settings, const Elastic& elastic,
                      const Particles<Real>& p, std::size_t i, Real* row) {
    const Svd3<Real> d = svd(p.F.mat(i));
    Vec3<Real> stress = elastic.piola(settings.squared_stretch ? d.sigma * d.sigma : d.sigma);
    if (settings.stress == StressForm::stretched) stress = d.sigma * stress;
    const Mat3<Real> F_p = p.plastic_F.mat(i);
    const Mat3<Real> vT = p.volume.at(i) * (d.U * diagonal(stress) * transpose(d.V));
    for (int k = 0; k < 9; ++k) row[k] = F_p[k], row[9 + k] = vT[k];
}

// Where the start is kept: F and v T as they are, and how stiff the shape is, all fading with the
// trust. T is P alone, for F P vanishes as matter is crushed. Flattened for the svd.
template <class Real, class Elastic>
__attribute__((flatten)) void stress_from_start(const IncrementalSettings& settings,
                                                const StretchLaw<Real>& law, const Elastic& elastic,
                                                const Particles<Real>& p, std::size_t i, int count,
                                                const Pack<Real>& trust, Real* rows) {
    using P = Pack<Real>;
    Mat3<P> F;
    P volume;
    load_column<Real>(p.F, i, count, F);
    load_column<Real>(p.volume, i, count, volume);
    volume = trust * volume;
    const Svd3<P> d = svd(F);
    const Vec3<P> stress = elastic.piola(settings.squared_stretch ? d.sigma * d.sigma : d.sigma);
    const Mat3<P> T = d.U * diagonal(stress) * transpose(d.V);
    const double modulus = static_cast<double>(law.density) * law.wave_speed * law.wave_speed;
    P fields[from_start::stride];
    for (int k = 0; k < 9; ++k) fields[k] = F[k], fields[9 + k] = volume * T[k];
    fields[from_start::stiffness] =
        volume * P(static_cast<Real>(0.5 * settings.shape_stiffness * modulus));
    fields[from_start::stiffness + 1] = P(Real(0));
    for (std::size_t f = 0; f < from_start::stride; f += 4)
        scatter4(fields + f, rows + f, from_start::stride, count);
}

// 2 mu eps + lambda tr(eps) I, the baseline of additive strain; there is no rest space to go to.
template <class Real>
void stress_of_strain(const IncrementalSettings& settings, const CorotatedLinear<Real>& elastic,
                      const Particles<Real>& p, std::size_t i, int count, Real* rows) {
    using P = Pack<Real>;
    Sym3<P> strain;
    load_column<Real>(p.strain, i, count, strain);
    const Sym3<P> stress =
        P(2 * elastic.mu) * strain + sym_diagonal(splat(P(elastic.lambda) * trace(strain)));
    store_rows<Real>(settings, sym_diagonal(splat(P(Real(1)))), stress, p, i, count, P(Real(1)),
                     rows);
}

}  // namespace

template <class Real>
void compute_stress(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                    const Phase<Real>& phase, std::size_t first, IncrementalWorkspace<Real>& work) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    const Particles<Real>& p = phase.particles;
    work.trust.resize(work.size());
    const auto each_pack = [&](const auto& compute) {
        parallel_chunks(p.size(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; i += lanes) {
                const int count = static_cast<int>(std::min(lanes, end - i));
                const Pack<Real> trust =
                    trust_in(work.moments.data() + moment::stride * (first + i), count);
                trust.store_part(work.trust.data() + first + i, count);
                compute(i, count, trust);
            }
        });
    };
    const auto rows = [&](std::size_t i) { return work.row.data() + shown::stride * (first + i); };
    if (settings.memory == DeformationMemory::additive_strain) {
        const auto& elastic = std::get<CorotatedLinear<Real>>(law.elastic);
        return each_pack([&](std::size_t i, int count, const auto&) {
            stress_of_strain(settings, elastic, p, i, count, rows(i));
        });
    }
    const bool keeps_rest = settings.keeps_rest_configuration();
    const bool keeps_start = settings.keeps_start() && p.rest_x.present();
    if (keeps_rest) work.rest_row.resize(18 * work.size());
    const double by_fit = keeps_rest || keeps_start ? 0 : share_by_fit(settings, law);
    if (settings.force_by_fit > 0) work.fit_row.resize(fit_rows::stride * work.size());
    if (settings.force_by_fit > 0 && !(by_fit > 0))
        std::fill_n(work.fit_row.begin() + static_cast<std::ptrdiff_t>(fit_rows::stride * first),
                    fit_rows::stride * p.size(), Real(0));
    work.any_by_fit = work.any_by_fit || by_fit > 0;
    if (keeps_start) work.start_row.resize(from_start::stride * work.size());
    if (keeps_start && !work.all_rest())  // others see nothing of it but that it presses
        each_pack([&](std::size_t i, int count, const Pack<Real>& trust) {
            store_rows<Real>(settings, sym_diagonal(splat(Pack<Real>(Real(1)))), {}, p, i, count,
                             trust, rows(i));
        });
    std::visit(
        [&](const auto& elastic) {
            each_pack([&](std::size_t i, int count, const auto& trust) {
                if (keeps_start)
                    return stress_from_start(
                        settings, law, elastic, p, i, count, trust,
                        work.start_row.data() + from_start::stride * (first + i));
                if (!keeps_rest)
                    return stress_of_stretch(settings, elastic, p, i, count, trust, by_fit, first,
                                             work);
                for (std::size_t k = i; k < i + static_cast<std::size_t>(count); ++k)
                    stress_from_rest(settings, elastic, p, k,
                                     work.rest_row.data() + 18 * (first + k));
            });
        },
        law.elastic);
}

template void compute_stress(const IncrementalSettings&, const StretchLaw<float>&,
                             const Phase<float>&, std::size_t, IncrementalWorkspace<float>&);
template void compute_stress(const IncrementalSettings&, const StretchLaw<double>&,
                             const Phase<double>&, std::size_t, IncrementalWorkspace<double>&);

}  // namespace knead
