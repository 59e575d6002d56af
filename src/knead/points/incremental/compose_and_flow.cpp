#include "knead/points/incremental/additive_strain.h"
#include "knead/points/incremental/flow_pack.h"
#include "knead/points/incremental/rest_configuration.h"
#include "knead/points/incremental/start_memory.h"

namespace knead {

namespace {

constexpr double least_stretch = 1e-3;  // an update that would leave less is refused

// The method: F <- (I + D) F, then flow. Flattened, so that the svd stays in registers.
template <class Real, class Elastic>
__attribute__((flatten)) FlowReport compose_increment(const FlowPack<Real>& pack,
                                                      const Elastic& elastic, std::size_t i,
                                                      int count) {
    using P = Pack<Real>;
    using Mask = typename P::Mask;
    Particles<Real>& p = pack.particles();
    Mat3<P> D, F;
    const Mask sound = pack.increment(i, count, D);
    load_column<Real>(p.F, i, count, F);
    Mat3<P> next = select(sound, F + D * F, F);
    Svd3<P> d = svd(next);
    const Mask kept = !sound || !(d.sigma.z >= P(Real(least_stretch)));
    if (any(kept)) {
        next = select(kept, F, next);
        d = svd(next);
    }
    FlowReport report{pack.counted(kept, count), 0};
    Vec3<P> plastic;
    const Mask flows = pack.flowed(elastic, d.sigma, plastic, i, count, report);
    if (any(flows)) next = select(flows, d.U * diagonal(d.sigma) * transpose(d.V), next);
    store_column<Real>(p.F, i, count, next);
    return report;
}

template <class Real>
FlowReport compose_increments(const FlowPack<Real>& pack, const StretchLaw<Real>& law) {
    return std::visit(
        [&](const auto& elastic) {
            return sum_packs<Real>(pack.particles().size(), [&](std::size_t i, int count) {
                return compose_increment(pack, elastic, i, count);
            });
        },
        law.elastic);
}

}  // namespace

template <class Real>
FlowReport compose_and_flow(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                            Phase<Real>& phase, std::size_t first, double dt,
                            const IncrementalWorkspace<Real>& work) {
    const FlowPack<Real> pack(settings, law, phase.particles, first, static_cast<Real>(dt), work);
    switch (memory_of(settings, phase)) {
        case DeformationMemory::start:
            return compose_from_start(pack);
        case DeformationMemory::rest_configuration:
            return compose_from_rest(pack, law);
        case DeformationMemory::additive_strain:
            return add_strains(pack, law);
        case DeformationMemory::by_matter:  // fill_in has chosen one of the others
        case DeformationMemory::increments:
            break;
    }
    return compose_increments(pack, law);
}

template FlowReport compose_and_flow(const IncrementalSettings&, const StretchLaw<float>&,
                                     Phase<float>&, std::size_t, double,
                                     const IncrementalWorkspace<float>&);
template FlowReport compose_and_flow(const IncrementalSettings&, const StretchLaw<double>&,
                                     Phase<double>&, std::size_t, double,
                                     const IncrementalWorkspace<double>&);

}  // namespace knead
