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

// Where a node stands among all, seen from a source block next to it; below 0 where it is farther.
std::int64_t find_node(const SourceBlock& block, const Vec3i& node) {
    const Vec3i step{(node.x >> 2) - block.coordinates.x, (node.y >> 2) - block.coordinates.y,
                     (node.z >> 2) - block.coordinates.z};
    for (int a = 0; a < 3; ++a)
        if (step[a] < -1 || step[a] > 1) return -1;
    const std::int32_t target =
        block.targets[static_cast<std::size_t>(9 * (step.x + 1) + 3 * (step.y + 1) + step.z + 1)];
    if (target < 0) return -1;
    const int inside = ((node.x & 3) * block_width + (node.y & 3)) * block_width + (node.z & 3);
    return std::int64_t{target} * block_nodes + inside;
}

void pin_around(const Vec3d& x, const GripAt& grip, const SourceBlock& block, double dx,
                const VisitPinned& visit) {
    const Vec3i low{static_cast<int>(std::floor(x.x / dx)), static_cast<int>(std::floor(x.y / dx)),
                    static_cast<int>(std::floor(x.z / dx))};
    for (int k = 0; k < 8; ++k) {
        const Vec3i at = low + Vec3i{k >> 2, k >> 1 & 1, k & 1};
        const std::int64_t node = find_node(block, at);
        if (node < 0) continue;
        visit(static_cast<std::size_t>(node),
              velocity_at(grip.twist, grip.pose, dx * static_cast<Vec3d>(at)));
    }
}

}  // namespace

template <class Real>
void place_held(const std::vector<Grip>& grips, double time, const std::vector<Phase<Real>>& phases,
                ThinWorkspace<Real>& thin) {
    std::vector<Pose> poses;
    for (const Grip& g : grips) poses.push_back(g.motion.pose(time));
    for (std::size_t p = 0; p < thin.phases.size(); ++p)
        for (HeldVertex& v : thin.phases[p].held) {
            const auto g = static_cast<std::size_t>(v.grip);
            v.held = time < grips[g].release;
            v.place =
                from_rest(poses[g], grips[g].motion.pivot, phases[p].particles.rest_x.vec(v.row));
        }
}

template <class Real>
void leave_to_grips(ThinWorkspace<Real>& thin) {
    for (ThinPhase<Real>& phase : thin.phases)
        for (const HeldVertex& v : phase.held)
            if (v.held) phase.vertex_force.set(v.row, {0, 0, 0});
}

template <class Real>
void for_each_pinned_node(const std::vector<Grip>& grips, double time,
                          const std::vector<Phase<Real>>& phases, const BlockGrid& grid, double dx,
                          const VisitPinned& visit) {
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
                    pin_around(particles.x.vec(i), now[static_cast<std::size_t>(g)],
                               grid.sources()[s], dx, visit);
            }
        }
}

template <class Real, Transfer transfer>
void pin_nodes(const std::vector<Grip>& grips, double time, const std::vector<Phase<Real>>& phases,
               const BlockGrid& grid, double dx, Array<Real>& nodes) {
    for_each_pinned_node(grips, time, phases, grid, dx, [&](std::size_t at, const Vec3d& velocity) {
        Real* node = nodes.data() + at * node_channels<transfer>;
        if (node[0] == 0) return;
        for (int a = 0; a < 3; ++a) {
            const auto now = static_cast<Real>(velocity[a]);
            if constexpr (keeps_own(transfer)) node[4 + a] += now - node[1 + a];
            node[1 + a] = now;
        }
    });
}

#define INSTANTIATE(Real, transfer)                                                            \
    template void pin_nodes<Real, transfer>(const std::vector<Grip>&, double,                  \
                                            const std::vector<Phase<Real>>&, const BlockGrid&, \
                                            double, Array<Real>&);
#define INSTANTIATE_VISIT(Real)                                                                   \
    template void place_held(const std::vector<Grip>&, double, const std::vector<Phase<Real>>&,   \
                             ThinWorkspace<Real>&);                                               \
    template void leave_to_grips(ThinWorkspace<Real>&);                                           \
    template void for_each_pinned_node(const std::vector<Grip>&, double,                          \
                                       const std::vector<Phase<Real>>&, const BlockGrid&, double, \
                                       const VisitPinned&);
INSTANTIATE_VISIT(float)
INSTANTIATE_VISIT(double)
KNEAD_FOR_EACH_TRANSFER(INSTANTIATE)
#undef INSTANTIATE
#undef INSTANTIATE_VISIT

}  // namespace knead
