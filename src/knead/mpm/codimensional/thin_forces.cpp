#include "knead/mpm/codimensional/thin_forces.h"

#include <algorithm>

#include "knead/mpm/codimensional/element_forces.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

constexpr std::size_t rows_a_task = 1024;

template <class Real, class Law>
void compute_element_forces(const Law& law, const Phase<Real>& phase,
                            const Column<double, 3>& vertices, double share, ThinModel model,
                            ThinPhase<Real>& own) {
    using P = Pack<Real>;
    constexpr int along = tangents(Law{}), lanes = pack_lanes<Real>;
    const bool on_mesh = model != ThinModel::standard_mpm;
    const std::size_t n = phase.particles.size();
    parallel_chunks(n, rows_a_task, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; row += lanes) {
            const int count = static_cast<int>(std::min<std::size_t>(lanes, end - row));
            Mat3<P> d;
            if (on_mesh)
                d = element_frame<along, Real>(phase, vertices, own.rows, row, count);
            else
                load_column<Real>(phase.particles.d, row, count, d);
            const Mat3<P> stress = codimensional_stress(law, qr(d));
            P volume;
            load_column<Real>(phase.particles.volume, row, count, volume);
            const P minus_volume = P(static_cast<Real>(-share)) * volume;
            const int first = on_mesh ? (model == ThinModel::lagrangian_only ? 3 : along) : 0;
            store_element_forces<along, Real>(phase, minus_volume, stress, d, first, on_mesh, row,
                                              count, own);
        }
    });
}

// Every vertex adds up what its elements do to it; the first corner of an element takes what keeps
// its forces in balance.
template <class Real>
void sum_forces_of_phase(ThinPhase<Real>& own, const std::vector<Phase<Real>>& phases,
                         const ThinWorkspace<Real>& work) {
    for_each(own.vertex_force.size(), rows_a_task, [&](std::size_t i) {
        Vec3<Real> sum{0, 0, 0};
        for (std::uint32_t k = own.first_corner[i]; k < own.first_corner[i + 1]; ++k) {
            const IncidentCorner& c = own.corners[k];
            const auto& force = work.phases[c.phase].corner_force;
            if (c.corner > 0) {
                sum += force[c.corner - 1].vec(c.element);
                continue;
            }
            sum -= force[0].vec(c.element);
            if (phases[c.phase].elements.corners == 3) sum -= force[1].vec(c.element);
        }
        own.vertex_force.set(i, sum);
    });
}

}  // namespace

template <class Real>
void compute_thin_forces(const std::vector<Phase<Real>>& phases,
                         std::span<const Material> materials, ThinModel model,
                         ThinWorkspace<Real>& work) {
    for (std::size_t p = 0; p < phases.size(); ++p) {
        const Phase<Real>& phase = phases[p];
        if (phase.kind != PhaseKind::elements) continue;
        const Material& m = materials[static_cast<std::size_t>(phase.material)];
        const auto& vertices =
            phases[static_cast<std::size_t>(phase.elements.vertex_phase)].particles.x;
        with_thin_law<Real>(m, model, phase.elements.corners, [&](const auto& law) {
            compute_element_forces(law, phase, vertices, stressed_share(m, phase.elements.corners),
                                   model, work.phases[p]);
        });
    }
    if (model == ThinModel::standard_mpm) return;  // the grid alone bears all stress
    sum_vertex_forces(phases, work);
}

template <class Real>
void sum_vertex_forces(const std::vector<Phase<Real>>& phases, ThinWorkspace<Real>& work) {
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (phases[p].kind == PhaseKind::vertices)
            sum_forces_of_phase(work.phases[p], phases, work);
}

template <class Real>
double thin_energy(const std::vector<Phase<Real>>& phases, const Phase<Real>& elements,
                   const Material& material, ThinModel model) {
    const VertexRows rows = find_vertex_rows(phases, elements);
    const std::int64_t corners = elements.elements.corners;
    const auto& vertices =
        phases[static_cast<std::size_t>(elements.elements.vertex_phase)].particles.x;
    return with_thin_law<Real>(material, model, corners, [&](const auto& law) {
        constexpr int along = tangents(std::remove_cvref_t<decltype(law)>{});
        return stressed_share(material, corners) *
               reduce(
                   elements.particles.size(), 0.0,
                   [&](std::size_t e) {
                       Mat3<Pack<Real>> d;
                       if (model == ThinModel::standard_mpm)
                           load_column<Real>(elements.particles.d, e, 1, d);
                       else
                           d = element_frame<along, Real>(elements, vertices, rows, e, 1);
                       return static_cast<double>(law.energy(qr(d).R)[0]) *
                              static_cast<double>(elements.particles.volume.at(e));
                   },
                   [](double a, double b) { return a + b; });
    });
}

#define INSTANTIATE(Real)                                                                         \
    template void compute_thin_forces(const std::vector<Phase<Real>>&, std::span<const Material>, \
                                      ThinModel, ThinWorkspace<Real>&);                           \
    template void sum_vertex_forces(const std::vector<Phase<Real>>&, ThinWorkspace<Real>&);       \
    template double thin_energy(const std::vector<Phase<Real>>&, const Phase<Real>&,              \
                                const Material&, ThinModel);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
