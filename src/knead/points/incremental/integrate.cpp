#include <algorithm>
#include <cmath>

#include "knead/parallel/exec.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

constexpr std::size_t grain = 1024;

// u <- u + dt (f / m + g)
template <class Real>
void kick(const IncrementalWorkspace<Real>& work, std::size_t first, double dt,
          const Surroundings& surroundings, Particles<Real>& p) {
    for_each(p.size(), grain, [&](std::size_t i) {
        const Real* f = work.force.data() + 4 * (first + i);
        const auto dt_m = static_cast<Real>(dt) / p.mass.at(i);
        const auto g = static_cast<Vec3<Real>>(dt * surroundings.acceleration(p.x.vec(i)));
        for (int a = 0; a < 3; ++a) p.v.at(i, a) += dt_m * f[a] + g[a];
    });
}

// y = x + dt u
template <class Real>
void drift(Particles<Real>& p, double dt) {
    for_each(p.size(), grain, [&](std::size_t i) {
        for (int a = 0; a < 3; ++a) p.x.at(i, a) += dt * static_cast<double>(p.v.at(i, a));
    });
}

struct Moved {
    Vec3d sum{0, 0, 0};
    double max_speed = 0;
    std::int64_t bad = -1;
};

// Displacements into work.move, from places at rest where deformation counts from there.
template <class Real>
Moved displacements(const Particles<Real>& p, std::size_t first, bool from_rest, double reach,
                    IncrementalWorkspace<Real>& work) {
    return reduce(
        p.size(), Moved{},
        [&](std::size_t i) {
            const Vec3d y = p.x.vec(i), step = y - work.start[first + i];
            const Vec3d u = from_rest ? y - p.rest_x.vec(i) : step;
            Real* to = work.move.data() + 4 * (first + i);
            for (int a = 0; a < 3; ++a) to[a] = static_cast<Real>(u[a]);
            to[3] = Real(0);
            const double speed = length(static_cast<Vec3d>(p.v.vec(i)));
            const bool lost = !(length(step) < reach) || !is_finite(speed);
            return Moved{step, speed, lost ? p.id.at(i) : -1};
        },
        [](const Moved& a, const Moved& b) {
            return Moved{a.sum + b.sum, std::max(a.max_speed, b.max_speed),
                         a.bad >= 0 ? a.bad : b.bad};
        });
}

}  // namespace

template <class Real>
MoveReport integrate(const IncrementalSettings& settings, std::vector<Phase<Real>>& phases,
                     double dt, Surroundings& surroundings, IncrementalWorkspace<Real>& work) {
    for (std::size_t p = 0; p < phases.size(); ++p)
        kick(work, work.first[p], dt, surroundings, phases[p].particles);
    surroundings.hold(phases);
    for (auto& phase : phases) drift(phase.particles, dt);
    surroundings.collide(phases);

    work.move.resize(4 * work.size());
    const double h = settings.support * settings.spacing;
    MoveReport report;
    Vec3d sum{0, 0, 0};
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const Moved m =
            displacements(phases[p].particles, work.first[p], work.from_rest[p], h, work);
        sum += m.sum;
        report.max_speed = std::max(report.max_speed, m.max_speed);
        if (report.bad < 0) report.bad = m.bad;
    }
    if (work.size() == 0) return report;

    // against the mean, since what moves together keeps its neighbours
    const Vec3d mean = sum / static_cast<double>(work.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const auto& x = phases[p].particles.x;
        report.max_move = reduce(
            x.size(), report.max_move,
            [&](std::size_t i) { return length(x.vec(i) - work.start[work.first[p] + i] - mean); },
            [](double a, double b) { return std::max(a, b); });
    }
    return report;
}

template MoveReport integrate(const IncrementalSettings&, std::vector<Phase<float>>&, double,
                              Surroundings&, IncrementalWorkspace<float>&);
template MoveReport integrate(const IncrementalSettings&, std::vector<Phase<double>>&, double,
                              Surroundings&, IncrementalWorkspace<double>&);

}  // namespace knead
