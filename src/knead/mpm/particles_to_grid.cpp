#include "knead/mpm/particles_to_grid.h"

#include <algorithm>

#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/transfer/scatter.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

template <class Real, int Order, Transfer transfer>
void scatter_rows(const Particles<Real>& p, RowRange rows, const Vec3i& block, double dx, Real dt,
                  Real* tile) {
    constexpr int lanes = pack_lanes<Real>;
    Support<Real> support;
    ScatterPack<Real> pack;
    for (std::int64_t row = rows.begin; row < rows.end; row += lanes) {
        const int count = static_cast<int>(std::min<std::int64_t>(lanes, rows.end - row));
        const auto first = static_cast<std::size_t>(row);
        find_support<Real, Order>(p, first, count, block, dx, support);
        load_scatter_pack<Real, transfer>(p, first, count, dt, pack);
        for (int lane = 0; lane < count; ++lane) {
            if constexpr (transfer == Transfer::apic)
                scatter_apic<Real, Order>(pack, support, lane, tile);
            else
                scatter_flip<Real, Order>(pack, support, lane, tile);
        }
    }
}

}  // namespace

template <class Real, int Order, Transfer transfer>
void particles_to_grid(const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                       double dt, Array<Real>& tiles) {
    constexpr std::size_t size = Tile<Order, node_channels<transfer>>::size;
    tiles.resize(grid.sources().size() * size);
    for_each(grid.sources().size(), 4, [&](std::size_t s) {
        Real* tile = tiles.data() + s * size;
        std::fill(tile, tile + size, Real(0));
        for (std::size_t p = 0; p < phases.size(); ++p)
            scatter_rows<Real, Order, transfer>(phases[p].particles, grid.rows(p, s),
                                                grid.sources()[s].coordinates, dx,
                                                static_cast<Real>(dt), tile);
    });
}

#define INSTANTIATE(Real, Order, transfer)                  \
    template void particles_to_grid<Real, Order, transfer>( \
        const std::vector<Phase<Real>>&, const BlockGrid&, double, double, Array<Real>&);
KNEAD_FOR_EACH_KERNEL(INSTANTIATE)

}  // namespace knead
