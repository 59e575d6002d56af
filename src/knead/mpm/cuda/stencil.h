// Where a particle's kernel stands in its block's tile, and its weights along each axis.
#pragma once

#include "knead/math/bspline.h"
#include "knead/mpm/cuda/step_view.h"

namespace knead {

template <int Order>
struct Stencil {
    float n[3][Order + 1];   // weights
    float dn[3][Order + 1];  // their slopes [1/m]
    float f[3];              // distance from the first node [cells]
    int corner;              // index of the first node in the tile
    int column;              // which of the tile's columns along z it is in
    float used;              // of the room around the block, along the worst axis

    __device__ Stencil(const Vec3d& x, const Vec3i& block, double inv_dx) {
        using Tile = DeviceTile<Order>;
        int node[3];
        used = 0;
#pragma unroll
        for (int a = 0; a < 3; ++a) {
            const double s = x[a] * inv_dx - DeviceBlock::width(a) * block[a];
            const double first = floor(s - support_offset<Order>);
            f[a] = static_cast<float>(s - first);
            const auto u = static_cast<float>(s - support_offset<Order>);
            used = fmaxf(used, fmaxf(-u, u - static_cast<float>(DeviceBlock::width(a))));
            // A particle that left its tile is found by its displacement; it must do no harm.
            node[a] = ::min(::max(static_cast<int>(first) + 1, 0), Tile::width(a) - Order - 1);
            bspline_weights<Order>(f[a], n[a], dn[a]);
#pragma unroll
            for (int k = 0; k <= Order; ++k) dn[a][k] *= static_cast<float>(inv_dx);
        }
        corner = node[0] * Tile::slab + node[1] * Tile::row + node[2];
        column = node[0] * Tile::width(1) + node[1];
    }
    // The weight times the node's distance from the particle [m].
    __device__ float nd(int axis, int k, float dx) const {
        return n[axis][k] * ((static_cast<float>(k) - f[axis]) * dx);
    }
};

__device__ inline Vec3f vector_of(const float4& q) { return {q.y, q.z, q.w}; }

}  // namespace knead
