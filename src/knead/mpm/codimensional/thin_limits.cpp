#include "knead/mpm/codimensional/thin_limits.h"

#include <algorithm>
#include <cmath>

#include "knead/mpm/codimensional/thin_laws.h"
#include "knead/mpm/codimensional/thin_workspace.h"
#include "knead/mpm/stable_dt.h"

namespace knead {

namespace {

// Sheets in contact are as stiff as they are pressed, 2 k (1 - r33) of k (1 - r33)^3 / 3; what
// comes next may press them harder.
constexpr double ahead = 1.5, least_gap = 0.01;

double stiffness_of(const Material& m, std::int64_t corners, double least_normal) {
    const double sides = lame_lambda(m) + 2 * m.elastic.shear_modulus;
    if (corners == 2) return std::max({sides, m.thin.stretch, m.thin.shear});
    const double gap = std::max(ahead * (1 - least_normal), least_gap);
    return std::max({sides, m.thin.shear, 2 * m.thin.compression * gap});
}

}  // namespace

template <class Real>
std::vector<DtLimit> thin_dt_limits(const MpmSettings& settings,
                                    const std::vector<Phase<Real>>& phases,
                                    std::span<const Material> materials, double least_normal) {
    std::vector<DtLimit> limits;
    for (const Phase<Real>& phase : phases) {
        if (phase.kind != PhaseKind::elements || phase.particles.size() == 0) continue;
        const Material& m = materials[static_cast<std::size_t>(phase.material)];
        const std::int64_t corners = phase.elements.corners;
        const double specific = stressed_share(m, corners) * own_share(corners) / m.density;
        limits.push_back(
            {"stiffness of " + m.name,
             elastic_dt_limit(settings, specific, stiffness_of(m, corners, least_normal))});
    }
    return limits;
}

std::vector<DtLimit> bend_dt_limits(const MpmSettings& settings, std::span<const Bending> bending,
                                    std::span<const Material> materials) {
    std::vector<DtLimit> limits;
    for (const Bending& b : bending)
        if (b.frequency > 0)
            limits.push_back({"bending of " + materials[static_cast<std::size_t>(b.material)].name,
                              settings.stability * 2 / b.frequency});
    return limits;
}

template <class Real>
std::vector<double> damping_of_phases(const MpmSettings& settings,
                                      const std::vector<Phase<Real>>& phases,
                                      std::span<const Material> materials) {
    if (!has_thin_bodies(phases)) return {};
    std::vector<double> damping;
    for (const Phase<Real>& phase : phases)
        damping.push_back(phase.is_volume()
                              ? settings.damping
                              : materials[static_cast<std::size_t>(phase.material)].thin.damping);
    return damping;
}

#define INSTANTIATE(Real)                                                                        \
    template std::vector<DtLimit> thin_dt_limits(                                                \
        const MpmSettings&, const std::vector<Phase<Real>>&, std::span<const Material>, double); \
    template std::vector<double> damping_of_phases(                                              \
        const MpmSettings&, const std::vector<Phase<Real>>&, std::span<const Material>);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
