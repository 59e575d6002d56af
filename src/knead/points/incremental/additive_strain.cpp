#include "knead/points/incremental/additive_strain.h"

#include "knead/points/incremental/stress_rows.h"

namespace knead {

namespace {

template <class Real>
Sym3<Pack<Real>> stress_of(const CorotatedLinear<Real>& elastic, const Sym3<Pack<Real>>& strain) {
    using P = Pack<Real>;
    return P(2 * elastic.mu) * strain + sym_diagonal(splat(P(elastic.lambda) * trace(strain)));
}

template <class Real>
FlowReport add_pack(const FlowPack<Real>& pack, const CorotatedLinear<Real>& elastic, std::size_t i,
                    int count) {
    using P = Pack<Real>;
    Particles<Real>& p = pack.particles();
    Mat3<P> D;
    const auto sound = pack.increment(i, count, D);
    Sym3<P> strain;
    load_column<Real>(p.strain, i, count, strain);
    const P half(Real(0.5));
    const Sym3<P> products = svd_detail::gram_columns(D);
    const Sym3<P> green =
        half * products +
        Sym3<P>{D.xx, D.yy, D.zz, half * (D.xy + D.yx), half * (D.xz + D.zx), half * (D.yz + D.zy)};
    strain = select(sound, strain + green, strain);
    FlowReport report{pack.counted(!sound, count), 0};
    if (pack.can_flow()) {
        const P norm = sqrt(norm_squared(stress_of(elastic, strain)));
        const P share = pack.creep(norm, i, count);
        pack.store_share(share, norm, i, count, report);
        strain = strain - share * deviator(strain);
    }
    store_column<Real>(p.strain, i, count, strain);
    return report;
}

}  // namespace

template <class Real>
void stress_of_strains(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                       const Particles<Real>& p, std::size_t first,
                       IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    const auto& elastic = std::get<CorotatedLinear<Real>>(law.elastic);
    for_each_trusted_pack(p.size(), first, work, [&](std::size_t i, int count, const P&) {
        Sym3<P> strain;
        load_column<Real>(p.strain, i, count, strain);
        store_pair_rows<Real>(settings, sym_diagonal(splat(P(Real(1)))), stress_of(elastic, strain),
                              p, i, count, P(Real(1)), first, work);
    });
}

template <class Real>
FlowReport add_strains(const FlowPack<Real>& pack, const StretchLaw<Real>& law) {
    const auto& elastic = std::get<CorotatedLinear<Real>>(law.elastic);
    return sum_packs<Real>(pack.particles().size(), [&](std::size_t i, int count) {
        return add_pack(pack, elastic, i, count);
    });
}

#define KNEAD_ADDITIVE_STRAIN(Real)                                                      \
    template void stress_of_strains(const IncrementalSettings&, const StretchLaw<Real>&, \
                                    const Particles<Real>&, std::size_t,                 \
                                    IncrementalWorkspace<Real>&);                        \
    template FlowReport add_strains(const FlowPack<Real>&, const StretchLaw<Real>&);
KNEAD_ADDITIVE_STRAIN(float)
KNEAD_ADDITIVE_STRAIN(double)
#undef KNEAD_ADDITIVE_STRAIN

}  // namespace knead
