#include "knead/points/incremental/rest_configuration.h"

#include "knead/points/incremental/force_sums.h"
#include "knead/points/incremental/stress_rows.h"

namespace knead {

namespace {

template <class Real, class Elastic>
RestRow<Real> rest_row(const IncrementalSettings& settings, const Elastic& elastic,
                       const Particles<Real>& p, std::size_t i) {
    const Svd3<Real> d = svd(p.F.mat(i));
    Vec3<Real> stress = elastic.piola(settings.squared_stretch ? d.sigma * d.sigma : d.sigma);
    if (settings.stress == StressForm::stretched) stress = d.sigma * stress;
    return {p.plastic_F.mat(i), p.volume.at(i) * (d.U * diagonal(stress) * transpose(d.V))};
}

template <class Real>
Vec3<Real> rest_force(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work,
                      std::size_t i) {
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    const Real inv_h2 = Real(1) / (h * h);
    const RestRow<Real>& mine = work.rest_rows[i];
    Vec3<Real> f{0, 0, 0};
    for (int e = 0; e < work.rest_lists.all(i); ++e) {
        const std::size_t j = work.rest_lists.list(i)[e];
        if (work.matter[i] != work.matter[j]) continue;
        const RestRow<Real>& other = work.rest_rows[j];
        Vec3<Real> r;
        for (int a = 0; a < 3; ++a) {
            const auto k = static_cast<std::size_t>(a);
            r[a] = work.rest[4 * j + k] - work.rest[4 * i + k];
        }
        const Real v_i = work.pair_rows[i].place.volume, v_j = work.pair_rows[j].place.volume;
        const Vec3<Real> q_i = mine.plastic_F * r, q_j = other.plastic_F * r;
        f += (v_j * slope_over_distance(inv_h2 * dot(q_i, q_i))) * (mine.stress * q_i) +
             (v_i * slope_over_distance(inv_h2 * dot(q_j, q_j))) * (other.stress * q_j);
    }
    return (static_cast<Real>(CosineKernel::slope) / (h * h * h * h * h)) * f;
}

template <class Real, class Elastic>
FlowReport compose_pack(const FlowPack<Real>& pack, const Elastic& elastic, std::size_t i,
                        int count) {
    using P = Pack<Real>;
    Particles<Real>& p = pack.particles();
    Mat3<P> D, F_p, F;
    const auto sound = pack.increment(i, count, D);
    load_column<Real>(p.plastic_F, i, count, F_p);
    load_column<Real>(p.F, i, count, F);
    F = select(sound, (identity3<P>() + D) * inverse(F_p), F);
    Svd3<P> d = svd(F);
    FlowReport report{pack.counted(!sound, count), 0};
    Vec3<P> plastic;
    const auto flows = pack.flowed(elastic, d.sigma, plastic, i, count, report);
    if (any(flows)) {
        F = select(flows, d.U * diagonal(d.sigma) * transpose(d.V), F);
        const auto step = static_cast<Mat3<P>>(congruence(d.V, plastic));
        store_column<Real>(p.plastic_F, i, count, select(flows, step * F_p, F_p));
    }
    store_column<Real>(p.F, i, count, F);
    return report;
}

}  // namespace

template <class Real>
void stress_from_rest(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                      const Particles<Real>& p, std::size_t first,
                      IncrementalWorkspace<Real>& work) {
    work.rest_rows.resize(work.size());
    std::visit(
        [&](const auto& elastic) {
            for_each_trusted_pack(
                p.size(), first, work, [&](std::size_t i, int count, const Pack<Real>&) {
                    for (std::size_t k = i; k < i + static_cast<std::size_t>(count); ++k)
                        work.rest_rows[first + k] = rest_row(settings, elastic, p, k);
                });
        },
        law.elastic);
}

template <class Real>
void add_rest_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    add_forces(work, true, [&](std::size_t i) { return rest_force(settings, work, i); });
}

template <class Real>
FlowReport compose_from_rest(const FlowPack<Real>& pack, const StretchLaw<Real>& law) {
    return std::visit(
        [&](const auto& elastic) {
            return sum_packs<Real>(pack.particles().size(), [&](std::size_t i, int count) {
                return compose_pack(pack, elastic, i, count);
            });
        },
        law.elastic);
}

#define KNEAD_REST_CONFIGURATION(Real)                                                      \
    template void stress_from_rest(const IncrementalSettings&, const StretchLaw<Real>&,     \
                                   const Particles<Real>&, std::size_t,                     \
                                   IncrementalWorkspace<Real>&);                            \
    template void add_rest_forces(const IncrementalSettings&, IncrementalWorkspace<Real>&); \
    template FlowReport compose_from_rest(const FlowPack<Real>&, const StretchLaw<Real>&);
KNEAD_REST_CONFIGURATION(float)
KNEAD_REST_CONFIGURATION(double)
#undef KNEAD_REST_CONFIGURATION

}  // namespace knead
