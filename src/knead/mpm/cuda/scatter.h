// Adds a warp of particles to tiles that no other warp writes at the time. Lanes add the same
// column of their stencils, along y, at the same time: lanes whose stencils begin in different
// columns never meet, and those of one column take different tiles or turns. Nothing is atomic, and
// the order of all sums is fixed.
#pragma once

#include "knead/cuda/threads.h"
#include "knead/math/mat.h"
#include "knead/mpm/cuda/stencil.h"

namespace knead {

// What a particle brings to the grid [transfer/scatter.h]: for APIC the momentum m v, m C and -dt V
// tau, the last two along x and, times what the stencil's nodes along y and z weigh them with,
// along those.
template <int Order, Transfer transfer>
struct Deposit {
    float mass;
    Vec3f momentum, affine_x, force_x;
    Vec3f along_y[Order + 1], along_z[Order + 1];

    __device__ Deposit(float m, const Vec3f& v, const Mat3f& C, const Sym3f& force,
                       const Stencil<Order>& s, float dx)
        : mass(m), momentum(m * v), affine_x(m * C.column(0)), force_x(column(force, 0)) {
#pragma unroll
        for (int k = 0; k <= Order; ++k) {
            along_y[k] = (m * s.nd(1, k, dx)) * C.column(1) + s.dn[1][k] * column(force, 1);
            along_z[k] = (m * s.nd(2, k, dx)) * C.column(2) + s.dn[2][k] * column(force, 2);
        }
    }
};
// For FLIP m v, and -V tau column by column; for AFLIP m C besides.
template <int Order>
struct Deposit<Order, Transfer::flip> {
    float mass;
    Vec3f momentum, force[3];

    __device__ Deposit(float m, const Vec3f& v, const Mat3f&, const Sym3f& q, const Stencil<Order>&,
                       float)
        : mass(m), momentum(m * v), force{column(q, 0), column(q, 1), column(q, 2)} {}
};
template <int Order>
struct Deposit<Order, Transfer::aflip> : Deposit<Order, Transfer::flip> {
    Vec3f spin[3];

    __device__ Deposit(float m, const Vec3f& v, const Mat3f& C, const Sym3f& q,
                       const Stencil<Order>& s, float dx)
        : Deposit<Order, Transfer::flip>(m, v, C, q, s, dx),
          spin{m * C.column(0), m * C.column(1), m * C.column(2)} {}
};

template <int Order>
__device__ inline void scatter(float4* tile, Stencil<Order>& s,
                               const Deposit<Order, Transfer::apic>& d, float dx, bool active) {
    using Tile = DeviceTile<Order>;
#pragma unroll 1
    for (int i = 0; i <= Order; ++i) {
        const float nx = s.n[0][0], m = nx * d.mass;
        const Vec3f plain =
            nx * d.momentum + (nx * s.offset(0, i, dx)) * d.affine_x + s.dn[0][0] * d.force_x;
#pragma unroll
        for (int j = 0; j <= Order; ++j) {
            const float nz = s.n[2][j], nxz = nx * nz, m_ij = nz * m;
            const Vec3f a = nz * plain + nx * d.along_z[j];
            float4* column = tile + s.corner + Tile::index(i, 0, j);
            if (active) {
                float4 node[Order + 1];
#pragma unroll
                for (int k = 0; k <= Order; ++k) node[k] = column[k * Tile::layer];
#pragma unroll
                for (int k = 0; k <= Order; ++k) {
                    const float ny = s.n[1][k];
                    const Vec3f& q = d.along_y[k];
                    column[k * Tile::layer] = make_float4(
                        ny * m_ij + node[k].x, nxz * q.x + (ny * a.x + node[k].y),
                        nxz * q.y + (ny * a.y + node[k].z), nxz * q.z + (ny * a.z + node[k].w));
                }
            }
            __syncwarp();
        }
        s.next_x();
    }
}

// FLIP and AFLIP.
template <int Order, Transfer transfer>
requires(keeps_own(transfer)) __device__
    inline void scatter(float4* tile, Stencil<Order>& s, const Deposit<Order, transfer>& d,
                        [[maybe_unused]] float dx, bool active) {
    using Tile = DeviceTile<Order>;
#pragma unroll 1
    for (int i = 0; i <= Order; ++i) {
        const float nx = s.n[0][0], dnx = s.dn[0][0];
        const Vec3f force = dnx * d.force[0];
        Vec3f mv = nx * d.momentum;
        if constexpr (is_affine(transfer)) mv += (nx * s.offset(0, i, dx)) * d.spin[0];
        const float m = nx * d.mass;
#pragma unroll
        for (int j = 0; j <= Order; ++j) {
            const float nz = s.n[2][j], m_ij = nz * m;
            const Vec3f a = nz * force + (nx * s.dn[2][j]) * d.force[2];
            const Vec3f b = (nx * nz) * d.force[1];
            Vec3f p = nz * mv;
            if constexpr (is_affine(transfer)) p += (nx * s.nd(2, j, dx)) * d.spin[2];
            float4* column = tile + s.corner + Tile::index(i, 0, j);
            if (active) {
                float4 node[Order + 1], push[Order + 1];
#pragma unroll
                for (int k = 0; k <= Order; ++k)
                    node[k] = column[k * Tile::layer],
                    push[k] = column[Tile::nodes + k * Tile::layer];
#pragma unroll
                for (int k = 0; k <= Order; ++k) {
                    const float ny = s.n[1][k], dny = s.dn[1][k];
                    Vec3f q = p;
                    if constexpr (is_affine(transfer))
                        q += (nx * nz * s.offset(1, k, dx)) * d.spin[1];
                    column[k * Tile::layer] =
                        make_float4(ny * m_ij + node[k].x, ny * q.x + node[k].y,
                                    ny * q.y + node[k].z, ny * q.z + node[k].w);
                    column[Tile::nodes + k * Tile::layer] = make_float4(
                        dny * b.x + (ny * a.x + push[k].x), dny * b.y + (ny * a.y + push[k].y),
                        dny * b.z + (ny * a.z + push[k].z), 0);
                }
            }
            __syncwarp();
        }
        s.next_x();
    }
}

// Called by whole warps; lanes that are not active add nothing. `tiles` of them lie one behind the
// other; particles that meet in a column go to different ones.
template <int Order, Transfer transfer, int tiles>
__device__ inline void scatter_in_turns(float4* tile, Stencil<Order>& s,
                                        const Deposit<Order, transfer>& d, float dx, bool active) {
    constexpr int size = node_groups<transfer> * DeviceTile<Order>::nodes;
    const unsigned lane = threadIdx.x & 31u;
    const unsigned peers =
        __match_any_sync(all_lanes, active ? s.column : -1 - static_cast<int>(lane));
    const int rank = active ? __popc(peers & ((1u << lane) - 1)) : -1;
    const int turns = 1 + warp_max(rank) / tiles;
    const int mine = active ? rank / tiles : -1;
    tile += rank % tiles * size;
#pragma unroll 1
    for (int t = 0; t < turns; ++t) scatter<Order>(tile, s, d, dx, mine == t);
}

}  // namespace knead
