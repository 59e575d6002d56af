#include "knead/parallel/exec.h"
#include "knead/points/density.h"
#include "knead/points/gather.h"
#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/stages.h"
#include "knead/points/mls.h"

namespace knead {

namespace {

// Over the own list of i: w r r^T, how many count, and m (1 - r^2 / h^2)^3; eight sums.
template <class Real, bool fuse>
void sum_own(const Array<Real>& measured, int power, std::size_t i, Real h,
             IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    const std::uint32_t* list = work.lists.list(i);
    const int own = work.lists.own(i);
    const Real *x = work.place.data() + 4 * i, *m = measured.data() + 4 * i;
    const P inverse(Real(1) / (h * h)), zero(Real(0)), one(Real(1));
    P sums[8] = {zero, zero, zero, zero, zero, zero, zero, zero};
    for (int k = 0; k < own; k += lanes) {
        P q[4], place[4];
        gather4(measured.data(), 4, list + k, q);
        const auto there = first_lanes<Real, lanes>(own - k);
        const Vec3<P> r{q[0] - P(m[0]), q[1] - P(m[1]), q[2] - P(m[2])};
        P rest = max(one - dot(r, r) * inverse, zero);
        auto counts = there && rest > zero;
        if constexpr (!fuse) counts = counts && same_body(work, i, list + k);
        const P w = select(counts, fit_weight(rest, power), zero);
        const Vec3<P> a = w * r;
        sums[0] += a.x * r.x, sums[1] += a.y * r.y, sums[2] += a.z * r.z;
        sums[3] += a.x * r.y, sums[4] += a.x * r.z, sums[5] += a.y * r.z;
        sums[6] += select(counts, one, zero);
        if (&measured != &work.place) {  // density is of the present, whatever the memory
            gather4(work.place.data(), 4, list + k, place);
            const Vec3<P> now{place[0] - P(x[0]), place[1] - P(x[1]), place[2] - P(x[2])};
            rest = max(one - dot(now, now) * inverse, zero);
            q[3] = place[3];
        }
        sums[7] += select(there, q[3] * (rest * rest * rest), zero);
    }
    sum_lanes8(sums, work.moments.data() + moment::stride * i);
}

// Density, pressure and volume of the particles of one phase.
template <class Real>
void store_density(const IncrementalSettings& settings, Particles<Real>& p, std::size_t first,
                   IncrementalWorkspace<Real>& work) {
    const Real unit =
        Poly6Kernel::value(Real(0), static_cast<Real>(settings.support * settings.spacing));
    for_each(p.size(), 1024, [&](std::size_t i) {
        const std::size_t g = first + i;
        const Real rho = unit * (work.place[4 * g + 3] +
                                 work.moments[moment::stride * g + moment::weighted_mass]);
        Real& rest = p.rest_density.at(i);
        if (!(rest > 0)) rest = rho;
        Real* row = work.row.data() + shown::stride * g;
        work.density[g] = rho;
        row[shown::sph_volume] = row[shown::volume] * (rest / rho);
    });
}

}  // namespace

template <class Real>
void sum_neighbours(const IncrementalSettings& settings, std::vector<Phase<Real>>& phases,
                    IncrementalWorkspace<Real>& work) {
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    const bool keeps_rest = settings.memory == DeformationMemory::rest_configuration;
    const Array<Real>& measured = keeps_rest ? work.rest : work.place;
    work.moments.resize(moment::stride * work.size());
    work.density.resize(work.size());
    for_each(work.size(), 256, [&](std::size_t i) {
        if (settings.fuse)
            sum_own<Real, true>(measured, settings.weight_power, i, h, work);
        else
            sum_own<Real, false>(measured, settings.weight_power, i, h, work);
    });
    for (std::size_t p = 0; p < phases.size(); ++p)
        store_density(settings, phases[p].particles, work.first[p], work);
}

template void sum_neighbours(const IncrementalSettings&, std::vector<Phase<float>>&,
                             IncrementalWorkspace<float>&);
template void sum_neighbours(const IncrementalSettings&, std::vector<Phase<double>>&,
                             IncrementalWorkspace<double>&);

}  // namespace knead
