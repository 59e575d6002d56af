// What a step does with one node on the GPU, once all has been brought to it.
#pragma once

#include "knead/mpm/cuda/stencil.h"
#include "knead/mpm/formulas.h"
#include "knead/mpm/transfer/kernels.h"

namespace knead {

// Momentum and force become velocity, and for FLIP the change of velocity besides.
template <Transfer transfer>
__device__ inline void update_velocity(float4 (&node)[node_groups<transfer>],
                                       const StepView& step) {
    const auto dt_g = static_cast<Vec3f>(step.dt * step.gravity);
    const auto dt = static_cast<float>(step.dt);
    if (!(node[0].x > least_node_mass<float>)) {
        for (float4& n : node) n = make_float4(0, 0, 0, 0);
        return;
    }
    constexpr int force = keeps_own(transfer) ? 1 : 0;  // APIC has none
    const auto after = node_motion<transfer, float>(
        node[0].x, vector_of(node[0]), {node[force].x, node[force].y, node[force].z}, dt_g, dt);
    const Vec3f &v = after.velocity, &change = after.change;
    node[0] = make_float4(node[0].x, v.x, v.y, v.z);
    if constexpr (keeps_own(transfer)) node[1] = make_float4(change.x, change.y, change.z, 0);
}

// Past the colliders near its block.
template <Transfer transfer>
__device__ inline void collide_node(float4 (&node)[node_groups<transfer>], const GridView& grid,
                                    int target, const Vec3i& at, const StepView& step, int number) {
    if (node[0].x == 0) return;
    const NearList near(step.colliders_at(number), step.collider_count, grid.target_near[target]);
    const Vec3d corner = step.dx * DeviceBlock::corner(grid.targets[target]);
    const Vec3d x = corner + step.dx * static_cast<Vec3d>(at);
    const Vec3d v = static_cast<Vec3d>(vector_of(node[0]));
    const Vec3d after = resolve_contacts(
        near, v, x, contact_of_node(step.dx, {step.sticky_reach, step.dt}, node[0].x));
    node[0].y = static_cast<float>(after.x);
    node[0].z = static_cast<float>(after.y);
    node[0].w = static_cast<float>(after.z);
    if constexpr (keeps_own(transfer)) {
        node[1].x += static_cast<float>(after.x - v.x);
        node[1].y += static_cast<float>(after.y - v.y);
        node[1].z += static_cast<float>(after.z - v.z);
    }
}

}  // namespace knead
