#include "knead/mpm/grid_to_particles.h"

#include <cmath>

#include "knead/geometry/near_colliders.h"
#include "knead/mpm/advance_particles.h"
#include "knead/mpm/codimensional/update_elements.h"
#include "knead/mpm/outside_block.h"
#include "knead/mpm/transfer/gather_block.h"
#include "knead/parallel/exec.h"

namespace knead {

void AdvanceReport::join(const AdvanceReport& other) {
    max_speed = std::max(max_speed, other.max_speed);
    max_move = std::max(max_move, other.max_move);
    outside = std::max(outside, other.outside);
    max_strain = std::max(max_strain, other.max_strain);
    if (other.bad_id >= 0) bad_id = bad_id < 0 ? other.bad_id : std::min(bad_id, other.bad_id);
}

template <class Real, int Order, Transfer transfer>
AdvanceReport grid_to_particles(std::vector<Phase<Real>>& phases, std::span<const Law<Real>> laws,
                                const BlockGrid& grid, const Array<Real>& nodes,
                                std::span<const ColliderAt> colliders,
                                const AdvanceSettings& settings) {
    std::vector<AdvanceReport> reports(grid.sources().size());
    for_each(grid.sources().size(), 4, [&](std::size_t s) {
        const Vec3i& block = grid.sources()[s].coordinates;
        AdvanceReport& report = reports[s];
        // Particles may have drifted by a cell, and are tested where they go.
        const Vec3d corner = (settings.dx * block_width) * static_cast<Vec3d>(block);
        const NearColliders near(colliders, corner - splat(2 * settings.dx),
                                 splat(settings.dx * (block_width + 5)));
        gather_block<Real, Order, transfer>(
            phases, grid, s, nodes, settings.dx,
            [&](std::size_t p, std::size_t begin, int n, const Gathered<Real>& gathered) {
                Particles<Real>& particles = phases[p].particles;
                advance_motion<Real, Order, transfer>(particles, begin, n, gathered,
                                                      settings.of_phase(p));
                if (phases[p].is_volume())
                    advance_material(laws[static_cast<std::size_t>(phases[p].material)], particles,
                                     begin, n, gathered, settings, report);
                else
                    note_bad_velocity(particles, begin, n, report);
                if (phases[p].kind == PhaseKind::elements) {
                    advance_frames(particles, begin, n, gathered, settings.dt);
                    if (!settings.moves_elements) return;  // they follow their vertices
                }
                move_chunk<Real>(particles, begin, n, settings, near.list(),
                                 transfer == Transfer::aflip ? gathered.velocity : nullptr, report);
                report.outside = std::max(
                    report.outside,
                    outside_block(particles, begin, n, block, support_offset<Order>, settings.dx));
            });
    });
    AdvanceReport all;
    for (const AdvanceReport& r : reports) all.join(r);
    all.max_speed = std::sqrt(all.max_speed);
    all.max_strain = std::sqrt(all.max_strain);
    return all;
}

template <class Real, int Order, Transfer transfer>
void gather_density(const std::vector<Phase<Real>>& phases, const BlockGrid& grid,
                    const Array<Real>& nodes, double dx,
                    std::vector<std::vector<double>>& density) {
    density.resize(phases.size());
    for (std::size_t p = 0; p < phases.size(); ++p) density[p].resize(phases[p].particles.size());
    for_each(grid.sources().size(), 4, [&](std::size_t s) {
        gather_block<Real, Order, transfer>(
            phases, grid, s, nodes, dx,
            [&](std::size_t p, std::size_t begin, int n, const Gathered<Real>& gathered) {
                for (int i = 0; i < n; ++i)
                    density[p][begin + static_cast<std::size_t>(i)] =
                        static_cast<double>(gathered.velocity[4 * i]) / (dx * dx * dx);
            });
    });
}

#define INSTANTIATE(Real, Order, transfer)                                             \
    template AdvanceReport grid_to_particles<Real, Order, transfer>(                   \
        std::vector<Phase<Real>>&, std::span<const Law<Real>>, const BlockGrid&,       \
        const Array<Real>&, std::span<const ColliderAt>, const AdvanceSettings&);      \
    template void gather_density<Real, Order, transfer>(                               \
        const std::vector<Phase<Real>>&, const BlockGrid&, const Array<Real>&, double, \
        std::vector<std::vector<double>>&);
KNEAD_FOR_EACH_KERNEL(INSTANTIATE)

}  // namespace knead
