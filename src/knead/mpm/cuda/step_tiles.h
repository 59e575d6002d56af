// The nodes that a CUDA block of the step works on: a tile to gather from, and tiles that its warps
// add to in turns.
#pragma once

#include "knead/cuda/barrier.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/gather.h"
#include "knead/mpm/cuda/scatter.h"

namespace knead {

inline constexpr int step_warps = 4;
inline constexpr int step_threads = 32 * step_warps;

// The tiles that a CUDA block's warps add to. Where several warps share them, they stand in a ring:
// while one of them adds, the others gather. Particles of a warp that meet in a column can go to
// different tiles at the same time where the ring has more than one.
template <int Order, Transfer transfer>
inline constexpr int step_rings = keeps_own(transfer) ? 1 : 2;
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

}  // namespace knead
