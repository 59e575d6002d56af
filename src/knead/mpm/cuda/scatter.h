// Adds a warp of particles to a tile that no other warp writes at the time. Lanes add the same row
// of their stencils, along z, at the same time: lanes whose stencils begin in different columns
// never meet, and those of one column take turns. Nothing is atomic, and the order of all sums is
// fixed.
#pragma once

#include "knead/math/mat.h"
#include "knead/mpm/cuda/stencil.h"

namespace knead {

// What a particle brings to the grid. [transfer/scatter.h]
struct Deposit {
    float mass;
    Vec3f momentum;
    Vec3f affine[3];  // m C, column by column, APIC
    Vec3f force[3];   // -dt V tau (APIC) or -V tau (FLIP), column by column
};

// Whose turn it is when lanes of a warp write to the same column.
struct Turns {
    int mine;   // -1: never
    int count;  // of the warp

    template <int Order>
    __device__ static Turns of(const Stencil<Order>& s, bool active) {
        constexpr unsigned all = 0xffffffffu;
        const unsigned lane = threadIdx.x & 31u;
        const int column = s.corner / DeviceTile<Order>::depth;
        const unsigned peers = __match_any_sync(all, active ? column : -1 - static_cast<int>(lane));
        const int mine = active ? __popc(peers & ((1u << lane) - 1)) : -1;
        return {mine, 1 + __reduce_max_sync(all, mine)};
    }
};

// Adds N neighbouring nodes, turn by turn.
template <int N>
__device__ inline void add_row(float4* row, const float4 (&value)[N], const Turns& turns) {
#pragma unroll 1
    for (int t = 0; t < turns.count; ++t) {
        if (turns.mine == t) {
            float4 node[N];
#pragma unroll
            for (int k = 0; k < N; ++k) node[k] = row[k];
#pragma unroll
            for (int k = 0; k < N; ++k)
                row[k] = make_float4(node[k].x + value[k].x, node[k].y + value[k].y,
                                     node[k].z + value[k].z, node[k].w + value[k].w);
        }
        __syncwarp();
    }
}

template <int Order>
__device__ inline void scatter_apic(float4* tile, const Stencil<Order>& s, const Deposit& d,
                                    float dx, const Turns& turns) {
    using Tile = DeviceTile<Order>;
#pragma unroll
    for (int i = 0; i <= Order; ++i) {
        const float nx = s.n[0][i], dnx = s.dn[0][i], ndx = s.nd(0, i, dx);
        const Vec3f plain = nx * d.momentum + ndx * d.affine[0] + dnx * d.force[0];
        const float m = nx * d.mass;
#pragma unroll
        for (int j = 0; j <= Order; ++j) {
            const float ny = s.n[1][j], dny = s.dn[1][j], ndy = s.nd(1, j, dx);
            const Vec3f a = ny * plain + (nx * ndy) * d.affine[1] + (nx * dny) * d.force[1];
            const Vec3f b = (nx * ny) * d.affine[2], c = (nx * ny) * d.force[2];
            float4 value[Order + 1];
#pragma unroll
            for (int k = 0; k <= Order; ++k) {
                const float nz = s.n[2][k];
                const Vec3f v = nz * a + s.nd(2, k, dx) * b + s.dn[2][k] * c;
                value[k] = make_float4(nz * (ny * m), v.x, v.y, v.z);
            }
            add_row(tile + s.corner + (i * Tile::width + j) * Tile::depth, value, turns);
        }
    }
}

template <int Order>
__device__ inline void scatter_flip(float4* tile, const Stencil<Order>& s, const Deposit& d,
                                    const Turns& turns) {
    using Tile = DeviceTile<Order>;
#pragma unroll
    for (int i = 0; i <= Order; ++i) {
        const float nx = s.n[0][i], dnx = s.dn[0][i];
        const Vec3f mv = nx * d.momentum, force = dnx * d.force[0];
        const float m = nx * d.mass;
#pragma unroll
        for (int j = 0; j <= Order; ++j) {
            const float ny = s.n[1][j];
            const Vec3f a = ny * force + (nx * s.dn[1][j]) * d.force[1];
            const Vec3f b = (nx * ny) * d.force[2], p = ny * mv;
            float4 value[Order + 1], push[Order + 1];
#pragma unroll
            for (int k = 0; k <= Order; ++k) {
                const float nz = s.n[2][k];
                const Vec3f v = nz * p, f = nz * a + s.dn[2][k] * b;
                value[k] = make_float4(nz * (ny * m), v.x, v.y, v.z);
                push[k] = make_float4(f.x, f.y, f.z, 0);
            }
            float4* row = tile + s.corner + (i * Tile::width + j) * Tile::depth;
            add_row(row, value, turns);
            add_row(row + Tile::nodes, push, turns);
        }
    }
}

// Called by whole warps; lanes that are not active add nothing.
template <int Order, Transfer transfer>
__device__ inline void scatter(float4* tile, const Stencil<Order>& s, const Deposit& d, float dx,
                               bool active) {
    const Turns turns = Turns::of(s, active);
    if constexpr (transfer == Transfer::apic)
        scatter_apic<Order>(tile, s, d, dx, turns);
    else
        scatter_flip<Order>(tile, s, d, turns);
}

}  // namespace knead
