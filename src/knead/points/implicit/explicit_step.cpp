// The paper's explicit twin: the same fit and force, symplectic Euler; and how long its steps may
// be.
#include <cmath>
#include <functional>

#include "knead/base/random.h"
#include "knead/points/implicit/elastic_operator.h"
#include "knead/points/implicit/stages.h"

namespace knead {

template <class Real>
void explicit_step(ImplicitWorkspace<Real>& work) {
    work.delta.assign(work.size(), Lanes<Real>(Real(0)));
    total_force(work, work.delta, work.force);
    for_each(work.size(), 1024, [&](std::size_t i) {
        work.delta[i] = work.ballistic[i] + Lanes<Real>(Real(1) / work.mass[i]) * work.force[i];
    });
    for (const Constraint& c : work.constraints) {
        Lanes<Real>& at = work.delta[work.row_of(c)];
        const Vec3d a = static_cast<Vec3d>(to_vec(at));
        at = to_lanes(static_cast<Vec3<Real>>(a - c.within(a) + c.fixed()));
    }
}

// Power iteration for the largest eigenvalue of M^-1 K, from a random start; a few percent short of
// it at worst, which the share `stability` covers.
template <class Real>
double largest_stable_step(const ImplicitSettings& settings,
                           const std::vector<ImplicitLaw<Real>>& laws,
                           const std::vector<Phase<Real>>& phases, ImplicitWorkspace<Real>& work) {
    load(settings, laws, phases, work);
    find_neighbours(settings, work);
    build_rest(settings, work);
    const std::size_t n = work.size();
    work.delta.assign(n, Lanes<Real>(Real(0)));
    freeze_rotations(1.0, work);
    Array<Lanes<Real>> z(n), y(n);
    for (std::size_t i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a)
            z[i].set(a, static_cast<Real>(random_unit(11, i, static_cast<std::uint64_t>(a)) - 0.5));
    double omega2 = 0;
    for (int k = 0; k < 60; ++k) {
        for_each_force(work.near, z, work.sum_g, LinearStress<Real>{work},
                       [&](std::size_t i, const Lanes<Real>& sum) {
                           y[i] = Lanes<Real>(Real(1) / work.mass[i]) * sum;
                       });
        const auto energy = [&](const Array<Lanes<Real>>& v) {
            return reduce(
                n, 0.0,
                [&](std::size_t i) { return static_cast<double>(work.mass[i]) * dot(v[i], v[i]); },
                std::plus<>{});
        };
        const double before = energy(z), after = energy(y);
        if (!(before > 0) || !(after > 0)) return 1e30;
        const double grown = std::sqrt(after / before);
        const bool settled = std::fabs(grown - omega2) < 1e-3 * grown;
        omega2 = grown;
        const Lanes<Real> scale(static_cast<Real>(1 / std::sqrt(after)));
        for_each(n, 4096, [&](std::size_t i) { z[i] = scale * y[i]; });
        if (settled) break;
    }
    return 2 / std::sqrt(omega2);
}

#define INSTANTIATE(Real)                                               \
    template void explicit_step(ImplicitWorkspace<Real>&);              \
    template double largest_stable_step(                                \
        const ImplicitSettings&, const std::vector<ImplicitLaw<Real>>&, \
        const std::vector<Phase<Real>>&, ImplicitWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
