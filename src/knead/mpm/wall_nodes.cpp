#include "knead/mpm/wall_nodes.h"

#include "knead/geometry/near_colliders.h"
#include "knead/mpm/formulas.h"
#include "knead/mpm/transfer/kernels.h"
#include "knead/mpm/wall_binding.h"
#include "knead/parallel/exec.h"

namespace knead {

namespace {

template <class Real, Transfer transfer>
class Binder {
public:
    Binder(const BlockGrid& grid, double dx, std::span<const ColliderAt> colliders,
           const Array<Real>& nodes)
        : grid_(grid), dx_(dx), colliders_(colliders), nodes_(nodes) {}

    std::vector<WallNode> in_block(std::size_t t) const {
        std::vector<WallNode> found;
        const TargetBlock& block = grid_.targets()[t];
        const Vec3i first = block_width * block.coordinates;
        const NearColliders near(colliders_, dx_ * static_cast<Vec3d>(first),
                                 splat(dx_ * (block_width - 1)), {0, reach(), 0, 0});
        if (near.empty()) return found;
        for (int n = 0; n < block_nodes; ++n) {
            const std::size_t node = t * block_nodes + static_cast<std::size_t>(n);
            if (!(mass(node) > least_node_mass<Real>)) continue;
            const Vec3i at = first + Vec3i{n / 16, n / 4 % 4, n % 4};
            double distance;
            const Vec3d x = dx_ * static_cast<Vec3d>(at);
            if (const int wall = binding_wall(near.list(), x, reach(), distance); wall >= 0)
                found.push_back(
                    bind(near.list()[static_cast<std::size_t>(wall)], node, at, distance));
        }
        return found;
    }

private:
    double reach() const { return binding_reach(dx_); }
    Real mass(std::size_t node) const { return nodes_[node * node_channels<transfer>]; }

    WallNode bind(const ColliderAt& wall, std::size_t node, const Vec3i& at,
                  double distance) const {
        const auto holds = [&](const Vec3i& there) {
            const std::size_t n = number_of(there);
            return n != WallNode::none && mass(n) > least_node_mass<Real>;
        };
        WallNode bound{node, WallNode::none, 0, wall.velocity(dx_ * static_cast<Vec3d>(at)), {}};
        const FreeNode free = free_node_of(wall, colliders_, at, dx_, holds);
        if (!free.there) return bound;
        bound.free = number_of(free.at);
        bound.share = distance / free.away;
        bound.wall_there = wall.velocity(dx_ * static_cast<Vec3d>(free.at));
        return bound;
    }
    std::size_t number_of(const Vec3i& at) const {
        const auto block_of = [](int i) {
            return (i >= 0 ? i : i - block_width + 1) / block_width;
        };
        const Vec3i block{block_of(at.x), block_of(at.y), block_of(at.z)};
        const std::int64_t t = grid_.find_target(block);
        if (t < 0) return WallNode::none;
        const Vec3i in = at - block_width * block;
        return static_cast<std::size_t>(t) * block_nodes +
               static_cast<std::size_t>(16 * in.x + 4 * in.y + in.z);
    }

    const BlockGrid& grid_;
    double dx_;
    std::span<const ColliderAt> colliders_;
    const Array<Real>& nodes_;
};

}  // namespace

template <class Real, Transfer transfer>
std::vector<WallNode> find_wall_nodes(const BlockGrid& grid, double dx,
                                      std::span<const ColliderAt> colliders,
                                      const Array<Real>& nodes) {
    std::vector<std::vector<WallNode>> by_block(grid.targets().size());
    const Binder<Real, transfer> binder(grid, dx, colliders, nodes);
    for_each(by_block.size(), 16, [&](std::size_t t) { by_block[t] = binder.in_block(t); });
    std::vector<WallNode> all;
    for (const auto& list : by_block) all.insert(all.end(), list.begin(), list.end());
    return all;
}

// In the wall's frame u_g = share u_j, so node j gains share p_g, share f_g and, with lumped
// masses, share^2 m_g.
template <class Real, Transfer transfer>
void fold_wall_nodes(std::span<const WallNode> bound, double dt, const Vec3d& gravity,
                     Array<Real>& nodes) {
    constexpr int channels = node_channels<transfer>;
    for (const WallNode& b : bound) {
        if (b.free == WallNode::none) continue;
        const Real* from = nodes.data() + b.node * channels;
        Real* to = nodes.data() + b.free * channels;
        const auto m = static_cast<double>(from[0]);
        const double added = b.share * b.share * m;
        to[0] += static_cast<Real>(added);
        for (int a = 0; a < 3; ++a) {
            const double p = static_cast<double>(from[1 + a]) - m * b.wall[a];
            // every node's mass is accelerated by gravity later
            const double weight = (b.share * m - added) * gravity[a];
            double momentum = b.share * p + added * b.wall_there[a];
            if constexpr (keeps_own(transfer))
                to[4 + a] += static_cast<Real>(b.share * static_cast<double>(from[4 + a]) + weight);
            else
                momentum += dt * weight;
            to[1 + a] += static_cast<Real>(momentum);
        }
    }
}

template <class Real, Transfer transfer>
void follow_free_nodes(std::span<const WallNode> bound, Array<Real>& nodes) {
    constexpr int channels = node_channels<transfer>;
    for_each(bound.size(), 256, [&](std::size_t k) {
        const WallNode& b = bound[k];
        Real* node = nodes.data() + b.node * channels;
        const Real* free = b.free == WallNode::none ? nullptr : nodes.data() + b.free * channels;
        for (int a = 0; a < 3; ++a) {
            const auto wall = static_cast<Real>(b.wall[a]),
                       there = static_cast<Real>(b.wall_there[a]);
            const auto share = static_cast<Real>(b.share);
            const Real v = free ? wall + share * (free[1 + a] - there) : wall;
            if constexpr (keeps_own(transfer))
                node[4 + a] = free ? share * free[4 + a] : node[4 + a] + (v - node[1 + a]);
            node[1 + a] = v;
        }
    });
}

#define INSTANTIATE(Real, transfer)                                                                \
    template std::vector<WallNode> find_wall_nodes<Real, transfer>(                                \
        const BlockGrid&, double, std::span<const ColliderAt>, const Array<Real>&);                \
    template void fold_wall_nodes<Real, transfer>(std::span<const WallNode>, double, const Vec3d&, \
                                                  Array<Real>&);                                   \
    template void follow_free_nodes<Real, transfer>(std::span<const WallNode>, Array<Real>&);
KNEAD_FOR_EACH_TRANSFER(INSTANTIATE)

}  // namespace knead
