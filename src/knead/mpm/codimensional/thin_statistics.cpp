#include "knead/mpm/codimensional/thin_statistics.h"

#include <algorithm>
#include <cmath>

#include "knead/materials/codimensional/qr_stress.h"
#include "knead/parallel/exec.h"
#include "knead/particles/vertex_rows.h"

namespace knead {

namespace {

struct Tally {
    double stretch = 0, least = 1e30, apart = 0, slipping = 0, inverted = 0;
};

Tally join(const Tally& a, const Tally& b) {
    return {std::max(a.stretch, b.stretch), std::min(a.least, b.least), a.apart + b.apart,
            a.slipping + b.slipping, a.inverted + b.inverted};
}

// Longest edge over its length at rest. The rest factor [a b; 0 c] is the inverse of what is kept.
template <class Real>
double edge_stretch(const Elements<Real>& e, const VertexRows& rows, const Column<double, 3>& x,
                    std::size_t i) {
    const auto at = [&](std::size_t corner) { return x.vec(rows.corner[corner][i]); };
    const double a = 1 / static_cast<double>(e.inverse_rest[0][i]);
    const double first = length(at(1) - at(0)) / a;
    if (e.corners == 2) return first;
    const double c = 1 / static_cast<double>(e.inverse_rest[2][i]);
    const double b = -static_cast<double>(e.inverse_rest[1][i]) * a * c;
    return std::max({first, length(at(2) - at(0)) / std::hypot(b, c),
                     length(at(2) - at(1)) / std::hypot(b - a, c)});
}

}  // namespace

template <class Real>
std::vector<std::pair<std::string, double>> thin_statistics(
    const std::vector<Phase<Real>>& phases) {
    Tally all;
    bool any = false;
    for (const Phase<Real>& phase : phases) {
        if (phase.kind != PhaseKind::elements) continue;
        any = true;
        const VertexRows rows = find_vertex_rows(phases, phase);
        const Particles<Real>& p = phase.particles;
        const auto& x = phases[static_cast<std::size_t>(phase.elements.vertex_phase)].particles.x;
        const auto of_element = [&](std::size_t i) {
            const auto state = static_cast<ContactState>(static_cast<int>(p.slip.at(i)));
            return Tally{edge_stretch(phase.elements, rows, x, i), static_cast<double>(p.r33.at(i)),
                         state == ContactState::apart ? 1.0 : 0.0,
                         state == ContactState::slipping ? 1.0 : 0.0,
                         state == ContactState::inverted ? 1.0 : 0.0};
        };
        all = join(all, reduce(p.size(), Tally{}, of_element, join));
    }
    if (!any) return {};
    return {{"max_edge_stretch", all.stretch},
            {"min_r33", std::min(all.least, 1e30)},
            {"apart", all.apart},
            {"slipping", all.slipping},
            {"inverted", all.inverted}};
}

template std::vector<std::pair<std::string, double>> thin_statistics(
    const std::vector<Phase<float>>&);
template std::vector<std::pair<std::string, double>> thin_statistics(
    const std::vector<Phase<double>>&);

}  // namespace knead
