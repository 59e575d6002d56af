#include "knead/parallel/exec.h"
#include "knead/points/density.h"
#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

// Over the own list of i: w r r^T, how many count, and m (1 - r^2 / h^2)^3.
template <class Real>
void sum_own(const NearLists<Real>& lists, const Array<Real>& measured,
             const FitWeight<Real>& weight, std::size_t i, IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    const std::uint32_t* list = lists.list(i);
    const P x = same_four(measured.data() + 4 * i);
    P A[3] = {P(Real(0)), P(Real(0)), P(Real(0))}, mass(Real(0));
    int counted = 0;
    for (int k = 0; k < lists.own(i); k += pack_lanes<Real>) {
        const FitWeights<Real> weights = weight(i, k);
        counted += __builtin_popcount(lane_set(weights.counts));
        for_each_four([&](auto l) {
            const P other = four_of(measured.data(), list + k, l), r = other - x;
            const P a = spread<l>(weights.w) * r;
            A[0] += spread<0>(r) * a;
            A[1] += spread<1>(r) * a;
            A[2] += spread<2>(r) * a;
            mass += spread<l>(weights.cubed) * other;
        });
    }
    PlaceSums<Real>& sums = work.sums[i].places;
    Real masses[4];
    for (std::size_t row = 0; row < 3; ++row) store_sum_of_fours(A[row], numbers(sums) + 4 * row);
    store_sum_of_fours(mass, masses);
    sums.count = static_cast<Real>(counted);
    sums.weighted_mass = masses[3];
}

// The density of the present where distances are those at rest.
template <class Real>
void sum_mass_now(const NearLists<Real>& lists, Real h, std::size_t i,
                  IncrementalWorkspace<Real>& work) {
    const auto place = [&](std::size_t j) {
        return Vec3<Real>{work.place[4 * j], work.place[4 * j + 1], work.place[4 * j + 2]};
    };
    Real sum = 0;
    for (int e = 0; e < lists.own(i); ++e) {
        const std::size_t j = lists.list(i)[e];
        const Real rest = max(Real(1) - length_squared(place(j) - place(i)) / (h * h), Real(0));
        sum += work.place[4 * j + 3] * (rest * rest * rest);
    }
    work.sums[i].places.weighted_mass = sum;
}

// Density and volume now, from the sums.
template <class Real>
void store_density(Real unit, Real& rest, std::size_t i, IncrementalWorkspace<Real>& work) {
    const Real rho = unit * (work.place[4 * i + 3] + work.sums[i].places.weighted_mass);
    if (!(rest > 0)) rest = rho;
    PairRow<Real>& row = work.pair_rows[i];
    work.density[i] = rho;
    row.motion.sph_volume = row.place.volume * (rest / rho);
}

}  // namespace

template <class Real>
void sum_neighbours(const IncrementalSettings& settings, std::vector<Phase<Real>>& phases,
                    IncrementalWorkspace<Real>& work) {
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    work.sums.resize(work.size());
    work.density.resize(work.size());
    const Real unit = Poly6Kernel::value(Real(0), h);
    for (std::size_t p = 0; p < phases.size(); ++p) {
        auto& rest_density = phases[p].particles.rest_density;
        const NearLists<Real>& lists = work.fit_lists(p);
        const Array<Real>& measured = work.fit_places(p);
        const bool from_rest = work.from_rest[p];
        const FitWeight<Real> weight(settings, settings.power_of_weights(from_rest), work, lists);
        for_each(phases[p].particles.size(), 256, [&](std::size_t row) {
            const std::size_t i = work.first[p] + row;
            sum_own(lists, measured, weight, i, work);
            if (from_rest) sum_mass_now(work.pressing_lists(settings), h, i, work);
            store_density(unit, rest_density.at(row), i, work);
        });
    }
}

template void sum_neighbours(const IncrementalSettings&, std::vector<Phase<float>>&,
                             IncrementalWorkspace<float>&);
template void sum_neighbours(const IncrementalSettings&, std::vector<Phase<double>>&,
                             IncrementalWorkspace<double>&);

}  // namespace knead
