#include "knead/mpm/cuda/update_grid.h"

#include "knead/parallel/device_array.h"

namespace knead {

namespace {

// Whether a step of a batch is taken, and whether it is the last before particles must be sorted.
// Every CUDA block comes to the same answer; one of them writes it down.
__device__ int decide(const StepView& step) {
    float used = step.first_used, move = step.first_move;
    bool goes = true;
    if (step.step > 0) {
        const StepSlot& before = step.slots[step.step - 1];
        move = __uint_as_float(before.move_bits);
        used = __uint_as_float(before.used_bits);
        goes = before.state == step_goes_on && before.bad == 0;
    }
    // This step and the next one must stay within reach of the tile.
    const bool more =
        step.step + 1 < step.steps && used + 2.4f * move < room_allowed && move < step.move_allowed;
    const int state = !goes ? step_skipped : more ? step_goes_on : step_is_last;
    if (blockIdx.x == 0 && threadIdx.x == 0) step.slots[step.step].state = state;
    return state;
}

// What the tiles of one source block bring to a node; `at` is its index in their tiles.
template <int Order, int groups>
__device__ void add_sources(const GridView& grid, int block, int at, float4 (&sum)[groups]) {
    constexpr int nodes = DeviceTile<Order>::nodes;
    for (int p = 0; p < grid.phases; ++p) {
        const SourceSpan span = grid.spans[p * grid.block_count + block];
        for (int s = span.first; s < span.first + span.count; ++s)
#pragma unroll
            for (int g = 0; g < groups; ++g) {
                const float4 t =
                    grid.tiles[(static_cast<std::size_t>(s) * groups + g) * nodes + at];
                sum[g].x += t.x, sum[g].y += t.y, sum[g].z += t.z, sum[g].w += t.w;
            }
    }
}

// Where node a of a block along an axis stands in the tile of the block `step` away; -1: nowhere.
template <int Order>
__device__ int tile_index(int axis, int a, int step) {
    const int at = a - step * DeviceBlock::width(axis) + 1;
    return at < DeviceTile<Order>::width(axis) ? at : -1;
}

template <int Order, int groups>
__device__ void sum_tiles(const GridView& grid, int target, const Vec3i& at,
                          float4 (&sum)[groups]) {
    using Tile = DeviceTile<Order>;
    for (int k = 0; k < DeviceBlock::neighbours; ++k) {
        const Vec3i step = DeviceBlock::reaching_step(k);
        const int x = tile_index<Order>(0, at.x, step.x), y = tile_index<Order>(1, at.y, step.y),
                  z = tile_index<Order>(2, at.z, step.z);
        if (x < 0 || y < 0 || z < 0) continue;
        const int block = grid.target_blocks[DeviceBlock::neighbours * target + k];
        if (block < 0) continue;
        add_sources<Order, groups>(grid, block, x * Tile::slab + y * Tile::row + z, sum);
    }
}

// Momentum and force become velocity, and for FLIP the change of velocity besides.
template <Transfer transfer>
__device__ void update_velocity(float4 (&node)[node_groups<transfer>], const Vec3f& dt_g,
                                float dt) {
    constexpr float least = 1.17549435e-38f;
    if (!(node[0].x > least)) {
        for (float4& n : node) n = make_float4(0, 0, 0, 0);
        return;
    }
    const float inv_m = 1.0f / node[0].x;
    const Vec3f before = inv_m * vector_of(node[0]);
    Vec3f after;
    if constexpr (transfer == Transfer::apic) {
        after = before + dt_g;
    } else {
        const Vec3f change = (dt * inv_m) * Vec3f{node[1].x, node[1].y, node[1].z} + dt_g;
        node[1] = make_float4(change.x, change.y, change.z, 0);
        after = before + change;
    }
    node[0] = make_float4(node[0].x, after.x, after.y, after.z);
}

template <Transfer transfer>
__device__ void collide_node(float4 (&node)[node_groups<transfer>], const Vec3d& x, double dx,
                             const NearList& near) {
    if (node[0].x == 0) return;
    const Vec3d v = static_cast<Vec3d>(vector_of(node[0]));
    const Vec3d after = resolve_contacts(near, v, x, node_reach * dx);
    node[0].y = static_cast<float>(after.x);
    node[0].z = static_cast<float>(after.y);
    node[0].w = static_cast<float>(after.z);
    if constexpr (transfer == Transfer::flip) {
        node[1].x += static_cast<float>(after.x - v.x);
        node[1].y += static_cast<float>(after.y - v.y);
        node[1].z += static_cast<float>(after.z - v.z);
    }
}

// One thread a node, one CUDA block a grid block.
template <int Order, Transfer transfer>
__global__ void __launch_bounds__(DeviceBlock::nodes, 16)
    update_nodes(const __grid_constant__ GridView grid, const __grid_constant__ StepView step) {
    constexpr int groups = node_groups<transfer>;
    if (decide(step) == step_skipped) return;
    __shared__ int near_list[NearList::most + 1];
    const int target = static_cast<int>(blockIdx.x), n = static_cast<int>(threadIdx.x);
    const Vec3i at = DeviceBlock::node(n);
    float4 node[groups];
    for (float4& q : node) q = make_float4(0, 0, 0, 0);
    sum_tiles<Order, groups>(grid, target, at, node);
    update_velocity<transfer>(node, static_cast<Vec3f>(step.dt * step.gravity),
                              static_cast<float>(step.dt));

    if (grid.target_near[target]) {
        const Vec3d corner = step.dx * DeviceBlock::corner(grid.targets[target]);
        const NearList near = find_near(step.colliders, step.collider_count, corner,
                                        step.dx * DeviceBlock::size(-1), near_list);
        if (near.size() > 0)
            collide_node<transfer>(node, corner + step.dx * static_cast<Vec3d>(at), step.dx, near);
    }
#pragma unroll
    for (int g = 0; g < groups; ++g)
        grid.nodes[(target * groups + g) * DeviceBlock::nodes + n] = node[g];
}

// Blocks, larger by `more` cells along every axis, `low` of them below.
__global__ void mark_near(const Vec3i* blocks, int n, double dx, double low, double more,
                          const ColliderView* colliders, const double* reach, int count,
                          char* near) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const Vec3d size = dx * DeviceBlock::size(more);
    const Vec3d center = dx * (DeviceBlock::corner(blocks[i]) - splat(low)) + 0.5 * size;
    near[i] = any_near(colliders, reach, count, center, 0.5 * length(size) * (1 + node_reach));
}

}  // namespace

void launch_mark_near(const GridView& grid, double dx, const ColliderView* colliders,
                      const double* reach, int count, char* block_near, char* target_near,
                      cudaStream_t stream) {
    const auto mark = [&](const Vec3i* blocks, int n, double low, double more, char* near) {
        if (count == 0)
            check_cuda(cudaMemsetAsync(near, 0, static_cast<std::size_t>(n), stream), "a step");
        else
            mark_near<<<(n + 127) / 128, 128, 0, stream>>>(blocks, n, dx, low, more, colliders,
                                                           reach, count, near);
    };
    mark(grid.blocks, grid.block_count, 2, 5, block_near);
    mark(grid.targets, grid.target_count, 0, -1, target_near);
    check_cuda(cudaGetLastError(), "looking for colliders");
}

void launch_update_grid(const MpmSettings& settings, const GridView& grid, const StepView& step,
                        cudaStream_t stream) {
    with_kernel(settings, [&]<int Order, Transfer transfer>() {
        update_nodes<Order, transfer>
            <<<grid.target_count, DeviceBlock::nodes, 0, stream>>>(grid, step);
    });
    check_cuda(cudaGetLastError(), "updating the grid");
}

}  // namespace knead
