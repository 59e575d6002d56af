#include "knead/parallel/exec.h"
#include "knead/points/density.h"
#include "knead/points/gather.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

// sum of m (1 - r^2 / h^2)^3 over the own list and the particle itself
template <class Real>
Real weighted_mass(const IncrementalWorkspace<Real>& work, std::size_t i, Real h) {
    using P = Pack<Real>;
    constexpr int lanes = pack_lanes<Real>;
    const Real* x = work.place.data() + 4 * i;
    const std::uint32_t* list = work.lists.list(i);
    const int own = work.lists.own(i);
    const P inverse(Real(1) / (h * h));
    P sum(Real(0));
    for (int k = 0; k < own; k += lanes) {
        P q[4];
        gather4(work.place.data(), 4, list + k, q);
        const Vec3<P> r{q[0] - P(x[0]), q[1] - P(x[1]), q[2] - P(x[2])};
        const P rest = max(P(Real(1)) - dot(r, r) * inverse, P(Real(0)));
        sum += select(first_lanes<Real, lanes>(own - k), q[3] * (rest * rest * rest), P(Real(0)));
    }
    return x[3] + sum_lanes(sum);
}

}  // namespace

template <class Real>
void sum_density(const IncrementalSettings& settings, std::vector<Phase<Real>>& phases,
                 IncrementalWorkspace<Real>& work) {
    const Real h = static_cast<Real>(settings.support * settings.spacing);
    const Real unit = Poly6Kernel::value(Real(0), h);
    const Real stiffness = static_cast<Real>(settings.pressure);
    work.density.resize(work.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        auto& rest = phases[p].particles.rest_density;
        for_each(rest.size(), 256, [&](std::size_t i) {
            const std::size_t g = work.first[p] + i;
            const Real rho = unit * weighted_mass(work, g, h);
            if (!(rest.at(i) > 0)) rest.at(i) = rho;
            Real* row = work.row.data() + shown::stride * g;
            work.density[g] = rho;
            row[shown::pressure] = sph_pressure(stiffness, rho, rest.at(i));
            row[shown::sph_volume] = row[shown::volume] * rest.at(i) / rho;
        });
    }
}

template void sum_density(const IncrementalSettings&, std::vector<Phase<float>>&,
                          IncrementalWorkspace<float>&);
template void sum_density(const IncrementalSettings&, std::vector<Phase<double>>&,
                          IncrementalWorkspace<double>&);

}  // namespace knead
