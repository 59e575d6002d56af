#include "knead/points/incremental/start_memory.h"

#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/force_sums.h"
#include "knead/points/incremental/stress_rows.h"

namespace knead {

namespace {

// B = v P A^-1 - c F with c = v k / tr A, A the matrix of the fit: what a neighbour at X gets is w
// (B X + c x). Flattened for the svd.
template <class Real, class Elastic>
__attribute__((flatten)) void store_start_rows(const IncrementalSettings& settings,
                                               const StretchLaw<Real>& law, const Elastic& elastic,
                                               const Particles<Real>& p, std::size_t i, int count,
                                               const Pack<Real>& trust, std::size_t first,
                                               IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    Mat3<P> F;
    P volume;
    PlaceSums<P> sums;
    load_column<Real>(p.F, i, count, F);
    load_column<Real>(p.volume, i, count, volume);
    load_part(work.sums, &NeighbourSums<Real>::places, first + i, count, sums);
    const Svd3<P> d = svd(F);
    const Vec3<P> stress = settings.squared_stretch ? d.sigma * elastic.piola(d.sigma * d.sigma)
                                                    : elastic.piola(d.sigma);
    const Sym3<P> A = select(trust > P(Real(0)), sums.A(), sym_identity<P>());
    const P unit = P(Real(1)) / trace(A);  // entries of order one, whatever the spacing
    const P weight = trust * volume * unit;
    const P stiffness = weight * P(static_cast<Real>(law.shape_modulus(settings.shape_stiffness)));
    const Mat3<P> piola = d.U * diagonal(stress) * transpose(d.V);
    const P zero(Real(0));
    const StartRow<P> row{
        weight * (piola * static_cast<Mat3<P>>(inverse(unit * A))) - stiffness * F,
        stiffness,
        {zero, zero}};
    store_row(row, first + i, count, work.start_rows);
}

// The slope of the energy v W(F) + v k / 2 times the weighted mean of |x - F X|^2 over that of
// |X|^2, of all particles, with X from i to j at the start and x now: energy and spin stay, however
// particles stand.
template <class Real>
class StartForces {
    using P = Pack<Real>;
    static constexpr int lanes = pack_lanes<Real>;

public:
    StartForces(const IncrementalSettings& settings, const IncrementalWorkspace<Real>& work)
        : work_(work),
          inv_h2_(static_cast<Real>(1 / (settings.support * settings.spacing)) *
                  static_cast<Real>(1 / (settings.support * settings.spacing))) {}

    Vec3<Real> operator()(std::size_t i) const {
        const PlaceAndVolume<Real>& now = work_.pair_rows[i].place;
        const Real* then = work_.rest.data() + 4 * i;
        const StartRow<Real>& mine = work_.start_rows[i];
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
            const P rest = positive_part(P(Real(1)) - P(inv_h2_) * dot(X, X));
            P w = rest * rest * rest;
            if (!work_.one_matter) w = select(same_matter(work_, i, list + k), w, P(Real(0)));
            Mat3<P> B;
            for (int e = 0; e < 9; ++e) B[e] = P(mine.matrix[e]) + other.matrix[e];
            sum += w * (B * X + (P(mine.stiffness) + other.stiffness) * x);
        }
        return sum_lanes(sum);
    }

private:
    const IncrementalWorkspace<Real>& work_;
    Real inv_h2_;
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
                    store_start_rows(settings, law, elastic, p, i, count, trust, first, work);
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
