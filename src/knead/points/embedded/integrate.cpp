// kick and drift: velocities, with the implicit solve for viscosity, and positions.
#include <cmath>
#include <numbers>

#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"

namespace knead {

namespace {

constexpr int max_iterations = 300;
constexpr double solve_tolerance = 1e-6;  // of the root mean square speed

template <class Real>
using Vectors = Array<Lanes<Real>>;

// D over the links, symmetric: each link damps the relative velocity of its ends with
// eta V_i V_j / 2 times the Laplacian of the viscosity kernel  [Jones 2014, Eq. 8, 15].
template <class Real>
void viscous_coefficients(const Phase<Real>& phase, Real eta, Array<Real>& directed) {
    const Links<Real>& links = phase.links;
    const Column<Real, 1>& volume = phase.particles.volume;
    directed.resize(links.to.size());
    for_each(links.size(), 256, [&](std::size_t i) {
        const Real h = phase.particles.support.at(i), h3 = h * h * h;
        const Real factor = Real(0.5 * 45 / std::numbers::pi) * eta * (volume.at(i) / h3) / h3;
        for (std::size_t s = links.first(i); s < links.end(i); ++s) {
            const Real gap = h - length(links.rest(s));
            directed[s] =
                max(gap, Real(0)) * factor * volume.at(static_cast<std::size_t>(links.to[s]));
        }
    });
}

// What changes one phase's velocities.
template <class Real>
class Accelerations {
public:
    Accelerations(const Particles<Real>& particles, const Surroundings& surroundings,
                  const EmbeddedWorkspace<Real>& work)
        : p_(particles), surroundings_(surroundings), work_(work), n_(p_.size()) {}

    Lanes<Real> acceleration(std::size_t i) const {
        const Vec3d outer = surroundings_.acceleration(p_.x.vec(i));
        return to_lanes(static_cast<Vec3<Real>>(outer)) +
               Lanes<Real>(Real(1) / p_.mass.at(i)) * work_.force[i];
    }
    // v += share a
    void push(Vectors<Real>& v, double dt) const {
        const Lanes<Real> t(static_cast<Real>(dt));
        for_each(n_, 1024, [&](std::size_t i) { v[i] += t * acceleration(i); });
    }
    // v -= dt D v / m, explicit; `scratch` takes the new velocities
    void drag(Vectors<Real>& v, double dt, Vectors<Real>& scratch) const {
        scratch.resize(n_);
        const Real t = static_cast<Real>(dt);
        for_each(n_, 256, [&](std::size_t i) {
            const Lanes<Real> Dv = work_.viscosity.row(i, v) - Lanes<Real>(work_.inertia[i]) * v[i];
            scratch[i] = v[i] - Lanes<Real>(t / p_.mass.at(i)) * Dv;
        });
        v.swap(scratch);
    }

private:
    const Particles<Real>& p_;
    const Surroundings& surroundings_;
    const EmbeddedWorkspace<Real>& work_;
    std::size_t n_;
};

// The mean of a change over each connected piece, by mass, taken out: viscosity moves no centre of
// mass, whatever the solver left unsolved.
template <class Real>
void keep_momentum(const Particles<Real>& p, const LinkGraph& graph, Vectors<Real>& change) {
    const std::size_t pieces = graph.first_of_piece.size();
    std::vector<Vec3d> momentum(pieces, splat(0.0));
    std::vector<double> mass(pieces, 0.0);
    for (std::size_t i = 0; i < p.size(); ++i) {
        const auto k = static_cast<std::size_t>(graph.piece[i]);
        const auto m = static_cast<double>(p.mass.at(i));
        momentum[k] += m * static_cast<Vec3d>(to_vec(change[i]));
        mass[k] += m;
    }
    for_each(p.size(), 4096, [&](std::size_t i) {
        const auto k = static_cast<std::size_t>(graph.piece[i]);
        change[i] -= to_lanes(static_cast<Vec3<Real>>(momentum[k] / mass[k]));
    });
}

// v becomes the solution w of (M + dt D) w = M v, where work.inertia is M / dt.
template <class Real>
CgReport implicit_drag(const Particles<Real>& p, EmbeddedWorkspace<Real>& work, Vectors<Real>& v) {
    const std::size_t n = p.size();
    Vectors<Real>& r = work.residual;
    r.resize(n);
    // The matrix in hand is M / dt + D, so v itself leaves -D v.
    const double speed2 = reduce(
        n, 0.0,
        [&](std::size_t i) {
            r[i] = Lanes<Real>(work.inertia[i]) * v[i] - work.viscosity.row(i, v);
            return dot(v[i], v[i]);
        },
        std::plus<>{});
    const double target =
        solve_tolerance * std::sqrt(speed2 / static_cast<double>(std::max<std::size_t>(n, 1)));
    const CgReport report = work.viscosity.solve(work.change, r, target, max_iterations);
    keep_momentum(p, work.graph, work.change);
    for_each(n, 4096, [&](std::size_t i) { v[i] += work.change[i]; });
    return report;
}

// Matrix and inertia of the viscous solve over `dt`; 0 for the explicit one.
template <class Real>
void set_viscosity(const Phase<Real>& phase, const Viscosity& viscosity, double dt,
                   EmbeddedWorkspace<Real>& work) {
    const Particles<Real>& p = phase.particles;
    const bool central = viscosity.form == ViscosityForm::central;
    if (work.viscosity_changed) {
        const double eta = viscosity.eta * (central ? central_viscosity : 1);
        viscous_coefficients(phase, static_cast<Real>(eta), work.drag);
        if (!central) work.viscosity.set(phase.links, work.graph, work.drag);
        work.viscosity_changed = false;
    }
    if (central) work.viscosity.set_central(phase.links, work.graph, work.drag, work.x);
    work.inertia.resize(p.size());
    const Real share = dt > 0 ? static_cast<Real>(1 / dt) : Real(0);
    for_each(p.size(), 4096, [&](std::size_t i) { work.inertia[i] = share * p.mass.at(i); });
    work.viscosity.set_shift(work.inertia);
}

}  // namespace

template <class Real>
CgReport kick(Phase<Real>& phase, EmbeddedIntegrator integrator, const Viscosity& viscosity,
              const Surroundings& surroundings, double previous_dt, double dt,
              EmbeddedWorkspace<Real>& work) {
    Particles<Real>& p = phase.particles;
    const std::size_t n = p.size();
    const Accelerations<Real> act(p, surroundings, work);
    const bool viscous = viscosity.eta > 0;
    Vectors<Real>& v = work.velocity;
    v.resize(n);
    for_each(n, 4096, [&](std::size_t i) { v[i] = to_lanes(p.v.vec(i)); });

    CgReport report;
    switch (integrator) {
        case EmbeddedIntegrator::newmark:
            // what is left of the step before, then the first half of this one
            if (viscous) set_viscosity(phase, viscosity, dt / 2, work);
            if (viscous) act.drag(v, previous_dt / 2, work.change);
            act.push(v, (previous_dt + dt) / 2);
            if (viscous) report = implicit_drag(p, work, v);
            break;
        case EmbeddedIntegrator::semi_implicit:
            if (viscous) set_viscosity(phase, viscosity, dt, work);
            act.push(v, dt);
            if (viscous) report = implicit_drag(p, work, v);
            break;
        case EmbeddedIntegrator::leapfrog:
            if (viscous) set_viscosity(phase, viscosity, 0, work);
            if (viscous) act.drag(v, (previous_dt + dt) / 2, work.change);
            act.push(v, (previous_dt + dt) / 2);
            break;
    }
    for_each(n, 4096, [&](std::size_t i) { p.v.set(i, to_vec(v[i])); });
    return report;
}

template <class Real>
void drift(Phase<Real>& phase, double dt) {
    Particles<Real>& p = phase.particles;
    for_each(p.size(), 4096,
             [&](std::size_t i) { p.x.set(i, p.x.vec(i) + dt * static_cast<Vec3d>(p.v.vec(i))); });
}

#define INSTANTIATE(Real)                                                                  \
    template CgReport kick(Phase<Real>&, EmbeddedIntegrator, const Viscosity&,             \
                           const Surroundings&, double, double, EmbeddedWorkspace<Real>&); \
    template void drift(Phase<Real>&, double);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
