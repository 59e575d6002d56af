// How the first Piola stress P = dW/dF follows a change of F, for elasticity by principal
// stretches. A law gives its second derivatives there (curvature(s)); in the frame of the stretches
//     dP_aa = sum_b W_ab dF_bb
//     dP_ab = (shear + spin)/2 dF_ab + (shear - spin)/2 dF_ba
// with shear = (W_a - W_b)/(s_a - s_b) and spin = (W_a + W_b)/(s_a + s_b). [Stomakhin 2012]
#pragma once

#include "knead/math/svd.h"

namespace knead {

template <class T>
struct Curvature {
    Sym3<T> along;  // W_ab = d2W / ds_a ds_b
    // of the pairs (y, z), (x, z), (x, y)
    Vec3<T> shear;  // written without dividing by a difference, which may vanish
    Vec3<T> spin;
};

template <class T>
CPU_GPU inline Mat3<T> stress_differential(const Svd3<T>& F, const Curvature<T>& c,
                                           const Mat3<T>& dF) {
    const Mat3<T> B = transpose(F.U) * dF * F.V;
    const T half = T(0.5);
    const Vec3<T> same = half * (c.shear + c.spin), other = half * (c.shear - c.spin);
    const Mat3<T> dP{c.along.xx * B.xx + c.along.xy * B.yy + c.along.xz * B.zz,
                     same.z * B.xy + other.z * B.yx,
                     same.y * B.xz + other.y * B.zx,
                     same.z * B.yx + other.z * B.xy,
                     c.along.xy * B.xx + c.along.yy * B.yy + c.along.yz * B.zz,
                     same.x * B.yz + other.x * B.zy,
                     same.y * B.zx + other.y * B.xz,
                     same.x * B.zy + other.x * B.yz,
                     c.along.xz * B.xx + c.along.yz * B.yy + c.along.zz * B.zz};
    return F.U * dP * transpose(F.V);
}

// P of the same state.
template <class Elastic, class T>
CPU_GPU inline Mat3<T> piola_stress(const Elastic& elastic, const Svd3<T>& F) {
    return F.U * diagonal(elastic.piola(F.sigma)) * transpose(F.V);
}

}  // namespace knead
