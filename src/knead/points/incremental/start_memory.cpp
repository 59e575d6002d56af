#include "knead/points/incremental/start_memory.h"

#include "knead/math/inverse_sqrt.h"
#include "knead/points/density.h"
#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/force_sums.h"
#include "knead/points/incremental/stress_rows.h"

namespace knead {

namespace {

// T is P alone, for F P vanishes as matter is crushed. Flattened for the svd.
template <class Real, class Elastic>
__attribute__((flatten)) void store_start_rows(const IncrementalSettings& settings,
                                               const StretchLaw<Real>& law, const Elastic& elastic,
                                               const Particles<Real>& p, std::size_t i, int count,
                                               const Pack<Real>& trust, std::size_t first,
                                               Array<StartRow<Real>>& rows) {
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
    const StartRow<P> row{F, volume * T,
                          volume * P(static_cast<Real>(0.5 * settings.shape_stiffness * modulus)),
                          P(Real(0))};
    store_row(row, first + i, count, rows);
}

// With X from i to j at the start and x now: T X g(|X|) of both, and stiffness against x - F X,
// which is what neighbours do beyond a linear map.
template <class Real>
class StartForces {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    StartForces(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work)
        : work_(work),
          fuse_(work.one_matter),
          h_(static_cast<Real>(settings.support * settings.spacing)),
          slope_(static_cast<Real>(CosineKernel::slope) / (h_ * h_ * h_ * h_ * h_)) {}

    Vec3<Real> operator()(std::size_t i) const {
        const PlaceAndVolume<Real>& now = work_.pair_rows[i].place;
        const Real* then = work_.rest.data() + 4 * i;
        const StartRow<Real>& mine = work_.start_rows[i];
        const Real v_i = now.volume, inv_h2 = Real(1) / (h_ * h_);
        const Real unit = viscosity_laplacian(Real(0), h_);
        const std::uint32_t* list = work_.rest_lists.list(i);
        Vec3<P> sum = splat(P(Real(0)));
        for (int k = 0; k < work_.rest_lists.all(i); k += lanes) {
            PlaceAndVolume<P> at;
            P start[4];
            StartRow<P> other;
            gather_part(work_.pair_rows, &PairRow<Real>::place, list + k, at);
            gather4(work_.rest.data(), 4, list + k, start);
            gather_row(work_.start_rows, list + k, other);
            const Vec3<P> x{at.x.x - P(now.x.x), at.x.y - P(now.x.y), at.x.z - P(now.x.z)};
            const Vec3<P> X{start[0] - P(then[0]), start[1] - P(then[1]), start[2] - P(then[2])};
            const P v_j = at.volume, square = P(inv_h2) * dot(X, X);
            P pulls = P(slope_) * slope_over_distance(square);
            P stiff = P(unit) * positive_part(P(Real(1)) - square * inverse_sqrt(square)) *
                      (P(mine.stiffness) * v_j + P(v_i) * other.stiffness);
            if (!fuse_) {
                const auto same = same_matter(work_, i, list + k);
                pulls = select(same, pulls, P(Real(0)));
                stiff = select(same, stiff, P(Real(0)));
            }
            Mat3<P> T, F;
            for (int e = 0; e < 9; ++e) {
                T[e] = v_j * P(mine.stress[e]) + P(v_i) * other.stress[e];
                F[e] = P(Real(0.5)) * (P(mine.F[e]) + other.F[e]);
            }
            sum += pulls * (T * X);
            sum += stiff * (x - F * X);
        }
        return sum_lanes(sum);
    }

private:
    const IncrementalWorkspace<Real>& work_;
    bool fuse_;
    Real h_, slope_;
};

}  // namespace

template <class Real>
void stress_from_start(const IncrementalSettings& settings, const StretchLaw<Real>& law,
                       const Particles<Real>& p, std::size_t first,
                       IncrementalWorkspace<Real>& work) {
    work.start_rows.resize(work.size());
    const bool has_others = !work.all_from_rest();
    if (has_others) clear_fit_rows(settings, p.size(), first, work);
    std::visit(
        [&](const auto& elastic) {
            for_each_trusted_pack(
                p.size(), first, work, [&](std::size_t i, int count, const Pack<Real>& trust) {
                    // others see nothing of it but that it presses
                    if (has_others)
                        store_pair_rows<Real>(settings, sym_diagonal(splat(Pack<Real>(Real(1)))),
                                              {}, p, i, count, trust, first, work);
                    store_start_rows(settings, law, elastic, p, i, count, trust, first,
                                     work.start_rows);
                });
        },
        law.elastic);
}

template <class Real>
void add_start_forces(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    add_forces(work, true, StartForces<Real>(settings, work));
}

template <class Real>
FlowReport compose_from_start(const FlowPack<Real>& pack) {
    using P = Pack<Real>;
    Particles<Real>& p = pack.particles();
    return sum_packs<Real>(p.size(), [&](std::size_t i, int count) {
        Mat3<P> D, F;
        const auto sound = pack.increment(i, count, D);
        load_column<Real>(p.F, i, count, F);
        store_column<Real>(p.F, i, count, select(sound, identity3<P>() + D, F));
        return FlowReport{pack.counted(!sound, count), 0};
    });
}

#define KNEAD_START_MEMORY(Real)                                                             \
    template void stress_from_start(const IncrementalSettings&, const StretchLaw<Real>&,     \
                                    const Particles<Real>&, std::size_t,                     \
                                    IncrementalWorkspace<Real>&);                            \
    template void add_start_forces(const IncrementalSettings&, IncrementalWorkspace<Real>&); \
    template FlowReport compose_from_start(const FlowPack<Real>&);
KNEAD_START_MEMORY(float)
KNEAD_START_MEMORY(double)
#undef KNEAD_START_MEMORY

}  // namespace knead
