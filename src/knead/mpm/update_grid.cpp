#include "knead/mpm/update_grid.h"

#include <limits>

#include "knead/geometry/near_colliders.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/transfer/row.h"
#include "knead/mpm/transfer/tile.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Adds what the source block `step` away contributes to a target block's nodes.
template <class Real, int Order, int Channels>
void add_tile(const Real* tile, const Vec3i& step, Real* nodes) {
    using T = Tile<Order, Channels>;
    using Node = NodeRow<Real, Channels>;
    const Overlap ox = overlap<Order>(step.x), oy = overlap<Order>(step.y),
                  oz = overlap<Order>(step.z);
    for (int i = 0; i < ox.count; ++i)
        for (int j = 0; j < oy.count; ++j) {
            const Real* from =
                tile + (ox.tile + i) * T::slab + (oy.tile + j) * T::row + oz.tile * Channels;
            Real* to =
                nodes +
                (((ox.first + i) * block_width + oy.first + j) * block_width + oz.first) * Channels;
            for (int c = 0; c < oz.count; ++c, from += Channels, to += Channels)
                (Node::load(to) + Node::load(from)).store(to);
        }
}

template <class Real, int Order, int Channels>
void sum_tiles(const TargetBlock& block, const Real* tiles, Real* nodes) {
    std::fill(nodes, nodes + block_nodes * Channels, Real(0));
    for (int k = 0; k < 27; ++k) {
        const std::int32_t source = block.sources[static_cast<std::size_t>(k)];
        if (source < 0) continue;
        const Real* tile = tiles + static_cast<std::size_t>(source) * Tile<Order, Channels>::size;
        add_tile<Real, Order, Channels>(tile, {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1}, nodes);
    }
}

// Momentum and force become velocity, and for FLIP the change of velocity besides.
template <class Real, Transfer transfer>
void update_velocity(Real* node, const Vec3<Real>& dt_g, Real dt) {
    if (!(node[0] > std::numeric_limits<Real>::min())) {
        for (int c = 0; c < node_channels<transfer>; ++c) node[c] = 0;
        return;
    }
    const Real inv_m = Real(1) / node[0];
    for (int a = 0; a < 3; ++a) {
        const Real before = node[1 + a] * inv_m;
        if constexpr (transfer == Transfer::apic) {
            node[1 + a] = before + dt_g[a];
        } else {
            node[4 + a] = dt * node[4 + a] * inv_m + dt_g[a];
            node[1 + a] = before + node[4 + a];
        }
    }
}

template <class Real, Transfer transfer>
void collide_node(Real* node, const Vec3d& x, double dx, std::span<const ColliderAt> colliders) {
    if (node[0] == 0) return;
    const Vec3d v{node[1], node[2], node[3]};
    const Vec3d after = resolve_all(colliders, v, x, node_reach * dx);
    for (int a = 0; a < 3; ++a) {
        const auto change = static_cast<Real>(after[a] - v[a]);
        node[1 + a] = static_cast<Real>(after[a]);
        if constexpr (transfer == Transfer::flip) node[4 + a] += change;
    }
}

}  // namespace

template <class Real, int Order, Transfer transfer>
void update_grid(const BlockGrid& grid, const Array<Real>& tiles, double dx, double dt,
                 const Vec3d& gravity, std::span<const ColliderAt> colliders, Array<Real>& nodes) {
    constexpr int channels = node_channels<transfer>;
    nodes.resize(grid.targets().size() * block_nodes * channels);
    const auto dt_g = static_cast<Vec3<Real>>(dt * gravity);
    for_each(grid.targets().size(), 16, [&](std::size_t t) {
        const TargetBlock& block = grid.targets()[t];
        Real* const first = nodes.data() + t * block_nodes * channels;
        sum_tiles<Real, Order, channels>(block, tiles.data(), first);
        for (int n = 0; n < block_nodes; ++n)
            update_velocity<Real, transfer>(first + n * channels, dt_g, static_cast<Real>(dt));

        const Vec3d corner = (dx * block_width) * static_cast<Vec3d>(block.coordinates);
        const NearColliders near(colliders, corner, splat(dx * (block_width - 1)));
        if (near.empty()) return;
        for (int n = 0; n < block_nodes; ++n) {
            const Vec3i at{n / 16, n / 4 % 4, n % 4};
            collide_node<Real, transfer>(first + n * channels, corner + dx * static_cast<Vec3d>(at),
                                         dx, near.list());
        }
    });
}

#define INSTANTIATE(Real, Order, transfer)                                                         \
    template void update_grid<Real, Order, transfer>(const BlockGrid&, const Array<Real>&, double, \
                                                     double, const Vec3d&,                         \
                                                     std::span<const ColliderAt>, Array<Real>&);
KNEAD_FOR_EACH_KERNEL(INSTANTIATE)

}  // namespace knead
