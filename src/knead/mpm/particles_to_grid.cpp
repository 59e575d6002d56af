#include "knead/mpm/particles_to_grid.h"

#include <algorithm>

#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/transfer/loaders.h"
#include "knead/parallel/exec.h"

namespace knead {

template <class Real, int Order, Transfer transfer>
void particles_to_grid(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                       double dt, Array<Real>& tiles) {
    constexpr std::size_t size = Tile<Order, node_channels<transfer>>::size;
    tiles.resize(grid.sources().size() * size);
    for_each(grid.sources().size(), 4, [&](std::size_t s) {
        Real* tile = tiles.data() + s * size;
        std::fill(tile, tile + size, Real(0));
        for (std::size_t p = 0; p < phases.size(); ++p)
            scatter_rows<Real, Order, transfer>(
                phases[p].particles, grid.rows(p, s), grid.sources()[s].coordinates, dx,
                VolumeLoader<Real, transfer>{phases[p].particles, static_cast<Real>(dt)}, tile);
    });
}

#define INSTANTIATE(Real, Order, transfer)                  \
    template void particles_to_grid<Real, Order, transfer>( \
        const std::vector<Phase<Real>>&, const BlockGrid&, double, double, Array<Real>&);
KNEAD_FOR_EACH_KERNEL(INSTANTIATE)

}  // namespace knead
