#include "knead/math/svd.h"
#include "knead/points/incremental/additive_strain.h"
#include "knead/points/incremental/rest_configuration.h"
#include "knead/points/incremental/start_memory.h"
#include "knead/points/incremental/stress_rows.h"

namespace knead {

namespace {

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
                    const Pack<Real>& trust, std::size_t first, IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    P volume;
    PlaceSums<P> sums;
    load_column<Real>(p.volume, i, count, volume);
    load_part(work.sums, &NeighbourSums<Real>::places, first + i, count, sums);
    const Sym3<P> A = select(trust > P(Real(0)), sums.A(), sym_identity<P>());
    const P scale = P(Real(1)) / trace(A);  // entries of order one, whatever the spacing
    const P zero(Real(0));
    const FitRow<P> row{(trust * volume * scale) *
                            (static_cast<Mat3<P>>(tau) * static_cast<Mat3<P>>(inverse(scale * A))),
                        {zero, zero, zero}};
    store_row(row, first + i, count, work.fit_rows);
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
        store_fit_rows<Real>(congruence(d.U, share * (d.sigma * stress)), p, i, count, trust, first,
                             work);
        stress = stress - share * stress;
    }
    if (settings.stress == StressForm::plain) stress = inverse * stress;
    store_pair_rows<Real>(settings, congruence(d.U, inverse * inverse), congruence(d.U, stress), p,
                          i, count, trust, first, work);
}

template <class Real>
void stress_of_increments(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                          const Particles<Real>& p, std::size_t first,
                          IncrementalWorkspace<Real>& work) {
    const double by_fit = share_by_fit(settings, law);
    if (by_fit > 0)
        work.fit_rows.resize(work.size());
    else
        clear_fit_rows(settings, p.size(), first, work);
    work.any_by_fit = work.any_by_fit || by_fit > 0;
    std::visit(
        [&](const auto& elastic) {
            for_each_trusted_pack(
                p.size(), first, work, [&](std::size_t i, int count, const Pack<Real>& trust) {
                    stress_of_stretch(settings, elastic, p, i, count, trust, by_fit, first, work);
                });
        },
        law.elastic);
}

}  // namespace

template <class Real>
void compute_stress(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                    const Phase<Real>& phase, std::size_t first, IncrementalWorkspace<Real>& work) {
    const Particles<Real>& p = phase.particles;
    switch (memory_of(settings, phase)) {
        case DeformationMemory::start:
            return stress_from_start(settings, law, p, first, work);
        case DeformationMemory::rest_configuration:
            return stress_from_rest(settings, law, p, first, work);
        case DeformationMemory::additive_strain:
            return stress_of_strains(settings, law, p, first, work);
        case DeformationMemory::by_matter:  // fill_in has chosen one of the others
        case DeformationMemory::increments:
            break;
    }
    stress_of_increments(settings, law, p, first, work);
}

template void compute_stress(const IncrementalSettings&, const StretchLaw<float>&,
                             const Phase<float>&, std::size_t, IncrementalWorkspace<float>&);
template void compute_stress(const IncrementalSettings&, const StretchLaw<double>&,
                             const Phase<double>&, std::size_t, IncrementalWorkspace<double>&);

}  // namespace knead
