#include "knead/mpm/cuda/update_grid.h"

#include "knead/cuda/launch.h"
#include "knead/mpm/cuda/update_node.h"
#include "knead/mpm/cuda/wall_nodes.h"
#include "knead/mpm/wall_binding.h"

namespace knead {

namespace {

// Whether a step of a batch is taken, and whether it is the last before particles must be sorted.
// Every CUDA block comes to the same answer; one of them writes it down.
__device__ int decide(const StepView& step, int number) {
    float used = step.first_used, move = step.first_move;
    bool goes = true;
    if (number > 0) {
        const StepSlot& before = step.slots[number - 1];
        move = __uint_as_float(before.move_bits);
        used = __uint_as_float(before.used_bits);
        goes = before.state == step_goes_on && before.bad == 0;
    }
    const bool is_last = number + 1 == step.steps;
    // This step and the next one must stay within reach of the tile.
    const bool has_room = used + 2.4f * move < room_allowed;
    const bool ends = (is_last && step.ends) || !(move < step.move_allowed);
    const int state = !goes                  ? step_skipped
                      : ends                 ? step_ends
                      : is_last || !has_room ? step_pauses
                                             : step_goes_on;
    if (blockIdx.x == 0 && threadIdx.x == 0) step.slots[number].state = state;
    return state;
}

// Blocks along an axis whose tiles hold a node: those [low, high] steps away. [device_block.h]
struct BlockReach {
    int low, high;
};
template <int Order>
__device__ constexpr BlockReach reach_of(int axis, int a) {
    const int shift = DeviceBlock::shift(axis);
    return {((a - Order - 1) >> shift), (a + 1) >> shift};
}
// How many that are at most.
template <int Order>
inline constexpr int most_blocks[3] = {2, Order == 2 ? 3 : 4, Order == 2 ? 2 : 3};

__device__ inline void operator+=(float4& a, const float4& b) {
    a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
}

// What the tiles of a phase bring to a node; spans[k] are those of the block reaching from k. The
// first tile of every block is asked for before anything waits; most blocks have no other.
template <int Order, int groups>
__device__ void sum_tiles(const float4* tiles, const SourceSpan* spans, const Vec3i& at,
                          float4 (&sum)[groups]) {
    using Tile = DeviceTile<Order>;
    constexpr int nx = most_blocks<Order>[0], ny = most_blocks<Order>[1],
                  nz = most_blocks<Order>[2];
    const BlockReach rx = reach_of<Order>(0, at.x), ry = reach_of<Order>(1, at.y),
                     rz = reach_of<Order>(2, at.z);
    const auto block = [&](int i, int j, int k, SourceSpan& span) -> const float4* {
        const int x = rx.low + i, y = ry.low + j, z = rz.low + k;
        span = {0, 0};
        if (x > rx.high || y > ry.high || z > rz.high) return nullptr;
        span = spans[DeviceBlock::link(x + 1, y + 2, z + 1)];
        return tiles + static_cast<std::size_t>(span.first) * groups * Tile::nodes +
               Tile::index(at.x + 1 - DeviceBlock::width(0) * x,
                           at.y + 1 - DeviceBlock::width(1) * y,
                           at.z + 1 - DeviceBlock::width(2) * z);
    };
    int most = 0;
#pragma unroll
    for (int i = 0; i < nx; ++i)
#pragma unroll
        for (int j = 0; j < ny; ++j) {
            float4 brought[nz][groups];
#pragma unroll
            for (int k = 0; k < nz; ++k) {
                SourceSpan span;
                const float4* tile = block(i, j, k, span);
#pragma unroll
                for (int g = 0; g < groups; ++g)
                    brought[k][g] =
                        span.count > 0 ? tile[g * Tile::nodes] : make_float4(0, 0, 0, 0);
                most = ::max(most, span.count);
            }
#pragma unroll
            for (int k = 0; k < nz; ++k)
#pragma unroll
                for (int g = 0; g < groups; ++g) sum[g] += brought[k][g];
        }
    if (most <= 1) return;
#pragma unroll 1
    for (int n = 0; n < nx * ny * nz; ++n) {
        SourceSpan span;
        const float4* tile = block(n / (ny * nz), n / nz % ny, n % nz, span);
        for (int s = 1; s < span.count; ++s)
#pragma unroll
            for (int g = 0; g < groups; ++g) sum[g] += tile[(s * groups + g) * Tile::nodes];
    }
}

// One thread a node, one CUDA block a grid block.
template <int Order, Transfer transfer>
__global__ void __launch_bounds__(DeviceBlock::nodes, 16)
    update_nodes(const __grid_constant__ GridView grid, const __grid_constant__ StepView step) {
    constexpr int groups = node_groups<transfer>;
    SHARED(SourceSpan[DeviceBlock::neighbours], spans);
    const int target = static_cast<int>(blockIdx.x), n = static_cast<int>(threadIdx.x);
    const Vec3i at = DeviceBlock::node(n);
    float4 node[groups];
    for (float4& q : node) q = make_float4(0, 0, 0, 0);
    const auto load_spans = [&](int phase) {
        if (n >= DeviceBlock::neighbours) return;
        const int block = grid.target_blocks[DeviceBlock::neighbours * target + n];
        spans[n] = block < 0 ? SourceSpan{0, 0} : grid.spans[phase * grid.block_count + block];
    };
    load_spans(0);
    const int number = step.number();
    wait_for_kernel_before();
    let_next_kernel_begin();
    if (decide(step, number) == step_skipped) return;
    for (int p = 0; p < grid.phases; ++p) {
        if (p > 0) {
            __syncthreads();
            load_spans(p);
        }
        __syncthreads();
        sum_tiles<Order, groups>(grid.tiles, spans, at, node);
    }
    const bool near = grid.target_near[target].count > 0;
    if (near && grid.walls.bound) {  // velocities come when nodes are bound
        grid.walls.folds[target * DeviceBlock::nodes + n] = 0;
    } else {
        update_velocity<transfer>(node, step);
        if (near) collide_node<transfer>(node, grid, target, at, step, number);
    }
#pragma unroll
    for (int g = 0; g < groups; ++g)
        grid.nodes[(target * groups + g) * DeviceBlock::nodes + n] = node[g];
}

// Space around a block [cells], from `below` its first node to `beyond` the last one's end.
struct Room {
    double below, beyond;
};
// Where particles of a block are: their supports begin in it or at most a cell outside, and they
// stand half a cell to two cells after where the support begins. [stencil.h]
inline constexpr Room of_particles{0.55, 2.05};
// Nodes of a block are all within it, the last a cell before its end.
inline constexpr Room of_nodes{0, -1};

// Which colliders may touch that; one that may touch the whole is asked about its parts.
__global__ void mark_near(const Vec3i* blocks, int n, double dx, Room room, ContactReach contact,
                          const ColliderView* colliders, const double* reach, int count,
                          DeviceNearColliders* near) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const Vec3d size = dx * DeviceBlock::size(room.below + room.beyond);
    const Vec3d part{0.25 * size.x, 0.5 * size.y, 0.5 * size.z};
    const Vec3d corner = dx * (DeviceBlock::corner(blocks[i]) - splat(room.below));
    constexpr double half = 0.5 * (1 + node_reach);
    DeviceNearColliders found{};
    for (int c = 0; c < count; ++c) {
        const double allowed = reach[c] + contact.of(colliders[c]);
        if (colliders[c].clearance(corner + 0.5 * size, half * size) > allowed) continue;
        bool touches = false;
        for (int k = 0; k < 16 && !touches; ++k) {
            const Vec3d place{(k & 3) + 0.5, ((k >> 2) & 1) + 0.5, (k >> 3) + 0.5};
            touches = colliders[c].clearance(corner + place * part, half * part) <= allowed;
        }
        if (touches) found.add(c);
    }
    near[i] = found;
}

}  // namespace

void launch_mark_near(const MpmSettings& settings, const GridView& grid,
                      const ColliderView* colliders, const double* reach, int count,
                      DeviceNearColliders* block_near, DeviceNearColliders* target_near,
                      cudaStream_t stream) {
    const auto mark = [&](const Vec3i* blocks, int n, Room room, const ContactReach& contact,
                          DeviceNearColliders* near) {
        if (count == 0)
            check_cuda(
                cudaMemsetAsync(near, 0, static_cast<std::size_t>(n) * sizeof(*near), stream),
                "a step");
        else
            launch<mark_near>({(n + 127) / 128, 128}, stream, blocks, n, settings.dx, room, contact,
                              colliders, reach, count, near);
    };
    mark(grid.blocks, grid.block_count, of_particles, {}, block_near);
    const bool at_surface = settings.sticky_walls == StickyWalls::surface;
    const double sticky_reach = at_surface ? free_within : settings.sticky_reach;
    mark(grid.targets, grid.target_count, of_nodes,
         contact_of_node(settings.dx, {sticky_reach, 0}, 1), target_near);
    check_cuda(cudaGetLastError(), "looking for colliders");
}

void launch_update_grid(const MpmSettings& settings, const GridView& grid, const StepView& step,
                        cudaStream_t stream) {
    with_smooth_kernel(settings, [&]<int Order, Transfer transfer>() {
        constexpr auto kernel = update_nodes<Order, transfer>;
        launch_overlapping<kernel>({grid.target_count, DeviceBlock::nodes}, stream, grid, step);
    });
    if (grid.walls.bound) launch_bind_walls(settings, grid, step, stream);
}

}  // namespace knead
