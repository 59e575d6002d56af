#include "knead/mpm/codimensional/thin_workspace.h"

#include <algorithm>

namespace knead {

template <class Real>
bool has_thin_bodies(const std::vector<Phase<Real>>& phases) {
    return std::any_of(phases.begin(), phases.end(),
                       [](const Phase<Real>& phase) { return !phase.is_volume(); });
}

namespace {

// visit(vertex row, corner) for every corner of every element that hangs on a phase of vertices.
template <class Real, class Visit>
void for_each_corner(const std::vector<Phase<Real>>& phases, const ThinWorkspace<Real>& work,
                     std::size_t vertices, const Visit& visit) {
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const Elements<Real>& elements = phases[p].elements;
        if (phases[p].kind != PhaseKind::elements ||
            elements.vertex_phase != static_cast<std::int64_t>(vertices))
            continue;
        for (std::size_t e = 0; e < elements.size(); ++e)
            for (std::size_t c = 0; c < static_cast<std::size_t>(elements.corners); ++c)
                visit(work.phases[p].rows.corner[c][e],
                      IncidentCorner{static_cast<std::uint32_t>(e), static_cast<std::uint16_t>(p),
                                     static_cast<std::uint16_t>(c)});
    }
}

template <class Real>
void list_corners(const std::vector<Phase<Real>>& phases, std::size_t vertices,
                  ThinWorkspace<Real>& work) {
    ThinPhase<Real>& own = work.phases[vertices];
    const std::size_t n = phases[vertices].particles.size();
    own.first_corner.assign(n + 1, 0);
    for_each_corner(phases, work, vertices,
                    [&](std::uint32_t row, const IncidentCorner&) { ++own.first_corner[row + 1]; });
    for (std::size_t i = 0; i < n; ++i) own.first_corner[i + 1] += own.first_corner[i];
    own.corners.resize(own.first_corner[n]);
    std::vector<std::uint32_t> next(own.first_corner.begin(), own.first_corner.end() - 1);
    for_each_corner(phases, work, vertices, [&](std::uint32_t row, const IncidentCorner& corner) {
        own.corners[next[row]++] = corner;
    });
    own.vertex_force.create(n);
    const auto& grip = phases[vertices].particles.grip;
    for (std::size_t i = 0; grip.present() && i < n; ++i)
        if (grip.at(i) >= 0)
            own.held.push_back({static_cast<std::uint32_t>(i), grip.at(i), {0, 0, 0}, false});
}

}  // namespace

template <class Real>
void find_corners(const std::vector<Phase<Real>>& phases, ThinWorkspace<Real>& work) {
    work.phases.clear();
    if (!has_thin_bodies(phases)) return;
    work.phases.resize(phases.size());
    for (std::size_t p = 0; p < phases.size(); ++p) {
        if (phases[p].kind != PhaseKind::elements) continue;
        ThinPhase<Real>& own = work.phases[p];
        own.rows = find_vertex_rows(phases, phases[p]);
        own.element_force.create(phases[p].particles.size());
        for (auto& force : own.corner_force) force.create(phases[p].particles.size());
    }
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (phases[p].kind == PhaseKind::vertices) list_corners(phases, p, work);
}

template <class Real>
std::size_t ThinWorkspace<Real>::bytes() const {
    std::size_t sum = 0;
    for (const ThinPhase<Real>& p : phases)
        sum += p.corners.size() * sizeof(IncidentCorner) + p.first_corner.size() * 4 +
               p.element_force.size() * 15 * sizeof(Real) +
               p.vertex_force.size() * 3 * sizeof(Real) + p.held.size() * sizeof(HeldVertex);
    return sum;
}

#define INSTANTIATE(Real)                                           \
    template struct ThinWorkspace<Real>;                            \
    template bool has_thin_bodies(const std::vector<Phase<Real>>&); \
    template void find_corners(const std::vector<Phase<Real>>&, ThinWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
