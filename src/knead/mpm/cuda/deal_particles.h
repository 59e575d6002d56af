// How particles are put into order: by grid block, and within a block so that few of a warp's
// particles stand in one column. Included by sort_particles.cu alone.
#pragma once

#include <algorithm>

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/mpm/cuda/block_box.h"
#include "knead/mpm/cuda/particle_view.h"
#include "knead/mpm/grid/block_key.h"

namespace knead {

// A key: the number of a particle's block, its column of the block, and as much as there is room
// for of where in the column it is.
struct KeyLayout {
    static constexpr int column_bits = 5, most_part_bits = 2;
    int part_bits;

    // For so many bits of block numbers.
    explicit KeyLayout(int block_bits)
        : part_bits(std::min(most_part_bits, 32 - column_bits - block_bits)) {}
    CPU_GPU int inner_bits() const { return column_bits + part_bits; }
    __device__ unsigned inner(unsigned key) const { return key & ((1u << inner_bits()) - 1); }
    __device__ unsigned key(int block, int column, int part) const {
        return static_cast<unsigned>(block) << inner_bits() |
               static_cast<unsigned>(column << part_bits | part >> (most_part_bits - part_bits));
    }
};

inline constexpr double node_limit = 4.0 * (block_limit - 2);

// How particles are numbered: in cells, shifted to the first node of a support, ahead of now.
struct Numbering {
    double inv_dx, offset, lead;
};

// The first node of a particle's support, and which quarter of its column it is in.
__device__ inline Vec3i first_node(const ParticleView& p, int i, const Numbering& by, int& part) {
    int node[3], half[3];
    for (int a = 0; a < 3; ++a) {
        const double ahead = p.x[a][i] + by.lead * static_cast<double>(p.v[a][i]);
        const double n = ahead * by.inv_dx - by.offset;
        const double first = floor(n);
        node[a] = static_cast<int>(fmin(fmax(first, -node_limit), node_limit));
        half[a] = n - first < 0.5 ? 0 : 1;
    }
    part = 2 * half[0] + half[2];
    return {node[0], node[1], node[2]};
}

struct FirstNode {
    Numbering by;
    __device__ Vec3i operator()(const ParticleView& p, int i) const {
        int part;
        return first_node(p, i, by, part);
    }
};

// Counts a phase's particles block by block, and says whether one is outside of the box. Keys stand
// in the order of ids, so that particles with one key keep that order, whatever rows they had.
static __global__ void make_keys(const __grid_constant__ ParticleView p, const unsigned* ranks,
                                 int n, Numbering by, BlockBox box, KeyLayout layout,
                                 unsigned* keys, unsigned* rows, int* counts, int* outside) {
    const int i = thread_index();
    int number = -1;
    if (i < n) {
        int part;
        const Vec3i node = first_node(p, i, by, part), block = DeviceBlock::of(node);
        if (box.holds_reached(block))
            number = box.number(block);
        else
            set_flag(outside);
        const unsigned to = ranks[i];
        keys[to] = layout.key(::max(number, 0), DeviceBlock::column(node), part);
        rows[to] = static_cast<unsigned>(i);
    }
    const unsigned peers = __match_any_sync(all_lanes, number);
    if (number >= 0 && lane_index() == __ffs(static_cast<int>(peers)) - 1)
        atomicAdd(counts + number, __popc(peers));
}

// What is known of a phase's particles before they are sorted: those of block n of the box will be
// rows [firsts[n], firsts[n + 1]).
struct PhaseBlocks {
    BlockBox box;
    const int* firsts;
    const Vec3i* blocks;     // all that particles are in, of this phase or others
    const int* block_count;  // none where a particle is outside of the box

    __device__ void rows(int block, int& begin, int& end) const {
        const int number = box.number(blocks[block]);
        begin = firsts[number], end = firsts[number + 1];
    }
};

inline constexpr int deal_warps = 4;

// Shared memory of a warp that deals a block's particles out.
struct Dealing {
    static constexpr int ranks = 128;
    static constexpr int places = 32 << KeyLayout::most_part_bits;
    int next[places];      // by column and part: how many of the column have been dealt out
    unsigned have[ranks];  // the columns with more than so many particles
    int first[ranks];      // and where those particles go

    // Counts a block's particles. Returns how many column `lane` has.
    __device__ int count(const unsigned* keys, int begin, int end, const KeyLayout& layout) {
        constexpr int at_once = 8;  // loads in flight
        const int lane = lane_index(), parts = 1 << layout.part_bits;
        for (int k = 0; k < parts; ++k) next[32 * k + lane] = 0;
        __syncwarp();
        for (int from = begin + lane; from < end; from += 32 * at_once) {
            unsigned key[at_once];
#pragma unroll
            for (int k = 0; k < at_once; ++k)
                key[k] = from + 32 * k < end ? keys[from + 32 * k] : 0;
#pragma unroll
            for (int k = 0; k < at_once; ++k)
                if (from + 32 * k < end) atomicAdd(&next[layout.inner(key[k])], 1);
        }
        __syncwarp();
        int sum = 0;
        for (int k = 0; k < parts; ++k) {
            const int here = next[parts * lane + k];
            next[parts * lane + k] = sum;
            sum += here;
        }
        return sum;
    }
    // Where each rank goes. Returns where what column `lane` has beyond the last of them begins.
    __device__ int plan(int count, int begin) {
        const int lane = lane_index();
        int to = begin;
        for (int r = 0; r < ranks; ++r) {
            const unsigned who = __ballot_sync(all_lanes, r < count);
            if (who == 0) break;
            if (lane == 0) have[r] = who, first[r] = to;
            to += __popc(who);
        }
        const int more = ::max(count - ranks, 0);
        int rest = more;
        for (int d = 1; d < 32; d *= 2) {
            const int before = __shfl_up_sync(all_lanes, rest, static_cast<unsigned>(d));
            if (lane >= d) rest += before;
        }
        __syncwarp();
        return to + rest - more;
    }
};

// Deals a block's particles out: one of every column, then the next of every column, and so on, so
// that few of a warp's particles stand in one column, and that goes on while they move together.
// Within a column they go by where they cross into the next one. One warp a block. Where a particle
// is outside of the box all stay where they are.
static __global__ void deal_out(const unsigned* keys, const unsigned* rows, PhaseBlocks phase,
                                int n, const int* outside, KeyLayout layout, unsigned* order) {
    constexpr int at_once = 8;
    SHARED(Dealing[deal_warps], all);
    Dealing& dealing = all[threadIdx.x >> 5];
    const int lane = lane_index(), threads = static_cast<int>(gridDim.x * blockDim.x);
    if (*outside)
        for (int i = thread_index(); i < n; i += threads) order[i] = static_cast<unsigned>(i);
    const int blocks = *phase.block_count;
    for (int block = thread_index() >> 5; block < blocks; block += threads >> 5) {
        int begin, end;
        phase.rows(block, begin, end);
        const int rest = dealing.plan(dealing.count(keys, begin, end, layout), begin);
        for (int from = begin; from < end; from += 32 * at_once) {
            unsigned key[at_once], row[at_once];
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
                const int i = from + 32 * k + lane;
                key[k] = i < end ? keys[i] : 0, row[k] = i < end ? rows[i] : 0;
            }
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
                const bool here = from + 32 * k + lane < end;
                const int place = here ? static_cast<int>(layout.inner(key[k])) : -1 - lane;
                const unsigned peers = __match_any_sync(all_lanes, place);
                const int before = __popc(peers & ((1u << lane) - 1));
                const int rank = here ? dealing.next[place] + before : 0;
                const int column = here ? place >> layout.part_bits : 0;
                const int rest_of_column = __shfl_sync(all_lanes, rest, column);
                __syncwarp();
                if (here && before == 0) dealing.next[place] = rank + __popc(peers);
                __syncwarp();
                if (!here) continue;
                const int to =
                    rank < Dealing::ranks
                        ? dealing.first[rank] + __popc(dealing.have[rank] & ((1u << column) - 1))
                        : rest_of_column + rank - Dealing::ranks;
                order[to] = row[k];
            }
        }
        __syncwarp();
    }
}

}  // namespace knead
