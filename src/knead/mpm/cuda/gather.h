// Reads the tile back at a particle; the mirror image of scatter.h. [transfer/gather.h]
#pragma once

#include "knead/mpm/cuda/stencil.h"

namespace knead {

struct DeviceGathered {
    Vec3f velocity{0, 0, 0};
    Vec3f gradient[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};  // sum v_i dw/dx_a, by axis a
    Vec3f affine[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};    // sum w v_i (x_i - x_p)_a, APIC
    Vec3f change{0, 0, 0};                                  // sum w (v_i* - v_i), FLIP
};

// Three numbers of a row of nodes give three sums: with weights n, with slopes dn and with weights
// times distances nd. Slopes and nd add up to 0 and weights to 1, so that two differences say all
// but one of them.
struct RowDifferences {
    Vec3f ahead{0, 0, 0}, behind{0, 0, 0};  // q2 - q1 and q1 - q0

    RowDifferences() = default;
    __device__ RowDifferences(const Vec3f& q0, const Vec3f& q1, const Vec3f& q2)
        : ahead(q2 - q1), behind(q1 - q0) {}
    // The sum with weights, besides the middle number; or with what adds up to 0.
    __device__ Vec3f sum(float first, float last) const { return last * ahead - first * behind; }
    __device__ Vec3f weighted(const Vec3f& q1, const float (&n)[3]) const {
        return q1 + n[2] * ahead - n[0] * behind;
    }
    __device__ void add(float weight, const RowDifferences& other) {
        ahead += weight * other.ahead;
        behind += weight * other.behind;
    }
};

// Quadratic kernels, APIC.
__device__ inline DeviceGathered gather_by_differences(const float4* tile, const Stencil<2>& s,
                                                       float dx) {
    using Tile = DeviceTile<2>;
    RowDifferences along[3];
    Vec3f slab[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
        Vec3f column[3];
        RowDifferences along_y;
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const float4* node = tile + s.corner + Tile::index(i, 0, j);
            const Vec3f middle = vector_of(node[Tile::layer]);
            const RowDifferences d(vector_of(node[0]), middle, vector_of(node[2 * Tile::layer]));
            column[j] = d.weighted(middle, s.n[1]);
            along_y.add(s.n[2][j], d);
        }
        const RowDifferences along_z(column[0], column[1], column[2]);
        slab[i] = along_z.weighted(column[1], s.n[2]);
        along[1].add(s.n[0][i], along_y);
        along[2].add(s.n[0][i], along_z);
    }
    along[0] = RowDifferences(slab[0], slab[1], slab[2]);
    DeviceGathered g;
    g.velocity = along[0].weighted(slab[1], s.n[0]);
#pragma unroll
    for (int a = 0; a < 3; ++a) {
        g.gradient[a] = along[a].sum(s.dn[a][0], s.dn[a][2]);
        g.affine[a] = along[a].sum(s.nd(a, 0, dx), s.nd(a, 2, dx));
    }
    return g;
}

template <int Order, Transfer transfer>
__device__ inline DeviceGathered gather(const float4* tile, Stencil<Order> s, float dx) {
    if constexpr (Order == 2 && transfer == Transfer::apic)
        return gather_by_differences(tile, s, dx);
    using Tile = DeviceTile<Order>;
    const Vec3f zero{0, 0, 0};
    [[maybe_unused]] constexpr int slabs_at_once = Order == 2 ? 3 : 1;
    DeviceGathered g;
#pragma unroll slabs_at_once
    for (int i = 0; i <= Order; ++i) {
        const float nx = s.n[0][0], dnx = s.dn[0][0];
        Vec3f plain = zero, along_y = zero, slope_y = zero, along_z = zero, slope_z = zero;
        Vec3f change = zero;
#pragma unroll
        for (int j = 0; j <= Order; ++j) {
            const float4* column = tile + s.corner + Tile::index(i, 0, j);
            Vec3f n = zero, nd = zero, dn = zero, d = zero;
#pragma unroll
            for (int k = 0; k <= Order; ++k) {
                const Vec3f v = vector_of(column[k * Tile::layer]);
                n += s.n[1][k] * v;
                dn += s.dn[1][k] * v;
                if constexpr (is_affine(transfer)) nd += s.nd(1, k, dx) * v;
                if constexpr (keeps_own(transfer)) {
                    const float4 q = column[Tile::nodes + k * Tile::layer];
                    d += s.n[1][k] * Vec3f{q.x, q.y, q.z};
                }
            }
            plain += s.n[2][j] * n;
            slope_z += s.dn[2][j] * n;
            slope_y += s.n[2][j] * dn;
            if constexpr (is_affine(transfer)) {
                along_z += s.nd(2, j, dx) * n;
                along_y += s.n[2][j] * nd;
            }
            if constexpr (keeps_own(transfer)) change += s.n[2][j] * d;
        }
        g.velocity += nx * plain;
        g.gradient[0] += dnx * plain;
        g.gradient[1] += nx * slope_y;
        g.gradient[2] += nx * slope_z;
        if constexpr (is_affine(transfer)) {
            g.affine[0] += (nx * s.offset(0, i, dx)) * plain;
            g.affine[1] += nx * along_y;
            g.affine[2] += nx * along_z;
        }
        if constexpr (keeps_own(transfer)) g.change += nx * change;
        s.next_x();
    }
    return g;
}

}  // namespace knead
