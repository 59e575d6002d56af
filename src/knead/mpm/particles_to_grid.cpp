#include "knead/mpm/particles_to_grid.h"

#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/transfer/loaders.h"
#include "knead/mpm/transfer/tile_box.h"
#include "knead/parallel/exec.h"

namespace knead {

template <class Real, int Order, Transfer transfer>
void particles_to_grid(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                       double dt, const ThinWorkspace<Real>& thin, std::span<const char> solved,
                       Array<Real>& tiles) {
    constexpr std::size_t size = Tile<Order, node_channels<transfer>>::size;
    tiles.resize(grid.sources().size() * size);
    for_each(grid.sources().size(), 4, [&](std::size_t s) {
        Real* tile = tiles.data() + s * size;
        const TileBox box = find_tile_box<Order>(phases, grid, s, dx);
        store_box<Order, node_channels<transfer>>(box, tile);
        clear_box<Order, node_channels<transfer>>(box, tile);
        for (std::size_t p = 0; p < phases.size(); ++p) {
            const Particles<Real>& particles = phases[p].particles;
            const auto scatter = [&](const auto& load) {
                scatter_rows<Real, Order, transfer>(particles, grid.rows(p, s),
                                                    grid.sources()[s].coordinates, dx, load, tile);
            };
            const auto step = static_cast<Real>(!solved.empty() && solved[p] ? 0 : dt);
            if (phases[p].is_volume())
                scatter(VolumeLoader<Real, transfer>{particles, step});
            else if (phases[p].kind == PhaseKind::vertices)
                scatter(VertexLoader<Real>{particles, thin.phases[p].vertex_force, step});
            else
                scatter(ElementLoader<Real>{particles, thin.phases[p].element_force, step});
        }
    });
}

#define INSTANTIATE(Real, Order, transfer)                                 \
    template void particles_to_grid<Real, Order, transfer>(                \
        const std::vector<Phase<Real>>&, const BlockGrid&, double, double, \
        const ThinWorkspace<Real>&, std::span<const char>, Array<Real>&);
KNEAD_FOR_EACH_KERNEL(INSTANTIATE)

}  // namespace knead
