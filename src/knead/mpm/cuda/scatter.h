// Adds a warp of particles to the warp's own tile. Lanes write the same corner of their stencils at
// the same time, so lanes whose stencils begin at different nodes never meet; those that share one
// take turns. Nothing is atomic, and the order of all sums is fixed.
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

__device__ inline void add(float4& node, float w, const Vec3f& v) {
    node.x += w;
    node.y += v.x;
    node.z += v.y;
    node.w += v.z;
}

template <int Order>
__device__ inline void scatter_apic(float4* tile, const Stencil<Order>& s, const Deposit& d,
                                    float dx, bool active) {
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
            float4* row = tile + s.corner + (i * Tile::width + j) * Tile::depth;
#pragma unroll
            for (int k = 0; k <= Order; ++k) {
                const float nz = s.n[2][k];
                float4 node = row[k];
                add(node, nz * (ny * m), nz * a + s.nd(2, k, dx) * b + s.dn[2][k] * c);
                if (active) row[k] = node;
                __syncwarp();
            }
        }
    }
}

template <int Order>
__device__ inline void scatter_flip(float4* tile, const Stencil<Order>& s, const Deposit& d,
                                    bool active) {
    using Tile = DeviceTile<Order>;
#pragma unroll 1
    for (int i = 0; i <= Order; ++i) {
        const float nx = pick(s.n[0], i), dnx = pick(s.dn[0], i);
        const Vec3f mv = nx * d.momentum, force = dnx * d.force[0];
        const float m = nx * d.mass;
#pragma unroll
        for (int j = 0; j <= Order; ++j) {
            const float ny = s.n[1][j];
            const Vec3f a = ny * force + (nx * s.dn[1][j]) * d.force[1];
            const Vec3f b = (nx * ny) * d.force[2], p = ny * mv;
            float4* row = tile + s.corner + (i * Tile::width + j) * Tile::depth;
#pragma unroll
            for (int k = 0; k <= Order; ++k) {
                const float nz = s.n[2][k];
                float4 node = row[k], push = row[Tile::nodes + k];
                add(node, nz * (ny * m), nz * p);
                const Vec3f f = nz * a + s.dn[2][k] * b;
                push.x += f.x, push.y += f.y, push.z += f.z;
                if (active) row[k] = node, row[Tile::nodes + k] = push;
                __syncwarp();
            }
        }
    }
}

// Called by whole warps; lanes that are not active add nothing.
template <int Order, Transfer transfer>
__device__ inline void scatter(float4* tile, const Stencil<Order>& s, const Deposit& d, float dx,
                               bool active) {
    constexpr unsigned all = 0xffffffffu;
    const unsigned lane = threadIdx.x & 31u;
    const int where = active ? s.corner : -1 - static_cast<int>(lane);
    const unsigned peers = __match_any_sync(all, where);
    const int turn = __popc(peers & ((1u << lane) - 1));
    const int turns = __reduce_max_sync(all, turn);
    for (int t = 0; t <= turns; ++t) {
        if constexpr (transfer == Transfer::apic)
            scatter_apic<Order>(tile, s, d, dx, active && turn == t);
        else
            scatter_flip<Order>(tile, s, d, active && turn == t);
    }
}

}  // namespace knead
