// Where a particle's kernel stands in its block's tile, and its weights along each axis.
#pragma once

#include "knead/math/bspline.h"
#include "knead/mpm/cuda/step_view.h"

namespace knead {

// The first node of a particle's support along an axis, as it stands in its block's tile. One that
// left its tile is found by its displacement; it must do no harm.
template <int Order>
__device__ inline int first_in_tile(int axis, double first) {
    return ::min(::max(static_cast<int>(first) + 1, 0), DeviceTile<Order>::width(axis) - Order - 1);
}
template <int Order>
struct Stencil {
    float n[3][Order + 1];   // weights
    float dn[3][Order + 1];  // their slopes [1/m]
    float f[3];              // distance from the first node [cells]
    int corner;              // index of the first node in the tile
    int column;              // which of the tile's columns along y it is in
    float used;              // of the room around the block, along the worst axis

    __device__ Stencil(const Vec3d& x, const Vec3i& block, double inv_dx) {
        int node[3];
        used = 0;
#pragma unroll
        for (int a = 0; a < 3; ++a) {
            const double s = x[a] * inv_dx - DeviceBlock::width(a) * block[a];
            const double first = floor(s - support_offset<Order>);
            f[a] = static_cast<float>(s - first);
            const auto u = static_cast<float>(s - support_offset<Order>);
            used = fmaxf(used, fmaxf(-u, u - static_cast<float>(DeviceBlock::width(a))));
            node[a] = first_in_tile<Order>(a, first);
            bspline_weights<Order>(f[a], n[a], dn[a]);
#pragma unroll
            for (int k = 0; k <= Order; ++k) dn[a][k] *= static_cast<float>(inv_dx);
        }
        corner = DeviceTile<Order>::index(node[0], node[1], node[2]);
        column = DeviceTile<Order>::index(node[0], 0, node[2]);
    }
    // A node's distance from the particle along an axis [m].
    __device__ float offset(int axis, int k, float dx) const {
        return (static_cast<float>(k) - f[axis]) * dx;
    }
    // The weight times that.
    __device__ float nd(int axis, int k, float dx) const {
        return n[axis][k] * offset(axis, k, dx);
    }

    // Brings the next weights along x to the front, in a circle: loops along x stay short, and the
    // code of a step in the instruction cache.
    __device__ void next_x() {
        const float first_n = n[0][0], first_dn = dn[0][0];
#pragma unroll
        for (int k = 0; k < Order; ++k) n[0][k] = n[0][k + 1], dn[0][k] = dn[0][k + 1];
        n[0][Order] = first_n, dn[0][Order] = first_dn;
    }
};

__device__ inline Vec3f vector_of(const float4& q) { return {q.y, q.z, q.w}; }
__device__ inline Vec3f column(const Sym3f& q, int a) {
    return a == 0   ? Vec3f{q.xx, q.xy, q.xz}
           : a == 1 ? Vec3f{q.xy, q.yy, q.yz}
                    : Vec3f{q.xz, q.yz, q.zz};
}

}  // namespace knead
