// The particle half of a step on the GPU: grid to particles, law, motion, and particles to grid for
// the next step, in one pass. A CUDA block works on one source: particles of one grid block.
#pragma once

#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/step_tiles.h"
#include "knead/mpm/cuda/traveller.h"

namespace knead {

// Largest over the CUDA block of values that are not negative, into memory.
__device__ inline void note_largest(float value, unsigned* where, unsigned* scratch) {
    const unsigned bits = warp_max(__float_as_uint(value));
    if (lane_index() == 0) atomicMax(scratch, bits);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(where, *scratch);
}

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
