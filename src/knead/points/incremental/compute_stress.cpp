#include "knead/math/svd.h"
#include "knead/parallel/exec.h"
#include "knead/particles/pack_columns.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

// Nine packs into nine numbers of a row, one row a lane, scaled by the particle's volume or not.
template <class Real>
void store_rows(const Mat3<Pack<Real>>& m, Real* rows, std::size_t at, int count, bool by_volume) {
    for (int lane = 0; lane < count; ++lane) {
        Real* row = rows + static_cast<std::size_t>(lane) * shown::stride;
        const Real scale = by_volume ? row[shown::volume] : Real(1);
        for (int k = 0; k < 9; ++k) row[at + static_cast<std::size_t>(k)] = scale * m[k][lane];
    }
}

// U diag(P) V^T, or with the stretch besides [Gerszewski 2009, Eq. 10].
template <class Real, class Elastic>
void stress_of_stretch(const IncrementalSettings& settings, const Elastic& elastic,
                       const Particles<Real>& p, std::size_t i, int count, Real* rows) {
    using P = Pack<Real>;
    Mat3<P> F;
    load_column<Real>(p.F, i, count, F);
    const Svd3<P> d = svd(F);
    Vec3<P> stress = elastic.piola(settings.squared_stretch ? d.sigma * d.sigma : d.sigma);
    if (settings.stress == StressForm::stretched) stress = d.sigma * stress;
    store_rows<Real>(d.U * diagonal(stress) * transpose(d.V), rows, shown::traction, count, true);
    if (settings.memory == DeformationMemory::rest_configuration) {
        Mat3<P> flow;
        load_column<Real>(p.plastic_F, i, count, flow);
        store_rows<Real>(flow, rows, shown::to_rest, count, false);
    } else {
        const Vec3<P> inverse{P(Real(1)) / d.sigma.x, P(Real(1)) / d.sigma.y,
                              P(Real(1)) / d.sigma.z};
        store_rows<Real>(d.V * diagonal(inverse) * transpose(d.U), rows, shown::to_rest, count,
                         false);
    }
}

// 2 mu eps + lambda tr(eps) I, the baseline of additive strain; there is no rest space to go to.
template <class Real>
void stress_of_strain(const CorotatedLinear<Real>& elastic, const Particles<Real>& p, std::size_t i,
                      int count, Real* rows) {
    using P = Pack<Real>;
    Sym3<P> strain;
    load_column<Real>(p.strain, i, count, strain);
    const Sym3<P> stress =
        P(2 * elastic.mu) * strain + sym_diagonal(splat(P(elastic.lambda) * trace(strain)));
    store_rows<Real>(static_cast<Mat3<P>>(stress), rows, shown::traction, count, true);
    store_rows<Real>(identity3<P>(), rows, shown::to_rest, count, false);
}

}  // namespace

template <class Real>
void compute_stress(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                    const Phase<Real>& phase, std::size_t first, IncrementalWorkspace<Real>& work) {
    constexpr std::size_t lanes = pack_lanes<Real>;
    const Particles<Real>& p = phase.particles;
    const auto each_pack = [&](const auto& compute) {
        parallel_chunks(p.size(), 512, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; i += lanes)
                compute(i, static_cast<int>(std::min(lanes, end - i)),
                        work.row.data() + shown::stride * (first + i));
        });
    };
    if (settings.memory == DeformationMemory::additive_strain) {
        const auto& elastic = std::get<CorotatedLinear<Real>>(law.elastic);
        return each_pack([&](std::size_t i, int count, Real* rows) {
            stress_of_strain(elastic, p, i, count, rows);
        });
    }
    std::visit(
        [&](const auto& elastic) {
            each_pack([&](std::size_t i, int count, Real* rows) {
                stress_of_stretch(settings, elastic, p, i, count, rows);
            });
        },
        law.elastic);
}

template void compute_stress(const IncrementalSettings&, const StretchLaw<float>&,
                             const Phase<float>&, std::size_t, IncrementalWorkspace<float>&);
template void compute_stress(const IncrementalSettings&, const StretchLaw<double>&,
                             const Phase<double>&, std::size_t, IncrementalWorkspace<double>&);

}  // namespace knead
