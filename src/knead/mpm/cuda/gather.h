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

template <int Order, Transfer transfer>
__device__ inline DeviceGathered gather(const float4* tile, Stencil<Order> s, float dx) {
    using Tile = DeviceTile<Order>;
    const Vec3f zero{0, 0, 0};
    constexpr int slabs_at_once = Order == 2 ? 3 : 1;
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
                if constexpr (transfer == Transfer::apic) {
                    nd += s.nd(1, k, dx) * v;
                } else {
                    const float4 q = column[Tile::nodes + k * Tile::layer];
                    d += s.n[1][k] * Vec3f{q.x, q.y, q.z};
                }
            }
            plain += s.n[2][j] * n;
            slope_z += s.dn[2][j] * n;
            slope_y += s.n[2][j] * dn;
            if constexpr (transfer == Transfer::apic) {
                along_z += s.nd(2, j, dx) * n;
                along_y += s.n[2][j] * nd;
            } else {
                change += s.n[2][j] * d;
            }
        }
        g.velocity += nx * plain;
        g.gradient[0] += dnx * plain;
        g.gradient[1] += nx * slope_y;
        g.gradient[2] += nx * slope_z;
        if constexpr (transfer == Transfer::apic) {
            g.affine[0] += (nx * s.offset(0, i, dx)) * plain;
            g.affine[1] += nx * along_y;
            g.affine[2] += nx * along_z;
        } else {
            g.change += nx * change;
        }
        s.next_x();
    }
    return g;
}

}  // namespace knead
