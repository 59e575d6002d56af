#include "knead/mpm/sort_particles.h"

#include <cmath>

#include "knead/base/error.h"
#include "knead/mpm/grid/block_key.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"
#include "knead/particles/reorder.h"

namespace knead {

namespace {

constexpr double node_limit = 4.0 * (block_limit - 2);

struct NodeBox {
    Vec3i lo{1 << 30, 1 << 30, 1 << 30};
    Vec3i hi{-(1 << 30), -(1 << 30), -(1 << 30)};
};

NodeBox join(const NodeBox& a, const NodeBox& b) {
    return {{std::min(a.lo.x, b.lo.x), std::min(a.lo.y, b.lo.y), std::min(a.lo.z, b.lo.z)},
            {std::max(a.hi.x, b.hi.x), std::max(a.hi.y, b.hi.y), std::max(a.hi.z, b.hi.z)}};
}

// The first node of a particle's support.
Vec3i first_node(const Vec3d& x, double inv_dx, double offset) {
    const Vec3d n = inv_dx * x - splat(offset);
    return {static_cast<int>(std::floor(n.x)), static_cast<int>(std::floor(n.y)),
            static_cast<int>(std::floor(n.z))};
}

// Block by block in lexicographic order, cell by cell within a block.
struct CellOrder {
    Vec3i lo;      // first block
    Vec3i extent;  // blocks a side
    std::uint64_t key(const Vec3i& node) const {
        const Vec3i b{(node.x >> 2) - lo.x, (node.y >> 2) - lo.y, (node.z >> 2) - lo.z};
        const auto block = (static_cast<std::uint64_t>(b.x) * static_cast<std::uint64_t>(extent.y) +
                            static_cast<std::uint64_t>(b.y)) *
                               static_cast<std::uint64_t>(extent.z) +
                           static_cast<std::uint64_t>(b.z);
        const int cell = ((node.x & 3) << 4) | ((node.y & 3) << 2) | (node.z & 3);
        return (block << 6) | static_cast<std::uint64_t>(cell);
    }
    std::int64_t block_of(std::uint64_t key) const {
        const auto b = static_cast<std::int64_t>(key >> 6);
        const auto z = static_cast<int>(b % extent.z),
                   y = static_cast<int>(b / extent.z % extent.y);
        return block_key({lo.x + static_cast<int>(b / extent.z / extent.y), lo.y + y, lo.z + z});
    }
};

template <class Real>
NodeBox node_box(const std::vector<Phase<Real>>& phases, double inv_dx, double offset) {
    NodeBox box;
    for (const auto& phase : phases) {
        const auto& x = phase.particles.x;
        box = join(
            box, reduce(
                     phase.particles.size(), NodeBox{},
                     [&](std::size_t i) {
                         const Vec3d p = x.vec(i);
                         const double far = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
                         if (!(far * inv_dx < node_limit))
                             throw RunError("a particle left the space the grid can number");
                         const Vec3i n = first_node(p, inv_dx, offset);
                         return NodeBox{n, n};
                     },
                     join));
    }
    return box;
}

}  // namespace

template <class Real>
void sort_particles(std::vector<Phase<Real>>& phases, double dx, double offset) {
    const double inv_dx = 1 / dx;
    const NodeBox box = node_box(phases, inv_dx, offset);
    const Vec3i lo{box.lo.x >> 2, box.lo.y >> 2, box.lo.z >> 2};
    const Vec3i hi{box.hi.x >> 2, box.hi.y >> 2, box.hi.z >> 2};
    const CellOrder cells{lo, hi - lo + Vec3i{1, 1, 1}};

    for (auto& phase : phases) {
        const std::size_t n = phase.particles.size();
        std::vector<std::uint64_t> keys(n);
        for_each(n, 1 << 14, [&](std::size_t i) {
            keys[i] = cells.key(first_node(phase.particles.x.vec(i), inv_dx, offset));
        });
        std::vector<std::uint32_t> order;
        sort_by_key(keys, order);
        reorder(phase.particles, order);

        // One range a block.
        phase.blocks.clear();
        for (std::size_t i = 0; i < n; ++i) {
            if (i > 0 && keys[i] >> 6 == keys[i - 1] >> 6) continue;
            const auto row = static_cast<std::int64_t>(i);
            if (i > 0) phase.blocks.back().end = row;
            phase.blocks.push_back({cells.block_of(keys[i]), row, row});
        }
        if (n > 0) phase.blocks.back().end = static_cast<std::int64_t>(n);
    }
}

template void sort_particles(std::vector<Phase<float>>&, double, double);
template void sort_particles(std::vector<Phase<double>>&, double, double);

}  // namespace knead
