#include "knead/mpm/codimensional/pin_nodes.h"

#include <cmath>

#include "knead/mpm/transfer/kernels.h"

namespace knead {

namespace {

struct GripAt {
    Pose pose;
    Twist twist;
    bool holds;
};

// Where a node stands in the array, seen from a source block next to it; null where it is farther.
template <class Real, int channels>
Real* find_node(const SourceBlock& block, const Vec3i& node, Array<Real>& nodes) {
    const Vec3i step{(node.x >> 2) - block.coordinates.x, (node.y >> 2) - block.coordinates.y,
                     (node.z >> 2) - block.coordinates.z};
    for (int a = 0; a < 3; ++a)
        if (step[a] < -1 || step[a] > 1) return nullptr;
    const std::int32_t target =
        block.targets[static_cast<std::size_t>(9 * (step.x + 1) + 3 * (step.y + 1) + step.z + 1)];
    if (target < 0) return nullptr;
    const int inside = ((node.x & 3) * block_width + (node.y & 3)) * block_width + (node.z & 3);
    return nodes.data() +
           (static_cast<std::size_t>(target) * block_nodes + static_cast<std::size_t>(inside)) *
               channels;
}

template <class Real, Transfer transfer>
void pin_around(const Vec3d& x, const GripAt& grip, const SourceBlock& block, double dx,
                Array<Real>& nodes) {
    const Vec3i low{static_cast<int>(std::floor(x.x / dx)), static_cast<int>(std::floor(x.y / dx)),
                    static_cast<int>(std::floor(x.z / dx))};
    for (int k = 0; k < 8; ++k) {
        const Vec3i at = low + Vec3i{k >> 2, k >> 1 & 1, k & 1};
        Real* node = find_node<Real, node_channels<transfer>>(block, at, nodes);
        if (!node || node[0] == 0) continue;
        const Vec3d v = velocity_at(grip.twist, grip.pose, dx * static_cast<Vec3d>(at));
        for (int a = 0; a < 3; ++a) {
            const auto now = static_cast<Real>(v[a]);
            if constexpr (transfer == Transfer::flip) node[4 + a] += now - node[1 + a];
            node[1 + a] = now;
        }
    }
}

}  // namespace

template <class Real, Transfer transfer>
void pin_nodes(const std::vector<Grip>& grips, double time, const std::vector<Phase<Real>>& phases,
               const BlockGrid& grid, double dx, Array<Real>& nodes) {
    std::vector<GripAt> now;
    bool any = false;
    for (const Grip& g : grips) {
        now.push_back({g.motion.pose(time), g.motion.twist(time), time < g.release});
        any = any || now.back().holds;
    }
    if (!any) return;
    for (std::size_t s = 0; s < grid.sources().size(); ++s)
        for (std::size_t p = 0; p < phases.size(); ++p) {
            const Particles<Real>& particles = phases[p].particles;
            if (!particles.grip.present()) continue;
            const RowRange range = grid.rows(p, s);
            for (auto i = static_cast<std::size_t>(range.begin);
                 i < static_cast<std::size_t>(range.end); ++i) {
                const std::int32_t g = particles.grip.at(i);
                if (g >= 0 && now[static_cast<std::size_t>(g)].holds)
                    pin_around<Real, transfer>(particles.x.vec(i), now[static_cast<std::size_t>(g)],
                                               grid.sources()[s], dx, nodes);
            }
        }
}

#define INSTANTIATE(Real, transfer)                                                            \
    template void pin_nodes<Real, transfer>(const std::vector<Grip>&, double,                  \
                                            const std::vector<Phase<Real>>&, const BlockGrid&, \
                                            double, Array<Real>&);
INSTANTIATE(float, Transfer::apic)
INSTANTIATE(float, Transfer::flip)
INSTANTIATE(double, Transfer::apic)
INSTANTIATE(double, Transfer::flip)
#undef INSTANTIATE

}  // namespace knead
