#include "knead/mpm/stable_dt.h"

#include <algorithm>
#include <cmath>

#include "knead/materials/elastic_part.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Largest sum of N'^2 / N over a particle's nodes on one axis, times dx^2: with lumped masses the
// highest frequency of the grid is at most that of the worst particle alone, and a symplectic step
// is stable up to two over it. Quadratic: 6, midway between nodes; cubic: 3.1368. Linear kernels
// have no such bound: a particle on a face pushes nodes that hold nearly nothing. With many
// particles a cell their highest frequency is 2 c / dx, taken with the margin that the others have.
double steepest_kernel(const MpmSettings& settings) {
    return settings.kernel == 1 ? 16.0 : settings.kernel == 2 ? 6.0 : 3.1368;
}

}  // namespace

double elastic_dt_limit(const MpmSettings& settings, double specific_volume, double stiffness) {
    return settings.stability * 2 * settings.dx /
           std::sqrt(steepest_kernel(settings) * specific_volume * stiffness);
}

template <class Real>
double max_specific_volume(const Particles<Real>& p) {
    return reduce(
        p.size(), 0.0,
        [&](std::size_t i) {
            return static_cast<double>(p.volume.at(i)) / static_cast<double>(p.mass.at(i));
        },
        [](double a, double b) { return std::max(a, b); });
}

template <class Real>
std::vector<double> max_specific_volumes(const std::vector<Phase<Real>>& phases) {
    std::vector<double> list;
    for (const auto& phase : phases) list.push_back(max_specific_volume(phase.particles));
    return list;
}

template <class Real>
double step_of_flip(const MpmSettings& settings, std::span<const Law<Real>> laws,
                    std::span<const Material> materials) {
    if (settings.transfer != Transfer::aflip || settings.flip_dt > 0) return settings.flip_dt;
    double fastest = 0;  // stiffness over density
    for (std::size_t m = 0; m < laws.size(); ++m)
        std::visit(
            [&](const auto& law) {
                fastest = std::max(fastest, double{law.stiffness()} / materials[m].density);
            },
            laws[m]);
    return fastest > 0 ? elastic_dt_limit(settings, 1, fastest) / settings.stability : 0;
}

template <class Real>
std::vector<DtLimit> material_dt_limits(const MpmSettings& settings,
                                        const std::vector<Phase<Real>>& phases,
                                        std::span<const double> specific_volumes,
                                        std::span<const Law<Real>> laws,
                                        std::span<const Material> materials) {
    const double slope = steepest_kernel(settings);
    std::vector<DtLimit> limits;
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const double specific = specific_volumes[k];
        if (!(specific > 0) || !phases[k].is_volume()) continue;
        const auto m = static_cast<std::size_t>(phases[k].material);
        std::visit(
            [&](const auto& law) {
                const bool solved =
                    settings.is_implicit() && HasDifferential<std::remove_cvref_t<decltype(law)>>;
                const auto stiffness = static_cast<double>(law.stiffness());
                if (stiffness > 0 && !solved)
                    limits.push_back({"stiffness of " + materials[m].name,
                                      elastic_dt_limit(settings, specific, stiffness)});
                const auto viscosity = static_cast<double>(law.viscosity());
                if (viscosity > 0)
                    limits.push_back({"viscosity of " + materials[m].name,
                                      settings.stability * settings.dx * settings.dx /
                                          (2 * slope * specific * viscosity)});
            },
            laws[m]);
    }
    return limits;
}

std::vector<DtLimit> motion_dt_limits(const MpmSettings& settings, double max_speed,
                                      std::span<const Collider> colliders, double time,
                                      double longest) {
    std::vector<DtLimit> limits;
    const double reach = settings.cfl * settings.dx;
    if (max_speed > 0) limits.push_back({"fastest particle", reach / max_speed});
    for (const Collider& c : colliders) {
        const double speed = c.max_speed(time, time + longest);
        if (speed > 0) limits.push_back({"speed of collider " + c.name, reach / speed});
    }
    return limits;
}

template double max_specific_volume(const Particles<float>&);
template double max_specific_volume(const Particles<double>&);
template double step_of_flip(const MpmSettings&, std::span<const Law<float>>,
                             std::span<const Material>);
template double step_of_flip(const MpmSettings&, std::span<const Law<double>>,
                             std::span<const Material>);
template std::vector<double> max_specific_volumes(const std::vector<Phase<float>>&);
template std::vector<DtLimit> material_dt_limits(const MpmSettings&,
                                                 const std::vector<Phase<float>>&,
                                                 std::span<const double>,
                                                 std::span<const Law<float>>,
                                                 std::span<const Material>);
template std::vector<double> max_specific_volumes(const std::vector<Phase<double>>&);
template std::vector<DtLimit> material_dt_limits(const MpmSettings&,
                                                 const std::vector<Phase<double>>&,
                                                 std::span<const double>,
                                                 std::span<const Law<double>>,
                                                 std::span<const Material>);

}  // namespace knead
