#include "knead/mpm/cuda/wall_nodes.h"

#include "knead/cuda/launch.h"
#include "knead/mpm/cuda/update_node.h"
#include "knead/mpm/wall_binding.h"

namespace knead {

namespace {

constexpr int nodes = DeviceBlock::nodes;

// One thread a node, one CUDA block a grid block. Nothing happens in a step that is skipped, and
// where no collider is near.
struct NodeHere {
    int target, n, number;  // number: of the step in the batch

    __device__ static bool works(const GridView& grid, const StepView& step) {
        return grid.target_near[blockIdx.x].count > 0 &&
               step.slots[step.number()].state != step_skipped;
    }
    __device__ explicit NodeHere(const StepView& step)
        : target(static_cast<int>(blockIdx.x)),
          n(static_cast<int>(threadIdx.x)),
          number(step.number()) {}
    __device__ int index() const { return target * nodes + n; }
    // Its place [nodes].
    __device__ Vec3i at(const GridView& grid) const {
        const Vec3i& b = grid.targets[target];
        const Vec3i in = DeviceBlock::node(n);
        return {DeviceBlock::width(0) * b.x + in.x, DeviceBlock::width(1) * b.y + in.y,
                DeviceBlock::width(2) * b.z + in.z};
    }
};

// The number of a node, -1 where there is none.
__device__ int number_of(const GridView& grid, const Vec3i& at) {
    const int target = grid.walls.targets.find(DeviceBlock::of(at));
    return target < 0 ? -1 : target * nodes + DeviceBlock::index(at.x, at.y, at.z);
}

template <Transfer transfer>
__device__ float4* group(const GridView& grid, int node, int g) {
    return grid.nodes + (node / nodes * node_groups<transfer> + g) * nodes + node % nodes;
}
template <Transfer transfer>
__device__ void read_node(const GridView& grid, int node, float4 (&q)[node_groups<transfer>]) {
    for (int g = 0; g < node_groups<transfer>; ++g) q[g] = *group<transfer>(grid, node, g);
}
template <Transfer transfer>
__device__ void write_node(const GridView& grid, int node,
                           const float4 (&q)[node_groups<transfer>]) {
    for (int g = 0; g < node_groups<transfer>; ++g) *group<transfer>(grid, node, g) = q[g];
}

template <Transfer transfer>
struct HoldsMatter {
    const GridView& grid;
    __device__ bool operator()(const Vec3i& at) const {
        const int node = number_of(grid, at);
        return node >= 0 && group<transfer>(grid, node, 0)->x > least_node_mass<float>;
    }
};

// All colliders, as a list.
struct AllColliders {
    const ColliderView* all;
    int count;
    __device__ int size() const { return count; }
    __device__ const ColliderView& operator[](int i) const { return all[i]; }
};

// Which of the nodes that can be bound to a free one a bit stands for: `steps` along `axis`.
__device__ unsigned fold_bit(int axis, int steps) {
    return 1u << (10 * axis + (steps < 0 ? 5 - steps - 1 : steps - 1));
}

template <Transfer transfer>
__global__ void bind_nodes(const GridView grid, const StepView step) {
    if (!NodeHere::works(grid, step)) return;
    const NodeHere here(step);
    BoundNode& bound = grid.walls.bound[here.index()];
    bound = {not_bound, 0, {0, 0, 0}, {0, 0, 0}};
    if (!(group<transfer>(grid, here.index(), 0)->x > least_node_mass<float>)) return;
    const ColliderView* all = step.colliders_at(here.number);
    const NearList near(all, step.collider_count, grid.target_near[here.target]);
    const Vec3i at = here.at(grid);
    const Vec3d x = step.dx * static_cast<Vec3d>(at);
    double distance;
    const int nearest = binding_wall(near, x, binding_reach(step.dx), distance);
    if (nearest < 0) return;
    const ColliderView& wall = near[nearest];
    bound.free = bound_to_wall;
    bound.wall = static_cast<Vec3f>(wall.velocity(x));
    const FreeNode free = free_node_of(wall, AllColliders{all, step.collider_count}, at, step.dx,
                                       HoldsMatter<transfer>{grid});
    if (!free.there) return;
    bound.free = number_of(grid, free.at);
    bound.share = static_cast<float>(distance / free.away);
    bound.wall_there = static_cast<Vec3f>(wall.velocity(step.dx * static_cast<Vec3d>(free.at)));
    atomicOr(grid.walls.folds + bound.free, fold_bit(free.axis, free.steps));
}

// In the wall's frame u_g = share u_j, so node j gains share p_g, share f_g and share^2 m_g; every
// node's mass is accelerated by gravity later. [mpm/wall_nodes.cpp]
template <Transfer transfer>
__device__ void fold(const float4 (&from)[node_groups<transfer>], const BoundNode& b,
                     const StepView& step, float4 (&to)[node_groups<transfer>]) {
    const float m = from[0].x, added = b.share * b.share * m;
    const Vec3f weight = (b.share * m - added) * static_cast<Vec3f>(step.gravity);
    Vec3f p = b.share * (vector_of(from[0]) - m * b.wall) + added * b.wall_there;
    if constexpr (keeps_own(transfer)) {
        to[1].x += b.share * from[1].x + weight.x;
        to[1].y += b.share * from[1].y + weight.y;
        to[1].z += b.share * from[1].z + weight.z;
    } else {
        p += static_cast<float>(step.dt) * weight;
    }
    to[0].x += added, to[0].y += p.x, to[0].z += p.y, to[0].w += p.z;
}

// What is bound to a free node comes in a fixed order.
template <Transfer transfer>
__global__ void move_free_nodes(const GridView grid, const StepView step) {
    if (!NodeHere::works(grid, step)) return;
    const NodeHere here(step);
    if (grid.walls.bound[here.index()].free != not_bound) return;
    float4 node[node_groups<transfer>];
    read_node<transfer>(grid, here.index(), node);
    const unsigned folds = grid.walls.folds[here.index()];
    for (int bit = 0; folds >> bit; ++bit) {
        if (!(folds >> bit & 1)) continue;
        const int axis = bit / 10, k = bit % 10, steps = k < 5 ? k + 1 : 4 - k;
        Vec3i at = here.at(grid);
        at[axis] -= steps;
        const int other = number_of(grid, at);
        float4 from[node_groups<transfer>];
        read_node<transfer>(grid, other, from);
        fold<transfer>(from, grid.walls.bound[other], step, node);
    }
    update_velocity<transfer>(node, step);
    collide_node<transfer>(node, grid, here.target, DeviceBlock::node(here.n), step, here.number);
    write_node<transfer>(grid, here.index(), node);
}

template <Transfer transfer>
__global__ void follow_free_nodes(const GridView grid, const StepView step) {
    if (!NodeHere::works(grid, step)) return;
    const NodeHere here(step);
    const BoundNode bound = grid.walls.bound[here.index()];
    if (bound.free == not_bound) return;
    float4 node[node_groups<transfer>];
    read_node<transfer>(grid, here.index(), node);
    update_velocity<transfer>(node, step);
    collide_node<transfer>(node, grid, here.target, DeviceBlock::node(here.n), step, here.number);
    Vec3f v = bound.wall, change{0, 0, 0};
    const Vec3f before = vector_of(node[0]);
    if (bound.free >= 0) {
        float4 free[node_groups<transfer>];
        read_node<transfer>(grid, bound.free, free);
        v += bound.share * (vector_of(free[0]) - bound.wall_there);
        if constexpr (keeps_own(transfer))
            change = bound.share * Vec3f{free[1].x, free[1].y, free[1].z};
    } else if constexpr (keeps_own(transfer)) {
        change = Vec3f{node[1].x, node[1].y, node[1].z} + (v - before);
    }
    node[0] = make_float4(node[0].x, v.x, v.y, v.z);
    if constexpr (keeps_own(transfer)) node[1] = make_float4(change.x, change.y, change.z, 0);
    write_node<transfer>(grid, here.index(), node);
}

}  // namespace

void launch_bind_walls(const MpmSettings& settings, const GridView& grid, const StepView& step,
                       cudaStream_t stream) {
    with_smooth_kernel(settings, [&]<int, Transfer transfer>() {
        const LaunchShape shape(grid.target_count, nodes);
        launch<bind_nodes<transfer>>(shape, stream, grid, step);
        launch<move_free_nodes<transfer>>(shape, stream, grid, step);
        launch<follow_free_nodes<transfer>>(shape, stream, grid, step);
    });
    check_cuda(cudaGetLastError(), "binding nodes to walls");
}

}  // namespace knead
