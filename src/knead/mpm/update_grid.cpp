#include "knead/mpm/update_grid.h"

#include "knead/geometry/near_colliders.h"
#include "knead/mpm/formulas.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/transfer/sum_tiles.h"
#include "knead/mpm/wall_nodes.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

// Momentum and force become velocity, and for FLIP the change of velocity besides.
template <class Real, Transfer transfer>
void update_velocity(Real* node, const Vec3<Real>& dt_g, Real dt) {
    if (!(node[0] > least_node_mass<Real>)) {
        for (int c = 0; c < node_channels<transfer>; ++c) node[c] = 0;
        return;
    }
    constexpr int force = keeps_own(transfer) ? 4 : 1;  // APIC has none
    const auto after =
        node_motion<transfer, Real>(node[0], {node[1], node[2], node[3]},
                                    {node[force], node[force + 1], node[force + 2]}, dt_g, dt);
    for (int a = 0; a < 3; ++a) {
        node[1 + a] = after.velocity[a];
        if constexpr (keeps_own(transfer)) node[4 + a] = after.change[a];
    }
}

template <class Real, Transfer transfer>
void collide_node(Real* node, const Vec3d& x, double dx, const NodeContact& contact,
                  std::span<const ColliderAt> colliders) {
    if (node[0] == 0) return;
    const Vec3d v{node[1], node[2], node[3]};
    const Vec3d after =
        resolve_all(colliders, v, x, contact_of_node(dx, contact, static_cast<double>(node[0])));
    for (int a = 0; a < 3; ++a) {
        const auto change = static_cast<Real>(after[a] - v[a]);
        node[1 + a] = static_cast<Real>(after[a]);
        if constexpr (keeps_own(transfer)) node[4 + a] += change;
    }
}

// The nodes of one block, where colliders are near it.
template <class Real, Transfer transfer>
void collide_block(const TargetBlock& block, double dx, const NodeContact& contact,
                   std::span<const ColliderAt> colliders, Real* first) {
    const Vec3d corner = (dx * block_width) * static_cast<Vec3d>(block.coordinates);
    const NearColliders near(colliders, corner, splat(dx * (block_width - 1)),
                             contact_of_node(dx, contact, 1));
    if (near.empty()) return;
    for (int n = 0; n < block_nodes; ++n) {
        const Vec3i at{n / 16, n / 4 % 4, n % 4};
        collide_node<Real, transfer>(first + n * node_channels<transfer>,
                                     corner + dx * static_cast<Vec3d>(at), dx, contact,
                                     near.list());
    }
}

// visit(block, its first node's numbers) for every block of nodes.
template <Transfer transfer, class Real, class Visit>
void for_each_block(const BlockGrid& grid, Array<Real>& nodes, const Visit& visit) {
    constexpr std::size_t size = block_nodes * node_channels<transfer>;
    nodes.resize(grid.targets().size() * size);
    for_each(grid.targets().size(), 16,
             [&](std::size_t t) { visit(grid.targets()[t], nodes.data() + t * size); });
}

}  // namespace

template <class Real, int Order, Transfer transfer>
void sum_tiles(const BlockGrid& grid, const Array<Real>& tiles, Array<Real>& nodes) {
    for_each_block<transfer>(grid, nodes, [&](const TargetBlock& block, Real* first) {
        sum_block_tiles<Real, Order, node_channels<transfer>>(block, tiles.data(), first);
    });
}

template <class Real, Transfer transfer>
void update_velocities(const BlockGrid& grid, double dt, const Vec3d& gravity, Array<Real>& nodes) {
    const auto dt_g = static_cast<Vec3<Real>>(dt * gravity);
    for_each_block<transfer>(grid, nodes, [&](const TargetBlock&, Real* first) {
        for (int n = 0; n < block_nodes; ++n)
            update_velocity<Real, transfer>(first + n * node_channels<transfer>, dt_g,
                                            static_cast<Real>(dt));
    });
}

template <class Real, Transfer transfer>
void collide_grid(const BlockGrid& grid, double dx, std::span<const ColliderAt> colliders,
                  Array<Real>& nodes, const NodeContact& contact) {
    for_each_block<transfer>(grid, nodes, [&](const TargetBlock& block, Real* first) {
        collide_block<Real, transfer>(block, dx, contact, colliders, first);
    });
}

template <class Real, int Order, Transfer transfer>
void update_grid(const BlockGrid& grid, const Array<Real>& tiles, double dx, double dt,
                 const Vec3d& gravity, std::span<const ColliderAt> colliders, Array<Real>& nodes,
                 const NodeContact& contact) {
    const bool sticky = std::any_of(colliders.begin(), colliders.end(), [](const ColliderAt& c) {
        return c.contact() == Contact::sticky;
    });
    if (sticky && contact.sticky_walls == StickyWalls::surface) {
        sum_tiles<Real, Order, transfer>(grid, tiles, nodes);
        const auto bound = find_wall_nodes<Real, transfer>(grid, dx, colliders, nodes);
        fold_wall_nodes<Real, transfer>(bound, dt, gravity, nodes);
        update_velocities<Real, transfer>(grid, dt, gravity, nodes);
        collide_grid<Real, transfer>(grid, dx, colliders, nodes, {0, contact.dt});
        return follow_free_nodes<Real, transfer>(bound, nodes);
    }
    constexpr int channels = node_channels<transfer>;
    const auto dt_g = static_cast<Vec3<Real>>(dt * gravity);
    for_each_block<transfer>(grid, nodes, [&](const TargetBlock& block, Real* first) {
        if (!sum_block_tiles<Real, Order, channels>(block, tiles.data(), first)) return;
        for (int n = 0; n < block_nodes; ++n)
            update_velocity<Real, transfer>(first + n * channels, dt_g, static_cast<Real>(dt));
        collide_block<Real, transfer>(block, dx, contact, colliders, first);
    });
}

#define INSTANTIATE(Real, Order, transfer)                                               \
    template void sum_tiles<Real, Order, transfer>(const BlockGrid&, const Array<Real>&, \
                                                   Array<Real>&);                        \
    template void update_grid<Real, Order, transfer>(                                    \
        const BlockGrid&, const Array<Real>&, double, double, const Vec3d&,              \
        std::span<const ColliderAt>, Array<Real>&, const NodeContact&);
KNEAD_FOR_EACH_KERNEL(INSTANTIATE)

#define INSTANTIATE_TRANSFER(Real, transfer)                                                \
    template void update_velocities<Real, transfer>(const BlockGrid&, double, const Vec3d&, \
                                                    Array<Real>&);                          \
    template void collide_grid<Real, transfer>(                                             \
        const BlockGrid&, double, std::span<const ColliderAt>, Array<Real>&, const NodeContact&);
KNEAD_FOR_EACH_TRANSFER(INSTANTIATE_TRANSFER)

}  // namespace knead
