// The particle half of a step on the GPU: grid to particles, law, motion, and particles to grid for
// the next step, in one pass. A CUDA block works on one source: particles of one grid block.
#pragma once

#include "knead/cuda/barrier.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/any_law.h"
#include "knead/mpm/cuda/gather.h"
#include "knead/mpm/cuda/particle_view.h"
#include "knead/mpm/cuda/scatter.h"
#include "knead/mpm/formulas.h"

namespace knead {

inline constexpr int step_warps = 4;
inline constexpr int step_threads = 32 * step_warps;

// The tiles that a CUDA block's warps add to. Where several warps share them, they stand in a ring:
// while one of them adds, the others gather. Particles of a warp that meet in a column can go to
// different tiles at the same time where the ring has more than one.
template <int Order, Transfer transfer>
inline constexpr int step_rings = transfer == Transfer::flip ? 1 : 2;
template <int Order, Transfer transfer>
inline constexpr int ring_tiles = Order == 2 && transfer == Transfer::apic ? 2 : 1;
template <int Order, Transfer transfer>
inline constexpr int step_tiles = step_rings<Order, transfer>* ring_tiles<Order, transfer>;
// CUDA blocks that a multiprocessor should hold: fewer where distances are asked for, which takes
// registers.
inline constexpr int step_blocks(Touch touch) { return touch == touch_any ? 3 : 4; }

template <int Order, Transfer transfer>
inline constexpr std::size_t step_shared_bytes =
    sizeof(float4) *
    (1 + step_tiles<Order, transfer>)*node_groups<transfer>* DeviceTile<Order>::nodes;

// A ring of warps. Each has a barrier that the one before it opens; phases of a barrier alternate,
// and the ring begins with the first one's open.
template <int warps>
class Ring {
public:
    // Called by all threads of a CUDA block, once; a __syncthreads must follow.
    __device__ Ring(SharedBarrier* barriers, int place) : barriers_(barriers), place_(place) {
        if (lane_index() == 0) barriers_[place].init(32);
    }
    __device__ void wait() {
        if (place_ == 0 && first_) {
            first_ = false;
            return;
        }
        barriers_[place_].wait(parity_);
        parity_ ^= 1u;
    }
    __device__ void pass_on() { barriers_[(place_ + 1) % warps].arrive(); }

private:
    SharedBarrier* barriers_;
    int place_;
    unsigned parity_ = 0;
    bool first_ = true;
};

// Copies the nodes that a block's particles can see.
template <int Order, int groups>
__device__ inline void load_device_tile(const GridView& grid, int block, float4* tile) {
    using Tile = DeviceTile<Order>;
    for (int n = static_cast<int>(threadIdx.x); n < Tile::nodes; n += step_threads) {
        const int y = n / Tile::layer - 1, rest = n % Tile::layer;
        const int z = rest / Tile::row - 1, x = rest % Tile::row - 1;
        if (z >= Tile::width(2) - 1) continue;
        const int k = DeviceBlock::link((x >> 3) + 1, (y >> 1) + 1, (z >> 2) + 1);
        const int target = grid.seen_targets[DeviceBlock::neighbours * block + k];
        const int node = DeviceBlock::index(x, y, z);
#pragma unroll
        for (int g = 0; g < groups; ++g)
            tile[g * Tile::nodes + n] =
                target < 0 ? make_float4(0, 0, 0, 0)
                           : grid.seen_nodes[(target * groups + g) * DeviceBlock::nodes + node];
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

template <class L, int Order, Transfer transfer, Touch touch>
__device__ inline Traveller take_along(const ParticleView& p, int row, bool active, const L& law,
                                       const StepView& step, int number, const Vec3i& block,
                                       const float4* tile, const NearList& near, Worst& worst) {
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
        const Mat3f B = from_columns(g.affine[0], g.affine[1], g.affine[2]);
        t.C = AffineDamping<float>(Order, dx, step.damping)(B);
    } else {
        t.v = blend_flip(g.velocity, old, g.change, step.flip_fraction);
    }

    const Mat3f dt_L = dt * from_columns(g.gradient[0], g.gradient[1], g.gradient[2]);
    if (step.wants_strain && active)
        worst.strain = fmaxf(worst.strain, 0.25f * norm_squared(dt_L + transpose(dt_L)));
    t.tau = advance_law(law, state, dt_L, dt, step.heal_dt[number]);
    if (!active) return t;
    store_state<L::columns>(p, row, state);

    const Vec3d start = t.x;
    if constexpr (touch == touch_none) {
        t.x += step.dt * static_cast<Vec3d>(t.v);
    } else {
        const Motion3 before{t.x, static_cast<Vec3d>(t.v)};
        const Motion3 after = touch == touch_face || near.face
                                  ? move_past_face(*near.face, before, step.dt)
                                  : move_past(near, before, step.dt);
        t.x = after.x;
        t.v = static_cast<Vec3f>(after.v);
    }
    const Vec3f d = static_cast<Vec3f>(t.x - start);
    worst.move = fmaxf(worst.move, fmaxf(fabsf(d.x), fmaxf(fabsf(d.y), fabsf(d.z))) / dx);
    worst.speed = fmaxf(worst.speed, dot(t.v, t.v));
    const float sum = trace(t.tau) + t.tau.xy + t.tau.xz + t.tau.yz + t.v.x + t.v.y + t.v.z;
    if (!is_finite(sum))
        atomicMax(&step.slots[number].bad, ~(static_cast<unsigned long long>(p.phase) << 32 |
                                             static_cast<unsigned long long>(row)));
    return t;
}

template <Transfer transfer>
__device__ inline void store_traveller(const ParticleView& p, int row, const Traveller& t,
                                       int state) {
#pragma unroll
    for (int a = 0; a < 3; ++a) p.x[a][row] = t.x[a];
    if (transfer == Transfer::flip || state != step_goes_on)
#pragma unroll
        for (int a = 0; a < 3; ++a) p.v[a][row] = t.v[a];
    if (state != step_ends) return;
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

// `dt`: of the step to come.
template <int Order, Transfer transfer>
__device__ inline Deposit<Order, transfer> deposit_of(const Traveller& t, float m, float V,
                                                      const Stencil<Order>& s, float dt, float dx) {
    const float scale = -V * (transfer == Transfer::apic ? dt : 1.0f);
    return {m, t.v, t.C, scale * t.tau, s, dx};
}

// Largest over the CUDA block of values that are not negative, into memory.
__device__ inline void note_largest(float value, unsigned* where, unsigned* scratch) {
    const unsigned bits = warp_max(__float_as_uint(value));
    if (lane_index() == 0) atomicMax(scratch, bits);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(where, *scratch);
}

template <int Order, Transfer transfer>
struct StepTiles {
    static constexpr int groups = node_groups<transfer>, size = groups * DeviceTile<Order>::nodes;
    static constexpr int rings = step_rings<Order, transfer>, tiles = ring_tiles<Order, transfer>;
    using Turns = Ring<step_warps / rings>;

    float4* all;   // what is gathered, then the tiles that are added to
    float4* mine;  // the first of the tiles that this warp adds to
    Turns turns;

    // A __syncthreads must follow.
    __device__ StepTiles(float4* shared, SharedBarrier* barriers, int warp)
        : all(shared),
          mine(shared + size * (1 + tiles * (warp % rings))),
          turns(barriers + step_warps / rings * (warp % rings), warp / rings) {
        for (int n = static_cast<int>(threadIdx.x); n < rings * tiles * size; n += step_threads)
            shared[size + n] = make_float4(0, 0, 0, 0);
    }
    __device__ void add(Stencil<Order>& s, const Deposit<Order, transfer>& d, float dx,
                        bool active) {
        turns.wait();
        scatter_in_turns<Order, transfer, tiles>(mine, s, d, dx, active);
        turns.pass_on();
    }
    __device__ void store(const GridView& grid, int source) {
        __syncthreads();
        store_device_tile<Order, groups, rings * tiles>(grid, source, all + size);
    }
};

// Whether this warp has particles among those from `first` on. Those of a ring that come last run
// out of them first, so that nobody waits for one that has none.
__device__ inline bool has_work(int first, int end) {
    return first + static_cast<int>(threadIdx.x & ~31u) < end;
}

// Particles to grid alone, for a batch that begins with particles the grid does not hold.
template <int Order, Transfer transfer>
__global__ void __launch_bounds__(step_threads)
    add_particles(const __grid_constant__ ParticleView p, const __grid_constant__ GridView grid,
                  const __grid_constant__ StepView step, int first_source) {
    float4* const shared = dynamic_shared<float4>();
    SHARED(SharedBarrier[step_warps], barriers);
    const int number = first_source + static_cast<int>(blockIdx.x);
    const Source source = grid.sources[number];
    const Vec3i block = grid.blocks[source.block];
    StepTiles<Order, transfer> tiles(shared, barriers, static_cast<int>(threadIdx.x >> 5));
    __syncthreads();
    for (int first = source.begin; has_work(first, source.end); first += step_threads) {
        const int row = first + static_cast<int>(threadIdx.x);
        const bool active = row < source.end;
        Traveller t{};
        if (active) t = load_traveller<transfer>(p, row);
        Stencil<Order> s(t.x, block, 1 / step.dx);
        const auto dt = static_cast<float>(step.dt), dx = static_cast<float>(step.dx);
        const auto d = deposit_of<Order, transfer>(t, active ? p.mass[row] : 0,
                                                   active ? p.volume[row] : 0, s, dt, dx);
        tiles.add(s, d, dx, active);
    }
    tiles.store(grid, number);
}

// The kernels of one step are told apart by what may touch their sources; the first of them waits
// for the grid, and the others begin beside it.
template <class L, int Order, Transfer transfer, Touch touch>
__global__ void __launch_bounds__(step_threads, step_blocks(touch))
    step_particles(const __grid_constant__ ParticleView p, const __grid_constant__ L law,
                   const __grid_constant__ GridView grid, const __grid_constant__ StepView step,
                   const int* numbers, bool is_first) {
    float4* const shared = dynamic_shared<float4>();
    SHARED(unsigned[4], largest);
    SHARED(ColliderFace, face);
    SHARED(SharedBarrier[step_warps], barriers);
    const int number = numbers[blockIdx.x];
    const Source source = grid.sources[number];
    const Vec3i block = grid.blocks[source.block];
    StepTiles<Order, transfer> tiles(shared, barriers, static_cast<int>(threadIdx.x >> 5));
    if (threadIdx.x < 4) largest[threadIdx.x] = 0;
    const int in_batch = step.number();
    NearList near(step.colliders_at(in_batch), step.collider_count, grid.block_near[source.block]);
    if (touch != touch_none) keep_face(near, face);
    if (is_first) wait_for_kernel_before();
    let_next_kernel_begin();
    StepSlot& slot = step.slots[in_batch];
    const int state = slot.state;
    if (state != step_skipped) {
        load_device_tile<Order, tiles.groups>(grid, source.block, shared);
        __syncthreads();
        Worst worst;
        for (int first = source.begin; has_work(first, source.end); first += step_threads) {
            const int row = first + static_cast<int>(threadIdx.x);
            const bool active = row < source.end;
            const float m = active ? p.mass[row] : 0, V = active ? p.volume[row] : 0;
            const Traveller t = take_along<L, Order, transfer, touch>(
                p, row, active, law, step, in_batch, block, shared, near, worst);
            if (active) store_traveller<transfer>(p, row, t, state);
            Stencil<Order> s(t.x, block, 1 / step.dx);
            if (active) worst.used = fmaxf(worst.used, s.used);
            const auto dt = static_cast<float>(step.dt), dx = static_cast<float>(step.dx);
            tiles.add(s, deposit_of<Order, transfer>(t, m, V, s, dt, dx), dx, active);
        }
        tiles.store(grid, number);
        note_largest(worst.move, &slot.move_bits, largest);
        note_largest(worst.speed, &slot.speed_bits, largest + 1);
        note_largest(worst.used, &slot.used_bits, largest + 2);
        note_largest(worst.strain, &slot.strain_bits, largest + 3);
    }
    wait_for_kernel_before();
}

// Launches the kernels of a step for a phase.
template <class L>
void launch_step(const L& law, const MpmSettings& settings, const ParticleView& p,
                 const GridView& grid, const StepView& step, const SourceLists& sources,
                 cudaStream_t stream);
// And the one that adds sources [first, first + count) to the grid.
void launch_add(const MpmSettings& settings, const ParticleView& p, const GridView& grid,
                const StepView& step, int first, int count, cudaStream_t stream);

}  // namespace knead
