#include "knead/mpm/grid_to_particles.h"

#include <cmath>

#include "knead/geometry/near_colliders.h"
#include "knead/mpm/advance_particles.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/transfer/load_tile.h"
#include "knead/parallel/exec.h"

namespace knead {

void AdvanceReport::join(const AdvanceReport& other) {
    max_speed = std::max(max_speed, other.max_speed);
    max_move = std::max(max_move, other.max_move);
    outside = std::max(outside, other.outside);
    max_strain = std::max(max_strain, other.max_strain);
    if (other.bad_id >= 0) bad_id = bad_id < 0 ? other.bad_id : std::min(bad_id, other.bad_id);
}

namespace {

// Gathers at n <= Gathered::rows particles from `begin` on.
template <class Real, int Order, Transfer transfer>
void gather_chunk(const Particles<Real>& p, std::size_t begin, int n, const Vec3i& block, double dx,
                  const Real* tile, Gathered<Real>& out) {
    constexpr int lanes = pack_lanes<Real>;
    Support<Real> support;
    for (int k = 0; k < n; k += lanes) {
        const int count = std::min(lanes, n - k);
        find_support<Real, Order>(p, begin + static_cast<std::size_t>(k), count, block, dx,
                                  support);
        for (int lane = 0; lane < count; ++lane) {
            if constexpr (transfer == Transfer::apic)
                gather_apic<Real, Order>(tile, support, lane, k + lane, out);
            else
                gather_flip<Real, Order>(tile, support, lane, k + lane, out);
        }
    }
}

// How far the particles that are farthest out stand outside their block [cells].
template <class Real>
double outside_block(const Particles<Real>& p, std::size_t begin, int n, const Vec3i& block,
                     double offset, double dx) {
    double most = 0;
    for (int a = 0; a < 3; ++a) {
        const Extent extent = extent_of(p.x.plane(a) + begin, n);
        const double first = block_width * block[a] + offset;
        most = std::max({most, first - extent.least / dx, extent.most / dx - first - block_width});
    }
    return most;
}

// Calls visit(begin, n) for the chunks of a range of rows.
template <int size, class Visit>
void for_each_chunk(RowRange rows, const Visit& visit) {
    for (std::int64_t row = rows.begin; row < rows.end; row += size)
        visit(static_cast<std::size_t>(row),
              static_cast<int>(std::min<std::int64_t>(size, rows.end - row)));
}

}  // namespace

template <class Real, int Order, Transfer transfer>
AdvanceReport grid_to_particles(std::vector<Phase<Real>>& phases, std::span<const Law<Real>> laws,
                                const BlockGrid& grid, const Array<Real>& nodes,
                                std::span<const ColliderAt> colliders,
                                const AdvanceSettings& settings) {
    constexpr int channels = node_channels<transfer>;
    std::vector<AdvanceReport> reports(grid.sources().size());
    for_each(grid.sources().size(), 4, [&](std::size_t s) {
        const SourceBlock& block = grid.sources()[s];
        alignas(64) Real tile[Tile<Order, channels>::size];
        load_tile<Real, Order, channels>(block, nodes.data(), tile);
        // Particles may have drifted by a cell, and are tested where they go.
        const Vec3d corner = (settings.dx * block_width) * static_cast<Vec3d>(block.coordinates);
        const NearColliders near(colliders, corner - splat(2 * settings.dx),
                                 splat(settings.dx * (block_width + 5)));

        Gathered<Real> gathered;
        for (std::size_t p = 0; p < phases.size(); ++p) {
            Particles<Real>& particles = phases[p].particles;
            const Law<Real>& law = laws[static_cast<std::size_t>(phases[p].material)];
            for_each_chunk<Gathered<Real>::rows>(grid.rows(p, s), [&](std::size_t begin, int n) {
                gather_chunk<Real, Order, transfer>(particles, begin, n, block.coordinates,
                                                    settings.dx, tile, gathered);
                advance_motion<Real, Order, transfer>(particles, begin, n, gathered, settings);
                advance_material(law, particles, begin, n, gathered, settings, reports[s]);
                move_chunk(particles, begin, n, settings, near.list(), reports[s]);
                reports[s].outside = std::max(reports[s].outside,
                                              outside_block(particles, begin, n, block.coordinates,
                                                            support_offset<Order>, settings.dx));
            });
        }
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
    constexpr int channels = node_channels<transfer>;
    density.resize(phases.size());
    for (std::size_t p = 0; p < phases.size(); ++p) density[p].resize(phases[p].particles.size());
    for_each(grid.sources().size(), 4, [&](std::size_t s) {
        const SourceBlock& block = grid.sources()[s];
        alignas(64) Real tile[Tile<Order, channels>::size];
        load_tile<Real, Order, channels>(block, nodes.data(), tile);
        Gathered<Real> gathered;
        for (std::size_t p = 0; p < phases.size(); ++p)
            for_each_chunk<Gathered<Real>::rows>(grid.rows(p, s), [&](std::size_t begin, int n) {
                gather_chunk<Real, Order, transfer>(phases[p].particles, begin, n,
                                                    block.coordinates, dx, tile, gathered);
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
