// The particle half of a step on the GPU: grid to particles, law, motion, and particles to grid for
// the next step, in one pass. A CUDA block works on one source: particles of one grid block.
#pragma once

#include "knead/mpm/cuda/any_law.h"
#include "knead/mpm/cuda/gather.h"
#include "knead/mpm/cuda/particle_view.h"
#include "knead/mpm/cuda/scatter.h"

namespace knead {

inline constexpr int step_warps = 4;
inline constexpr int step_threads = 32 * step_warps;

// Tiles that a CUDA block's warps add to. With fewer tiles than warps, several share one: while one
// of them adds, the others gather.
template <int Order, Transfer transfer>
inline constexpr int step_tiles = transfer == Transfer::flip ? 1
                                  : Order == 2               ? step_warps
                                                             : 2;
// CUDA blocks that a multiprocessor should hold.
template <int Order, Transfer transfer>
inline constexpr int step_blocks = 4;

template <int Order, Transfer transfer>
inline constexpr std::size_t step_shared_bytes =
    sizeof(float4) *
    (1 + step_tiles<Order, transfer>)*node_groups<transfer>* DeviceTile<Order>::nodes;

// Warps in turn; each waits at its own barrier and opens the next one's.
__device__ inline void wait_for_turn(int barrier) {
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
}
__device__ inline void give_turn(int barrier) {
    asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
}

// Copies the nodes that a block's particles can see.
template <int Order, int groups>
__device__ inline void load_device_tile(const GridView& grid, int block, float4* tile) {
    using Tile = DeviceTile<Order>;
    for (int n = static_cast<int>(threadIdx.x); n < Tile::nodes; n += step_threads) {
        const int x = n / Tile::slab - 1, rest = n % Tile::slab;
        const int y = rest / Tile::row - 1, z = rest % Tile::row - 1;
        if (y >= Tile::width(1) - 1) continue;
        const int k = ((x >> 3) + 1) * 12 + ((y >> 2) + 1) * 4 + (z >> 1) + 1;
        const int target = grid.block_targets[DeviceBlock::neighbours * block + k];
        const int node = DeviceBlock::index(x, y, z);
#pragma unroll
        for (int g = 0; g < groups; ++g)
            tile[g * Tile::nodes + n] =
                grid.nodes[(target * groups + g) * DeviceBlock::nodes + node];
    }
}

// Sums the tiles in order and hands the result to the grid.
template <int Order, int groups, int tile_count>
__device__ inline void store_device_tile(const GridView& grid, int source, const float4* tiles) {
    constexpr int size = groups * DeviceTile<Order>::nodes;
    float4* out = grid.tiles + static_cast<std::size_t>(source) * size;
    for (int n = static_cast<int>(threadIdx.x); n < size; n += step_threads) {
        float4 sum = tiles[n];
#pragma unroll
        for (int k = 1; k < tile_count; ++k) {
            const float4 t = tiles[k * size + n];
            sum.x += t.x, sum.y += t.y, sum.z += t.z, sum.w += t.w;
        }
        out[n] = sum;
    }
}

// A particle between its two visits to the grid.
struct Traveller {
    Vec3d x;
    Vec3f v;
    Mat3f C;
    Sym3f tau;
};

// The worst of a CUDA block.
struct Worst {
    float move = 0, speed = 0, used = 0, strain = 0;
};

template <class L, int Order, Transfer transfer, bool near_colliders>
__device__ inline Traveller take_along(const ParticleView& p, int row, bool active, const L& law,
                                       const StepView& step, const Vec3i& block, const float4* tile,
                                       const NearList& near, Worst& worst) {
    const auto dt = static_cast<float>(step.dt), dx = static_cast<float>(step.dx);
    Traveller t;
    // All that memory has to bring, before anything waits for it.
    t.x = active ? Vec3d{p.x[0][row], p.x[1][row], p.x[2][row]}
                 : step.dx * (DeviceBlock::corner(block) + splat(1.5));
    Vec3f old{0, 0, 0};
    if (transfer == Transfer::flip && active) old = {p.v[0][row], p.v[1][row], p.v[2][row]};
    MaterialState<float> state =
        active ? load_state<L::columns>(p, row) : MaterialState<float>::rest();
    DeviceGathered g;
    {
        const Stencil<Order> s(t.x, block, 1 / step.dx);
        g = gather<Order, transfer>(tile, s, dx);
    }
    t.v = g.velocity;
    if constexpr (transfer == Transfer::apic) {
        // C = inv_D (B - damping sym(B)). [Jiang 2017, Eq. 2]
        const float inv_D = (6 - Order) / (dx * dx);
        const float keep = inv_D * (1 - step.damping / 2), mirror = -inv_D * step.damping / 2;
        const Mat3f B = from_columns(g.affine[0], g.affine[1], g.affine[2]);
        t.C = keep * B + mirror * transpose(B);
    } else {
        const float flip = step.flip_fraction;
        t.v = (1 - flip) * g.velocity + flip * (old + g.change);  // [Yue 2015, Alg. 12]
    }

    const Mat3f dt_L = dt * from_columns(g.gradient[0], g.gradient[1], g.gradient[2]);
    const Mat3f twice_D = dt_L + transpose(dt_L);
    worst.strain = fmaxf(worst.strain, active ? 0.25f * norm_squared(twice_D) : 0.0f);
    t.tau = advance_law(law, state, dt_L, dt, step.heal_dt);
    if (!active) return t;
    store_state<L::columns>(p, row, state);

    const Vec3d start = t.x;
    if (!near_colliders || near.size() == 0) {
        t.x += step.dt * static_cast<Vec3d>(t.v);
    } else {
        const Motion3 after = move_past(near, {t.x, static_cast<Vec3d>(t.v)}, step.dt);
        t.x = after.x;
        t.v = static_cast<Vec3f>(after.v);
    }
    const Vec3f d = static_cast<Vec3f>(t.x - start);
    worst.move = fmaxf(worst.move, fmaxf(fabsf(d.x), fmaxf(fabsf(d.y), fabsf(d.z))) / dx);
    worst.speed = fmaxf(worst.speed, dot(t.v, t.v));
    const float sum = trace(t.tau) + t.tau.xy + t.tau.xz + t.tau.yz + t.v.x + t.v.y + t.v.z;
    if (!is_finite(sum))
        atomicMax(&step.slots[step.step].bad, ~(static_cast<unsigned long long>(p.phase) << 32 |
                                                static_cast<unsigned long long>(row)));
    return t;
}

template <Transfer transfer>
__device__ inline void store_traveller(const ParticleView& p, int row, const Traveller& t,
                                       bool everything) {
#pragma unroll
    for (int a = 0; a < 3; ++a) p.x[a][row] = t.x[a];
    if (transfer == Transfer::flip || everything)
#pragma unroll
        for (int a = 0; a < 3; ++a) p.v[a][row] = t.v[a];
    if (!everything) return;
    if constexpr (transfer == Transfer::apic)
#pragma unroll
        for (int k = 0; k < 9; ++k) p.C[k][row] = t.C[k];
#pragma unroll
    for (int k = 0; k < 6; ++k) p.stress[k][row] = t.tau[k];
}

// What a step leaves only when it is the last of its batch stands where it was before the sort.
template <Transfer transfer>
__device__ inline Traveller load_traveller(const ParticleView& p, int row) {
    const unsigned before = p.order ? p.order[row] : static_cast<unsigned>(row);
    Traveller t;
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        t.x[a] = p.x[a][row];
        t.v[a] = p.v[a][transfer == Transfer::flip ? static_cast<unsigned>(row) : before];
    }
    if constexpr (transfer == Transfer::apic)
#pragma unroll
        for (int k = 0; k < 9; ++k) t.C[k] = p.C[k][before];
#pragma unroll
    for (int k = 0; k < 6; ++k) t.tau[k] = p.stress[k][before];
    return t;
}

template <Transfer transfer>
__device__ inline Deposit deposit_of(const Traveller& t, float m, float V, float dt) {
    Deposit d;
    d.mass = m;
    d.momentum = m * t.v;
    const float s = -V * (transfer == Transfer::apic ? dt : 1.0f);
    const Sym3f& q = t.tau;
    d.force[0] = s * Vec3f{q.xx, q.xy, q.xz};
    d.force[1] = s * Vec3f{q.xy, q.yy, q.yz};
    d.force[2] = s * Vec3f{q.xz, q.yz, q.zz};
    if constexpr (transfer == Transfer::apic)
#pragma unroll
        for (int a = 0; a < 3; ++a) d.affine[a] = m * t.C.column(a);
    return d;
}

// Largest over the CUDA block of values that are not negative, into memory.
__device__ inline void note_largest(float value, unsigned* where, unsigned* scratch) {
    const unsigned bits = __reduce_max_sync(0xffffffffu, __float_as_uint(value));
    if ((threadIdx.x & 31u) == 0) atomicMax(scratch, bits);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(where, *scratch);
}

// Sources that colliders may touch have a kernel of their own, which keeps the other one lean.
template <class L, int Order, Transfer transfer, bool near_colliders>
__global__ void __launch_bounds__(step_threads, step_blocks<Order, transfer>)
    step_particles(const __grid_constant__ ParticleView p, const __grid_constant__ L law,
                   const __grid_constant__ GridView grid, const __grid_constant__ StepView step,
                   int first_source) {
    constexpr int groups = node_groups<transfer>, size = groups * DeviceTile<Order>::nodes;
    constexpr int tile_count = step_tiles<Order, transfer>;
    const bool gathers = step.step >= 0;
    const int state = gathers ? step.slots[step.step].state : int{step_goes_on};
    if (state == step_skipped) return;
    const bool scatters = state == step_goes_on;

    extern __shared__ float4 shared[];
    __shared__ int near_list[NearList::most + 1];
    __shared__ unsigned largest[4];
    const int source_index = first_source + static_cast<int>(blockIdx.x);
    const Source source = grid.sources[source_index];
    if (gathers && (grid.block_near[source.block] != 0) != near_colliders) return;
    const Vec3i block = grid.blocks[source.block];
    const int warp = static_cast<int>(threadIdx.x >> 5), tile_index = warp % tile_count;
    float4* const tile = shared + size * (1 + tile_index);

    if (gathers) load_device_tile<Order, groups>(grid, source.block, shared);
    if (scatters)
        for (int n = static_cast<int>(threadIdx.x); n < tile_count * size; n += step_threads)
            shared[size + n] = make_float4(0, 0, 0, 0);
    if (threadIdx.x < 4) largest[threadIdx.x] = 0;
    NearList near{step.colliders, nullptr, 0};
    if (near_colliders) {
        near = find_near(step.colliders, step.collider_count,
                         step.dx * (DeviceBlock::corner(block) - splat(2.0)),
                         step.dx * DeviceBlock::size(5), near_list);
    }
    __syncthreads();

    // Warps that share a tile stand in a ring.
    constexpr int ring = step_warps / tile_count;
    constexpr bool shares = ring > 1;
    const int place = warp / tile_count;
    const int my_turn = 1 + tile_index * ring + place;
    const int next_turn = 1 + tile_index * ring + (place + 1) % ring;
    if (shares && scatters && place == ring - 1) give_turn(next_turn);

    Worst worst;
    for (int first = source.begin; first < source.end; first += step_threads) {
        const int row = first + static_cast<int>(threadIdx.x);
        const bool active = row < source.end;
        const float m = active ? p.mass[row] : 0, V = active ? p.volume[row] : 0;
        Traveller t{};
        if (gathers) {
            t = take_along<L, Order, transfer, near_colliders>(p, row, active, law, step, block,
                                                               shared, near, worst);
            if (active) store_traveller<transfer>(p, row, t, !scatters);
        } else if (active) {
            t = load_traveller<transfer>(p, row);
        }
        Stencil<Order> s(t.x, block, 1 / step.dx);
        if (active) worst.used = fmaxf(worst.used, s.used);
        if (!scatters) continue;
        const Deposit d = deposit_of<transfer>(t, m, V, static_cast<float>(step.dt));
        if (shares) wait_for_turn(my_turn);
        scatter<Order, transfer>(tile, s, d, static_cast<float>(step.dx), active);
        if (shares && (place < ring - 1 || first + step_threads < source.end)) give_turn(next_turn);
    }
    __syncthreads();
    if (scatters) store_device_tile<Order, groups, tile_count>(grid, source_index, shared + size);
    if (!gathers) return;
    StepSlot& slot = step.slots[step.step];
    note_largest(worst.move, &slot.move_bits, largest);
    note_largest(worst.speed, &slot.speed_bits, largest + 1);
    note_largest(worst.used, &slot.used_bits, largest + 2);
    note_largest(worst.strain, &slot.strain_bits, largest + 3);
}

// Launches the kernel for `count` sources from `first` on.
template <class L>
void launch_step(const L& law, const MpmSettings& settings, const ParticleView& p,
                 const GridView& grid, const StepView& step, int first, int count,
                 cudaStream_t stream);

}  // namespace knead
